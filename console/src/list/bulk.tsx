// Actions on many records: the bar that offers them, and the run with its progress and the result of each record.
import { Alert, Button, Group, Modal, Progress, ScrollArea, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import { errorText } from '../app/states.tsx'
import { openDialog } from '../dialogs/dialog-host.tsx'
import { notifyError } from '../dialogs/notify.tsx'
import type { Selection } from './selection.ts'
import type { List } from './use-list.ts'

interface BulkBarProps<T, F extends string> {
  list: List<T, F>
  selection: Selection
  rowKey(row: T): string
  /** Buttons, which call `runBulk`. */
  children: ReactNode
}

export function BulkBar<T, F extends string>({ list, selection, rowKey, children }: BulkBarProps<T, F>) {
  const { t, tn, number } = useTexts()
  const { total = 0 } = list
  const count = selection.countOf(total, list.rows.map(rowKey))
  const isShown = count > 0
  const wasShown = useRef(isShown)
  useEffect(() => {
    // The bar takes the focus with it, unless the rows get it.
    if (wasShown.current && !isShown && document.activeElement === document.body) {
      const row = document.querySelector<HTMLElement>('.table-body [tabindex="0"]')
      const target = row ?? document.getElementById('main')
      target?.focus()
    }
    wasShown.current = isShown
  }, [isShown])
  if (!isShown) return null
  const canSelectAll = !selection.isAll && total > count && count >= list.rows.length
  return (
    <Group className="bulk-bar no-print" gap="sm" role="toolbar" aria-label={t('bulk.actions')}>
      <Text size="sm" fw={600}>
        {selection.isAll
          ? selection.excluded > 0
            ? tn('bulk.allSelectedBut', selection.excluded)
            : t('bulk.allSelected')
          : tn('bulk.selected', count)}
      </Text>
      {canSelectAll && (
        <Button size="compact-sm" variant="subtle" onClick={selection.selectAllMatching}>
          {t('bulk.selectAll', { count: total >= 10_000 ? `${number(10_000)}+` : number(total) })}
        </Button>
      )}
      {children}
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={<Icon name="close" size={14} />}
        onClick={selection.clear}
      >
        {t('bulk.clear')}
      </Button>
    </Group>
  )
}

interface BulkRun<T> {
  title: string
  /** The records: those that are selected, or `list.all()` where all that match are. */
  items: Iterable<T> | AsyncIterable<T>
  keyOf(item: T): string
  nameOf(item: T): string
  run(item: T, signal: AbortSignal): Promise<unknown>
  /** What is out of date afterwards. */
  invalidates: readonly (readonly unknown[])[]
}

/** The selected records of a list, as `runBulk` takes them. */
export function selectedOf<T, F extends string>(
  list: List<T, F>,
  selection: Selection,
  rowKey: (row: T) => string,
): Iterable<T> | AsyncIterable<T> {
  const isSelected = (row: T) => selection.has(rowKey(row))
  return selection.isAll ? filtered(list.all(), isSelected) : list.rows.filter(isSelected)
}

async function* filtered<T>(items: AsyncIterable<T>, isWanted: (item: T) => boolean) {
  for await (const item of items) if (isWanted(item)) yield item
}

/** Opens a dialog that runs the action on each record. Resolves when the person closes it. */
export const runBulk = <T,>(bulk: BulkRun<T>): Promise<void> =>
  openDialog<void>(close => <BulkDialog bulk={bulk} onClose={() => close()} />)

const CONCURRENCY = 4

interface Outcome<T> {
  item: T
  error?: unknown
}

function BulkDialog<T>({ bulk, onClose }: { bulk: BulkRun<T>; onClose: () => void }) {
  const texts = useTexts()
  const { t, tn, number } = texts
  const client = useQueryClient()
  const [total, setTotal] = useState<number>()
  const [outcomes, setOutcomes] = useState<Outcome<T>[]>([])
  const [state, setState] = useState<'running' | 'stopped' | 'done'>('running')
  const abort = useRef(new AbortController())
  const isStarted = useRef(false)

  const start = async (items: Iterable<T> | AsyncIterable<T>) => {
    const controller = new AbortController()
    abort.current = controller
    setState('running')
    setOutcomes([])
    setTotal(undefined)
    try {
      // All of them first: a change may move a record out of the filter, and the next page would miss others.
      const all: T[] = []
      for await (const item of items) {
        if (controller.signal.aborted) break
        all.push(item)
      }
      setTotal(all.length)
      const rest = all.values()
      const worker = async () => {
        for (const item of rest) {
          if (controller.signal.aborted) return
          const error = await bulk.run(item, controller.signal).then(
            () => undefined,
            (cause: unknown) => cause ?? new Error('failed'),
          )
          setOutcomes(done => [...done, { item, error }])
        }
      }
      await Promise.all(Array.from({ length: CONCURRENCY }, worker))
      setState(controller.signal.aborted ? 'stopped' : 'done')
    } catch (error) {
      setState('stopped')
      notifyError(bulk.title, errorText(error, texts))
    }
    for (const queryKey of bulk.invalidates) void client.invalidateQueries({ queryKey })
  }

  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    void start(bulk.items)
  }, [])

  const failed = outcomes.filter(({ error }) => error !== undefined)
  const isRunning = state === 'running'
  return (
    <Modal
      opened
      onClose={onClose}
      title={bulk.title}
      size="lg"
      closeOnEscape={!isRunning}
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack gap="sm">
        <div role="status">
          <Text size="sm" mb={6}>
            {total === undefined
              ? t('bulk.collecting')
              : t('bulk.progress', { done: number(outcomes.length), total: number(total) })}
          </Text>
          <Group gap="md">
            <Text size="sm">{tn('bulk.succeeded', outcomes.length - failed.length)}</Text>
            {failed.length > 0 && (
              <Text size="sm" c="var(--mantine-color-error)" fw={600}>
                {tn('bulk.failed', failed.length)}
              </Text>
            )}
          </Group>
        </div>
        <Progress
          value={total ? (outcomes.length / total) * 100 : 0}
          animated={isRunning}
          aria-label={bulk.title}
        />
        {state === 'stopped' && <Alert color="yellow">{t('bulk.stopped')}</Alert>}
        {state === 'done' && failed.length === 0 && <Text size="sm">{t('bulk.nothingFailed')}</Text>}
        {failed.length > 0 && (
          <ScrollArea.Autosize mah={260} tabIndex={0}>
            <Stack gap={6} component="ul" className="plain-list">
              {failed.map(({ item, error }) => (
                <li key={bulk.keyOf(item)}>
                  <Text size="sm" fw={600} component="span">
                    {bulk.nameOf(item)}
                  </Text>{' '}
                  <Text size="sm" c="dimmed" component="span">
                    {errorText(error, texts)}
                  </Text>
                </li>
              ))}
            </Stack>
          </ScrollArea.Autosize>
        )}
        <Group justify="flex-end" gap="xs">
          {isRunning ? (
            <Button variant="default" onClick={() => abort.current.abort()}>
              {t('bulk.stop')}
            </Button>
          ) : (
            <>
              {failed.length > 0 && (
                <Button variant="default" onClick={() => void start(failed.map(({ item }) => item))}>
                  {t('bulk.retry')}
                </Button>
              )}
              <Button onClick={onClose} autoFocus>
                {t('dialog.close')}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
