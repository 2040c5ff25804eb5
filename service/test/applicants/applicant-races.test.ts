import { describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'
import { races, runRace } from './applicant-races.ts'

/** `npm run test:model` runs a thousand rounds of each race. */
const ROUNDS = 1

describe('concurrent writers of the same applicants', async () => {
  const app = await createTestApp()
  for (const race of races) it(race.claim, () => runRace(app, { race, rounds: ROUNDS }))
})
