// Two people have changed the same field: both values, and which of them stays.
import { Button, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { useTexts } from '../app/i18n.tsx'
import { openDialog } from '../dialogs/dialog-host.tsx'

export interface Conflict {
  label: string
  mine: string
  theirs: string
}

export type ConflictChoice = 'mine' | 'theirs'

export const askConflict = (conflicts: Conflict[]): Promise<ConflictChoice> =>
  openDialog<ConflictChoice>(close => <ConflictDialog conflicts={conflicts} onChoose={close} />)

function ConflictDialog({
  conflicts,
  onChoose,
}: {
  conflicts: Conflict[]
  onChoose: (choice: ConflictChoice) => void
}) {
  const { t } = useTexts()
  return (
    <Modal
      opened
      onClose={() => onChoose('theirs')}
      title={t('conflict.title')}
      size="lg"
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">{t('conflict.help')}</Text>
        {conflicts.map(({ label, mine, theirs }) => (
          <div key={label}>
            <Text fw={600} size="sm" mb={4}>
              {label}
            </Text>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <Side title={t('conflict.theirs')} value={theirs} />
              <Side title={t('conflict.mine')} value={mine} />
            </SimpleGrid>
          </div>
        ))}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => onChoose('theirs')} data-autofocus>
            {t('conflict.takeTheirs')}
          </Button>
          <Button onClick={() => onChoose('mine')}>{t('conflict.takeMine')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Side({ title, value }: { title: string; value: string }) {
  const { t } = useTexts()
  return (
    <div className="conflict-side">
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Text size="sm">{value || t('edit.empty')}</Text>
    </div>
  )
}
