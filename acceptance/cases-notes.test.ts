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
import { expectInvalid, expectOk, expectProblem, type Fields, get, patch, post } from './people.ts'
import { createPerson } from './visitors.ts'

describe('POST /admin/v1/cases/{caseId}/notes', () => {
  it('creates a note that the case then returns', async () => {
    const { caseId, applicantId, employeeNumber } = await newCase()
    const content = 'Pässe erhalten.\nSeite 2 fehlt — "bitte" <b>nachreichen</b> 🛂'
    const before = Date.now()
    const response = await post(`${adminCase(caseId)}/notes`, { content, author: 'R. Ọkáfọ̀' })
    assert.equal(response.status, 201)
    assert.ok(response.headers.get('location'))
    const { noteId, createdAt, updatedAt, ...note } = response.body
    assert.deepEqual(note, {
      caseId,
      applicantId,
      employeeNumber,
      content,
      author: 'R. Ọkáfọ̀',
      authorId: null,
      visibility: 'everyone',
      version: 1,
    })
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

  it('names the person who is signed in as the author, and rejects another one', async () => {
    const { caseId } = await newCase()
    const { user, ...person } = await createPerson({ name: 'Ruth Okafor', roles: ['case-manager'] })
    const path = `${adminCase(caseId)}/notes`
    const { body } = await person.post(path, { content: 'By a person.' })
    assert.deepEqual([body.author, body.authorId], ['Ruth Okafor', user.userId])
    await expectInvalid(person.post(path, { content: 'x', author: 'Someone else' }), '/author')
    assert.deepEqual((await get(notesAt(caseId))).body, [body])
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
    const { content, updatedAt, version, ...rest } = corrected.body
    const { content: _wrong, updatedAt: then, version: _first, ...before } = first
    assert.equal(version, 2)
    assert.equal(corrected.headers.get('etag'), '"2"')
    assert.equal(content, 'Right')
    assert.deepEqual(rest, before)
    assert.ok(updatedAt > then)
    assert.deepEqual((await get(notesAt(caseId))).body, [corrected.body, second])
  })

  it('rejects an invalid body, and responds with 404 for an unknown case or note', async () => {
    const [one, other] = [await newCase(), await newCase()]
    const { noteId } = (await addNote(one.caseId, 'Mine')) as { noteId: string }
    const at = adminNote(one.caseId, noteId)
    await expectInvalid(patch(at, {}), '')
    await expectInvalid(patch(at, { visibility: 'nobody' }), '/visibility')
    await expectInvalid(patch(at, { content: '' }), '/content')
    await expectInvalid(patch(at, { content: 'x', author: 'Another author' }), '/author')
    await expectProblem(patch(adminNote(UNKNOWN_ID, noteId), { content: 'x' }), 404, 'case-not-found')
    await expectProblem(patch(adminNote(one.caseId, UNKNOWN_ID), { content: 'x' }), 404, 'note-not-found')
    await expectProblem(patch(adminNote(other.caseId, noteId), { content: 'x' }), 404, 'note-not-found')
    assert.equal((await get(notesAt(one.caseId))).body[0].content, 'Mine')
  })
})

describe('notes for the team', () => {
  const EVERYONE = { scopes: ['cases:read'] }
  const TEAM = { scopes: ['cases:read', 'desk:read'] }

  it('are returned only to callers with desk:read, from the case and from the list by date', async () => {
    const { caseId } = await newCase()
    const open = await addNote(caseId, 'For everyone')
    const path = `${adminCase(caseId)}/notes`
    const team = await expectOk(post(path, { content: 'For the team', visibility: 'team' }))
    assert.equal(team['visibility'], 'team')
    assert.deepEqual((await get(notesAt(caseId), TEAM)).body, [open, team])
    assert.deepEqual((await get(notesAt(caseId), EVERYONE)).body, [open])

    const today = new Date().toISOString().slice(0, 10)
    const listed = async (rest: Partial<typeof TEAM>) => {
      const found: string[] = []
      const start = `/v2/cases/applicants/notes?startDate=${today}&endDate=${today}&maxRecords=7`
      for (let cursor = ''; ; ) {
        const { records, nextCursor } = await expectOk(
          get(cursor ? `${start}&nextCursor=${encodeURIComponent(cursor)}` : start, rest),
        )
        if (rest === EVERYONE) assert.ok(records.every((note: Fields) => note['visibility'] === 'everyone'))
        found.push(...records.map((note: Fields) => note['noteId']))
        if (!nextCursor) return found
        // A page is full unless it is the last one: notes of the team are not skipped after the page was cut.
        assert.equal(records.length, 7)
        cursor = nextCursor
      }
    }
    const [seen, all] = [await listed(EVERYONE), await listed(TEAM)]
    assert.deepEqual([seen.includes(open['noteId']), seen.includes(team['noteId'])], [true, false])
    assert.deepEqual([all.includes(open['noteId']), all.includes(team['noteId'])], [true, true])
  })

  it('become visible to everyone, and hidden again, by a change of the visibility', async () => {
    const { caseId } = await newCase()
    const { noteId } = await expectOk(
      post(`${adminCase(caseId)}/notes`, { content: 'Draft', visibility: 'team' }),
    )
    const seen = async () => (await get(notesAt(caseId), EVERYONE)).body.length
    assert.equal(await seen(), 0)
    await expectOk(patch(adminNote(caseId, noteId), { visibility: 'everyone' }))
    assert.equal(await seen(), 1)
    await expectOk(patch(adminNote(caseId, noteId), { visibility: 'team' }))
    assert.equal(await seen(), 0)
  })
})

describe('GET /admin/v1/cases/{caseId}/notes/{noteId}/versions', () => {
  it('returns every version with who wrote it, the current one first', async () => {
    const { caseId } = await newCase()
    const first = await expectOk(post(`${adminCase(caseId)}/notes`, { content: 'One', author: 'R. Okafor' }))
    const at = adminNote(caseId, first['noteId'])
    const { user, ...person } = await createPerson({ name: 'Ines Prado', roles: ['case-manager'] })
    const second = await person.send({ method: 'PATCH', path: at, body: { content: 'Two' } })
    assert.equal(second.status, 200)
    await expectOk(patch(at, { visibility: 'team' }))
    const { body } = await get(`${at}/versions`)
    assert.deepEqual(
      body.map((version: Fields) => [
        version['version'],
        version['content'],
        version['visibility'],
        version['author'],
        version['authorId'],
      ]),
      [
        [3, 'Two', 'team', credentials.clientId, null],
        [2, 'Two', 'everyone', 'Ines Prado', user.userId],
        [1, 'One', 'everyone', 'R. Okafor', null],
      ],
    )
    assert.equal(body[2].writtenAt, first['createdAt'])
    assert.equal(body[1].writtenAt, second.body.updatedAt)
    assert.deepEqual([second.body.author, second.body.authorId], ['R. Okafor', null])
  })

  it('has no new version after a correction that changes nothing, or that If-Match rejects', async () => {
    const { caseId } = await newCase()
    const note = await addNote(caseId, 'One')
    const at = adminNote(caseId, note['noteId'])
    assert.deepEqual(await expectOk(patch(at, { content: 'One', visibility: 'everyone' })), note)
    const ifMatch = (version: number) => ({ headers: { 'if-match': `"${version}"` } })
    await expectProblem(patch(at, { content: 'Two' }, ifMatch(2)), 412, 'version-mismatch')
    assert.equal((await get(`${at}/versions`)).body.length, 1)
    assert.equal((await patch(at, { content: 'Two' }, ifMatch(1))).status, 200)
    assert.equal((await get(`${at}/versions`)).body.length, 2)
  })

  it('returns no content to a caller without cases:read, and 404 for an unknown case or note', async () => {
    const [{ caseId }, other] = [await newCase(), await newCase()]
    const { noteId } = (await addNote(caseId, 'Private')) as { noteId: string }
    const { body } = await get(`${adminNote(caseId, noteId)}/versions`, { scopes: ['desk:read'] })
    assert.deepEqual([body[0].content, body[0].version], [null, 1])
    const versions = (a: string, b: string) => get(`${adminNote(a, b)}/versions`)
    await expectProblem(versions(UNKNOWN_ID, noteId), 404, 'case-not-found')
    await expectProblem(versions(caseId, UNKNOWN_ID), 404, 'note-not-found')
    await expectProblem(versions(other.caseId, noteId), 404, 'note-not-found')
    await expectProblem(versions(caseId, 'x'), 404, 'note-not-found')
  })
})
