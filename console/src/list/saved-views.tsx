// Saved views: the filters and the order of a list under a name, for oneself or the team.
import type { components } from '@caseport/sdk'
import { ActionIcon, Button, Checkbox, Group, Menu, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { caseport } from '../app/connection.ts'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import type { Search } from '../app/router.tsx'
import { useSession } from '../app/session.tsx'
import { errorText } from '../app/states.tsx'
import { confirm } from '../dialogs/confirm.tsx'
import { openDialog } from '../dialogs/dialog-host.tsx'
import { FormDialog } from '../dialogs/form-dialog.tsx'
import { notifyDone, notifyError, notifyWithUndo } from '../dialogs/notify.tsx'
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
  const queryKey = ['views', screen]
  const { data: views = [], error } = useQuery({
    queryKey,
    queryFn: async () => (await caseport.api.GET('/admin/v1/views', { params: { query: { screen } } })).data,
    staleTime: 60_000,
  })
  const refresh = () => client.invalidateQueries({ queryKey })
  const search = useSearch({ strict: false }) as Search
  const kept = (from: Record<string, string>) => Object.fromEntries(keeps.map(name => [name, from[name]]))
  const query = Object.fromEntries(
    Object.entries({ ...list.query, ...kept(search) }).filter(([, value]) => value),
  ) as Record<string, string>
  const create = async (body: Pick<View, 'name' | 'shared' | 'query'>) => {
    await caseport.api.POST('/admin/v1/views', { body: { screen, ...body } })
    await refresh()
  }
  const replace = async ({ viewId }: View, body: Pick<View, 'shared' | 'query'>) => {
    await caseport.api.PATCH('/admin/v1/views/{viewId}', { params: { path: { viewId } }, body })
    await refresh()
  }
  const notifyFailed = (error: unknown) => notifyError(t('state.error'), errorText(error, texts))
  const remove = async ({ viewId, name, shared, query: saved, own }: View) => {
    // The view of another person would become one's own by creating it again.
    const isSure =
      own ||
      (await confirm({
        title: t('views.delete', { name }),
        text: t('views.deleteOfOther'),
        action: t('views.deleteAction'),
      }))
    if (!isSure) return
    try {
      await caseport.api.DELETE('/admin/v1/views/{viewId}', { params: { path: { viewId } } })
      await refresh()
    } catch (cause) {
      return notifyFailed(cause)
    }
    const message = t('views.deleted', { name })
    if (!own) return notifyDone(message)
    notifyWithUndo(message, t('undo.action'), () => {
      create({ name, shared, query: saved }).catch(notifyFailed)
    })
  }
  const save = () =>
    openDialog<void>(close => (
      <SaveDialog
        own={views.filter(({ own }) => own)}
        canShare={can('desk:write')}
        onSave={({ name, shared, replaced }) =>
          replaced ? replace(replaced, { shared, query }) : create({ name, shared, query })
        }
        onClose={() => close()}
      />
    ))
  const isCurrent = (view: View) => sameQuery(view.query, query)
  const current = views.find(isCurrent)

  return (
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
                onClick={() => void remove(view)}
              >
                <Icon name="trash" size={15} />
              </ActionIcon>
            )}
          </Group>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="plus" size={16} />} onClick={() => void save()}>
          {t('views.save')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function sameQuery(a: Record<string, string>, b: Record<string, string>): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every(name => (a[name] ?? '') === (b[name] ?? ''))
}

interface SaveDialogProps {
  /** The views of the person on this screen. */
  own: View[]
  canShare: boolean
  onSave(view: { name: string; shared: boolean; replaced: View | undefined }): Promise<void>
  onClose(): void
}

/** A name that one of the person's views has replaces that view. */
function SaveDialog({ own, canShare, onSave, onClose }: SaveDialogProps) {
  const { t } = useTexts()
  const [typed, setTyped] = useState('')
  const [isShared, setShared] = useState<boolean>()
  const name = typed.trim()
  const replaced = own.find(view => view.name.toLowerCase() === name.toLowerCase())
  const shared = isShared ?? replaced?.shared ?? false
  return (
    <FormDialog
      title={t('views.save')}
      action={t(replaced ? 'views.replace' : 'edit.save')}
      isReady={name !== ''}
      onSubmit={() => onSave({ name, shared, replaced })}
      onDone={onClose}
      onClose={onClose}
    >
      {errorOf => (
        <>
          <TextInput
            label={t('views.name')}
            description={replaced && t('views.replaces', { name: replaced.name })}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={typed}
            onChange={event => setTyped(event.currentTarget.value)}
            error={errorOf('name')}
            maxLength={100}
            data-autofocus
            required
            withAsterisk={false}
          />
          {canShare && (
            <Checkbox
              label={t('views.share')}
              checked={shared}
              onChange={event => setShared(event.currentTarget.checked)}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
