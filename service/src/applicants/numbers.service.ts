// Changes of employee numbers: irreversible, so the caller must show that it means the right person.
import { RunAgain, refusedBy } from '../db/sqlstate.ts'
import type { Unit } from '../db/unit.ts'
import { countDocuments } from '../documents/applicant-documents.service.ts'
import { createLimiter, tooManyRequests } from '../lib/limiter.ts'
import type { Fault, Problem } from '../lib/problem.ts'
import { type Identity, identityMatches } from './applicant.ts'
import * as errors from './applicants.errors.ts'
import * as store from './applicants.store.ts'
import { searchKeysOf } from './search-keys.ts'
import { fromRow, type Stored } from './stored.ts'

const WINDOW = 300
const FAILURES = 10
const MOST_DEPENDENT_NUMBERS = 1_000

export interface NumberChange {
  applicantId: string
  previousEmployeeNumber: string | null
  employeeNumber: string
  casesUpdated: number
  documentsUpdated: number
}

interface Rules {
  invalid: (faults: Fault[]) => Problem
  now: () => number
  /** How many cases name this applicant. */
  countCases: (unit: Unit, applicantId: string) => Promise<number>
}

export type Numbers = ReturnType<typeof createNumbers>

export function createNumbers({ invalid, now, countCases }: Rules) {
  const failures = createLimiter({ limit: FAILURES, windowSeconds: WINDOW, now })

  const requireIdentity = (stored: Stored, claimed: Identity, guesser: string) => {
    if (identityMatches(stored.record, claimed)) return
    failures.count(guesser)
    throw errors.identityMismatch()
  }
  const refuseGuesser = (guesser: string) => {
    const wait = failures.blockedFor(guesser)
    if (wait > 0)
      throw tooManyRequests('Too many failed identity checks.', { headers: { 'retry-after': String(wait) } })
  }

  const change = async (unit: Unit, stored: Stored, number: string): Promise<NumberChange> => {
    const { tx, now: at } = unit
    const { applicantId, employeeNumber: previous } = stored.record
    const { documents: _documents, ...rest } = { ...stored.record, employeeNumber: number }
    const kind = stored.primaryId ? 'dependent' : 'applicant'
    unit.audit({ action: 'applicant.number_change', recordId: applicantId })
    unit.emit({
      type: `${kind}.number_changed`,
      recordId: applicantId,
      data: stored.primaryId ? { applicantId, primaryApplicantId: stored.primaryId } : { applicantId },
    })
    const [, , , documentsUpdated, casesUpdated] = await Promise.all([
      previous !== null && store.lockNumbers(tx, [previous, number]),
      store.updateApplicant(tx, {
        record: rest,
        primaryId: stored.primaryId,
        searchKeys: searchKeysOf(rest),
        now: at,
      }),
      previous !== null && store.retireNumber(tx, previous, { applicantId, now: at }),
      countDocuments(tx, applicantId),
      countCases(unit, applicantId),
    ])
    return {
      applicantId,
      previousEmployeeNumber: previous,
      employeeNumber: number,
      casesUpdated,
      documentsUpdated,
    }
  }

  return {
    async changeNumber(
      unit: Unit,
      { from, to, identity, guesser }: { from: string; to: string; identity: Identity; guesser: string },
    ): Promise<NumberChange> {
      refuseGuesser(guesser)
      if (from === to)
        throw invalid([{ pointer: '/newEmployeeNumber', detail: 'Must differ from the old number.' }])
      const rows = await lockFamily(unit, from)
      const stored = rows.find(
        ({ record, primaryId, archived }) =>
          record.employeeNumber === from && primaryId === null && !archived,
      )
      if (!stored) throw errors.applicantNotFound()
      requireIdentity(stored, identity, guesser)
      return change(unit, stored, to)
    },

    async changeDependentNumber(
      unit: Unit,
      {
        primary,
        current,
        to,
        identity,
        guesser,
      }: { primary: string; current: string; to: string | undefined; identity: Identity; guesser: string },
    ): Promise<NumberChange> {
      refuseGuesser(guesser)
      const rows = await lockFamily(unit, primary)
      const dependents = rows.filter(({ primaryId, archived }) => primaryId !== null && !archived)
      const stored =
        dependents.find(({ record }) => record.applicantId === current) ??
        dependents.find(({ record }) => record.employeeNumber === current)
      if (!stored || stored.record.employeeNumber === primary) throw errors.dependentNotFound()
      requireIdentity(stored, identity, guesser)
      if (to === stored.record.employeeNumber && to !== undefined)
        throw invalid([{ pointer: '/newEmployeeNumber', detail: 'Must differ from the current number.' }])
      if (to !== undefined) return change(unit, stored, to)
      return change(unit, stored, await nextNumber(unit, primary)).catch(error => {
        // Somebody took the number that was free a moment ago: the next one will do.
        throw refusedBy(error, 'applicants_employee_number') ? new RunAgain() : error
      })
    },
  }

  /** The second statement sees what whoever held the lock has committed. */
  async function lockFamily({ tx }: Unit, number: string): Promise<Stored[]> {
    const [locked, rows] = await Promise.all([
      store.lockPrimary(tx, { number }),
      store.listFamily(tx, { number }),
    ])
    // Made by somebody between the two statements: start over, so as to hold it.
    if (rows.length > 0 && !locked) throw new RunAgain()
    return rows.map(fromRow)
  }

  async function nextNumber({ tx }: Unit, primary: string): Promise<string> {
    const candidates = Array.from(
      { length: MOST_DEPENDENT_NUMBERS },
      (_, index) => `${primary}-D${index + 1}`,
    )
    const taken = await store.listTakenNumbers(tx, candidates)
    const free = candidates.find(candidate => !taken.has(candidate))
    if (!free || free.length > 64)
      throw invalid([
        {
          pointer: '/newEmployeeNumber',
          detail: "None can be made from the primary's number. Name one yourself.",
        },
      ])
    return free
  }
}
