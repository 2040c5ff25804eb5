// Kills the service repeatedly during writes. Every second round kills PostgreSQL at the same moment, as a power failure
// does.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { freePort } from '../scripts/free-port.ts'
import type { Attack, Context, Outcome } from './attack.ts'
import { createClient } from './support/client.ts'
import { openLedger } from './support/ledger.ts'
import { disableSynchronousCommit, embeddedSql, killPostgres } from './support/postgres-processes.ts'
import { launch, tokenOf } from './support/service.ts'
import { createCompany, createWriters, waitForWrites, writeDuring } from './support/writers.ts'

const WRITERS = 12
const START_LIMIT_MS = 5000

async function run({ quick, broken, folder, progress, after }: Context): Promise<Outcome> {
  const rounds = quick ? 5 : 100
  const dataDir = join(folder, 'data')
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()) }
  const ledger = openLedger(join(folder, 'ledger'))
  after(ledger.close)

  let service = await launch(env)
  after(() => service.kill())
  await service.ready()
  const client = createClient(() => service.url, { token: await tokenOf(service.url) })
  after(client.close)
  await createCompany(client)
  if (broken === 'synchronous-commit') {
    const sql = embeddedSql(dataDir)
    await disableSynchronousCommit(sql)
    await sql.end()
  }

  const writers = createWriters({ client, ledger })
  const starts: number[] = []
  for (let round = 0; round < rounds; round++) {
    await writeDuring(writers, { count: WRITERS }, async () => {
      await waitForWrites(writers, randomInt(1, quick ? 150 : 400), 3000)
      service.child.kill('SIGKILL')
      if (round % 2 === 1) killPostgres(join(dataDir, 'postgres'), 'all')
      await service.exited
    })
    service = await launch(env)
    starts.push(await service.ready())
    progress(round + 1, rounds, `${writers.counts.acknowledged} acknowledged`)
  }
  const { lost, checked } = await writers.verify(client)
  const slowest = Math.max(...starts)
  const median = starts.toSorted((a, b) => a - b)[starts.length >> 1] ?? 0
  const findings = [...writers.errors, ...lost]
  if (slowest > START_LIMIT_MS) findings.push(`a start took ${Math.round(slowest)} ms`)
  const { acknowledged, unknown } = writers.counts
  return {
    figures: `${rounds} kills, every second one with PostgreSQL; ${acknowledged} writes acknowledged, ${unknown} without a response; of ${checked} records ${lost.length} lost or half-written; starts took ${(median / 1000).toFixed(1)} s (median), ${(slowest / 1000).toFixed(1)} s at most`,
    findings,
  }
}

export const killService: Attack = {
  name: 'kill-service',
  title: 'kill -9 of the service under mixed writes',
  must: '0 acknowledged lost, 0 half-written, restart in less than 5 s',
  breaks: ['synchronous-commit'],
  run,
}
