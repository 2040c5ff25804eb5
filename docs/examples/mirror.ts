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
/** Records that are stored in one transaction. */
const BATCH = 1_000
/** Of the tables. */
const LAYOUT = 1
/** Codes of records that do not exist: 404 alone may come from a proxy, which says nothing about the record. */
const GONE = /(?<!^route)-not-found$/
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
      for await (const { records, nextCursor } of feed.pages()) {
        await apply(records, nextCursor)
        if (!copy.cursor()) break
      }
      if (copy.cursor()) return
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
    let batch = new Map<Key, Json>()
    for await (const record of records) {
      batch.set(`${kind} ${idOf(kind, record)}`, record)
      count += 1
      if (batch.size < BATCH) continue
      copy.store(batch, undefined)
      batch = new Map()
    }
    copy.store(batch, undefined)
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
  // Begins again with an export where a family is not known: the merge was before this copy.
  const isWhole = changes.every(change => isFound(change, records))
  copy.store(records, isWhole ? cursor : undefined)
  if (changes.length > 0) log(`applied ${changes.length} changes`)
}

/** What a change concerns. The event says which records to read, not what they contain. */
async function keysOf(change: Change): Promise<Key[]> {
  const { type, applicantId, caseId, documentId } = change
  const [group, what] = type.split('.')
  if (group === 'case') return [`cases ${caseId}`]
  if (group === 'passport') return []
  // A document may be one of a dependent.
  const family = change['primaryApplicantId'] ?? copy.primaryOf(applicantId) ?? applicantId
  if (group === 'document') return [`documents ${documentId}`, ...(caseId ? [] : [familyKey(family)])]
  const others = [change['absorbedApplicantId'], change['restoredApplicantId']].filter(id => id != null)
  // A dependent that moves, or that one of another family absorbs, leaves the family in which the copy has it.
  const left = [applicantId, ...others].map(copy.primaryOf).filter(id => id !== undefined)
  // Cases and documents have the number of their person, and follow it when records are merged. A first number is an update.
  const isIdentity = /^(number_changed|merged|unmerged|restored)$/.test(what ?? '')
  const moved = isIdentity
    ? await recordsOf([applicantId, ...others])
    : copy.keysOfPerson(applicantId, change.employeeNumber)
  return [...[family, ...left, ...others].map(familyKey), ...moved]
}

function familyKey(applicantId: string): Key {
  return `applicants ${applicantId}`
}

/** A dependent that the undo of a merge restores is in its family again, which the event does not name. */
function isFound(change: Change, records: Map<Key, Json | undefined>): boolean {
  const id = change['restoredApplicantId']
  if (!id || copy.primaryOf(id) || records.get(familyKey(id))) return true
  const dependents = [...records.values()].flatMap(record => (record?.['dependents'] ?? []) as Json[])
  return dependents.some(({ applicantId }) => applicantId === id)
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
    if (isCaseportError(error) && GONE.test(error.code)) return undefined
    throw error
  }
}

function openCopy(file: string) {
  const db = new DatabaseSync(file)
  // A copy with other tables is made anew.
  if (db.prepare('pragma user_version').get()?.['user_version'] !== LAYOUT)
    db.exec('drop table if exists records; drop table if exists position')
  db.exec(`
    create table if not exists records (
      kind text, id text, applicant_id text, employee_number text, json text not null, primary key (kind, id));
    create index if not exists records_applicant on records (applicant_id);
    create table if not exists members (id text primary key, family text not null);
    create table if not exists position (cursor text not null);
    pragma user_version = ${LAYOUT}`)
  const put = db.prepare('replace into records values (?, ?, ?, ?, ?)')
  const remove = db.prepare('delete from records where kind = ? and id = ?')
  const join = db.prepare('replace into members values (?, ?)')
  const cursor = db.prepare('select cursor from position')
  const family = db.prepare('select family from members where id = ?')
  const ofPerson = db.prepare('select kind, id, employee_number from records where applicant_id = ?')
  const texts = (record: Json, ...names: string[]) =>
    names.map(name => (record[name] ?? null) as string | null)

  const store = (key: Key, record: Json | undefined) => {
    const [kind = '', id = ''] = key.split(' ')
    if (!record) return void remove.run(kind, id)
    put.run(kind, id, ...texts(record, 'applicantId', 'employeeNumber'), JSON.stringify(record))
    for (const { applicantId } of (record['dependents'] ?? []) as Json[]) join.run(String(applicantId), id)
  }

  return {
    cursor: () => cursor.get()?.['cursor'] as string | undefined,
    clear: () => db.exec('delete from records; delete from members; delete from position'),

    /** The primary applicant in whose family a dependent is, or was before another record absorbed it. */
    primaryOf: (applicantId: string) => family.get(applicantId)?.['family'] as string | undefined,

    /** The cases and documents of a person; with a number, those that have another one. */
    keysOfPerson: (applicantId: string, number?: string | null) =>
      ofPerson
        .all(applicantId)
        .filter(({ employee_number }) => employee_number !== number)
        .map(({ kind, id }): Key => `${kind} ${id}` as Key),

    /** The records and the position in one transaction. */
    store(records: Map<Key, Json | undefined>, position: string | undefined): void {
      db.exec('begin')
      for (const [key, record] of records) store(key, record)
      db.exec('delete from position')
      if (position !== undefined) db.prepare('insert into position values (?)').run(position)
      db.exec('commit')
    },
  }
}
