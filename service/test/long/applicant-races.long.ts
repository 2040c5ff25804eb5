import { describe, it } from 'node:test'
import { races, runRace } from '../applicants/applicant-races.ts'
import { createTestApp } from '../support/harness.ts'
import { progress } from './progress.ts'

const rounds = Number(process.env['LONG_ROUNDS'])

describe(`writers at the same applicants at the same time, ${rounds} rounds of each race`, async () => {
  const app = await createTestApp()
  for (const race of races)
    it(race.claim, () => runRace(app, { race, rounds, tick: progress(race.claim, rounds) }))

  it('says how often PostgreSQL had to break up a deadlock, which costs somebody a second', async t => {
    const [row] = await app.db.sql`
      select deadlocks from pg_stat_database where datname = current_database()`
    t.diagnostic(`${row?.['deadlocks']} deadlocks`)
  })
})
