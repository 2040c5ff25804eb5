import {
  ActionIcon,
  Group,
  Menu,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { LANGUAGES, type Language, useTexts } from './i18n.tsx'
import { Icon } from './icons.tsx'
import { servicePath } from './page.ts'
import { useGo } from './router.tsx'
import { useSession } from './session.tsx'

export default function HeaderMenus({ onHelp }: { onHelp: () => void }) {
  const { t, language, setLanguage } = useTexts()
  const { me, signOut } = useSession()
  const go = useGo()
  const scheme = useComputedColorScheme('light')
  const { toggleColorScheme } = useMantineColorScheme()
  const initials = me.name
    .split(/\s+/)
    .map(word => word[0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase()
  return (
    <Group gap={4} wrap="nowrap">
      <Tooltip label={t('shell.shortcuts')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={onHelp}
          aria-label={t('shell.shortcuts')}
          visibleFrom="sm"
        >
          <Icon name="keyboard" />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t(scheme === 'dark' ? 'shell.light' : 'shell.dark')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={toggleColorScheme}
          aria-label={t(scheme === 'dark' ? 'shell.light' : 'shell.dark')}
        >
          <Icon name={scheme === 'dark' ? 'sun' : 'moon'} />
        </ActionIcon>
      </Tooltip>
      <Menu width={220}>
        <Menu.Target>
          <UnstyledButton aria-label={t('shell.account', { name: me.name })} className="account">
            <span className="initials" data-text={initials} aria-hidden="true" />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <div className="account-name">
            <Text fw={600} size="sm">
              {me.name}
            </Text>
            <Text size="xs" c="dimmed">
              {me.roles.map(role => t(`role.${role}`)).join(', ')}
            </Text>
          </div>
          <Menu.Divider />
          {(Object.keys(LANGUAGES) as Language[]).map(code => (
            <Menu.Item
              key={code}
              lang={code}
              leftSection={<Icon name="language" size={16} />}
              rightSection={code === language ? <Icon name="check" size={16} /> : null}
              aria-current={code === language ? 'true' : undefined}
              onClick={() => setLanguage(code)}
            >
              {LANGUAGES[code]}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Icon name="shield" size={16} />} onClick={() => go('/account')}>
            {t('shell.security')}
          </Menu.Item>
          <Menu.Item
            component="a"
            href={`${servicePath}/docs`}
            leftSection={<Icon name="external" size={16} />}
          >
            {t('shell.reference')}
          </Menu.Item>
          <Menu.Item onClick={() => void signOut()} leftSection={<Icon name="signOut" size={16} />}>
            {t('shell.signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
