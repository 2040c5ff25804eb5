// Checks of the database after a write: at least one event for every changed record, none for unchanged ones, and
// no rows that the model does not have.
import assert from 'node:assert/strict'
import type { TestApp } from '../support/harness.ts'
import { changeOf, type Item, type Person, type State } from './model-state.ts'

interface Event {
  type: string
  record_id: string
}

/** Position of the newest event. Concurrent sequences may commit earlier events later, but those concern other records. */
export async function lastEvent({ db }: TestApp): Promise<string> {
  const [row] = await db.sql<{ seq: string }[]>`select coalesce(max(seq), 0)::text as seq from events`
  return row?.seq ?? '0'
}

const documentsOf = ({ lists, removed, archived }: Person): Map<string, string> =>
  new Map(
    [...(lists['documents'] ?? []), ...removed.map(one => ({ ...one, removed: true }))].map((one: Item) => [
      String(one['documentId']),
      JSON.stringify([one, archived]),
    ]),
  )

/** Records that did not change, and records that certainly did. */
function compared(before: State, after: State): { unchanged: Set<string>; changed: Set<string> } {
  const unchanged = new Set<string>()
  const changed = new Set<string>()
  for (const [id, person] of after.people) {
    const old = before.people.get(id)
    const change = old ? changeOf(old, person) : 'changed'
    const archivedOrRestored = old?.archived !== person.archived
    if (change === 'none') unchanged.add(id)
    if (change === 'changed' || archivedOrRestored) changed.add(id)
    if (!old || old.fields['employeeNumber'] !== person.fields['employeeNumber']) continue
    const documents = documentsOf(old)
    for (const [document, content] of documentsOf(person))
      if (documents.get(document) === content) unchanged.add(document)
  }
  return { unchanged, changed }
}

/** Missing and unexpected events of one request. */
export async function eventProblems(
  { db }: TestApp,
  since: string,
  { before, after }: { before: State; after: State },
): Promise<string[]> {
  const { unchanged, changed } = compared(before, after)
  const ids = [...unchanged, ...changed]
  const events = await db.sql<Event[]>`
    select type, record_id from events where seq > ${since} and record_id = any(${ids}) order by seq`
  return [
    ...events
      .filter(({ record_id }) => unchanged.has(record_id))
      .map(({ type, record_id }) => `${type} of ${record_id}, which has not changed`),
    ...[...changed]
      .filter(id => !events.some(({ record_id }) => record_id === id))
      .map(id => `no event of ${id}, which has changed`),
  ]
}

/** Expects, at the end of a sequence, exactly the rows of the model, with the same archived state. */
export async function expectNoOtherRows({ db }: TestApp, { people }: State): Promise<void> {
  const ids = [...people.keys()]
  const rows = await db.sql<{ applicant_id: string; archived: boolean; primary_id: string | null }[]>`
    select applicant_id, archived_at is not null as archived, primary_id from applicants
    where applicant_id = any(${ids}) or primary_id = any(${ids})`
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
  assert.deepEqual(
    rows
      .map(({ applicant_id: id, archived, primary_id: primaryId }) => ({ id, archived, primaryId }))
      .sort(byId),
    [...people.values()].map(({ id, archived, primaryId }) => ({ id, archived, primaryId })).sort(byId),
  )
  const documents = await db.sql<{ document_id: string }[]>`
    select document_id from documents where applicant_id = any(${ids})`
  const known = new Set([...people.values()].flatMap(person => [...documentsOf(person).keys()]))
  assert.deepEqual(
    documents.map(one => one.document_id).filter(id => !known.has(id)),
    [],
  )
}
