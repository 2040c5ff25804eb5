// Checks the file repository without the service: compares the rows in the database with the files on disk.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Sql } from '../../service/src/db/database.ts'
import { connectionsOf } from '../../service/src/embedded-postgres/connections.ts'
import { createLog } from '../../service/src/log.ts'
import { download, type Target } from './uploads.ts'

const SWEEP_LIMIT_MS = 20_000

interface FileRow {
  documentId: string
  path: string
  size: number
  sha256: string
}

export async function inDatabase<T>(data: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const db = connect({ connection: connectionsOf(data).owner, log: createLog('silent'), poolSize: 1 })
  return work(db.sql).finally(() => db.close())
}

const rowsOf = (sql: Sql) => sql<FileRow[]>`
  select d.document_id as "documentId", f.size::float8 as size, f.sha256,
    lower(f.country_code) || '/' || left(f.blob_key, 2) || '/' || f.blob_key as path
  from documents d left join document_files f using (document_id)
  where d.case_id is not null`

/** Breaks the guard `sweep`: uploads always look active, so that they are never swept. */
export function disableSweep(data: string): Promise<void> {
  return inDatabase(data, async sql => {
    await sql.unsafe(`
      create function never_stale() returns trigger language plpgsql as
        $$ begin new.alive_at := 'infinity'; return new; end $$;
      create trigger never_stale before insert or update on pending_uploads
        for each row execute function never_stale()`)
  })
}

/**
 * Waits until all interrupted uploads are swept or the time limit passes; returns how many were swept and how many are
 * left.
 */
export function waitForSweep(data: string): Promise<{ swept: number; left: number }> {
  return inDatabase(data, async sql => {
    const count = async () => {
      const [row] = await sql<[{ count: number }]>`select count(*)::int as count from pending_uploads`
      return row.count
    }
    const before = await count()
    let left = before
    for (const end = Date.now() + SWEEP_LIMIT_MS; left > 0 && Date.now() < end; left = await count())
      await sleep(200)
    return { swept: before - left, left }
  })
}

/** Lists documents without the right bytes, and files without a row. */
export async function compareFilesWithRows(data: string): Promise<{ documents: number; errors: string[] }> {
  const rows = await inDatabase(data, rowsOf)
  const root = join(data, 'files')
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  // What the sweep has removed is in quarantine for a week.
  const files = entries.filter(entry => entry.isFile() && !entry.parentPath.endsWith('/.quarantine'))
  const onDisk = new Set(files.map(file => relative(root, join(file.parentPath, file.name))))
  const errors: string[] = []
  for (const { documentId, path, sha256 } of rows) {
    if (!path) errors.push(`the document ${documentId} has no file`)
    else if (!onDisk.delete(path)) errors.push(`the document ${documentId} has no bytes at ${path}`)
    else if ((await hashOf(join(root, path))) !== sha256)
      errors.push(`the bytes of ${documentId} at ${path} have another SHA-256`)
  }
  for (const path of onDisk) errors.push(`bytes without a row: ${path}`)
  // An empty spool file may remain until it is reused; it contains no data.
  for (const name of await readdir(join(data, 'spool')).catch(() => []))
    if ((await stat(join(data, 'spool', name))).size > 0) errors.push(`bytes without a row: spool/${name}`)
  return { documents: rows.length, errors }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

interface DamageOptions {
  target: Target
  documentIds: string[]
}

/** Flips a byte or cuts off the end of some files, downloads them in full and by range, and restores them. */
export async function downloadDamagedFiles(data: string, { target, documentIds }: DamageOptions) {
  const known = new Set(documentIds)
  const rows = (await inDatabase(data, rowsOf)).filter(({ documentId }) => known.has(documentId))
  const chosen = [
    ...rows.filter(({ size }) => size > 2 ** 21).slice(0, 10),
    ...rows.filter(({ size }) => size <= 2 ** 21).slice(0, 10),
  ]
  const errors: string[] = []
  let downloads = 0
  const expectRejected = async (documentId: string, how: string, range?: string) => {
    const { status, complete } = await download(target, { documentId, ...(range && { range }) })
    downloads++
    if (complete && (status === 200 || status === 206))
      errors.push(`${documentId}, ${how}, was returned as a complete file`)
  }
  for (const [index, { documentId, path, size }] of chosen.entries()) {
    const file = join(data, 'files', path)
    const intact = await readFile(file)
    const at = [0, size - 1, Math.floor(Math.random() * size)][index % 3] ?? 0
    const flipped = Buffer.from(intact)
    flipped[at] = (intact[at] ?? 0) ^ 1
    await writeFile(file, flipped)
    const how = `with byte ${at} of ${size} flipped`
    await expectRejected(documentId, how)
    await expectRejected(documentId, how, `bytes=${at}-${at}`)
    await expectRejected(documentId, how, `bytes=${Math.max(0, at - 5)}-${at + 5}`)
    await writeFile(file, intact.subarray(0, size - 1))
    await expectRejected(documentId, 'without its last byte')
    await writeFile(file, intact)
  }
  return { files: chosen.length, downloads, errors }
}
