// The long suites: `node service/test/long/run.ts`, with
//   --rounds N      rounds of each race (default 1000; 0 skips the races)
//   --sequences N   sequences of the model (default 10000; 0 skips the model)
//   --seed S        seed of a failed run of the model, to reproduce it
//   --only TEXT     only tests whose title contains this text
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runBesidePostgres } from '../support/postgres.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1000' },
    sequences: { type: 'string', default: '10000' },
    only: { type: 'string' },
    seed: { type: 'string', default: String(Math.trunc(Math.random() * 2 ** 31)) },
  },
})
const suites = [
  ...(values.rounds === '0' ? [] : ['applicant-races.long.ts', 'merge-races.long.ts']),
  ...(values.sequences === '0' ? [] : ['applicant-model-rules.long.ts', 'applicant-model.long.ts']),
]
const only = values.only ? [`--test-name-pattern=${values.only}`] : []
await runBesidePostgres(
  suites.map(suite => [...only, join(import.meta.dirname, suite)]),
  { LONG_ROUNDS: values.rounds, LONG_SEQUENCES: values.sequences, LONG_SEED: values.seed },
)
