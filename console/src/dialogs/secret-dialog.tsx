// A secret that the service shows once: a link, a key, codes. It closes by its button alone.
import { Alert, Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import { openDialog } from './dialog-host.tsx'

interface Secret {
  title: string
  text: string
  /** Each with its name, such as `Client secret`. */
  values: { label: string; value: string }[]
}

export const showSecret = (secret: Secret): Promise<void> =>
  openDialog<void>(close => <SecretDialog {...secret} onClose={() => close()} />)

function SecretDialog({ title, text, values, onClose }: Secret & { onClose: () => void }) {
  const { t } = useTexts()
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="sm">
        <Alert color="yellow" icon={<Icon name="alert" />}>
          {text}
        </Alert>
        {values.map(({ label, value }) => (
          <div key={label}>
            <Text size="sm" fw={600} mb={4}>
              {label}
            </Text>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Code block className="secret">
                {value}
              </Code>
              <CopyButton value={value}>
                {({ copied, copy }) => (
                  <Button variant="default" onClick={copy} aria-label={`${t('secret.copy')}: ${label}`}>
                    {t(copied ? 'secret.copied' : 'secret.copy')}
                  </Button>
                )}
              </CopyButton>
            </Group>
          </div>
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t('secret.done')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
