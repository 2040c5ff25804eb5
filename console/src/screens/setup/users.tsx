import type { components } from '@caseport/sdk'
import { Button, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { useActions } from '../../app/actions.tsx'
import { caseport } from '../../app/connection.ts'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { useSession } from '../../app/session.tsx'
import { errorText } from '../../app/states.tsx'
import { confirm } from '../../dialogs/confirm.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { notifyDone, notifyError, notifyWithUndo } from '../../dialogs/notify.tsx'
import { showSecret } from '../../dialogs/secret-dialog.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar, SearchField } from '../../list/filter-bar.tsx'
import { useList } from '../../list/use-list.ts'
import { wholeList } from '../../list/whole-list.ts'
import { useCompanyNames } from './access-fields.tsx'
import { InviteDialog, type User, UserDialog, UserState } from './user-dialogs.tsx'

type Invitation = components['schemas']['InvitationLink']

const FILTERS = ['q'] as const

const showInvitation = (user: Pick<User, 'name'>, { url, expiresAt }: Invitation, { t, time }: Texts) =>
  showSecret({
    title: t('users.linkTitle', { name: user.name }),
    text: t('users.linkHelp', { time: time(expiresAt) }),
    values: [{ label: t('users.link'), value: url }],
  })

export function Users() {
  const texts = useTexts()
  const { t, ago } = texts
  const namesOf = useCompanyNames()
  const client = useQueryClient()
  const list = useList<User, 'q'>({
    name: 'users',
    filters: FILTERS,
    load: async ({ q }, _page, signal) =>
      wholeList(await caseport.users.list({ signal }), q, user => [
        user.name,
        user.email,
        ...user.roles.map(role => t(`role.${role}`)),
      ]),
  })
  const refresh = () => {
    list.refresh()
    for (const kind of ['colleagues', 'users']) void client.invalidateQueries({ queryKey: [kind] })
  }
  const invite = async () => {
    const invited = await openDialog<components['schemas']['InvitedUser'] | undefined>(close => (
      <InviteDialog onClose={close} />
    ))
    if (!invited) return
    refresh()
    await showInvitation(invited, invited.invitation, texts)
  }
  const edit = async (user: User) => {
    let base: User
    try {
      base = await caseport.users.get(user.userId)
    } catch (cause) {
      notifyError(t('state.error'), errorText(cause, texts))
      return
    }
    const isSaved = await openDialog<boolean>(close => <UserDialog base={base} onClose={close} />)
    if (!isSaved) return
    notifyDone(t('setup.saved', { name: user.name }))
    refresh()
  }
  const latest = useRef(invite)
  latest.current = invite
  useActions(
    useMemo(
      () => [
        {
          id: 'invite-user',
          label: t('users.invite'),
          icon: 'plus' as const,
          group: t('setup.title'),
          shortcut: 'n',
          run: () => void latest.current(),
        },
      ],
      [t],
    ),
  )
  const columns: Column<User>[] = [
    {
      id: 'name',
      header: t('users.name'),
      width: 'minmax(130px, 1.2fr)',
      narrow: 'title',
      cell: user => user.name,
    },
    { id: 'email', header: t('users.email'), width: 'minmax(200px, 1.8fr)', cell: user => user.email },
    {
      id: 'roles',
      header: t('users.roles'),
      width: 'minmax(120px, 1fr)',
      cell: user => user.roles.map(role => t(`role.${role}`)).join(', '),
    },
    {
      id: 'companies',
      header: t('access.companies'),
      width: 'minmax(140px, 1.2fr)',
      cell: user => namesOf(user.companies),
    },
    {
      id: 'state',
      header: t('users.state'),
      width: '108px',
      cell: user => <UserState user={user} />,
    },
    {
      id: 'since',
      header: t('users.joined'),
      width: '112px',
      narrow: 'hidden',
      cell: user => ago(user.joinedAt),
    },
    {
      id: 'actions',
      header: '',
      width: '48px',
      cell: user => <UserMenu user={user} onEdit={() => void edit(user)} onChanged={refresh} />,
    },
  ]
  return (
    <>
      <FilterBar
        list={list}
        end={
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => void invite()}>
            {t('users.invite')}
          </Button>
        }
      >
        <SearchField list={list} label={t('users.search')} />
      </FilterBar>
      <DataTable
        label={t('setup.show.users')}
        list={list}
        columns={columns}
        rowKey={user => user.userId}
        rowLabel={user => user.name}
        onOpen={user => void edit(user)}
        empty={{ title: t('users.empty') }}
      />
    </>
  )
}

interface UserMenuProps {
  user: User
  onEdit(): void
  onChanged(): void
}

function UserMenu({ user, onEdit, onChanged }: UserMenuProps) {
  const texts = useTexts()
  const { t } = texts
  const { me } = useSession()
  const isSelf = me.userId === user.userId
  const run = (work: () => Promise<unknown>) => async () => {
    try {
      await work()
    } catch (cause) {
      notifyError(t('state.error'), errorText(cause, texts))
    }
    onChanged()
  }
  const setActive = (active: boolean) =>
    run(async () => {
      await caseport.users.update(user.userId, { active })
      const undo = run(() => caseport.users.update(user.userId, { active: !active }))
      notifyWithUndo(
        t(active ? 'users.nowEnabled' : 'users.nowDisabled', { name: user.name }),
        t('undo.action'),
        () => void undo(),
      )
    })
  const inviteAgain = run(async () => {
    const { invitation } = await caseport.users.invite(user.userId)
    await showInvitation(user, invitation, texts)
  })
  const endSessions = run(async () => {
    await caseport.users.endSessions(user.userId)
    notifyDone(t('users.sessionsEnded', { name: user.name }))
  })
  const reset = run(async () => {
    const isSure = await confirm({
      title: t('users.resetTitle', { name: user.name }),
      text: t('users.resetHelp'),
      action: t('users.resetAction'),
      typed: user.email,
    })
    if (!isSure) return
    const { invitation } = await caseport.users.reset(user.userId)
    await showInvitation(user, invitation, texts)
  })
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          aria-label={t('users.actionsOf', { name: user.name })}
        >
          <Icon name="dots" size={16} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="edit" size={16} />} onClick={onEdit}>
          {t('users.edit')}
        </Menu.Item>
        {user.active && (
          <Menu.Item leftSection={<Icon name="link" size={16} />} onClick={() => void inviteAgain()}>
            {t('users.newLink')}
          </Menu.Item>
        )}
        {/* Of one's own, they would end before the new link is shown. */}
        {!isSelf && (
          <Menu.Item leftSection={<Icon name="signOut" size={16} />} onClick={() => void endSessions()}>
            {t('users.endSessions')}
          </Menu.Item>
        )}
        {user.active && !isSelf && (
          <Menu.Item leftSection={<Icon name="shield" size={16} />} onClick={() => void reset()}>
            {t('users.reset')}
          </Menu.Item>
        )}
        {!isSelf && (
          <Menu.Item
            leftSection={<Icon name={user.active ? 'lock' : 'check'} size={16} />}
            onClick={() => void setActive(!user.active)()}
          >
            {t(user.active ? 'users.disable' : 'users.enable')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
