// Worlds of several sizes, each in a DATA_DIR of its own: loaded without care for a crash, then served with all of it.
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { connect } from '../service/src/db/database.ts'
import { migrate } from '../service/src/db/migrate.ts'
import { startEmbedded } from '../service/src/embedded-postgres/embedded.ts'
import { createLog } from '../service/src/log.ts'
import { seed, type World } from './seed.ts'

const LOADING = { wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '16GB', autovacuum: 'off' }
const log = createLog('error')

/** Answers how many seconds it took, or 0 where the world was there already. */
export async function loadWorld(dataDir: string, world: World): Promise<number> {
  const complete = `${dataDir}.loaded`
  if (existsSync(complete)) return 0
  const begun = performance.now()
  mkdirSync(dataDir, { recursive: true })
  const server = await startEmbedded({ dataDir, log, durable: false, settings: LOADING })
  const db = connect({ connection: server.connection, log })
  await migrate(db, log)
  await db.close()
  const loader = postgres({ ...server.connection, max: 1, onnotice: () => {} })
  await seed(loader, world, bar(`${world.applicants.toLocaleString('en')} applicants`))
  await loader`checkpoint`
  await loader.end()
  await server.stop()
  writeFileSync(complete, '')
  return (performance.now() - begun) / 1000
}

/** Reads the whole of a database once: what is measured is the cost of a request, not of the first look at a disk. */
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

/** Those of whom one is read at a time, with the indexes that lead to them. */
const READ_ALONE = ['applicants', 'applicants_pkey', 'applicants_employee_number', 'cases', 'cases_pkey']

/** PostgreSQL as it is when it has been at work for a while: what it can keep of these tables at hand, it has at hand. */
export async function fillBuffers(connection: {
  path: string
  user: string
  database: string
}): Promise<void> {
  const sql = postgres({ ...connection, max: 1, onnotice: () => {} })
  await sql`create extension if not exists pg_prewarm`
  for (const name of READ_ALONE.toReversed()) await sql`select pg_prewarm(${name})`
  await sql.end()
}

/** One line, written over and over on a terminal; where there is none, a line for every table. */
function bar(world: string) {
  let last = ''
  return (table: string, done: number, total: number) => {
    const text = `loading ${world}: ${table.padEnd(28)} ${'█'.repeat((20 * done) / total).padEnd(20, '░')} ${Math.floor((100 * done) / total)} %`
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
    else if (table !== last && total > 100_000) process.stderr.write(`loading ${world}: ${table}\n`)
    last = table
  }
}
