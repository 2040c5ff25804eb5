// Changes of employee numbers: irreversible, so the caller must show that it means the right person.
import { RetryTransaction, violates } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { allInOrder } from '../lib/async.ts'
import { tooManyRequests } from '../lib/limiter.ts'
import { invalid } from '../lib/problem.ts'
import { type Identity, identityMatches } from './applicant.ts'
import * as errors from './applicants.errors.ts'
import { fromRow, type Stored, savingOf } from './applicants.mapper.ts'
import * as store from './applicants.store.ts'
import { createIdentityChecks } from './identity-checks.ts'
import type { TouchReferences } from './references.service.ts'

const MOST_DEPENDENT_NUMBERS = 1_000

export interface NumberChange {
  applicantId: string
  previousEmployeeNumber: string | null
  employeeNumber: string
  casesUpdated: number
  documentsUpdated: number
}

interface Rules {
  now: () => number
  touchReferences: TouchReferences
}

export type Numbers = ReturnType<typeof createNumbers>

export function createNumbers({ now, touchReferences }: Rules) {
  const checks = createIdentityChecks(now)

  const requireAllowed = ({ actor }: UnitOfWork, applicantId?: string) => {
    const wait = checks.blockedFor(actor.clientId, applicantId)
    if (wait > 0)
      throw tooManyRequests('Too many failed identity checks.', { headers: { 'retry-after': String(wait) } })
  }
  // Checks the limit and counts in one go, so that concurrent guesses cannot pass the limit together.
  const requireIdentity = (unit: UnitOfWork, { record }: Stored, claimed: Identity) => {
    requireAllowed(unit, record.applicantId)
    if (identityMatches(record, claimed)) return
    checks.countFailure(unit.actor.clientId, record.applicantId)
    throw errors.identityMismatch()
  }

  const change = async (unit: UnitOfWork, stored: Stored, number: string): Promise<NumberChange> => {
    const { tx, now: at } = unit
    const { applicantId, employeeNumber: previous } = stored.record
    unit.audit({ action: 'applicant.number_change', recordId: applicantId })
    const data = { applicantId, previousEmployeeNumber: previous }
    if (stored.primaryId)
      unit.emit({
        type: 'dependent.number_changed',
        recordId: applicantId,
        data: { ...data, primaryApplicantId: stored.primaryId },
      })
    else unit.emit({ type: 'applicant.number_changed', recordId: applicantId, data })
    const [, , , touched] = await allInOrder([
      previous !== null && store.lockNumbers(tx, [previous, number]),
      store.updateApplicant(tx, savingOf({ ...stored.record, employeeNumber: number }, stored.primaryId, at)),
      previous !== null && store.retireNumber(tx, previous, { applicantId, now: at }),
      touchReferences(unit, [applicantId]),
    ])
    return {
      applicantId,
      previousEmployeeNumber: previous,
      employeeNumber: number,
      casesUpdated: touched.cases,
      documentsUpdated: touched.documents,
    }
  }

  return {
    async changeNumber(
      unit: UnitOfWork,
      { from, to, identity }: { from: string; to: string; identity: Identity },
    ): Promise<NumberChange> {
      requireAllowed(unit)
      if (from === to)
        throw invalid([{ pointer: '/newEmployeeNumber', detail: 'Must differ from the old number.' }])
      const rows = await lockFamily(unit, from)
      const stored = rows.find(
        ({ record, primaryId, archived }) =>
          record.employeeNumber === from && primaryId === null && !archived,
      )
      if (!stored) throw errors.applicantNotFound()
      requireIdentity(unit, stored, identity)
      return change(unit, stored, to)
    },

    async changeDependentNumber(
      unit: UnitOfWork,
      {
        primary,
        current,
        to,
        identity,
      }: { primary: string; current: string; to: string | undefined; identity: Identity },
    ): Promise<NumberChange> {
      requireAllowed(unit)
      const rows = await lockFamily(unit, primary)
      const dependents = rows.filter(({ primaryId, archived }) => primaryId !== null && !archived)
      const stored =
        dependents.find(({ record }) => record.applicantId === current) ??
        dependents.find(({ record }) => record.employeeNumber === current)
      if (!stored || stored.record.employeeNumber === primary) throw errors.dependentNotFound()
      requireIdentity(unit, stored, identity)
      if (to === stored.record.employeeNumber && to !== undefined)
        throw invalid([{ pointer: '/newEmployeeNumber', detail: 'Must differ from the current number.' }])
      if (to !== undefined) return change(unit, stored, to)
      return change(unit, stored, await nextNumber(unit, primary)).catch(error => {
        // Somebody took the number that was free a moment ago: the next one will do.
        throw violates(error, 'applicants_employee_number') ? new RetryTransaction() : error
      })
    },
  }

  /** The second statement sees what the previous holder of the lock has committed. */
  async function lockFamily({ tx }: UnitOfWork, number: string): Promise<Stored[]> {
    const [locked, rows] = await Promise.all([
      store.lockPrimary(tx, { number }),
      store.listFamily(tx, { number }),
    ])
    // Another transaction created it between the two statements: start over, so as to hold the lock.
    if (rows.length > 0 && !locked) throw new RetryTransaction()
    return rows.map(fromRow)
  }

  async function nextNumber({ tx }: UnitOfWork, primary: string): Promise<string> {
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
