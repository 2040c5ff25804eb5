import { describe, it } from 'node:test'
import { expectNoDeadlocks } from '../applicants/applicant-races.ts'
import { concurrentRound, createMergeFixture, roundTrip } from '../applicants/merge-races.ts'
import { createTestApp } from '../support/harness.ts'
import { progress } from './progress.ts'

const rounds = Number(process.env['LONG_ROUNDS'])
const start = Number(process.env['LONG_SEED'])

describe(`merges and undos, ${rounds} rounds, seed ${start}`, async () => {
  const app = await createTestApp()
  const fixture = await createMergeFixture(app)

  it('give back both records, with everything that belongs to them', async () => {
    const tick = progress('merge and undo', rounds)
    for (let round = 1; round <= rounds; round++) {
      await roundTrip(fixture, { prefix: `U${round}`, seed: start + round })
      tick(round)
    }
  })

  it('beside writers of both records lose nothing, double nothing, and never deadlock', async () => {
    const tick = progress('merges beside writers', rounds)
    for (let round = 1; round <= rounds; round++) {
      await concurrentRound(fixture, { prefix: `C${round}`, seed: start + round })
      tick(round)
    }
    await expectNoDeadlocks(app)
  })
})
