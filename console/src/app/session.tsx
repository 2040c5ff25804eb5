// Who is signed in, and what this person may do. What a person may not do is not offered.
import type { components } from '@caseport/sdk'
import { isCaseportError } from '@caseport/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { caseport, connection, signInClient } from './connection.ts'
import { hasDrafts } from './draft.ts'
import { useTexts } from './i18n.tsx'
import { leavePage, wouldLoseWork } from './leave-page.ts'
import { wasSignedIn } from './page.ts'
import { leaveForOther, watchPerson } from './same-person.ts'
import { CenteredLoader, ErrorState, errorText } from './states.tsx'

export type Me = components['schemas']['Me']
export type Scope = Me['scopes'][number]

export interface Session {
  me: Me
  can(...scopes: Scope[]): boolean
  /** Whether the person sees some companies only. */
  isLimited: boolean
  /** Whether the person speaks for one company, and neither audits nor administers: a small console shows what this takes. */
  isContact: boolean
  signOut(): Promise<void>
}

const SignInScreen = lazy(() => import('../screens/sign-in/sign-in.screen.tsx'))

/** What people of the office have, and contacts of companies have not. */
const OFFICE: Scope[] = ['admin', 'audit:read', 'access:write', 'setup:write', 'webhooks:write']

export const mayAll = ({ scopes }: { scopes: readonly string[] }, wanted: readonly Scope[]): boolean =>
  wanted.every(scope => scopes.includes(scope) || scopes.includes('admin'))

export const isContactOf = ({ companies, scopes }: Me): boolean =>
  companies?.length === 1 && !OFFICE.some(scope => scopes.includes(scope))

const Context = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(Context)
  if (!session) throw new Error('useSession needs a SessionGate.')
  return session
}

export const meQuery = {
  queryKey: ['me'],
  queryFn: async () => (await caseport.api.GET('/admin/v1/me')).data as Me,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
}

/** Shows the sign-in screen until a person is signed in. */
export function SessionGate({ children }: { children: ReactNode }) {
  const [isKnown, setKnown] = useState(wasSignedIn)
  const client = useQueryClient()
  const texts = useTexts()
  const {
    data: me,
    error,
    refetch,
  } = useQuery({
    ...meQuery,
    enabled: isKnown,
  })

  const person = useRef(me)
  useEffect(() => {
    if (!me) return
    person.current ??= me
    if (me.userId !== person.current.userId) return leaveForOther()
    connection.signedIn()
    return watchPerson(me)
  }, [me])

  const session = useMemo<Session | undefined>(() => {
    if (!me) return undefined
    return {
      me,
      can: (...wanted) => mayAll(me, wanted),
      isLimited: me.companies !== null,
      isContact: isContactOf(me),
      async signOut() {
        if (wouldLoseWork() || hasDrafts()) {
          const { confirm } = await import('../dialogs/confirm.tsx')
          const isSure = await confirm({
            title: texts.t('signOut.title'),
            text: texts.t('signOut.text'),
            action: texts.t('shell.signOut'),
          })
          if (!isSure) return
        }
        try {
          await signInClient.api.DELETE('/auth/v1/session')
        } catch (cause) {
          // 401: the session has ended already.
          if (!isCaseportError(cause) || cause.status !== 401) {
            const { notifyError } = await import('../dialogs/notify.tsx')
            notifyError(texts.t('state.error'), errorText(cause, texts))
            return
          }
        }
        connection.signedOut()
        // Drafts of this person.
        sessionStorage.clear()
        leavePage()
      },
    }
  }, [me, texts])

  const isSignedOut = isCaseportError(error) && error.status === 401
  if (!isKnown || isSignedOut)
    return (
      <Suspense fallback={<CenteredLoader />}>
        <SignInScreen
          onSignedIn={() => {
            void client.resetQueries({ queryKey: ['me'] })
            setKnown(true)
          }}
        />
      </Suspense>
    )
  if (session) return <Context value={session}>{children}</Context>
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  return <CenteredLoader />
}
