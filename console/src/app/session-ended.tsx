import { Modal, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { SignInForm } from '../screens/sign-in/sign-in-form.tsx'
import { connection, signInClient } from './connection.ts'
import { useTexts } from './i18n.tsx'
import { leaveForOther } from './same-person.ts'
import { type Me, useSession } from './session.tsx'

export default function SessionEndedDialog() {
  const { t } = useTexts()
  const { me } = useSession()

  const resume = async () => {
    const now = (await signInClient.api.GET('/admin/v1/me')).data as Me
    // Another person must not see the screens of this one.
    if (now.userId === me.userId) connection.signedIn()
    else leaveForOther()
  }

  // The person may have signed in in another window.
  const latest = useRef(resume)
  latest.current = resume
  useEffect(() => {
    const look = () => void latest.current().catch(() => undefined)
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [])

  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('session.ended')}
    >
      <Text size="sm" c="dimmed" mb="md">
        {t('session.endedHelp', { name: me.name })}
      </Text>
      <SignInForm onSignedIn={resume} isOverPage />
    </Modal>
  )
}
