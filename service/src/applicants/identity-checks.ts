// Limits guessing at a person's names and date of birth. The person counts by id, so the limit holds whichever id or
// number a request addresses them by.
import { createLimiter } from '../lib/limiter.ts'

const WINDOW_SECONDS = 300
const FAILURES_PER_PERSON = 10
const FAILURES_PER_CLIENT = 100

export type IdentityChecks = ReturnType<typeof createIdentityChecks>

export function createIdentityChecks(now: () => number) {
  const windowSeconds = WINDOW_SECONDS
  const byPerson = createLimiter({ limit: FAILURES_PER_PERSON, windowSeconds, now })
  const byClient = createLimiter({ limit: FAILURES_PER_CLIENT, windowSeconds, now })
  const pairOf = (clientId: string, applicantId: string) => JSON.stringify([clientId, applicantId])

  return {
    /** Seconds until the client may try again, with this person or at all, or 0. */
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
