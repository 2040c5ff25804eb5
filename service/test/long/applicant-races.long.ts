import { describe, it } from 'node:test'
import { expectNoDeadlocks, races, runRace } from '../applicants/applicant-races.ts'
import { createTestApp } from '../support/harness.ts'
import { progress } from './progress.ts'

const rounds = Number(process.env['LONG_ROUNDS'])

describe(`concurrent writers of the same applicants, ${rounds} rounds of each race`, async () => {
  const app = await createTestApp()
  for (const race of races)
    it(`${race.claim}, without a deadlock`, async () => {
      await runRace(app, { race, rounds, tick: progress(race.claim, rounds) })
      await expectNoDeadlocks(app)
    })
})
