import { Checkbox, Group, Kbd, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { areSingleKeysOn, keysOf, setSingleKeys, useActionList } from './actions.tsx'
import { useTexts } from './i18n.tsx'

export default function ShortcutHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTexts()
  const [areOn, setOn] = useState(areSingleKeysOn)
  const withKeys = useActionList().filter(action => action.shortcut)
  const groups = Map.groupBy(withKeys, action => action.group)
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('shell.shortcuts')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('dialog.close') }}
    >
      <Checkbox
        mb="md"
        label={t('shell.singleKeys')}
        description={t('shell.singleKeysHelp')}
        checked={areOn}
        onChange={event => {
          setSingleKeys(event.currentTarget.checked)
          setOn(event.currentTarget.checked)
        }}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xl">
        {[...groups].map(([group, actions]) => (
          <Stack key={group} gap={6}>
            <Text fw={600} size="sm">
              {group}
            </Text>
            {actions.map(({ id, label, shortcut = '' }) => (
              <Group key={id} justify="space-between" wrap="nowrap" gap="sm">
                <Text size="sm">{label}</Text>
                <Group gap={4} wrap="nowrap">
                  {keysOf(shortcut).map(key => (
                    <Kbd key={key} size="xs">
                      {key}
                    </Kbd>
                  ))}
                </Group>
              </Group>
            ))}
          </Stack>
        ))}
      </SimpleGrid>
    </Modal>
  )
}
