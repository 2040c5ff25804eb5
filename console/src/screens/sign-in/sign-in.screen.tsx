import { Button, Center, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { LANGUAGES, type Language, useTexts } from '../../app/i18n.tsx'
import '../../styles-screens.ts'
import { SignInForm } from './sign-in-form.tsx'

export default function SignInScreen({ onSignedIn }: { onSignedIn: () => void }) {
  const { t, language, setLanguage } = useTexts()
  return (
    <Center component="main" mih="100vh" p="md" className="sign-in">
      <Stack w="100%" maw={380} gap="lg">
        <Stack gap={4} align="center">
          <svg width="44" height="44" viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="7" fill="#1b6a70" />
            <path d="M21 12a6 6 0 1 0 0 8" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
          </svg>
          <Title order={1} mt="xs">
            {t('signIn.title')}
          </Title>
          <Text size="sm" c="dimmed" ta="center">
            {t('signIn.subtitle')}
          </Text>
        </Stack>
        <Paper withBorder p="lg" radius="md">
          <SignInForm onSignedIn={onSignedIn} />
        </Paper>
        <Text size="xs" c="dimmed" ta="center">
          {t('signIn.invited')}
        </Text>
        <Group justify="center" gap={4}>
          {(Object.keys(LANGUAGES) as Language[]).map(code => (
            <Button
              key={code}
              lang={code}
              size="compact-xs"
              variant={code === language ? 'light' : 'subtle'}
              color="gray"
              aria-pressed={code === language}
              onClick={() => setLanguage(code)}
            >
              {LANGUAGES[code]}
            </Button>
          ))}
        </Group>
      </Stack>
    </Center>
  )
}
