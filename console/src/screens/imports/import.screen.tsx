// One import: what it does or did, what the guard found, and what becomes of each row.
import { isCaseportError } from '@caseport/sdk'
import type { Import } from '@caseport/sdk/imports'
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { BackLink } from '../../app/router.tsx'
import { CenteredLoader, ErrorState, errorText } from '../../app/states.tsx'
import { confirm } from '../../dialogs/confirm.tsx'
import { notifyDone, notifyError } from '../../dialogs/notify.tsx'
import { ImportRows } from './import-rows.tsx'
import { ImportStatusBadge } from './import-status.tsx'
import { IMPORT_LIST, importKey, imports, isWorking, shownStatus } from './imports.ts'
import { listed, pointerText } from './pointers.ts'
import './imports.css'

const POLL_MS = 1_000
/** Lists that show what an import has changed. */
const CHANGED = [IMPORT_LIST, ['list'], ['overview']] as const

export default function ImportScreen() {
  const { importId = '' } = useParams({ strict: false }) as { importId?: string }
  const { t, time } = useTexts()
  // An error of a poll is shown by the banner of the shell; the next poll goes on.
  const { data, error, refetch } = useQuery({
    queryKey: importKey(importId),
    queryFn: ({ signal }) => imports.get(importId, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isWorking(state.data) ? POLL_MS : false),
  })
  const back = <BackLink to="/imports">{t('imports.back')}</BackLink>
  if (!data)
    return (
      <PageFrame title={t('imports.one')} before={back}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <CenteredLoader />}
      </PageFrame>
    )
  return (
    <PageFrame
      title={t('imports.of', { time: time(data.createdAt) })}
      aside={<ImportStatusBadge one={data} />}
      before={back}
      isFull
    >
      <div className="import-page">
        <Stack gap="sm">
          <State one={data} />
          <Text size="xs" c="dimmed">
            <Facts one={data} />
          </Text>
        </Stack>
        <ImportRows key={data.importId} one={data} />
      </div>
    </PageFrame>
  )
}

function Facts({ one }: { one: Import }) {
  const { t, tn, time } = useTexts()
  const facts = [
    tn('imports.total', one.counts.total),
    `${t('imports.mode')}: ${t(`imports.mode.${one.mode}`)}`,
    t(`imports.format.${one.format}`),
    one.complete ? t('imports.complete') : '',
    `${t('imports.who')}: ${one.createdByName ?? one.createdBy}`,
    one.releasedAt ? `${t('imports.released')}: ${time(one.releasedAt)}` : '',
    one.finishedAt && shownStatus(one) !== 'checked'
      ? `${t('imports.finished')}: ${time(one.finishedAt)}`
      : '',
  ]
  return facts.filter(Boolean).join(' · ')
}

/** What remains of an import that is not applied, or not to its end. */
const keptText = ({ progress }: Import, { t, number }: Texts): string =>
  progress.applied > 0
    ? t('imports.cancelledText', { count: number(progress.applied) })
    : t('imports.cancelledNone')

function State({ one }: { one: Import }) {
  const texts = useTexts()
  const { t, number } = texts
  const { counts, progress, problem } = one
  const { apply, cancel, isBusy } = useDecisions(one)
  const decisions = (
    <Group gap="xs" mt="sm">
      <Button
        onClick={() => void apply()}
        loading={isBusy}
        {...(one.held && { color: 'red.9' })}
        leftSection={<Icon name="check" size={16} />}
      >
        {t('imports.apply')}
      </Button>
      <Button variant="default" onClick={() => void cancel()} disabled={isBusy}>
        {t('imports.discard')}
      </Button>
    </Group>
  )
  switch (shownStatus(one)) {
    case 'receiving':
    case 'checking':
      return (
        <Working
          text={
            one.status === 'receiving'
              ? t('imports.receiving')
              : t('imports.checking', {
                  done: number(progress.checked),
                  total: number(counts.total),
                })
          }
          share={counts.total ? progress.checked / counts.total : 0}
          onCancel={() => void cancel()}
        />
      )
    case 'running':
      return (
        <Working
          text={t('imports.running', { done: number(progress.applied), total: number(progress.toApply) })}
          share={progress.toApply ? progress.applied / progress.toApply : 0}
          onCancel={() => void cancel()}
        />
      )
    case 'held':
      return (
        <Guard one={one}>
          <Text size="sm">
            {progress.applied > 0
              ? t('imports.heldLater', { count: number(progress.applied) })
              : t('imports.heldWaits')}
          </Text>
          {decisions}
        </Guard>
      )
    case 'checked':
      if (one.held)
        return (
          <Guard one={one}>
            <Text size="sm">{t('imports.heldWaits')}</Text>
            {decisions}
          </Guard>
        )
      return (
        <Alert color="blue" icon={<Icon name="eye" />} title={t('imports.readyTitle')} role="status">
          {t(counts.created + counts.updated > 0 ? 'imports.ready' : 'imports.nothingToDo')}
          {decisions}
        </Alert>
      )
    case 'completed':
      return (
        <Alert color="green" icon={<Icon name="check" />} title={t('imports.doneTitle')} role="status">
          {t('imports.done', numbersOf(one, texts))}
        </Alert>
      )
    case 'cancelled':
      return (
        <Alert color="gray" icon={<Icon name="close" />} title={t('imports.cancelledTitle')} role="status">
          {keptText(one, texts)}
        </Alert>
      )
    case 'failed':
      return (
        <Alert color="red" icon={<Icon name="alert" />} title={t('imports.failedTitle')} role="alert">
          {problem?.detail}
          {problem?.errors?.map(({ pointer, detail }) => (
            <div key={pointer}>{detail}</div>
          ))}
        </Alert>
      )
  }
}

function Working({ text, share, onCancel }: { text: string; share: number; onCancel: () => void }) {
  const { t } = useTexts()
  return (
    <div className="import-working">
      <Group justify="space-between" mb={8}>
        <Text size="sm" fw={600} role="status">
          {text}
        </Text>
        <Button variant="default" size="compact-sm" onClick={onCancel}>
          {t('imports.stop')}
        </Button>
      </Group>
      <Progress value={share * 100} size="lg" animated aria-label={t('imports.progress')} />
    </div>
  )
}

const MAX_POINTERS = 4

function Guard({ one: { held }, children }: { one: Import; children: ReactNode }) {
  const texts = useTexts()
  const { t, tn, number } = texts
  if (!held) return null
  return (
    <Alert color="red" icon={<Icon name="alert" />} title={t('imports.heldTitle')} role="alert">
      {t('imports.held', { people: tn('imports.people', held.people), limit: number(held.limit) })}
      <ul className="import-reasons">
        {held.reasons.map(({ code, people, detail, samples }) => (
          <li key={code}>
            <strong>{isKnown(code) ? tn(`imports.reason.${code}`, people) : detail}</strong>
            <ul className="plain-list">
              {samples.map(({ row, employeeNumber, changed }) => (
                <li key={row}>
                  {t('imports.sample', { row, number: employeeNumber })}:{' '}
                  {listed(
                    changed.map(pointer => pointerText(pointer, texts)),
                    MAX_POINTERS,
                    texts,
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {children}
    </Alert>
  )
}

const REASONS = ['values-taken', 'dependents-taken', 'companies-taken'] as const
const isKnown = (code: string): code is (typeof REASONS)[number] =>
  (REASONS as readonly string[]).includes(code)

const numbersOf = ({ counts }: Import, { number }: Texts) => ({
  created: number(counts.created),
  updated: number(counts.updated),
  unchanged: number(counts.unchanged),
  rejected: number(counts.rejected),
})

/** What a person decides. Another person may have been faster: then the import is shown as it is now. */
function useDecisions(one: Import) {
  const texts = useTexts()
  const { t, tn, number, time } = texts
  const client = useQueryClient()
  const { importId, held, counts, progress } = one
  const key = importKey(importId)
  const options = {
    onSuccess(next: Import) {
      client.setQueryData(key, next)
      for (const queryKey of CHANGED) void client.invalidateQueries({ queryKey })
    },
    onError(error: unknown) {
      const hasMovedOn = isCaseportError(error) && error.status === 409
      notifyError(t(hasMovedOn ? 'imports.movedOn' : 'state.error'), errorText(error, texts))
      void client.invalidateQueries({ queryKey: key })
    },
  }
  const release = useMutation({ mutationFn: () => imports.release(importId), ...options })
  const stop = useMutation({ mutationFn: () => imports.cancel(importId), ...options })
  return {
    isBusy: release.isPending || stop.isPending,
    async apply() {
      const people = held && { people: tn('imports.people', held.people), limit: number(held.limit) }
      const text = [
        t('imports.applyText', {
          created: tn('imports.people', counts.created),
          updated: tn('imports.people', counts.updated),
          rejected: tn('imports.rowsRejected', counts.rejected),
        }),
        people ? t('imports.applyHeld', people) : '',
      ]
      const isSure = await confirm({
        title: t('imports.applyTitle'),
        text: text.filter(Boolean).join(' '),
        action: t('imports.apply'),
        isDangerous: held !== null,
        ...(held && { typed: String(held.people) }),
      })
      if (isSure) release.mutate(undefined, { onSuccess: () => notifyDone(t('imports.applied')) })
    },
    async cancel() {
      const isRunning = one.status === 'running'
      const isSure = await confirm({
        title: t(isRunning ? 'imports.stopTitle' : 'imports.discardTitle'),
        text: isRunning
          ? t('imports.stopText', { applied: number(progress.applied), toApply: number(progress.toApply) })
          : `${t('imports.discardText', { time: time(one.createdAt) })} ${keptText(one, texts)}`,
        action: t(isRunning ? 'imports.stop' : 'imports.discard'),
      })
      if (isSure) stop.mutate()
    },
  }
}
