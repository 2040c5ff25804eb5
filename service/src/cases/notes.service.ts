import type { Sql } from '../db/database.ts'
import type { Slice, Window } from '../db/keyset.ts'
import type { Actor, UnitOfWork } from '../db/unit-of-work.ts'
import { isId, newId } from '../lib/ids.ts'
import { declareProblem, invalid } from '../lib/problem.ts'
import type { Visibility } from './case.ts'
import { caseNotFound } from './cases.service.ts'
import * as cases from './cases.store.ts'
import type { Audience, NoteRow, NoteVersion } from './notes.store.ts'
import * as store from './notes.store.ts'

export const noteNotFound = declareProblem({
  code: 'note-not-found',
  status: 404,
  title: 'The case has no such note.',
  remedy: 'List its notes with GET /v2/case/{caseId}/notes.',
})

export interface NotePatch {
  content?: string
  visibility?: Visibility
}

interface NoteIds {
  caseId: string
  noteId: string
}

export type Notes = ReturnType<typeof createNotes>

export function createNotes(sql: Sql) {
  return {
    list: (window: Window, audience: Audience) => store.listNotes(sql, window, audience),

    async listOf(caseId: string, audience: Audience): Promise<NoteRow[]> {
      const notes = isId(caseId) ? await store.findNotesOf(sql, caseId, audience) : undefined
      if (!notes) throw caseNotFound()
      return notes
    },

    /** Of these cases, by their creation, for the team. */
    listAdded: (caseIds: string[], slice: Slice) => store.listNotesAdded(sql, caseIds, slice),
    /** At most `limit`. */
    countAdded: (caseIds: string[], limit: number) => store.countNotesAdded(sql, caseIds, limit),

    /** All versions of a note, the current one first. */
    async listVersions({ caseId, noteId }: NoteIds): Promise<NoteVersion[]> {
      if (!isId(caseId) || !(await cases.findApplicantOf(sql, caseId))) throw caseNotFound()
      const versions = isId(noteId) ? await store.listNoteVersions(sql, { caseId, noteId }) : []
      if (versions.length === 0) throw noteNotFound()
      return versions
    },

    /** A person who is signed in is the author; a client may name one. */
    async add(
      unit: UnitOfWork,
      caseId: string,
      {
        content,
        author,
        visibility = 'everyone',
      }: { content: string; author?: string; visibility?: Visibility },
    ): Promise<NoteRow> {
      const { tx, now, actor } = unit
      if (actor.user && author !== undefined)
        throw invalid([
          { pointer: '/author', detail: 'The author is the person who is signed in. Leave it out.' },
        ])
      const owner = await cases.lockCase(tx, caseId)
      if (!owner) throw caseNotFound()
      const noteId = newId<'note'>()
      const written = { content, visibility, ...writerOf(actor), ...(author !== undefined && { author }) }
      await store.insertNote(tx, { noteId, caseId, ...written, now })
      const { authorId: _authorId, ...added } = written
      unit.audit({ action: 'case.note_write', recordId: caseId, after: { notes: { [noteId]: added } } })
      if (visibility === 'everyone')
        emit(unit, 'case.note_added', { caseId, noteId, applicantId: owner.applicantId })
      return store.getNote(tx, noteId)
    },

    /** Keeps the version before as an earlier one. A patch that changes nothing makes no version. */
    async merge(
      unit: UnitOfWork,
      { caseId, noteId }: NoteIds,
      { patch, requireState }: { patch: NotePatch; requireState: (etag: string) => void },
    ): Promise<NoteRow> {
      const { tx, now, actor } = unit
      const owner = await cases.lockCase(tx, caseId)
      if (!owner) throw caseNotFound()
      const current = await store.findNote(tx, { caseId, noteId })
      if (!current) throw noteNotFound()
      requireState(etagOf(current))
      const { content = current.content, visibility = current.visibility } = patch
      unit.audit({
        action: 'case.note_write',
        recordId: caseId,
        before: { notes: { [noteId]: { content: current.content, visibility: current.visibility } } },
        after: { notes: { [noteId]: { content, visibility } } },
      })
      if (content !== current.content || visibility !== current.visibility) {
        const version = current.version + 1
        await store.replaceNote(
          tx,
          { caseId, noteId },
          { version, content, visibility, ...writerOf(actor), writtenAt: now },
        )
        const event = { caseId, noteId, applicantId: owner.applicantId }
        if (current.visibility === 'everyone') emit(unit, 'case.note_changed', event)
        else if (visibility === 'everyone') emit(unit, 'case.note_added', event)
      }
      return store.getNote(tx, noteId)
    },
  }
}

export const etagOf = ({ version }: { version: number }) => `"${version}"`

function writerOf({ user, clientId }: Actor): { author: string; authorId: string | null } {
  return user ? { author: user.name, authorId: user.userId } : { author: clientId, authorId: null }
}

/** Webhooks are told of notes that everyone sees. */
function emit(
  unit: UnitOfWork,
  type: 'case.note_added' | 'case.note_changed',
  data: NoteIds & { applicantId: string },
): void {
  unit.emit({ type, recordId: data.caseId, data })
}
