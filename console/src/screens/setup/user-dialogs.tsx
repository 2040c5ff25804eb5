// The forms that invite a user and that change one.
import type { components } from '@caseport/sdk'
import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useAttempts } from '../../app/attempts.ts'
import { caseport } from '../../app/connection.ts'
import { type Key, useTexts } from '../../app/i18n.tsx'
import { useSession } from '../../app/session.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { saveOver } from '../../fields/save-over.ts'
import { ToneBadge } from '../../records/links.tsx'
import { CompanyAccess, hasCompanies, useCompanyNames } from './access-fields.tsx'

export type User = components['schemas']['User']
type Role = User['roles'][number]

const ROLES: Role[] = ['viewer', 'case-manager', 'auditor', 'admin']

export function UserState({ user }: { user: User }) {
  const { t } = useTexts()
  if (!user.active) return <ToneBadge tone="neutral">{t('users.disabled')}</ToneBadge>
  return user.joinedAt ? (
    <ToneBadge tone="good">{t('users.active')}</ToneBadge>
  ) : (
    <ToneBadge tone="info">{t('users.invited')}</ToneBadge>
  )
}

function RoleChoice({ value, onChange }: { value: Role[]; onChange: (roles: Role[]) => void }) {
  const { t } = useTexts()
  const { can } = useSession()
  return (
    <Checkbox.Group
      label={t('users.roles')}
      value={value}
      onChange={roles => onChange(ROLES.filter(role => roles.includes(role)))}
    >
      <Stack gap={6} mt={4}>
        {ROLES.filter(role => role !== 'admin' || can('admin')).map(role => (
          <Checkbox
            key={role}
            value={role}
            label={t(`role.${role}`)}
            description={t(`users.role.${role}` as Key)}
            size="sm"
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

export function InviteDialog({
  onClose,
}: {
  onClose: (user: components['schemas']['InvitedUser'] | undefined) => void
}) {
  const { t } = useTexts()
  const { me } = useSession()
  const attempt = useAttempts()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [roles, setRoles] = useState<Role[]>(['case-manager'])
  const [companies, setCompanies] = useState<string[] | null>(me.companies)
  const created = useRef<components['schemas']['InvitedUser']>(undefined)
  return (
    <FormDialog
      title={t('users.invite')}
      action={t('users.invite')}
      isReady={email.trim() !== '' && name.trim() !== '' && roles.length > 0 && hasCompanies(companies)}
      onSubmit={async () => {
        const body = { email: email.trim(), name: name.trim(), roles, companies }
        created.current = await attempt(body, idempotencyKey =>
          caseport.users.create(body, { idempotencyKey }),
        )
      }}
      onDone={() => onClose(created.current)}
      onClose={() => onClose(undefined)}
    >
      {errorOf => (
        <>
          <Text size="sm" c="dimmed">
            {t('users.inviteHelp')}
          </Text>
          <TextInput
            label={t('users.name')}
            value={name}
            maxLength={200}
            onChange={event => setName(event.currentTarget.value)}
            error={errorOf('name')}
            data-autofocus
          />
          <TextInput
            label={t('users.email')}
            type="email"
            value={email}
            maxLength={320}
            onChange={event => setEmail(event.currentTarget.value)}
            error={errorOf('email')}
          />
          <RoleChoice value={roles} onChange={setRoles} />
          <CompanyAccess value={companies} onChange={setCompanies} error={errorOf('companies')} />
        </>
      )}
    </FormDialog>
  )
}

const LABELS: Partial<Record<keyof User, Key>> = {
  name: 'users.name',
  roles: 'users.roles',
  companies: 'access.companies',
}

export function UserDialog({ base, onClose }: { base: User; onClose: (isSaved: boolean) => void }) {
  const { t } = useTexts()
  const namesOf = useCompanyNames()
  const [name, setName] = useState(base.name)
  const [roles, setRoles] = useState<Role[]>(base.roles)
  const [companies, setCompanies] = useState(base.companies as string[] | null)
  return (
    <FormDialog
      title={base.name}
      action={t('edit.save')}
      isReady={name.trim() !== '' && roles.length > 0 && hasCompanies(companies)}
      onSubmit={() =>
        saveOver<User>({
          base,
          changes: { name: name.trim(), roles, companies } as Partial<User>,
          read: () => caseport.users.get(base.userId),
          write: (changes, version) =>
            caseport.users.update(base.userId, changes as components['schemas']['UserPatch'], {
              ifMatch: version,
            }),
          labelOf: field => t(LABELS[field] ?? 'users.name'),
          show: (value, field) =>
            field === 'roles'
              ? (value as Role[]).map(role => t(`role.${role}`)).join(', ')
              : field === 'companies'
                ? namesOf(value as string[] | null)
                : String(value ?? ''),
        })
      }
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
    >
      {errorOf => (
        <>
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {base.email}
            </Text>
            <UserState user={base} />
          </Group>
          <TextInput
            label={t('users.name')}
            value={name}
            maxLength={200}
            onChange={event => setName(event.currentTarget.value)}
            error={errorOf('name')}
            data-autofocus
          />
          <RoleChoice value={roles} onChange={setRoles} />
          <CompanyAccess value={companies} onChange={setCompanies} error={errorOf('companies')} />
        </>
      )}
    </FormDialog>
  )
}
