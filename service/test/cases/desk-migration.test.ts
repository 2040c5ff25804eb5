// What the migration for the desk makes of the cases of the release before.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, it } from 'node:test'
import { listNotes, listNoteVersions } from '../../src/cases/notes.store.ts'
import { findStepsOf } from '../../src/cases/steps.store.ts'
import { connect } from '../../src/db/database.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { listProcesses } from '../../src/processes/processes.store.ts'
import { createTestDatabase, silent, testConnection } from '../support/harness.ts'

const { sql: server } = await createTestDatabase()

it('migrates cases, steps, notes, processes and audit entries of the previous release', async () => {
  const name = `test_${randomBytes(6).toString('hex')}`
  await server.unsafe(`create database ${name} template template0`)
  const db = connect({ connection: testConnection(name), log: silent, poolSize: 2 })
  after(async () => {
    await db.close()
    await server.unsafe(`drop database ${name} with (force)`)
  })
  const { sql } = db
  const migrations = await readMigrations()
  await migrate(
    db,
    silent,
    migrations.slice(
      0,
      migrations.findIndex(migration => JSON.stringify(migration).includes('desk-cases')),
    ),
  )
  const at = '2026-03-01T10:00:00.000Z'
  await sql`
    insert into companies (company_id, name, name_key, created_at, updated_at)
    values ('company-1', 'Acme', 'acme', ${at}, ${at})`
  await sql`
    insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
    values ('applicant-1', '{}', '', '', '{}', ${at}, ${at})`
  await sql`
    insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
      applicant, created_at, updated_at)
    values ('case-1', 'applicant-1', 'open', 'company-1', 'company-1', 'company-1', '{}', '{}', ${at}, ${at})`
  await sql`
    insert into case_steps (step_id, case_id, sequence, name, status, start_date, created_at, updated_at)
    values ('step-1', 'case-1', 1, 'File', 'inProgress', '2026-03-01', ${at}, ${at})`
  await sql`
    insert into case_notes (note_id, case_id, content, author, created_at, updated_at)
    values ('note-1', 'case-1', 'Text', 'R. Okafor', ${at}, ${at})`
  await sql`
    insert into audit (at, client_id, action, record_id, request_id, changes)
    values (${at}, 'client', 'case.write', 'case-1', 'request', '[]'),
      (${at}, 'client', 'case.read', 'case-1', 'request', null)`
  await migrate(db, silent)

  const [step] = (await findStepsOf(sql, 'case-1')) ?? []
  assert.deepEqual([step?.dueDate, step?.assignee], [null, null])
  const window = { startDate: '2026-03-01', endDate: '2026-03-01', type: 'created', limit: 10, offset: 0 }
  const { records } = await listNotes(sql, window)
  assert.deepEqual(
    records.map(({ noteId, visibility, version, authorId }) => [noteId, visibility, version, authorId]),
    [['note-1', 'everyone', 1, null]],
  )
  const [version] = await listNoteVersions(sql, { caseId: 'case-1', noteId: 'note-1' })
  assert.deepEqual([version?.author, version?.writtenAt.toISOString()], ['R. Okafor', at])
  for (const { steps, dueDays } of await listProcesses(sql))
    assert.deepEqual(
      dueDays,
      steps.map(() => null),
    )
})
