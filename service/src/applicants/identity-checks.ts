// Compares the identity that a client claims with the record, and limits guessing. Failures are counted by the id of the
// person, so that the limit holds whichever id or number a request uses.
import { foldName } from '../lib/fold.ts'
import { createLimiter } from '../lib/limiter.ts'
import { ONE_PROCESS, type WorkerBus } from '../lib/worker-bus.ts'

const WINDOW_SECONDS = 300
const FAILURES_PER_PERSON = 10
const FAILURES_PER_CLIENT = 100

interface Options {
  now: () => number
  /** What the identity is checked for. */
  name: string
  bus?: WorkerBus | undefined
}

export function createIdentityChecks({ now, name, bus = ONE_PROCESS }: Options) {
  const limiterOf = (what: string, limit: number) =>
    createLimiter({ limit, windowSeconds: WINDOW_SECONDS, now, shared: bus.counts(`${name} ${what}`) })
  const byPerson = limiterOf('by person', FAILURES_PER_PERSON)
  const byClient = limiterOf('by client', FAILURES_PER_CLIENT)
  const pairOf = (clientId: string, applicantId: string) => JSON.stringify([clientId, applicantId])

  return {
    /** Seconds until the client may try again, for this person or for anyone; 0 if it is not blocked. */
    blockedFor(clientId: string, applicantId?: string): number {
      const person = applicantId === undefined ? 0 : byPerson.blockedFor(pairOf(clientId, applicantId))
      return Math.max(person, byClient.blockedFor(clientId))
    },
    countFailure(clientId: string, applicantId: string): void {
      byPerson.count(pairOf(clientId, applicantId))
      byClient.count(clientId)
    },
  }
}

const IDENTITY_FIELDS = ['firstName', 'lastName', 'dateOfBirth'] as const
export type IdentityField = (typeof IDENTITY_FIELDS)[number]
export type KnownIdentity = Record<IdentityField, string | null>

/** The claimed fields that differ from the record. Compares folded names, and dates by day. */
export function differences(record: KnownIdentity, claimed: KnownIdentity): IdentityField[] {
  const form = (field: IdentityField, value: string) =>
    field === 'dateOfBirth' ? value.slice(0, 10) : foldName(value)
  return IDENTITY_FIELDS.filter(
    field => claimed[field] && form(field, claimed[field]) !== form(field, record[field] ?? ''),
  )
}
