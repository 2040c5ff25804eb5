// What a screen or a part of it shows instead of its content: loading, empty, error, no permission.

import { isCaseportError } from '@caseport/sdk'
import { Box, Button, Center, Code, Loader, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Texts, useTexts } from './i18n.tsx'
import { Icon, type IconName } from './icons.tsx'

export function CenteredLoader() {
  const { t } = useTexts()
  return (
    <Center mih="40vh" role="status" aria-label={t('state.loading')}>
      <Loader size="sm" color="var(--mantine-color-anchor)" />
    </Center>
  )
}

export function SkeletonLines({ lines = 4 }: { lines?: number }) {
  const { t } = useTexts()
  return (
    <Stack gap="sm" role="status" aria-label={t('state.loading')}>
      {Array.from({ length: lines }, (_, index) => `line-${index}`).map((key, index) => (
        <Skeleton key={key} height={14} width={`${90 - ((index * 17) % 40)}%`} />
      ))}
    </Stack>
  )
}

interface MessageProps {
  icon: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
  isError?: boolean
}

export function Message({ icon, title, children, action, isError = false }: MessageProps) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={440} ta="center" role={isError ? 'alert' : undefined}>
        <Box className="message-icon">
          <Icon name={icon} size={26} />
        </Box>
        <Title order={2} size="h3">
          {title}
        </Title>
        {children && (
          <Text size="sm" c="dimmed" component="div">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  )
}

export function EmptyState({
  title,
  children,
  action,
  icon = 'search',
}: Partial<MessageProps> & { title: string }) {
  return (
    <Message icon={icon} title={title} action={action}>
      {children}
    </Message>
  )
}

export function NoPermission() {
  const { t } = useTexts()
  return (
    <Message icon="lock" title={t('state.noPermission')}>
      {t('state.noPermissionHelp')}
    </Message>
  )
}

export function NotFound() {
  const { t } = useTexts()
  return (
    <Message icon="search" title={t('state.notFound')}>
      {t('state.notFoundHelp')}
    </Message>
  )
}

/** A sentence about an error, for people. The service names what is wrong and what to do; we add what it cannot know. */
export function errorText(error: unknown, { t }: Pick<Texts, 't'>): string {
  if (!isCaseportError(error)) return t('state.unexpected')
  if (error.code === 'network-error') return t('state.offline')
  if (error.code === 'version-mismatch') return t('conflict.title')
  return [error.detail, ...error.errors.map(({ detail }) => detail)].join(' ')
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const texts = useTexts()
  const { t } = texts
  const problem = isCaseportError(error) ? error : undefined
  if (problem?.status === 403) return <NoPermission />
  if (problem?.status === 404) return <NotFound />
  const retry = onRetry && (
    <Button variant="default" mt="xs" leftSection={<Icon name="refresh" size={16} />} onClick={onRetry}>
      {t('state.retry')}
    </Button>
  )
  return (
    <Message icon="alert" title={t('state.error')} isError action={retry}>
      {errorText(error, texts)}
      {problem?.requestId && (
        <Text size="xs" mt={6}>
          {t('state.requestId')} <Code>{problem.requestId}</Code>
        </Text>
      )}
    </Message>
  )
}
