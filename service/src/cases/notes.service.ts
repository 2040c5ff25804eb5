import type { Sql } from '../db/database.ts'
import type { Window } from '../db/keyset.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { isId, newId } from '../lib/ids.ts'
import { declareProblem } from '../lib/problem.ts'
import { caseNotFound } from './cases.service.ts'
import * as cases from './cases.store.ts'
import type { NoteRow } from './notes.store.ts'
import * as store from './notes.store.ts'

export const noteNotFound = declareProblem({
  code: 'note-not-found',
  status: 404,
  title: 'The case has no such note.',
  remedy: 'List its notes with GET /v2/case/{caseId}/notes.',
})

export type Notes = ReturnType<typeof createNotes>

export function createNotes(sql: Sql) {
  return {
    list: (window: Window) => store.listNotes(sql, window),

    async listOf(caseId: string): Promise<NoteRow[]> {
      const notes = isId(caseId) ? await store.findNotesOf(sql, caseId) : undefined
      if (!notes) throw caseNotFound()
      return notes
    },

    async add(
      unit: UnitOfWork,
      caseId: string,
      { content, author }: { content: string; author?: string },
    ): Promise<NoteRow> {
      const owner = await cases.lockCase(unit.tx, caseId)
      if (!owner) throw caseNotFound()
      const noteId = newId<'note'>()
      await store.insertNote(unit.tx, {
        noteId,
        caseId,
        content,
        author: author ?? unit.actor.clientId,
        now: unit.now,
      })
      const added = { content, author: author ?? unit.actor.clientId }
      unit.audit({ action: 'case.note_write', recordId: caseId, after: { notes: { [noteId]: added } } })
      unit.emit({
        type: 'case.note_added',
        recordId: caseId,
        data: { caseId, noteId, applicantId: owner.applicantId },
      })
      return store.getNote(unit.tx, noteId)
    },

    async merge(
      unit: UnitOfWork,
      { caseId, noteId }: { caseId: string; noteId: string },
      content: string,
    ): Promise<NoteRow> {
      if (!(await cases.lockCase(unit.tx, caseId))) throw caseNotFound()
      const current = await store.findNote(unit.tx, noteId)
      if (!(await store.updateNote(unit.tx, { noteId, caseId, content, now: unit.now }))) throw noteNotFound()
      unit.audit({
        action: 'case.note_write',
        recordId: caseId,
        before: { notes: { [noteId]: { content: current?.content } } },
        after: { notes: { [noteId]: { content } } },
      })
      return store.getNote(unit.tx, noteId)
    },
  }
}
