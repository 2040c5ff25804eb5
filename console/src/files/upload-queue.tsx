// How files get into the queue of uploads: by a button, or dropped anywhere. The country is asked first, because it decides in
// which repository the bytes are stored.
import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.layer.css'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type Texts, useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import { openDialog } from '../dialogs/dialog-host.tsx'
import {
  REPOSITORY_COUNTRIES,
  type RepositoryCountry,
  type Sending,
  type UploadTarget,
  uploadQueue,
} from './uploads.ts'

/** Names of the codes that are none of ISO 3166. */
const COUNTRY_CODES: Partial<Record<RepositoryCountry, string>> = { UK: 'GB', EDU: 'EDU', IR: 'IE' }

export const repositoryName = (code: RepositoryCountry, { country }: Pick<Texts, 'country'>): string =>
  code === 'EDU' ? 'EDU' : `${country(COUNTRY_CODES[code] ?? code)} (${code})`

interface UploadsOptions {
  /** Stores one file. */
  send(file: File, sending: Sending): Promise<unknown>
  target: UploadTarget
  /** Proposed in the question for the country. */
  country?: RepositoryCountry | undefined
  invalidates: readonly (readonly unknown[])[]
}

export interface Uploads {
  /** Asks for the country, and queues the files. */
  add(files: File[]): Promise<void>
}

export function useUploads({ send, target, country: proposed, invalidates }: UploadsOptions): Uploads {
  const client = useQueryClient()
  return {
    async add(files) {
      if (files.length === 0) return
      const country = await askCountry(files, proposed)
      if (!country) return
      const onDone = () => {
        for (const queryKey of invalidates) void client.invalidateQueries({ queryKey })
      }
      uploadQueue.add(files, { country, target, send, onDone })
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
      closeOnClickOutside={false}
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

interface DropAnywhereProps {
  onDrop(files: File[]): Promise<unknown>
  isActive?: boolean
}

/** Takes files that are dropped anywhere in the window. */
export function DropAnywhere({ onDrop, isActive = true }: DropAnywhereProps) {
  const { t } = useTexts()
  return (
    <Dropzone.FullScreen active={isActive} onDrop={files => void onDrop(files)}>
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
