// Saved views: the filters and the order of a list under a name, for oneself or the team.
import type { components } from '@caseport/sdk'
import { ActionIcon, Button, Checkbox, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { caseport } from '../app/connection.ts'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import type { Search } from '../app/router.tsx'
import { useSession } from '../app/session.tsx'
import { errorText } from '../app/states.tsx'
import { notifyError, notifyWithUndo } from '../dialogs/notify.tsx'
import type { List } from './use-list.ts'

type View = components['schemas']['SavedView']

export function SavedViews<T, F extends string>({
  screen,
  list,
  keeps = [],
}: {
  screen: View['screen']
  list: List<T, F>
  /** Parameters of the address that belong to a view besides the filters, such as `show`. */
  keeps?: readonly string[]
}) {
  const texts = useTexts()
  const { t } = texts
  const { can } = useSession()
  const client = useQueryClient()
  const [isNaming, setNaming] = useState(false)
  const queryKey = ['views', screen]
  const { data: views = [], error } = useQuery({
    queryKey,
    queryFn: async () => (await caseport.api.GET('/admin/v1/views', { params: { query: { screen } } })).data,
    staleTime: 60_000,
  })
  const refresh = () => client.invalidateQueries({ queryKey })
  const onError = (error: unknown) => notifyError(t('state.error'), errorText(error, texts))
  const search = useSearch({ strict: false }) as Search
  const kept = (from: Record<string, string>) => Object.fromEntries(keeps.map(name => [name, from[name]]))
  const query = Object.fromEntries(
    Object.entries({ ...list.query, ...kept(search) }).filter(([, value]) => value),
  ) as Record<string, string>
  const create = useMutation({
    mutationFn: (view: { name: string; shared: boolean; query: Record<string, string> }) =>
      caseport.api.POST('/admin/v1/views', { body: { screen, ...view } }),
    onSuccess: refresh,
    onError,
  })
  const remove = useMutation({
    mutationFn: ({ viewId }: View) =>
      caseport.api.DELETE('/admin/v1/views/{viewId}', { params: { path: { viewId } } }),
    async onSuccess(_result, { name, shared, query: saved }) {
      await refresh()
      notifyWithUndo(t('views.deleted', { name }), t('undo.action'), () =>
        create.mutate({ name, shared, query: saved }),
      )
    },
    onError,
  })
  const isCurrent = (view: View) => sameQuery(view.query, query)
  const current = views.find(isCurrent)

  return (
    <>
      <Menu width={280} closeOnItemClick>
        <Menu.Target>
          <Button
            variant="default"
            rightSection={<Icon name="chevronDown" size={14} />}
            leftSection={<Icon name="star" size={16} />}
          >
            {current?.name ?? t('views.menu')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length === 0 && (
            <Text size="sm" c="dimmed" px="sm" py={6}>
              {error ? errorText(error, texts) : t('views.none')}
            </Text>
          )}
          {views.map(view => (
            <Group key={view.viewId} gap={2} wrap="nowrap">
              <Menu.Item
                flex={1}
                onClick={() =>
                  list.replaceQuery({ ...kept(view.query), ...view.query } as Partial<Record<F, string>>)
                }
                aria-current={isCurrent(view) ? 'true' : undefined}
                rightSection={
                  <Text size="xs" c="dimmed" component="span">
                    {view.shared ? t('views.shared') : ''}
                  </Text>
                }
              >
                {view.name}
              </Menu.Item>
              {(view.own || can('admin')) && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('views.delete', { name: view.name })}
                  onClick={() => remove.mutate(view)}
                >
                  <Icon name="trash" size={15} />
                </ActionIcon>
              )}
            </Group>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Icon name="plus" size={16} />} onClick={() => setNaming(true)}>
            {t('views.save')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SaveDialog
        isOpen={isNaming}
        canShare={can('desk:write')}
        onClose={() => setNaming(false)}
        onSave={(name, shared) => {
          create.mutate({ name, shared, query })
          setNaming(false)
        }}
      />
    </>
  )
}

function sameQuery(a: Record<string, string>, b: Record<string, string>): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every(name => (a[name] ?? '') === (b[name] ?? ''))
}

interface SaveDialogProps {
  isOpen: boolean
  canShare: boolean
  onClose(): void
  onSave(name: string, shared: boolean): void
}

function SaveDialog({ isOpen, canShare, onClose, onSave }: SaveDialogProps) {
  const { t } = useTexts()
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!name.trim()) return
    onSave(name.trim(), isShared)
    setName('')
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('views.save')}
      closeButtonProps={{ 'aria-label': t('dialog.close') }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={t('views.name')}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            maxLength={100}
            data-autofocus
            required
            withAsterisk={false}
          />
          {canShare && (
            <Checkbox
              label={t('views.share')}
              checked={isShared}
              onChange={event => setShared(event.currentTarget.checked)}
            />
          )}
          <Group justify="flex-end">
            <Button type="submit">{t('edit.save')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
