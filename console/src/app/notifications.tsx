import { Notifications } from '@mantine/notifications'
import '@mantine/notifications/styles.layer.css'
import { useUndoAction } from '../dialogs/notify.tsx'

export default function NotificationList() {
  useUndoAction()
  return <Notifications position="bottom-right" limit={4} />
}
