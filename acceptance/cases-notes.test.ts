// Notes on a case: creation, author and correction.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addNote,
  adminCase,
  adminNote,
  caseAt,
  newCase,
  notesAt,
  ownToken,
  UNKNOWN_ID,
} from './case-factories.ts'
import { credentials } from './client.ts'
import { expectInvalid, expectProblem, type Fields, get, patch, post } from './people.ts'

describe('POST /admin/v1/cases/{caseId}/notes', () => {
  it('creates a note that the case then returns', async () => {
    const { caseId, applicantId, employeeNumber } = await newCase()
    const content = 'Pässe erhalten.\nSeite 2 fehlt — "bitte" <b>nachreichen</b> 🛂'
    const before = Date.now()
    const response = await post(`${adminCase(caseId)}/notes`, { content, author: 'R. Ọkáfọ̀' })
    assert.equal(response.status, 201)
    assert.ok(response.headers.get('location'))
    const { noteId, createdAt, updatedAt, ...note } = response.body
    assert.deepEqual(note, { caseId, applicantId, employeeNumber, content, author: 'R. Ọkáfọ̀' })
    assert.match(noteId, /^[A-Za-z0-9_-]{23}=$/)
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    assert.ok(Math.abs(Date.parse(createdAt) - before) < 60_000)
    assert.equal(updatedAt, createdAt)
    assert.deepEqual((await get(notesAt(caseId))).body, [response.body])
  })

  it('uses the name of the client as the default author', async () => {
    const { caseId } = await newCase()
    const { token, clientId } = await ownToken(['admin'])
    const body = { content: 'Who was this?' }
    const mine = await post(`${adminCase(caseId)}/notes`, body)
    const theirs = await post(`${adminCase(caseId)}/notes`, body, { token })
    assert.deepEqual([mine.body.author, theirs.body.author], [credentials.clientId, clientId])
  })

  it('stores a long note unmodified, including white space', async () => {
    const { caseId } = await newCase()
    const content = `  ${'A line of a long letter.\r\n\t'.repeat(700)}`
    assert.equal((await addNote(caseId, content))['content'], content)
    assert.equal((await get(notesAt(caseId))).body[0].content, content)
  })

  it('does not change the case', async () => {
    const { caseId } = await newCase()
    const before = await get(caseAt(caseId))
    await addNote(caseId, 'A note is no change of the case.')
    assert.equal((await get(caseAt(caseId))).bytes.toString(), before.bytes.toString())
  })

  it('rejects an invalid body, and responds with 404 for an unknown case', async () => {
    const { caseId } = await newCase()
    const add = (body: Fields) => post(`${adminCase(caseId)}/notes`, body)
    await expectInvalid(add({}), '/content')
    for (const content of ['', ' \n', null, 1]) await expectInvalid(add({ content }), '/content')
    await expectInvalid(add({ content: 'x', author: '' }), '/author')
    await expectInvalid(add({ content: 'x', createdAt: '2020-01-01T00:00:00Z' }), '/createdAt')
    assert.deepEqual((await get(notesAt(caseId))).body, [])
    await expectProblem(post(`${adminCase(UNKNOWN_ID)}/notes`, { content: 'x' }), 404, 'case-not-found')
  })
})

describe('PATCH /admin/v1/cases/{caseId}/notes/{noteId}', () => {
  it('changes the content of a note and keeps its author, creation time and position', async () => {
    const { caseId } = await newCase()
    const { body: first } = await post(`${adminCase(caseId)}/notes`, {
      content: 'Wrnog',
      author: 'R. Okafor',
    })
    const second = await addNote(caseId, 'Second')
    const corrected = await patch(adminNote(caseId, first.noteId), { content: 'Right' })
    assert.equal(corrected.status, 200)
    const { content, updatedAt, ...rest } = corrected.body
    const { content: _wrong, updatedAt: then, ...before } = first
    assert.equal(content, 'Right')
    assert.deepEqual(rest, before)
    assert.ok(updatedAt > then)
    assert.deepEqual((await get(notesAt(caseId))).body, [corrected.body, second])
  })

  it('rejects an invalid body, and responds with 404 for an unknown case or note', async () => {
    const [one, other] = [await newCase(), await newCase()]
    const { noteId } = (await addNote(one.caseId, 'Mine')) as { noteId: string }
    const at = adminNote(one.caseId, noteId)
    await expectInvalid(patch(at, {}), '/content')
    await expectInvalid(patch(at, { content: '' }), '/content')
    await expectInvalid(patch(at, { content: 'x', author: 'Another author' }), '/author')
    await expectProblem(patch(adminNote(UNKNOWN_ID, noteId), { content: 'x' }), 404, 'case-not-found')
    await expectProblem(patch(adminNote(one.caseId, UNKNOWN_ID), { content: 'x' }), 404, 'note-not-found')
    await expectProblem(patch(adminNote(other.caseId, noteId), { content: 'x' }), 404, 'note-not-found')
    assert.equal((await get(notesAt(one.caseId))).body[0].content, 'Mine')
  })
})
