import { describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'
import { races, runRace } from './applicant-races.ts'

/** A few rounds of each; the long suite has a thousand. */
const ROUNDS = 3

describe('writers at the same applicants at the same time', async () => {
  const app = await createTestApp()
  for (const race of races) it(race.claim, () => runRace(app, { race, rounds: ROUNDS }))
})
