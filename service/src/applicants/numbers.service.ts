// Changes of employee numbers. They are irreversible, so the client must prove by name and date of birth that it means the
// right person.
import { RetryTransaction, violates } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { allInOrder } from '../lib/async.ts'
import { tooManyRequests } from '../lib/limiter.ts'
import { invalid } from '../lib/problem.ts'
import type { WorkerBus } from '../lib/worker-bus.ts'
import { type Identity, identityMatches } from './applicant.ts'
import * as errors from './applicants.errors.ts'
import { type Stored, toRow } from './applicants.mapper.ts'
import * as store from './applicants.store.ts'
import { findDependent, getFamily, lockFamily } from './family-lookup.ts'
import { readsOf } from './family-reads.ts'
import { createIdentityChecks } from './identity-checks.ts'
import * as numbers from './numbers.store.ts'
import type { TouchReferences } from './references.service.ts'

const MAX_DEPENDENT_NUMBERS = 1_000

export interface NumberChange {
  applicantId: string
  previousEmployeeNumber: string | null
  employeeNumber: string
  casesUpdated: number
  documentsUpdated: number
}

interface Dependencies {
  now: () => number
  bus?: WorkerBus
  touchReferences: TouchReferences
}

export type Numbers = ReturnType<typeof createNumbers>

export function createNumbers({ now, bus, touchReferences }: Dependencies) {
  const checks = createIdentityChecks({ now, name: 'changes of numbers', bus })

  const requireAllowed = ({ actor }: UnitOfWork, applicantId?: string) => {
    const wait = checks.blockedFor(actor.clientId, applicantId)
    if (wait > 0)
      throw tooManyRequests('Too many failed identity checks.', { headers: { 'retry-after': String(wait) } })
  }
  // Checks the limit and counts without an await in between, so that concurrent guesses cannot exceed the limit.
  const requireIdentity = (unit: UnitOfWork, { record }: Stored, claimed: Identity) => {
    requireAllowed(unit, record.applicantId)
    if (identityMatches(record, claimed)) return
    checks.countFailure(unit.actor.clientId, record.applicantId)
    throw errors.identityMismatch()
  }

  const change = async (unit: UnitOfWork, stored: Stored, number: string): Promise<NumberChange> => {
    const { tx, now: changedAt } = unit
    const { applicantId, employeeNumber: previous } = stored.record
    unit.audit({
      action: 'applicant.number_change',
      recordId: applicantId,
      before: { employeeNumber: previous },
      after: { employeeNumber: number },
    })
    const data = { applicantId, previousEmployeeNumber: previous }
    if (stored.primaryId)
      unit.emit({
        type: 'dependent.number_changed',
        recordId: applicantId,
        data: { ...data, primaryApplicantId: stored.primaryId },
      })
    else unit.emit({ type: 'applicant.number_changed', recordId: applicantId, data })
    const [, , , touched] = await allInOrder([
      previous !== null && numbers.lockNumbers(tx, [previous, number]),
      store.updateApplicant(
        tx,
        toRow({ ...stored.record, employeeNumber: number }, stored.primaryId, changedAt),
      ),
      previous !== null && numbers.retireNumber(tx, previous, { applicantId, now: changedAt }),
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
      const { primary } = await getFamily(readsOf(unit.tx), { number: from })
      requireIdentity(unit, primary, identity)
      return change(unit, primary, to)
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
      const family = await lockFamily(readsOf(unit.tx), { number: primary })
      const stored = family.primary && findDependent(family.dependents, current)
      if (!stored) throw errors.dependentNotFound()
      requireIdentity(unit, stored, identity)
      if (to === stored.record.employeeNumber && to !== undefined)
        throw invalid([{ pointer: '/newEmployeeNumber', detail: 'Must differ from the current number.' }])
      if (to !== undefined) return change(unit, stored, to)
      return change(unit, stored, await nextNumber(unit, primary)).catch(error => {
        // Another transaction took the free number first: the retry finds the next one.
        throw violates(error, 'applicants_employee_number') ? new RetryTransaction(error) : error
      })
    },
  }

  async function nextNumber({ tx }: UnitOfWork, primary: string): Promise<string> {
    const candidates = Array.from({ length: MAX_DEPENDENT_NUMBERS }, (_, index) => `${primary}-D${index + 1}`)
    const taken = await numbers.listTakenNumbers(tx, candidates)
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
