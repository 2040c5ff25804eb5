// Reads the change feed in three ways, and keeps a copy by it, beside many writers, while the service and PostgreSQL are
// killed. Every committed change must come once, in order, to each reader, and the copy must be what is stored.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import type { Attack, Context, Outcome } from '../attack.ts'
import { envForBrokenGuard } from '../guards.ts'
import { createClient } from '../support/client.ts'
import { openLedger } from '../support/ledger.ts'
import { embeddedSql, killPostgres } from '../support/postgres-processes.ts'
import { launch, tokenOf } from '../support/service.ts'
import { createCompany, createWriters, waitForWrites, writeDuring } from '../support/writers.ts'
import { apply, differencesOf, exportAll } from './mirror.ts'
import { createReader, type FeedReader, readPages, readStream } from './readers.ts'

const WRITERS = 64
/** For the readers to come to the end after the last write. */
const CATCH_UP_MS = 60_000

async function run({ quick, broken, folder, progress, after }: Context): Promise<Outcome> {
  const rounds = quick ? 3 : 30
  const dataDir = join(folder, 'data')
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()), ...envForBrokenGuard(broken) }
  const ledger = openLedger(join(folder, 'ledger'))
  after(ledger.close)
  let service = await launch(env)
  after(() => service.kill())
  await service.ready()
  const token = await tokenOf(service.url)
  const client = createClient(() => service.url, { token, limit: 60_000 })
  after(client.close)
  await createCompany(client)

  let isOver = false
  const readers = ['pages of 7', 'long poll', 'stream'].map(name => createReader(name))
  const [short, long, stream] = readers as [FeedReader, FeedReader, FeedReader]
  const reading = [
    readPages({ client, reader: short, query: 'maxRecords=7', isOver: () => isOver }),
    readPages({ client, reader: long, query: 'maxRecords=1000&wait=2', isOver: () => isOver }),
    readStream({ url: () => service.url, token, reader: stream, isOver: () => isOver }),
  ]
  after(() => {
    isOver = true
  })

  const writers = createWriters({ client, ledger })
  let copying: Promise<void> | undefined
  const mirror = createReader('copy')
  const { records, follow } = createCopy()

  function createCopy() {
    const copy = new Map<string, string>()
    return {
      records: copy,
      /** Starts with an export in the middle of the writes. */
      async follow() {
        const begun = await exportAll(client)
        for (const [key, record] of begun.records) copy.set(key, record)
        mirror.cursor = begun.cursor
        await readPages({
          client,
          reader: mirror,
          query: 'maxRecords=1000&wait=1',
          isOver: () => isOver,
          apply: changes => apply(client, copy, changes),
        })
      },
    }
  }

  for (let round = 0; round < rounds; round++) {
    await writeDuring(writers, { count: WRITERS }, async () => {
      await waitForWrites(writers, randomInt(50, quick ? 300 : 600), 5_000)
      copying ??= follow()
      await sleep(randomInt(0, 200))
      service.child.kill('SIGKILL')
      if (round % 2 === 1) killPostgres(join(dataDir, 'postgres'), 'all')
      await service.exited
    })
    service = await launch(env)
    await service.ready()
    progress(round + 1, rounds, `${writers.counts.acknowledged} acknowledged`)
  }
  // Writes after the last kill, too.
  await writeDuring(writers, { count: WRITERS }, () => waitForWrites(writers, 200, 5_000))

  const all = [...readers, mirror]
  const end = (await client.call({ path: '/v2/changes?after=now' })).body?.nextCursor
  const deadline = performance.now() + CATCH_UP_MS
  const isDone = ({ cursor, findings }: FeedReader) => cursor === end || findings.length > 0
  while (!all.every(isDone) && performance.now() < deadline) await sleep(50)
  isOver = true
  await Promise.all([...reading, copying])

  const sql = embeddedSql(dataDir)
  after(() => sql.end())
  const stored = await sql<{ id: string; number: string | null; seq: string; recordId: string }[]>`
    select event_id as id, number, seq, record_id as "recordId" from events order by number`
  const truth = await exportAll(client)
  const { lost, checked } = await writers.verify(client)
  const differences = differencesOf(records, truth.records)
  const findings = [
    ...writers.errors,
    ...lost,
    ...all.flatMap(reader => reader.findings),
    ...all.flatMap(reader => (reader.cursor === end ? [] : [`${reader.name} did not come to the end`])),
    ...readers.flatMap(reader =>
      orderErrors(
        reader,
        stored.map(({ id }) => id),
      ),
    ),
    ...recordOrderErrors(stored),
    ...differences,
  ]
  const { acknowledged } = writers.counts
  return {
    figures: `${rounds} kills, every second one with PostgreSQL, beside ${WRITERS} writers; ${acknowledged} writes acknowledged, ${stored.length} changes read by ${readers.length} readers each, in pages, by waiting and as a stream; a copy of ${records.size} records by export and ${mirror.received.length} changes differs in ${differences.length}; of ${checked} records ${lost.length} lost`,
    findings: findings.slice(0, 50),
  }
}

/** Every change once, in the order of the numbers. */
function orderErrors({ name, received }: FeedReader, stored: string[]): string[] {
  const ids = received.map(({ id }) => id)
  if (ids.length === stored.length && ids.every((id, index) => id === stored[index])) return []
  const seen = new Set(ids)
  const missed = stored.filter(id => !seen.has(id)).length
  const repeated = ids.length - seen.size
  return [
    `${name}: ${missed} changes missed, ${repeated} repeated${missed + repeated === 0 ? ', in another order' : ''}`,
  ]
}

/** All committed events have a number, and those of a record are in the order in which they were written under its lock. */
function recordOrderErrors(stored: { number: string | null; seq: string; recordId: string }[]): string[] {
  const last = new Map<string, number>()
  const unnumbered = stored.filter(({ number }) => number === null).length
  const misplaced = stored.filter(({ recordId, seq }) => {
    const before = last.get(recordId) ?? 0
    last.set(recordId, Number(seq))
    return Number(seq) < before
  }).length
  return [
    ...(unnumbered > 0 ? [`${unnumbered} committed events have no number`] : []),
    ...(misplaced > 0 ? [`${misplaced} events come before an earlier one of their record`] : []),
  ]
}

export const feed: Attack = {
  name: 'feed',
  title: 'the change feed beside 64 writers, with kills',
  must: 'each committed change once and in order for each reader; a copy by export and changes equals the database',
  breaks: ['feed-order'],
  run,
}
