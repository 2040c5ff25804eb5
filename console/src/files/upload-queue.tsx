// Uploads go through a queue: each file has its progress, can be cancelled, and is retried with the same key, so that it
// is stored once. The country is asked first, because it decides in which repository the bytes are stored.
import { createCaseport, isCaseportError } from '@caseport/sdk'
import { ActionIcon, Button, Group, Modal, Paper, Progress, Select, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.layer.css'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { connection } from '../app/connection.ts'
import { type Texts, useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import { servicePath } from '../app/page.ts'
import { errorText } from '../app/states.tsx'
import { openDialog } from '../dialogs/dialog-host.tsx'

/** The countries that have a repository. */
export const REPOSITORY_COUNTRIES = ['US', 'EDU', 'UK', 'FR', 'DE', 'IR', 'ES', 'CH'] as const
export type RepositoryCountry = (typeof REPOSITORY_COUNTRIES)[number]

/** Names of the codes that are none of ISO 3166. */
const COUNTRY_CODES: Partial<Record<RepositoryCountry, string>> = { UK: 'GB', EDU: 'EDU', IR: 'IE' }

export const repositoryName = (code: RepositoryCountry, { country }: Pick<Texts, 'country'>): string =>
  code === 'EDU' ? 'EDU' : `${country(COUNTRY_CODES[code] ?? code)} (${code})`

/**
 * A client that sends with XMLHttpRequest, because only that tells the progress of an upload. It does not wait for a new
 * session by itself: the queue does.
 */
export const uploadClient = createCaseport({
  baseUrl: `${location.origin}${servicePath}`,
  auth: { kind: 'cookie' },
  retries: 3,
})

export interface Sending {
  countryCode: RepositoryCountry
  /** The same for every attempt of a file. */
  idempotencyKey: string
  onProgress(progress: { loaded: number; total: number | undefined }): void
  signal: AbortSignal
}

interface UploadsOptions {
  /** Stores one file. */
  send(file: File, sending: Sending): Promise<{ documentId: string }>
  /** Proposed in the question for the country. */
  country?: RepositoryCountry | undefined
  invalidates: readonly (readonly unknown[])[]
  onUploaded?(documentId: string, file: File): void
}

interface Item {
  key: string
  file: File
  country: RepositoryCountry
  state: 'waiting' | 'sending' | 'done' | 'failed'
  /** From 0 to 1. */
  progress: number
  error?: unknown
  abort: AbortController
}

export interface Uploads {
  items: Item[]
  /** Asks for the country, and queues the files. */
  add(files: File[]): Promise<void>
  retry(key: string): void
  /** Cancels an upload that is running, and removes the file from the list. */
  remove(key: string): void
}

export function useUploads({ send, country, invalidates, onUploaded }: UploadsOptions): Uploads {
  const client = useQueryClient()
  const [items, setItems] = useState<Item[]>([])
  const chain = useRef<Promise<void>>(Promise.resolve())
  const change = (key: string, changes: Partial<Item>) =>
    setItems(all => all.map(item => (item.key === key ? { ...item, ...changes } : item)))

  const upload = async ({ key, file, country: countryCode, abort }: Item): Promise<void> => {
    if (abort.signal.aborted) return
    change(key, { state: 'sending', progress: 0, error: undefined })
    try {
      const { documentId } = await send(file, {
        countryCode,
        idempotencyKey: key,
        signal: abort.signal,
        onProgress: ({ loaded, total = file.size }) => change(key, { progress: total ? loaded / total : 1 }),
      })
      change(key, { state: 'done', progress: 1 })
      onUploaded?.(documentId, file)
      for (const queryKey of invalidates) void client.invalidateQueries({ queryKey })
    } catch (error) {
      if (abort.signal.aborted) return
      if (isCaseportError(error) && error.status === 401) {
        await connection.untilSignedIn()
        return upload({ key, file, country: countryCode, abort, state: 'waiting', progress: 0 })
      }
      change(key, { state: 'failed', error })
    }
  }
  // One file at a time: several would share the bandwidth, and all of them would be late.
  const enqueue = (item: Item) => {
    chain.current = chain.current.then(() => upload(item))
  }

  return {
    items,
    async add(files) {
      if (files.length === 0) return
      const chosen = await askCountry(files, country)
      if (!chosen) return
      const added = files.map<Item>(file => ({
        key: crypto.getRandomValues(new Uint32Array(4)).join('-'),
        file,
        country: chosen,
        state: 'waiting',
        progress: 0,
        abort: new AbortController(),
      }))
      setItems(all => [...all, ...added])
      for (const item of added) enqueue(item)
    },
    retry(key) {
      const item = items.find(candidate => candidate.key === key)
      if (!item) return
      change(key, { state: 'waiting' })
      enqueue(item)
    },
    remove(key) {
      items.find(item => item.key === key)?.abort.abort()
      setItems(all => all.filter(item => item.key !== key))
    },
  }
}

const askCountry = (files: File[], proposed: RepositoryCountry | undefined) =>
  openDialog<RepositoryCountry | undefined>(close => (
    <CountryDialog count={files.length} proposed={proposed} onClose={close} />
  ))

interface CountryDialogProps {
  count: number
  proposed: RepositoryCountry | undefined
  onClose(country: RepositoryCountry | undefined): void
}

function CountryDialog({ count, proposed, onClose }: CountryDialogProps) {
  const texts = useTexts()
  const { t, tn } = texts
  const [country, setCountry] = useState<RepositoryCountry | null>(proposed ?? null)
  return (
    <Modal
      opened
      onClose={() => onClose(undefined)}
      title={tn('upload.start', count)}
      closeButtonProps={{ 'aria-label': t('dialog.close') }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          if (country) onClose(country)
        }}
      >
        <Stack gap="md">
          <Select
            label={t('upload.country')}
            description={t('upload.countryHelp')}
            data={REPOSITORY_COUNTRIES.map(value => ({ value, label: repositoryName(value, texts) }))}
            value={country}
            onChange={value => setCountry(value as RepositoryCountry | null)}
            searchable
            // A select that has the focus is open, and lies over the button.
            {...(!proposed && { 'data-autofocus': true })}
          />
          <Group justify="flex-end">
            <Button type="submit" disabled={!country} {...(proposed && { 'data-autofocus': true })}>
              {tn('upload.start', count)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Files dropped anywhere in the window are queued. */
export function DropAnywhere({ uploads, isActive = true }: { uploads: Uploads; isActive?: boolean }) {
  const { t } = useTexts()
  return (
    <Dropzone.FullScreen active={isActive} onDrop={files => void uploads.add(files)}>
      <Group justify="center" gap="sm" mih={220} className="drop-hint">
        <Icon name="upload" size={32} />
        <Text size="lg" fw={600}>
          {t('upload.drop')}
        </Text>
      </Group>
    </Dropzone.FullScreen>
  )
}

export function UploadButton({ uploads }: { uploads: Uploads }) {
  const { t } = useTexts()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="upload" size={16} />}
        onClick={() => input.current?.click()}
      >
        {t('upload.choose')}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={event => {
          void uploads.add([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

export function UploadList({ uploads }: { uploads: Uploads }) {
  const texts = useTexts()
  const { t } = texts
  if (uploads.items.length === 0) return null
  return (
    <Paper withBorder p="sm" role="region" aria-label={t('upload.queue')} className="no-print">
      <Stack gap="sm">
        {uploads.items.map(({ key, file, state, progress, error }) => (
          <div key={key} data-state={state}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" truncate>
                {file.name}
              </Text>
              <Group gap={4} wrap="nowrap">
                {state === 'failed' && (
                  <ActionIcon
                    variant="light"
                    onClick={() => uploads.retry(key)}
                    aria-label={t('upload.retry', { name: file.name })}
                  >
                    <Icon name="refresh" size={15} />
                  </ActionIcon>
                )}
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  onClick={() => uploads.remove(key)}
                  aria-label={t(
                    state === 'sending' || state === 'waiting' ? 'upload.cancel' : 'upload.dismiss',
                    {
                      name: file.name,
                    },
                  )}
                >
                  <Icon name="close" size={15} />
                </ActionIcon>
              </Group>
            </Group>
            {(state === 'sending' || state === 'waiting') && (
              <Progress
                value={progress * 100}
                size="sm"
                aria-label={t('upload.progress', { name: file.name })}
              />
            )}
            <Text size="xs" c={state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
              {state === 'done' && t('upload.done')}
              {state === 'waiting' && t('upload.waiting')}
              {state === 'failed' && errorText(error, texts)}
            </Text>
          </div>
        ))}
      </Stack>
    </Paper>
  )
}
