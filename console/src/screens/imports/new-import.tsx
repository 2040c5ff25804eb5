// A file is chosen, described and sent. The service checks it as a dry run: nothing is changed before the result was seen.
import { isCaseportError } from '@caseport/sdk'
import { Alert, Button, Checkbox, Group, Progress, Radio, SegmentedControl, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.layer.css'
import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useActions } from '../../app/actions.tsx'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { useGo } from '../../app/router.tsx'
import { Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { errorText } from '../../app/states.tsx'
import { staysUnlessConfirmed } from '../../dialogs/leave.ts'
import { notifyError } from '../../dialogs/notify.tsx'
import { untilSent } from '../../files/upload-client.ts'
import { type FileKind, type ImportFormat, kindOf, sizeText } from './file-kind.ts'
import { IMPORT_LIST, importKey, importPath, sendingImports } from './imports.ts'

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-')

interface Chosen extends FileKind {
  file: File
}

interface Options {
  mode: 'replace' | 'merge'
  complete: boolean
}

export function NewImport() {
  const texts = useTexts()
  const { t, language } = texts
  const { isLimited } = useSession()
  const open = useRef<() => void>(null)
  const [chosen, setChosen] = useState<Chosen>()
  const [options, setOptions] = useState<Partial<Options>>({ complete: false })
  const [isModeMissing, setModeMissing] = useState(false)
  const { send, stop, reset, progress, error } = useSending()

  const choose = async (file: File | undefined) => {
    if (!file) return
    setChosen({ file, ...(await kindOf(file)) })
    reset()
  }
  const change = (changes: Partial<Options>) => {
    setOptions(all => ({ ...all, ...changes }))
    setModeMissing(false)
    reset()
  }
  useActions(
    useMemo(
      () => [
        {
          id: 'new-import',
          label: t('imports.chooseFile'),
          icon: 'upload' as const,
          group: t('imports.title'),
          shortcut: 'n',
          run: () => open.current?.(),
        },
      ],
      [t],
    ),
  )
  const isSending = progress !== undefined
  return (
    <Section title={t('imports.new')}>
      <form
        onSubmit={event => {
          event.preventDefault()
          const { mode, complete = false } = options
          // One of them clears fields, so that neither is proposed.
          if (!mode) setModeMissing(true)
          else if (chosen && !chosen.error && !isSending) void send(chosen, { mode, complete })
        }}
      >
        <Stack gap="md">
          <Dropzone
            openRef={open}
            multiple={false}
            onDrop={([file]) => void choose(file)}
            onReject={() => notifyError(t('imports.chooseFile'), t('imports.oneFile'))}
            disabled={isSending}
            className="import-drop"
            inputProps={{ 'aria-label': t('imports.chooseFile') }}
            aria-label={t('imports.chooseFile')}
          >
            <Stack gap={4} align="center" ta="center">
              <Icon name={chosen ? 'document' : 'upload'} size={26} />
              {chosen ? (
                <>
                  <Text size="sm" fw={600} className="import-name">
                    {t('imports.chosen', {
                      name: chosen.file.name,
                      size: sizeText(chosen.file.size, language),
                    })}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {chosen.gzip ? `${t('imports.gzip')} · ` : ''}
                    {t('imports.otherFile')}
                  </Text>
                </>
              ) : (
                <>
                  <Text size="sm" fw={600}>
                    {t('imports.drop')}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {t('imports.dropHelp')}
                  </Text>
                </>
              )}
            </Stack>
          </Dropzone>
          {chosen?.error && (
            <Alert color="red" icon={<Icon name="alert" />} role="alert">
              {t(chosen.error)}
            </Alert>
          )}
          {chosen && !chosen.error && (
            <Group gap="sm">
              <Text size="sm" id="import-format">
                {t('imports.format')}
              </Text>
              <SegmentedControl
                size="xs"
                aria-labelledby="import-format"
                value={chosen.format}
                disabled={isSending}
                onChange={format => {
                  setChosen({ ...chosen, format: format as ImportFormat })
                  reset()
                }}
                data={(['csv', 'ndjson'] as const).map(value => ({
                  value,
                  label: t(`imports.format.${value}`),
                }))}
              />
            </Group>
          )}
          <Radio.Group
            label={t('imports.mode')}
            value={options.mode ?? null}
            error={isModeMissing && t('imports.modeMissing')}
            onChange={mode => change({ mode: mode as Options['mode'] })}
          >
            <Stack gap="xs" mt={6}>
              {(['replace', 'merge'] as const).map(mode => (
                <Radio
                  key={mode}
                  value={mode}
                  disabled={isSending}
                  label={t(`imports.mode.${mode}`)}
                  description={t(`imports.mode.${mode}Help`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Checkbox
            label={t('imports.complete')}
            description={t('imports.completeHelp')}
            checked={options.complete ?? false}
            disabled={isSending}
            onChange={event => change({ complete: event.currentTarget.checked })}
          />
          {isLimited && (
            <Text size="xs" c="dimmed">
              {t('imports.companies')}
            </Text>
          )}
          {error !== undefined && (
            <Alert color="red" icon={<Icon name="alert" />} title={t('imports.notSent')} role="alert">
              {errorText(error, texts)}
            </Alert>
          )}
          {isSending ? (
            <div>
              <Progress
                value={progress.total ? (progress.loaded / progress.total) * 100 : 0}
                aria-label={t('imports.sending', { name: chosen?.file.name ?? '' })}
              />
              <Group justify="space-between" mt={6}>
                <Text size="xs" c="dimmed">
                  {t('imports.sent', {
                    loaded: sizeText(progress.loaded, language),
                    total: sizeText(progress.total, language),
                  })}
                </Text>
                <Button variant="default" size="compact-sm" onClick={stop}>
                  {t('imports.cancelSending')}
                </Button>
              </Group>
            </div>
          ) : (
            <div>
              <Button type="submit" fullWidth disabled={!chosen || chosen.error !== undefined}>
                {t('imports.check')}
              </Button>
              <Text size="xs" c="dimmed" mt={6}>
                {t('imports.checkHelp')}
              </Text>
            </div>
          )}
        </Stack>
      </form>
    </Section>
  )
}

/** Sends a file, and opens its import. What is sent again after an error has the same key, and is taken once. */
function useSending() {
  const { t } = useTexts()
  const client = useQueryClient()
  const go = useGo()
  const [progress, setProgress] = useState<{ loaded: number; total: number }>()
  const [error, setError] = useState<unknown>()
  const key = useRef(newKey())
  const abort = useRef<AbortController>(undefined)
  /** The screen is left for the import that was sent. */
  const isSent = useRef(false)
  useBlocker({
    disabled: !progress,
    enableBeforeUnload: () => !isSent.current,
    async shouldBlockFn({ current, next }) {
      if (isSent.current || current.pathname === next.pathname) return false
      return staysUnlessConfirmed({
        title: t('imports.leaveTitle'),
        text: t('imports.leaveText'),
        action: t('imports.leave'),
      })
    },
  })
  // A screen that is left does not go on sending.
  useEffect(() => () => abort.current?.abort(), [])

  const send = async ({ file, format, gzip }: Chosen, options: Options): Promise<void> => {
    const sending = new AbortController()
    abort.current = sending
    setError(undefined)
    setProgress({ loaded: 0, total: file.size })
    try {
      const created = await untilSent(
        () =>
          sendingImports.create(
            { file, contentType: TYPES[format], gzip, dryRun: true, ...options },
            {
              idempotencyKey: key.current,
              signal: sending.signal,
              onProgress: ({ loaded, total = file.size }) => setProgress({ loaded, total }),
            },
          ),
        sending.signal,
      )
      client.setQueryData(importKey(created.importId), created)
      void client.invalidateQueries({ queryKey: IMPORT_LIST })
      isSent.current = true
      go(importPath(created.importId))
    } catch (cause) {
      if (sending.signal.aborted) {
        key.current = newKey()
        setProgress(undefined)
        return
      }
      // The service has decided about this key, unless it was not reached.
      if (isCaseportError(cause) && cause.status !== 0) key.current = newKey()
      setError(cause)
      setProgress(undefined)
    }
  }
  return {
    send,
    stop: () => abort.current?.abort(),
    /** Another file, or other options: this is another import. */
    reset() {
      key.current = newKey()
      setError(undefined)
    },
    progress,
    error,
  }
}
