// Keeps a copy of all people, cases and documents in SQLite: node mirror.ts copy.db [--once]
//
// Needs the scopes applicants:read, cases:read and documents:read. It starts with an export and goes on with the changes after it. A
// page of changes and its cursor are stored in one transaction: the job can be killed at any time.
import { DatabaseSync } from 'node:sqlite'
import { type Caseport, isCaseportError } from '@caseport/sdk'
import { type Change, createChanges, createExport, type ExportKind } from '@caseport/sdk/changes'
import { connect, log } from './connect.ts'

/** Records that are read at the same time. */
const READERS = 8
const KINDS: ExportKind[] = ['applicants', 'cases', 'documents']

const [path, option] = process.argv.slice(2)
if (!path) throw new Error('Which file? node mirror.ts copy.db')

const caseport = connect()
const copy = openCopy(path)
await keep()

async function keep(): Promise<void> {
  const changes = createChanges(caseport)
  for (;;) {
    const after = copy.cursor() ?? (await start())
    const feed = option === '--once' ? changes.list({ after }) : changes.follow({ after })
    try {
      for await (const { records, nextCursor } of feed.pages()) await apply(records, nextCursor)
      return
    } catch (error) {
      if (!isCaseportError(error, 'feed-expired')) throw error
      // The copy is older than the changes that are kept.
      copy.store(new Map(), undefined)
    }
  }
}

/** Exports everything. Returns the cursor of the first export: changes since then follow. */
async function start(): Promise<string> {
  copy.clear()
  let cursor: string | undefined
  for (const kind of KINDS) {
    const records = createExport<Json>(caseport, kind)
    let count = 0
    for await (const record of records) {
      copy.put(kind, idOf(kind, record), record)
      count += 1
    }
    cursor ??= records.cursor
    log(`exported ${count} ${kind}`)
  }
  copy.store(new Map(), cursor)
  return cursor ?? ''
}

type Json = Record<string, unknown>
type Key = `${ExportKind} ${string}`

function idOf(kind: ExportKind, record: Json): string {
  if (kind === 'applicants') return String((record['primaryApplicant'] as Json)['applicantId'])
  return String(record[kind === 'cases' ? 'caseId' : 'documentId'])
}

/** Reads each record that the changes concern once, and stores what it is now. */
async function apply(changes: Change[], cursor: string): Promise<void> {
  const keys = new Set<Key>()
  for (const change of changes) for (const key of await keysOf(change)) keys.add(key)
  const records = new Map<Key, Json | undefined>()
  const pending = [...keys]
  const readAll = async () => {
    for (let key = pending.pop(); key; key = pending.pop()) records.set(key, await read(key))
  }
  await Promise.all(Array.from({ length: READERS }, readAll))
  copy.store(records, cursor)
  if (changes.length > 0) log(`applied ${changes.length} changes`)
}

/** What a change concerns. The event says which records to read, not what they contain. */
async function keysOf(change: Change): Promise<Key[]> {
  const { type, applicantId, caseId, documentId } = change
  const [group, what] = type.split('.')
  if (group === 'case') return [`cases ${caseId}`]
  // A document may be one of a dependent.
  const known = group === 'document' ? copy.primaryOf(applicantId) : change['primaryApplicantId']
  const primary = known ?? applicantId
  const family: Key = `applicants ${primary}`
  if (group === 'document') return [`documents ${documentId}`, ...(caseId ? [] : [family])]
  if (group === 'passport') return []
  // Cases and documents have the number of their person, and follow it when records are merged.
  const others = [change['absorbedApplicantId'], change['restoredApplicantId']].filter(id => id != null)
  const isIdentity = /^(number_changed|merged|unmerged|restored)$/.test(what ?? '')
  const moved = isIdentity ? await recordsOf([applicantId, ...others]) : []
  return [family, ...others.map((id): Key => `applicants ${id}`), ...moved]
}

/** The cases and documents of people, as they are now and as the copy has them. */
async function recordsOf(applicantIds: string[]): Promise<Key[]> {
  const keys: Key[] = []
  for (const applicantId of applicantIds) {
    keys.push(...copy.keysOfPerson(applicantId))
    const cases = await found(caseport.cases.listForApplicant(applicantId))
    keys.push(...(cases ?? []).map(({ caseId }): Key => `cases ${caseId}`))
    const range = { startDate: '2000-01-01', endDate: '2999-12-31', applicantId, maxRecords: 1000 }
    const documents = await found(caseport.documents.list(range).toArray())
    keys.push(...(documents ?? []).map(({ documentId }): Key => `documents ${documentId}`))
  }
  return keys
}

async function read(key: Key): Promise<Json | undefined> {
  const [kind, id = ''] = key.split(' ')
  if (kind === 'cases') return found(caseport.cases.get(id))
  if (kind === 'documents') return found(caseport.documents.get(id))
  const family = async ({ applicants }: Caseport) => ({
    primaryApplicant: await applicants.get(id),
    dependents: await applicants.dependents.list(id),
  })
  return found(family(caseport))
}

/** Undefined for a record that is gone. */
async function found<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isCaseportError(error) && error.status === 404) return undefined
    throw error
  }
}

function openCopy(file: string) {
  const db = new DatabaseSync(file)
  db.exec(`
    create table if not exists records (kind text, id text, json text not null, primary key (kind, id));
    create table if not exists position (cursor text not null);`)
  const put = db.prepare(
    'insert into records values (?, ?, ?) on conflict do update set json = excluded.json',
  )
  const remove = db.prepare('delete from records where kind = ? and id = ?')
  const cursor = db.prepare('select cursor from position')
  const primary = db.prepare(`
    select r.id from records r, json_each(r.json, '$.dependents') d
    where r.kind = 'applicants' and d.value ->> 'applicantId' = ?`)
  const ofPerson = db.prepare(`
    select kind, id from records where kind in ('cases', 'documents') and json ->> 'applicantId' = ?`)
  return {
    cursor: () => cursor.get()?.['cursor'] as string | undefined,
    put: (kind: string, id: string, record: Json) => put.run(kind, id, JSON.stringify(record)),
    clear: () => db.exec('delete from records; delete from position'),
    primaryOf: (applicantId: string) => primary.get(applicantId)?.['id'] as string | undefined,
    keysOfPerson: (applicantId: string) =>
      ofPerson.all(applicantId).map(({ kind, id }): Key => `${kind} ${id}` as Key),

    /** The records and the position in one transaction. */
    store(records: Map<Key, Json | undefined>, position: string | undefined): void {
      db.exec('begin')
      for (const [key, record] of records) {
        const [kind = '', id = ''] = key.split(' ')
        if (record) put.run(kind, id, JSON.stringify(record))
        else remove.run(kind, id)
      }
      db.exec('delete from position')
      if (position !== undefined) db.prepare('insert into position values (?)').run(position)
      db.exec('commit')
    },
  }
}
