// The rows that match the filters as a file. The pages are read one after the other, and the file is made in the browser.
import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { ErrorState } from '../app/states.tsx'
import { openDialog } from '../dialogs/dialog-host.tsx'
import { csvLine, separatorOf } from './csv.ts'
import type { List } from './use-list.ts'

export interface ExportColumn<T> {
  header: string
  value: (row: T) => string | number | null | undefined
}

interface Export<T> {
  title: string
  fileName: string
  columns: ExportColumn<T>[]
  list: Pick<List<T>, 'all' | 'total'>
}

/** Opens a dialog with the progress, and saves the file at the end. */
export const exportRows = <T,>(wanted: Export<T>): Promise<void> =>
  openDialog<void>(close => <ExportDialog wanted={wanted} onClose={() => close()} />)

function ExportDialog<T>({ wanted, onClose }: { wanted: Export<T>; onClose: () => void }) {
  const { t, tn, number, language } = useTexts()
  const [count, setCount] = useState(0)
  const [isDone, setDone] = useState(false)
  const [error, setError] = useState<unknown>()
  const isStopped = useRef(false)
  const isStarted = useRef(false)

  const start = async () => {
    setError(undefined)
    setCount(0)
    // The mark at the beginning tells spreadsheets that the text is UTF-8.
    const separator = separatorOf(language)
    const lineOf = (values: (string | number | null | undefined)[]) => csvLine(values, separator)
    const parts = ['\uFEFF', lineOf(wanted.columns.map(({ header }) => header))]
    try {
      let read = 0
      for await (const row of wanted.list.all()) {
        if (isStopped.current) return
        parts.push(lineOf(wanted.columns.map(({ value }) => value(row))))
        read += 1
        if (read % 100 === 0) setCount(read)
      }
      setCount(read)
      save(new Blob(parts, { type: 'text/csv;charset=utf-8' }), wanted.fileName)
      setDone(true)
    } catch (cause) {
      setError(cause)
    }
  }
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    void start()
  }, [])

  const close = () => {
    isStopped.current = true
    onClose()
  }
  return (
    <Modal opened onClose={close} title={wanted.title} closeButtonProps={{ 'aria-label': t('dialog.close') }}>
      {error ? (
        <ErrorState error={error} onRetry={() => void start()} />
      ) : (
        <Stack gap="md">
          <Group gap="sm" role="status">
            {!isDone && <Loader size="xs" />}
            <Text size="sm">
              {isDone
                ? tn('export.done', count, { file: wanted.fileName })
                : t('export.progress', {
                    count: number(count),
                    total: number(wanted.list.total ?? count),
                  })}
            </Text>
          </Group>
          <Group justify="flex-end">
            <Button variant={isDone ? 'filled' : 'default'} onClick={close} data-autofocus>
              {t(isDone ? 'dialog.close' : 'dialog.cancel')}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
