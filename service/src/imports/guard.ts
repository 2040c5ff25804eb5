// The guard: an import that would take something from many people is held until a person releases it. Pure.
import type { Taken } from '../applicants/family-differences.ts'

export const KINDS = ['values', 'dependents', 'companies'] as const
export type TakenKind = (typeof KINDS)[number]

export interface Sample {
  row: number
  employeeNumber: string
  changed: string[]
}

interface Losses {
  affected: number
  reasons: Record<TakenKind, { people: number; samples: Sample[] }>
}

/** What the check found. */
export interface GuardState extends Losses {
  /** People that the rows so far name. */
  people: number
  /** What was taken by the rows that were applied: records may have changed since the check. */
  applied?: Losses
}

export interface HeldReason {
  code: string
  detail: string
  people: number
  samples: Sample[]
}

/** Why an import is held, and the limit that it exceeds. */
export interface Held {
  people: number
  limit: number
  reasons: HeldReason[]
}

const MIN_LIMIT = 25
const SHARE = 0.05
const MAX_SAMPLES = 5
const MAX_POINTERS = 10

const TEXTS: Record<TakenKind, { code: string; what: string }> = {
  values: { code: 'values-taken', what: 'a value or an item' },
  dependents: { code: 'dependents-taken', what: 'a dependent' },
  companies: { code: 'companies-taken', what: 'their company' },
}

export const emptyGuard = (): GuardState => ({ people: 0, ...noLosses() })

const noLosses = (): Losses => ({
  affected: 0,
  reasons: {
    values: { people: 0, samples: [] },
    dependents: { people: 0, samples: [] },
    companies: { people: 0, samples: [] },
  },
})

export interface GuardedRow extends Sample {
  taken: Taken
}

/** The state after further rows. */
export function addRows(state: GuardState, rows: GuardedRow[], unchangedPeople: number): GuardState {
  const next = structuredClone(state)
  next.people += unchangedPeople
  for (const { taken, row, employeeNumber, changed } of rows) {
    next.people += taken.people
    next.affected += taken.affected
    for (const kind of KINDS) {
      if (taken[kind] === 0) continue
      const reason = next.reasons[kind]
      reason.people += taken[kind]
      if (reason.samples.length < MAX_SAMPLES)
        reason.samples.push({ row, employeeNumber, changed: changed.slice(0, MAX_POINTERS) })
    }
  }
  return next
}

/** The state after these rows were applied. */
export function addApplied(state: GuardState, rows: GuardedRow[]): GuardState {
  const { affected, reasons } = addRows({ people: 0, ...(state.applied ?? noLosses()) }, rows, 0)
  return { ...state, applied: { affected, reasons } }
}

/** Like `heldBy`, for the rows that were applied. */
export function heldByApplied({ people, applied }: GuardState): Held | undefined {
  const held = applied && heldBy({ people, ...applied })
  const reasons = held?.reasons.map(reason => ({ ...reason, detail: `${reason.detail} ${CHANGED_SINCE}` }))
  return held && reasons && { ...held, reasons }
}

const CHANGED_SINCE = 'They have changed since the check, which did not find this.'

/** Undefined where the import takes from no more people than it may. */
export function heldBy({ people, affected, reasons }: Omit<GuardState, 'applied'>): Held | undefined {
  const limit = Math.max(MIN_LIMIT, Math.floor(people * SHARE))
  if (affected <= limit) return undefined
  return {
    people: affected,
    limit,
    reasons: KINDS.filter(kind => reasons[kind].people > 0).map(kind => {
      const { code, what } = TEXTS[kind]
      const { people: count, samples } = reasons[kind]
      const detail = `The import would take ${what} from ${count} of the ${people} people that it names.`
      return { code, detail, people: count, samples }
    }),
  }
}
