// Looks behind the service: what the database says of files, what lies on disk, and whether the two agree.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Sql } from '../../service/src/db/database.ts'
import { createLog } from '../../service/src/log.ts'
import { download, type Target } from './uploads.ts'

const SWEEP_WITHIN = 20_000

interface FileRow {
  documentId: string
  path: string
  size: number
  sha256: string
}

export async function inDatabase<T>(data: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const path = join(data, 'postgres', '.s.PGSQL.5432')
  const db = connect({
    connection: { path, user: 'caseport', database: 'caseport' },
    log: createLog('silent'),
    poolSize: 1,
  })
  return work(db.sql).finally(() => db.close())
}

const rowsOf = (sql: Sql) => sql<FileRow[]>`
  select d.document_id as "documentId", f.size::float8 as size, f.sha256,
    lower(f.country_code) || '/' || left(f.blob_key, 2) || '/' || f.blob_key as path
  from documents d left join document_files f using (document_id)
  where d.case_id is not null`

/** Breaks the sweep: no upload ever looks as if nobody worked on it. */
export function sweepOff(data: string): Promise<void> {
  return inDatabase(data, async sql => {
    await sql.unsafe(`
      create function never_stale() returns trigger language plpgsql as
        $$ begin new.alive_at := 'infinity'; return new; end $$;
      create trigger never_stale before insert or update on pending_uploads
        for each row execute function never_stale()`)
  })
}

/** How many interrupted uploads were swept, and how many are left when it should have been over. */
export function waitForSweep(data: string): Promise<{ swept: number; left: number }> {
  return inDatabase(data, async sql => {
    const count = async () => {
      const [row] = await sql<[{ count: number }]>`select count(*)::int as count from pending_uploads`
      return row.count
    }
    const before = await count()
    let left = before
    for (const end = Date.now() + SWEEP_WITHIN; left > 0 && Date.now() < end; left = await count())
      await sleep(200)
    return { swept: before - left, left }
  })
}

/** Where rows and bytes do not agree. */
export async function filesFault(data: string): Promise<{ documents: number; faults: string[] }> {
  const rows = await inDatabase(data, rowsOf)
  const root = join(data, 'files')
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile())
  const onDisk = new Set(files.map(file => relative(root, join(file.parentPath, file.name))))
  const faults: string[] = []
  for (const { documentId, path, sha256 } of rows) {
    if (!path) faults.push(`the document ${documentId} has no file`)
    else if (!onDisk.delete(path)) faults.push(`the document ${documentId} has no bytes at ${path}`)
    else if ((await hashOf(join(root, path))) !== sha256)
      faults.push(`the bytes of ${documentId} at ${path} are others`)
  }
  for (const path of onDisk) faults.push(`bytes without a row: ${path}`)
  // An empty name may be left in the spool until it is next used: there is nothing of anybody's in it.
  for (const name of await readdir(join(data, 'spool')).catch(() => []))
    if ((await stat(join(data, 'spool', name))).size > 0) faults.push(`bytes without a row: spool/${name}`)
  return { documents: rows.length, faults }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

interface Damaging {
  target: Target
  documentIds: string[]
}

/** Flips a byte, or cuts off the end, of some files and asks for them whole and in part; mends them again. */
export async function damageIsSeen(data: string, { target, documentIds }: Damaging) {
  const known = new Set(documentIds)
  const rows = (await inDatabase(data, rowsOf)).filter(({ documentId }) => known.has(documentId))
  const chosen = [
    ...rows.filter(({ size }) => size > 2 ** 21).slice(0, 10),
    ...rows.filter(({ size }) => size <= 2 ** 21).slice(0, 10),
  ]
  const faults: string[] = []
  let asked = 0
  const isRefused = async (documentId: string, how: string, range?: string) => {
    const { status, complete } = await download(target, { documentId, ...(range && { range }) })
    asked++
    if (complete && (status === 200 || status === 206))
      faults.push(`${documentId}, ${how}, was served as good`)
  }
  for (const [index, { documentId, path, size }] of chosen.entries()) {
    const file = join(data, 'files', path)
    const whole = await readFile(file)
    const at = [0, size - 1, Math.floor(Math.random() * size)][index % 3] ?? 0
    const flipped = Buffer.from(whole)
    flipped[at] = (whole[at] ?? 0) ^ 1
    await writeFile(file, flipped)
    const how = `with byte ${at} of ${size} flipped`
    await isRefused(documentId, how)
    await isRefused(documentId, how, `bytes=${at}-${at}`)
    await isRefused(documentId, how, `bytes=${Math.max(0, at - 5)}-${at + 5}`)
    await writeFile(file, whole.subarray(0, size - 1))
    await isRefused(documentId, 'without its last byte')
    await writeFile(file, whole)
  }
  return { tried: chosen.length, asked, faults }
}
