// Loads datasets, each into a DATA_DIR of its own: without fsync while loading, with it afterwards.
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { connect, type SocketConnection } from '../service/src/db/database.ts'
import { migrate } from '../service/src/db/migrate.ts'
import { ensureServiceRole } from '../service/src/db/roles.ts'
import { startEmbedded } from '../service/src/embedded-postgres/embedded.ts'
import { createLog } from '../service/src/log.ts'
import type { Dataset } from './records.ts'
import { seed } from './seed.ts'

const LOADING = { wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '16GB', autovacuum: 'off' }
const log = createLog('error')

/** The DATA_DIR of a dataset, in the folder that keeps datasets. */
export const dataDirOf = (folder: string, { applicants, steps }: Dataset) =>
  join(folder, `${applicants}-${steps}`)

/** The file that exists once a dataset is complete. */
const markerOf = (dataDir: string) => `${dataDir}.loaded`

export const isLoaded = (dataDir: string) => existsSync(markerOf(dataDir))

/** Returns how many seconds it took, or 0 when the dataset was loaded before. */
export async function loadDataset(dataDir: string, dataset: Dataset): Promise<number> {
  if (isLoaded(dataDir)) return 0
  const began = performance.now()
  mkdirSync(dataDir, { recursive: true })
  const server = await startEmbedded({ dataDir, log, durable: false, settings: LOADING })
  const db = connect({ connection: server.owner, log })
  await migrate(db, log)
  await ensureServiceRole(db, log)
  await db.close()
  const loader = postgres({ ...server.owner, max: 1, onnotice: () => {} })
  await seed(loader, dataset, bar(`${dataset.applicants.toLocaleString('en')} applicants`))
  await loader`checkpoint`
  await loader.end()
  await server.stop()
  writeFileSync(markerOf(dataDir), '')
  return (performance.now() - began) / 1000
}

/** Reads all files of a database once, so that no request waits for the disk. */
export function warmUp(dataDir: string): void {
  const base = join(dataDir, 'postgres', 'base')
  const buffer = Buffer.alloc(1024 * 1024)
  for (const entry of readdirSync(base, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = openSync(join(entry.parentPath, entry.name), 'r')
    while (readSync(file, buffer) > 0);
    closeSync(file)
  }
}

/** Tables that are read by key, with their indexes. */
const PREWARMED = ['applicants', 'applicants_pkey', 'applicants_employee_number', 'cases', 'cases_pkey']

/** Fills PostgreSQL's buffers, as they are after it has run for a while. */
export async function fillBuffers(connection: SocketConnection): Promise<void> {
  const sql = postgres({ ...connection, max: 1, onnotice: () => {} })
  await sql`create extension if not exists pg_prewarm`
  for (const name of PREWARMED.toReversed()) await sql`select pg_prewarm(${name})`
  await sql.end()
}

/** A progress bar on a terminal; otherwise a line per table. */
function bar(dataset: string) {
  let last = ''
  return (table: string, done: number, total: number) => {
    const text = `loading ${dataset}: ${table.padEnd(28)} ${'█'.repeat((20 * done) / total).padEnd(20, '░')} ${Math.floor((100 * done) / total)} %`
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
    else if (table !== last && total > 100_000) process.stderr.write(`loading ${dataset}: ${table}\n`)
    last = table
  }
}
