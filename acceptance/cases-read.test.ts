// Reading cases by id, by applicant and by employee number, with their steps and notes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addNote,
  adminStep,
  caseAt,
  caseOfSteps,
  casesOfId,
  casesOfNumber,
  newCase,
  notesAt,
  setStatus,
  stepsAt,
  UNKNOWN_ID,
} from './case-factories.ts'
import { call } from './client.ts'
import { expectOk, expectProblem, type Fields, family, get, newNumber, patch } from './people.ts'

/** Malformed ids: too short, too long, with invalid characters. */
const ODD_IDS = ['a', 'x'.repeat(300), 'a b', 'ä', 'a/b', "'", '%', '....', 'abcd===', '\0', 'ab\0cd']

describe('GET /v2/case/{caseId}', () => {
  it('requires only cases:read', async () => {
    const { caseId } = await newCase()
    for (const path of [caseAt(caseId), stepsAt(caseId), notesAt(caseId)])
      assert.equal((await get(path, { scopes: ['cases:read'] })).status, 200)
  })

  it('responds with 304 for the current ETag, until the case changes', async () => {
    const { caseId, steps } = await newCase()
    const read = (etag: string) => get(caseAt(caseId), { headers: { 'if-none-match': etag } })
    const tags = [(await get(caseAt(caseId))).headers.get('etag') ?? '']
    const unchanged = await read(tags[0] ?? '')
    assert.equal(unchanged.status, 304)
    assert.equal(unchanged.bytes.length, 0)
    assert.equal(unchanged.headers.get('etag'), tags[0])
    assert.equal((await read(`"other", W/${tags[0]}`)).status, 304)

    const changes = [
      () => setStatus(caseId, 'pending'),
      () => patch(adminStep(caseId, steps[0]?.['stepId']), { status: 'completed' }),
      () => call({ method: 'POST', path: `/admin/v1/cases/${caseId}/steps`, body: { name: 'One more' } }),
    ]
    for (const change of changes) {
      await expectOk(change())
      const changed = await read(tags.at(-1) ?? '')
      assert.equal(changed.status, 200)
      tags.push(changed.headers.get('etag') ?? '')
    }
    assert.equal(new Set(tags).size, changes.length + 1)
  })

  it('contains its steps as the list of steps returns them', async () => {
    const { caseId, steps } = await caseOfSteps(4)
    await expectOk(patch(adminStep(caseId, steps[2]?.['stepId']), { status: 'waived' }))
    const { body } = await get(caseAt(caseId))
    assert.deepEqual((await get(stepsAt(caseId))).body, body.steps)
    assert.deepEqual(
      body.steps.map((step: Fields) => step['name']),
      ['Step 1', 'Step 2', 'Step 3', 'Step 4'],
    )
  })

  it('responds with 404 for an unknown or malformed id', async () => {
    for (const id of [UNKNOWN_ID, ...ODD_IDS])
      for (const path of [caseAt(id), stepsAt(id), notesAt(id)])
        await expectProblem(get(path), 404, 'case-not-found')
  })

  it('does not fail concurrent reads of other clients when one client sends an invalid id', async () => {
    const { caseId } = await newCase()
    for (let round = 0; round < 5; round++) {
      const paths = Array.from({ length: 20 }, (_, index) => caseAt(index % 4 ? caseId : '\0'))
      const responses = await Promise.all(paths.map(path => get(path)))
      assert.deepEqual(
        responses.map(({ status }) => status),
        paths.map((_, index) => (index % 4 ? 200 : 404)),
      )
    }
  })
})

describe('GET /v2/cases/applicant/…', () => {
  it('returns complete cases of all statuses in order of creation', async () => {
    const { id, number } = await family()
    const made = []
    for (const status of ['open', 'pending', 'closed', 'open']) {
      const { caseId } = await newCase({}, { employeeNumber: number })
      if (status !== 'open') await expectOk(setStatus(caseId, status))
      made.push((await get(caseAt(caseId))).body)
    }
    assert.deepEqual(
      made.map(one => one.status),
      ['open', 'pending', 'closed', 'open'],
    )
    assert.deepEqual((await get(casesOfId(id))).body, made)
    assert.deepEqual((await get(casesOfNumber(number))).body, made)
  })

  it("returns no other applicant's cases", async () => {
    const [one, other] = [await newCase(), await newCase()]
    for (const path of [casesOfId(one.applicantId), casesOfNumber(one.employeeNumber)])
      assert.deepEqual(
        (await get(path)).body.map((found: Fields) => found['caseId']),
        [one.caseId],
      )
    assert.notEqual(one.applicantId, other.applicantId)
  })

  it('responds with [] for a person without cases, and 404 for an unknown applicant', async () => {
    const { id, number } = await family()
    assert.deepEqual((await get(casesOfId(id))).body, [])
    assert.deepEqual((await get(casesOfNumber(number))).body, [])
    await expectProblem(get(casesOfNumber(newNumber())), 404, 'applicant-not-found')
    for (const odd of [UNKNOWN_ID, ...ODD_IDS])
      await expectProblem(get(casesOfId(odd)), 404, 'applicant-not-found')
    for (const odd of ['ä', "'", '100%', 'x'.repeat(300)])
      await expectProblem(get(casesOfNumber(odd)), 404, 'applicant-not-found')
  })

  it('accepts numbers with every character that a number may have', async () => {
    for (const odd of ['a/b', 'ä ö', '100%', 'x?y#z', "o'b", '職員', 'a+b']) {
      const employeeNumber = `${newNumber()} ${odd}`
      const { caseId } = await newCase({}, { employeeNumber })
      const found = await get(casesOfNumber(employeeNumber))
      assert.deepEqual(
        found.body.map((one: Fields) => [one['caseId'], one['employeeNumber']]),
        [[caseId, employeeNumber]],
      )
    }
  })
})

describe('GET /v2/case/{caseId}/notes', () => {
  it('returns all notes of this case only, in order of time', async () => {
    const [one, other] = [await newCase(), await newCase()]
    assert.deepEqual((await get(notesAt(one.caseId))).body, [])
    for (const content of ['first', 'second', 'third']) {
      await addNote(one.caseId, content)
      await addNote(other.caseId, `other ${content}`)
    }
    const { body } = await get(notesAt(one.caseId))
    assert.deepEqual(
      body.map((note: Fields) => note['content']),
      ['first', 'second', 'third'],
    )
    const times = body.map((note: Fields) => note['createdAt'])
    assert.deepEqual(times, [...times].sort())
  })
})
