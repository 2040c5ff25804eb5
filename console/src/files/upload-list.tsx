import { ActionIcon, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import { AppLink } from '../app/router.tsx'
import { errorText } from '../app/states.tsx'
import { canRetry, isUnderway, type Upload, uploadQueue } from './uploads.ts'

/** The uploads of this window, at its edge. The shell shows it on every screen. */
export default function UploadList() {
  const { t } = useTexts()
  const uploads = useSyncExternalStore(uploadQueue.subscribe, uploadQueue.current)
  if (uploads.length === 0) return null
  return (
    <Paper
      withBorder
      shadow="md"
      component="section"
      aria-label={t('upload.queue')}
      className="upload-list no-print"
    >
      <Group justify="space-between" wrap="nowrap" mb={6}>
        <Text size="sm" fw={600}>
          {t('upload.queue')}
        </Text>
        {uploads.some(({ state }) => state === 'done') && (
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={uploadQueue.removeFinished}
            aria-label={t('upload.clear')}
          >
            <Icon name="close" size={15} />
          </ActionIcon>
        )}
      </Group>
      <Stack gap="sm">
        {uploads.map(upload => (
          <UploadRow key={upload.key} upload={upload} />
        ))}
      </Stack>
    </Paper>
  )
}

function UploadRow({ upload }: { upload: Upload }) {
  const texts = useTexts()
  const { t } = texts
  const { key, file, state, progress, error, target } = upload
  const { name } = file
  return (
    <div data-state={state}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" truncate>
          {name}
        </Text>
        <Group gap={4} wrap="nowrap">
          {canRetry(upload) && (
            <ActionIcon
              variant="light"
              onClick={() => uploadQueue.retry(key)}
              aria-label={t('upload.retry', { name })}
            >
              <Icon name="refresh" size={15} />
            </ActionIcon>
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={() => uploadQueue.remove(key)}
            aria-label={t(isUnderway(upload) ? 'upload.cancel' : 'upload.dismiss', { name })}
          >
            <Icon name="close" size={15} />
          </ActionIcon>
        </Group>
      </Group>
      {isUnderway(upload) && (
        <Progress value={progress * 100} size="sm" aria-label={t('upload.progress', { name })} />
      )}
      <Text size="xs" c={state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
        {state === 'done' && t('upload.done')}
        {state === 'waiting' && t('upload.waiting')}
        {state === 'failed' && errorText(error, texts)}
      </Text>
      <Text size="xs" component="div" truncate>
        <AppLink to={target.path} className="row-link">
          {target.label}
        </AppLink>
      </Text>
    </div>
  )
}
