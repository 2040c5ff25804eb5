// Cases as cards in columns by their current step. A card that is dropped on a later column, or the key C on it, completes
// steps. Arrow keys move between cards, Enter opens one.
import { Button, Group, Loader, Progress, Text, VisuallyHidden } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { type Action, useActions } from '../../app/actions.tsx'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { AppLink } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { EmptyState, ErrorState, errorText, SkeletonLines } from '../../app/states.tsx'
import { notifyError, notifyWithUndo } from '../../dialogs/notify.tsx'
import { MoreError } from '../../list/more-error.tsx'
import type { List } from '../../list/use-list.ts'
import { useBoardOffsets } from '../../list/use-scroll-offset.ts'
import { daysUntil } from '../../records/dates.ts'
import { ToneBadge } from '../../records/links.tsx'
import { type Process, useProcesses } from '../../records/processes.ts'
import {
  CASE_LISTS,
  type CaseFilter,
  casePath,
  completeSteps,
  currentStepOf,
  type ListedCase,
  personOf,
  titleOf,
} from './cases.ts'
import { DueBadge } from './due-badge.tsx'
import { undoSteps } from './undo-steps.ts'

/** A board of more cards is no longer read; filters make it smaller. */
const MAX_CARDS = 600
const FOLLOWS_MS = 1_000
/** The column of cases that have no step left. */
const DONE = ''

interface BoardColumn {
  step: string
  cards: ListedCase[]
}

/** In the order of the steps: how far along a step is in its processes, or else in its cases. */
export function columnsOf(rows: readonly ListedCase[], processes: readonly Process[]): BoardColumn[] {
  const groups = Map.groupBy(rows, row => row.currentStep?.name ?? DONE)
  const positionOf = (step: string, cards: readonly ListedCase[]): number => {
    if (step === DONE) return 2
    const found = processes.flatMap(({ steps }) =>
      steps.includes(step) ? [steps.indexOf(step) / steps.length] : [],
    )
    const shares =
      found.length > 0 ? found : cards.map(({ progress }) => progress.finished / (progress.total || 1))
    return shares.reduce((sum, share) => sum + share, 0) / shares.length
  }
  return [...groups]
    .map(([step, cards]) => ({ step, cards, position: positionOf(step, cards) }))
    .sort((a, b) => a.position - b.position || a.step.localeCompare(b.step))
    .map(({ step, cards }) => ({ step, cards }))
}

export function CaseBoard({ list }: { list: List<ListedCase, CaseFilter> }) {
  const texts = useTexts()
  const { t, tn, number } = texts
  const { can } = useSession()
  const { processes } = useProcesses()
  const { rows, hasMore, isLoadingMore, loadMore, total = 0 } = list
  const mayLoadMore = hasMore && !isLoadingMore && list.moreError === undefined
  const columns = useMemo(() => columnsOf(rows, processes), [rows, processes])
  const board = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<string>()
  const [dragged, setDragged] = useState<ListedCase>()
  const [over, setOver] = useState<string>()
  const { move: moveCase, moving } = useMove()
  const canMove = can('desk:write')

  useEffect(() => {
    if (mayLoadMore && rows.length < MAX_CARDS) loadMore()
  }, [mayLoadMore, rows.length, loadMore])

  const first = active ?? columns[0]?.cards[0]?.caseId
  const focusCard = (caseId: string | undefined) => {
    if (!caseId) return
    setActive(caseId)
    board.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(caseId)}"]`)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, column: number, row: number) => {
    if (event.target !== event.currentTarget) return
    const at = (x: number, y: number) => {
      const cards = columns[x]?.cards ?? []
      return cards[Math.min(y, cards.length - 1)]?.caseId
    }
    const targets: Record<string, string | undefined> = {
      ArrowDown: at(column, row + 1),
      ArrowUp: row > 0 ? at(column, row - 1) : undefined,
      ArrowRight: at(column + 1, row),
      ArrowLeft: at(column - 1, row),
      Home: at(column, 0),
      End: at(column, Number.MAX_SAFE_INTEGER),
    }
    if (!(event.key in targets) && event.key !== 'Enter') return
    event.preventDefault()
    if (event.key === 'Enter') event.currentTarget.querySelector('a')?.click()
    else focusCard(targets[event.key])
  }

  useBoardOffsets(list.name, board, rows.length > 0)

  // A card that has moved to another column is a new element there: it gets the focus that the old one had.
  const wantsFocus = useRef<string>(undefined)
  const move = async (row: ListedCase, step?: string) => {
    const card = board.current?.querySelector(`[data-card="${CSS.escape(row.caseId)}"]`)
    const hadFocus = card?.contains(document.activeElement)
    if (hadFocus) wantsFocus.current = row.caseId
    await moveCase(row, step)
    // The board follows a moment later.
    setTimeout(() => {
      wantsFocus.current = undefined
    }, FOLLOWS_MS)
  }
  useEffect(() => {
    if (document.activeElement === document.body) focusCard(wantsFocus.current)
  })

  const focused = useRef<string>(undefined)
  const completeFocused = () => {
    const row = rows.find(({ caseId }) => caseId === focused.current)
    if (row && canComplete(row)) void move(row)
  }
  const latest = useRef(completeFocused)
  latest.current = completeFocused
  useActions(
    useMemo<Action[]>(
      () =>
        canMove
          ? [
              {
                id: 'board-complete',
                label: t('board.complete'),
                icon: 'check',
                group: t('cases.title'),
                shortcut: 'c',
                run: () => latest.current(),
              },
            ]
          : [],
      [t, canMove],
    ),
  )

  const onDrop = (event: DragEvent, step: string) => {
    event.preventDefault()
    setOver(undefined)
    setDragged(undefined)
    if (dragged && (dragged.currentStep?.name ?? DONE) !== step) void move(dragged, step)
  }

  if (list.error) return <ErrorState error={list.error} onRetry={list.refresh} />
  if (list.isLoading) return <SkeletonLines lines={8} />
  if (rows.length === 0)
    return list.isFiltered ? (
      <EmptyState title={t('list.noMatch')}>{t('list.noMatchHelp')}</EmptyState>
    ) : (
      <EmptyState title={t('cases.empty')}>{t('cases.emptyHelp')}</EmptyState>
    )
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: columns are a group, not a set of fields */}
      <div
        className={list.isStale ? 'board is-stale' : 'board'}
        ref={board}
        role="group"
        aria-label={t('cases.board')}
        aria-busy={list.isStale}
      >
        {columns.map(({ step, cards }, x) => (
          <section
            key={step}
            className={over === step ? 'board-column is-over' : 'board-column'}
            aria-label={step || t('cases.noStep')}
            onDragOver={event => {
              if (!dragged) return
              event.preventDefault()
              setOver(step)
            }}
            onDragLeave={event => {
              if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(undefined)
            }}
            onDrop={event => onDrop(event, step)}
          >
            <header className="board-head">
              <h2 title={step}>{step || t('cases.noStep')}</h2>
              <ToneBadge tone="neutral">
                <span aria-hidden="true">{number(cards.length)}</span>
                <VisuallyHidden>{tn('board.count', cards.length)}</VisuallyHidden>
              </ToneBadge>
            </header>
            <ul className="board-cards" data-column={step}>
              {cards.map((row, y) => (
                <li key={row.caseId}>
                  {/* biome-ignore lint/a11y/useSemanticElements: a card that is dragged, with a link and a button in it */}
                  <div
                    role="group"
                    aria-label={`${personOf(row)}, ${titleOf(row, texts)}`}
                    data-card={row.caseId}
                    tabIndex={row.caseId === first ? 0 : -1}
                    className={`board-card${row.caseId === moving ? ' is-moving' : ''}${isLate(row) ? ' is-late' : ''}`}
                    draggable={canMove}
                    onDragStart={event => {
                      event.dataTransfer.setData('text/plain', row.caseId)
                      event.dataTransfer.effectAllowed = 'move'
                      setDragged(row)
                    }}
                    onDragEnd={() => {
                      setDragged(undefined)
                      setOver(undefined)
                    }}
                    onFocus={() => {
                      focused.current = row.caseId
                      setActive(row.caseId)
                    }}
                    onBlur={({ relatedTarget }) => {
                      // The palette, which offers to complete its step, takes the focus too.
                      if (!relatedTarget?.closest('[role=dialog]')) focused.current = undefined
                    }}
                    onKeyDown={event => onKeyDown(event, x, y)}
                  >
                    <AppLink to={casePath(row.caseId)} className="row-link" tabIndex={-1} draggable={false}>
                      {personOf(row)}
                    </AppLink>
                    {row.applicant.vip && (
                      <span className="vip">
                        <ToneBadge tone="info">VIP</ToneBadge>
                      </span>
                    )}
                    <Text size="xs" c="dimmed" truncate>
                      {titleOf(row, texts)}
                    </Text>
                    <Group gap={6} justify="space-between" mt={6} wrap="nowrap">
                      {row.nextDueDate ? <DueBadge date={row.nextDueDate} isShort /> : <span />}
                      <Text size="xs" c="dimmed" truncate>
                        {row.assignee?.name ?? t('assignee.none')}
                      </Text>
                    </Group>
                    <Progress
                      mt={6}
                      size={4}
                      value={row.progress.total ? (row.progress.finished / row.progress.total) * 100 : 0}
                      aria-label={`${t('cases.progress')}: ${row.progress.finished}/${row.progress.total}`}
                    />
                    {canMove && canComplete(row) && (
                      <Button
                        className="board-complete"
                        size="compact-xs"
                        variant="light"
                        tabIndex={row.caseId === first ? 0 : -1}
                        leftSection={<Icon name="check" size={12} />}
                        loading={row.caseId === moving}
                        onClick={() => void move(row)}
                      >
                        {t('board.complete')}
                      </Button>
                    )}
                  </div>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <Group gap="xs" mt={6} role="status">
        <Text size="xs" c="dimmed">
          {hasMore && rows.length >= MAX_CARDS
            ? t('board.partial', { shown: number(rows.length), total: number(total) })
            : tn('list.total', total)}
        </Text>
        {isLoadingMore && <Loader size={12} />}
        <MoreError list={list} />
      </Group>
    </>
  )
}

const canComplete = ({ currentStep, status }: ListedCase) => currentStep !== null && status !== 'closed'

const isLate = ({ nextDueDate }: ListedCase) => nextDueDate !== null && daysUntil(nextDueDate) < 0

/** Completes the current step of a case, or all steps before the one with this name. */
function useMove() {
  const texts = useTexts()
  const { t } = texts
  const client = useQueryClient()
  const [moving, setMoving] = useState<string>()
  /** A key that is pressed again before the board shows the next step must not complete that one too. */
  const busy = useRef(new Set<string>())
  const refresh = async (caseId: string) => {
    await Promise.all(
      [...CASE_LISTS, ['case', caseId]].map(queryKey => client.invalidateQueries({ queryKey })),
    )
  }
  const move = async (row: ListedCase, target?: string) => {
    if (busy.current.has(row.caseId)) return
    busy.current.add(row.caseId)
    setMoving(row.caseId)
    try {
      const steps = await caseport.cases.steps.listForCase(row.caseId)
      const open = steps.filter(({ status }) => status === 'notStarted' || status === 'inProgress')
      // Another person may have completed the step that is shown.
      if (target === undefined && currentStepOf(steps)?.stepId !== row.currentStep?.stepId) {
        notifyError(t('board.notMoved'), t('board.otherStep', { name: personOf(row) }))
        await refresh(row.caseId)
        return
      }
      const until =
        target === undefined
          ? open.findIndex(step => step.stepId === row.currentStep?.stepId) + 1
          : target === DONE
            ? open.length
            : open.findIndex(({ name }) => name === target)
      const done = target === undefined ? open.slice(until - 1, until) : open.slice(0, Math.max(0, until))
      if (done.length === 0) {
        notifyError(t('board.notMoved'), t('board.forwardOnly', { name: personOf(row) }))
        return
      }
      const { completed, error, saved } = await completeSteps(
        row.caseId,
        done.map(({ stepId }) => stepId),
      )
      await refresh(row.caseId)
      const failed = done[completed.length]
      if (failed) notifyError(t('steps.failed', { name: failed.name }), errorText(error, texts))
      if (completed.length === 0) return
      const message = t('board.completed', {
        step: done
          .slice(0, completed.length)
          .map(({ name }) => name)
          .join(', '),
        name: personOf(row),
      })
      notifyWithUndo(message, t('undo.action'), () => {
        undoSteps({ caseId: row.caseId, before: steps, saved }, texts)
          .catch((error: unknown) => notifyError(t('state.error'), errorText(error, texts)))
          .finally(() => void refresh(row.caseId))
      })
    } catch (error) {
      notifyError(t('board.notMoved'), errorText(error, texts))
      await refresh(row.caseId)
    } finally {
      busy.current.delete(row.caseId)
      setMoving(undefined)
    }
  }
  return { move, moving }
}
