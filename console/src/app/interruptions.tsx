// What interrupts work: the service does not respond, or the session has ended. Neither loses what was typed.
import { Alert } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react'
import { caseport, connection } from './connection.ts'
import { useTexts } from './i18n.tsx'
import { Icon } from './icons.tsx'
import { servicePath } from './page.ts'

const SessionEndedDialog = lazy(() => import('./session-ended.tsx'))

const CHECK_MS = 2_000
const TIMEOUT_MS = 10_000

const useConnection = () => useSyncExternalStore(connection.subscribe, connection.current)

async function isBack(): Promise<boolean> {
  try {
    const { ok } = await fetch(`${servicePath}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (ok) await caseport.api.GET('/admin/v1/me')
    return ok
  } catch {
    return false
  }
}

export function OfflineBanner() {
  const { t } = useTexts()
  const { isOnline } = useConnection()
  const client = useQueryClient()

  useEffect(() => {
    if (isOnline) return
    let isChecking = false
    const timer = setInterval(() => {
      if (isChecking) return
      isChecking = true
      // Any call through the client of the console notes that the service is back.
      void isBack().then(back => {
        isChecking = false
        if (back) void client.refetchQueries({ type: 'active', stale: true })
      })
    }, CHECK_MS)
    return () => clearInterval(timer)
  }, [isOnline, client])

  return (
    <div role="status" className="offline">
      {!isOnline && (
        <Alert color="yellow" icon={<Icon name="alert" />} radius={0} title={t('state.offline')}>
          {t('state.offlineHelp')}
        </Alert>
      )}
    </div>
  )
}

/** Lies over the screen, which stays as it is. */
export function SessionEnded() {
  const { hasSessionEnded } = useConnection()
  return hasSessionEnded ? (
    <Suspense fallback={null}>
      <SessionEndedDialog />
    </Suspense>
  ) : null
}
