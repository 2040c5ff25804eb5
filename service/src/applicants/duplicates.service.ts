// Lists pairs of records that may be the same person, and dismisses those that are not.
import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import { EXACT_TOTAL } from '../db/ordered-list.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { isFindable } from '../lib/ids.ts'
import { declareProblem, invalid } from '../lib/problem.ts'
import { pairOf } from './duplicate-matching.ts'
import * as store from './duplicates.store.ts'

export const duplicateNotFound = declareProblem({
  code: 'duplicate-not-found',
  status: 404,
  title: 'These two records are no pair of the list of duplicates.',
  remedy:
    'List the pairs with GET /admin/v1/duplicates. A pair disappears when its records have nothing in common any more.',
})

interface DuplicatePage {
  records: store.DuplicateRow[]
  next: store.DuplicatePosition | undefined
  prev: store.DuplicatePosition | undefined
  total: number
}

export type Duplicates = ReturnType<typeof createDuplicates>

export function createDuplicates({ sql }: { sql: Sql }) {
  return {
    async list(
      { minScore = 1, applicantId }: { minScore?: number; applicantId?: string },
      { limit, after, before }: PageRequest<store.DuplicatePosition>,
    ): Promise<DuplicatePage> {
      if (applicantId !== undefined && !isFindable(applicantId))
        return { records: [], next: undefined, prev: undefined, total: 0 }
      const filters = { minScore, applicantId }
      const from = after ?? before
      const backwards = before !== undefined
      const opposite = from && { ...from, inclusive: !from.inclusive }
      const [rows, behind, total] = await Promise.all([
        store.listPairs(sql, filters, { from, backwards, limit: limit + 1 }),
        from && store.listPairs(sql, filters, { from: opposite, backwards: !backwards, limit: 1 }),
        store.countPairs(sql, filters, EXACT_TOTAL + 1),
      ])
      const more = rows.length > limit
      const kept = rows.slice(0, limit)
      const records = backwards ? kept.reverse() : kept
      const hasBehind = behind !== undefined && behind.length > 0
      const [hasNext, hasPrev] = backwards ? [hasBehind, more] : [more, hasBehind]
      const positionAt = (row: store.DuplicateRow | undefined) => (row ? positionOf(row) : opposite)
      return {
        records,
        next: hasNext ? positionAt(records.at(-1)) : undefined,
        prev: hasPrev ? positionAt(records[0]) : undefined,
        total,
      }
    },

    /** A pair that is dismissed already stays as it is. */
    async dismiss(
      unit: UnitOfWork,
      { applicantIds, reason = null }: { applicantIds: string[]; reason?: string | null },
    ): Promise<store.Dismissal> {
      const { tx, now, actor } = unit
      const [a = '', b = ''] = applicantIds
      if (a === b)
        throw invalid([{ pointer: '/applicantIds/1', detail: 'Must be another record than the first.' }])
      if (!isFindable(a, b)) throw duplicateNotFound()
      const [first, second] = pairOf(a, b)
      await store.lockDuplicates(tx)
      const known = await store.findDismissal(tx, first, second)
      if (known) {
        unit.audit({ action: 'duplicate.read', recordId: first })
        return known
      }
      const pair = await store.findPair(tx, first, second)
      if (!pair) throw duplicateNotFound()
      const by = actor.user?.name ?? actor.clientId
      await store.insertDismissal(tx, pair, { reason, by, now })
      await store.deletePair(tx, first, second)
      for (const [recordId, other] of [
        [first, second],
        [second, first],
      ] as const)
        unit.audit({
          action: 'duplicate.dismiss',
          recordId,
          before: { duplicateOf: other },
          after: { duplicateOf: null, notTheSameAs: other, reason },
        })
      return { ...pair, reason, dismissedBy: by, dismissedAt: now }
    },
  }
}

function positionOf({ score, firstId, secondId }: store.DuplicateRow): store.DuplicatePosition {
  return { score, firstId, secondId, inclusive: false }
}
