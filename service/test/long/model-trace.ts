// What a write leaves in the database beside its response: events of what has changed and of nothing else, and no row
// more than the model knows of.
import assert from 'node:assert/strict'
import type { TestApp } from '../support/harness.ts'
import { changeOf, type Item, type Person, type State } from './model-state.ts'

interface Event {
  type: string
  record_id: string
}

/** The newest event; those of other sequences may become visible later, but are about other records. */
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

/** Records that are as they were, and those that have changed for certain. */
function compared(before: State, after: State): { unchanged: Set<string>; changed: Set<string> } {
  const unchanged = new Set<string>()
  const changed = new Set<string>()
  for (const [id, person] of after.people) {
    const old = before.people.get(id)
    const change = old ? changeOf(old, person) : 'changed'
    const comesOrGoes = old?.archived !== person.archived
    if (change === 'none') unchanged.add(id)
    if (change === 'changed' || comesOrGoes) changed.add(id)
    if (!old || old.fields['employeeNumber'] !== person.fields['employeeNumber']) continue
    const documents = documentsOf(old)
    for (const [document, content] of documentsOf(person))
      if (documents.get(document) === content) unchanged.add(document)
  }
  return { unchanged, changed }
}

/** What is wrong with the events of one request. */
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

/** At the end of a sequence: every row is one that the model knows, live or archived as the model says. */
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
