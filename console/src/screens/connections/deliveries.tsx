// The deliveries of a webhook, newest first, and how to send them again.
import type { components } from '@caseport/sdk'
import { Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { ErrorState, errorText, SkeletonLines } from '../../app/states.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { notifyDone, notifyError } from '../../dialogs/notify.tsx'
import { DateField } from '../../fields/date-field.tsx'
import { endOfDay, parseDate, startOfDay, today } from '../../records/dates.ts'
import { type Tone, ToneBadge } from '../../records/links.tsx'

type Delivery = components['schemas']['WebhookDelivery']
type State = Delivery['state']
const COLORS: Record<State, Tone> = { pending: 'warn', delivered: 'good', failed: 'bad' }
const DAYS = 30

export function Deliveries({ webhookId }: { webhookId: string }) {
  const texts = useTexts()
  const { t, tn, time } = texts
  const cache = useQueryClient()
  const [state, setState] = useState<State | 'all'>('all')
  const queryKey = ['deliveries', webhookId]
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...queryKey, state],
    queryFn: ({ pageParam, signal }) =>
      caseport.webhooks
        .deliveries(
          webhookId,
          {
            startDate: parseDate(`-${DAYS}d`) ?? today(),
            endDate: parseDate('+1d') ?? today(),
            sort: '-createdAt',
            maxRecords: 50,
            ...(state !== 'all' && { state }),
            ...(pageParam !== undefined && { nextCursor: pageParam }),
          },
          { signal },
        )
        .first(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.nextCursor ?? undefined,
  })
  const rows = data?.pages.flatMap(page => page.records) ?? []
  const replay = async (delivery: Delivery) => {
    try {
      await caseport.webhooks.replayDelivery(webhookId, delivery.deliveryId)
      notifyDone(t('webhooks.replayed'))
    } catch (cause) {
      notifyError(t('state.error'), errorText(cause, texts))
    }
    await cache.invalidateQueries({ queryKey })
  }
  const replayRange = async () => {
    const count = await openDialog<number | undefined>(close => (
      <ReplayDialog webhookId={webhookId} onClose={close} />
    ))
    if (count === undefined) return
    notifyDone(tn('webhooks.replayedMany', count))
    await cache.invalidateQueries({ queryKey })
  }
  return (
    <section aria-label={t('webhooks.deliveries')}>
      <Group justify="space-between" mb="xs">
        <Title order={3}>{t('webhooks.deliveries')}</Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={t('users.state')}
            value={state}
            data={(['all', 'delivered', 'pending', 'failed'] as const).map(value => ({
              value,
              label: t(`webhooks.delivery.${value}`),
            }))}
            onChange={value => setState(value as State | 'all')}
          />
          <Button variant="default" size="compact-md" onClick={() => void replayRange()}>
            {t('webhooks.replayRange')}
          </Button>
        </Group>
      </Group>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonLines lines={4} />
      ) : rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('webhooks.noDeliveries', { days: DAYS })}
        </Text>
      ) : (
        <Stack gap="xs">
          <ul className="deliveries">
            {rows.map(row => (
              <li key={row.deliveryId}>
                <div>
                  <Group gap="xs">
                    <Text size="sm">{row.eventType}</Text>
                    <ToneBadge tone={COLORS[row.state]}>{t(`webhooks.delivery.${row.state}`)}</ToneBadge>
                  </Group>
                  <Text size="xs" c="dimmed">
                    {[
                      time(row.createdAt),
                      tn('webhooks.attempts', row.attempts),
                      row.lastError ?? (row.lastStatus && t('webhooks.status', { status: row.lastStatus })),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </Text>
                </div>
                <Button
                  variant="subtle"
                  size="compact-sm"
                  aria-label={t('webhooks.replayOf', { name: row.eventType, time: time(row.createdAt) })}
                  onClick={() => void replay(row)}
                >
                  {t('webhooks.replay')}
                </Button>
              </li>
            ))}
          </ul>
          {hasNextPage && (
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('timeline.more')}
            </Button>
          )}
        </Stack>
      )}
    </section>
  )
}

/** The API has days of UTC: those that the days of the person are in. */
const utcDay = (moment: string) => moment.slice(0, 10)

interface ReplayDialogProps {
  webhookId: string
  onClose(count: number | undefined): void
}

/** After an outage of the receiver: everything of some days again. Receivers know events by their id. */
function ReplayDialog({ webhookId, onClose }: ReplayDialogProps) {
  const { t } = useTexts()
  const [startDate, setStartDate] = useState<string | null>(today())
  const [endDate, setEndDate] = useState<string | null>(today())
  const [count, setCount] = useState<number>()
  return (
    <FormDialog
      title={t('webhooks.replayRange')}
      action={t('webhooks.replay')}
      isReady={startDate !== null && endDate !== null}
      onSubmit={async () => {
        if (!startDate || !endDate) return
        const range = { startDate: utcDay(startOfDay(startDate)), endDate: utcDay(endOfDay(endDate)) }
        const { deliveries } = await caseport.webhooks.replay(webhookId, range)
        setCount(deliveries)
        onClose(deliveries)
      }}
      onDone={() => undefined}
      onClose={() => onClose(count)}
    >
      {errorOf => (
        <>
          <Text size="sm">{t('webhooks.replayHelp')}</Text>
          <DateField
            label={t('webhooks.replayFrom')}
            value={startDate}
            onChange={setStartDate}
            error={errorOf('startDate')}
            data-autofocus
          />
          <DateField
            label={t('webhooks.replayTo')}
            value={endDate}
            onChange={setEndDate}
            error={errorOf('endDate')}
          />
        </>
      )}
    </FormDialog>
  )
}
