// What happened to a case and to a person, in one order.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addNote,
  adminCase,
  adminNote,
  adminStep,
  type Company,
  caseAt,
  caseOfSteps,
  company,
  newCase,
  UNKNOWN_ID,
} from './case-factories.ts'
import { credentials } from './client.ts'
import { limitedTo, recordsOf, upload } from './company-factories.ts'
import {
  byId,
  createFamilyWithDependent,
  expectInvalid,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  patch,
  person,
  post,
  put,
} from './people.ts'
import { createPerson } from './visitors.ts'

const ofCase = (caseId: string) => `${adminCase(caseId)}/timeline`
const ofPerson = (id: string) => `/admin/v1/applicants/${encodeURIComponent(id)}/timeline`
const recordsAt = async (path: string, rest = {}): Promise<Fields[]> =>
  (await expectOk(get(path, rest)))['records']

const summaryOf = ({ kind, action, changes }: Fields) => [
  kind,
  action,
  ...(changes ?? []).map(({ pointer }: Fields) => pointer),
]

describe('GET /admin/v1/cases/{caseId}/timeline', () => {
  it('returns changes, notes and documents with who made them, newest first', async () => {
    const { caseId, steps } = await caseOfSteps(2)
    const stepId = steps[0]?.['stepId']
    const { user, ...colleague } = await createPerson({ name: 'Ruth Okafor', roles: ['case-manager'] })
    await expectOk(patch(adminCase(caseId), { hostCity: 'Bonn', dueDate: '2030-01-31' }))
    const note = await colleague.post(`${adminCase(caseId)}/notes`, {
      content: 'Called her.',
      visibility: 'team',
    })
    const document = await expectOk(upload(caseId))
    await expectOk(patch(adminNote(caseId, note.body.noteId), { content: 'Called him.' }))
    await expectOk(colleague.post(`${adminStep(caseId, stepId)}/complete`, {}))
    const expiry = { ExpiryDate: '2031-05-31' }
    await expectOk(patch(`/v2/document/${document['documentId']}/expiry`, expiry))

    const page = await expectOk(get(ofCase(caseId)))
    assert.deepEqual([page['total'], page['nextCursor'], page['prevCursor']], [8, null, null])
    const [dated, , finished, corrected, uploaded, written, edited, created] = page['records'] as Fields[]
    assert.deepEqual(summaryOf(dated as Fields), ['change', 'document.write', '/expiryDate'])
    assert.deepEqual(dated?.['record'], {
      type: 'document',
      id: document['documentId'],
      name: 'permit.pdf',
    })
    assert.equal(dated?.['step'], null)
    assert.deepEqual(
      (page['records'] as Fields[]).slice(1, 3).map(({ step }) => step),
      [steps[1], steps[0]].map(step => ({ stepId: step?.['stepId'], name: step?.['name'] })),
    )
    assert.deepEqual(summaryOf(finished as Fields).slice(0, 2), ['change', 'case.step_write'])
    assert.deepEqual(
      (page['records'] as Fields[])
        .slice(1, 3)
        .flatMap(({ changes }) => changes.map(({ pointer }: Fields) => pointer))
        .sort(),
      [
        `/steps/${stepId}/completionDate`,
        `/steps/${stepId}/status`,
        `/steps/${steps[1]?.['stepId']}/startDate`,
        `/steps/${steps[1]?.['stepId']}/status`,
      ].sort(),
    )
    assert.deepEqual(finished?.['actor'], { userId: user.userId, clientId: null, name: 'Ruth Okafor' })
    assert.deepEqual(corrected?.['changes'], [
      { pointer: `/notes/${note.body.noteId}/content`, before: 'Called her.', after: 'Called him.' },
    ])
    assert.deepEqual(summaryOf(uploaded as Fields), ['document', 'document.create'])
    const { documentId } = document
    const type = 'Case document'
    assert.deepEqual(uploaded?.['document'], {
      documentId,
      caseId,
      name: 'permit.pdf',
      type,
      isRemoved: false,
    })
    assert.deepEqual(uploaded?.['actor'], { userId: null, clientId: credentials.clientId, name: null })
    assert.deepEqual([written?.['kind'], written?.['note'].content], ['note', 'Called him.'])
    assert.deepEqual([written?.['note'].visibility, written?.['note'].version], ['team', 2])
    assert.deepEqual(written?.['actor'], { userId: user.userId, clientId: null, name: 'Ruth Okafor' })
    assert.deepEqual(edited?.['changes'].toSorted(byPointer), [
      { pointer: '/dueDate', before: null, after: '2030-01-31' },
      { pointer: '/hostCity', before: null, after: 'Bonn' },
    ])
    assert.deepEqual(edited?.['actor'], { userId: null, clientId: credentials.clientId, name: null })
    assert.equal(created?.['action'], 'case.create')
  })

  it('has no entry for reads, and for changes that change nothing or are rejected', async () => {
    const { caseId } = await newCase()
    const before = await recordsAt(ofCase(caseId))
    await get(caseAt(caseId))
    await expectOk(patch(adminCase(caseId), { status: 'open' }))
    await expectProblem(patch(adminCase(caseId), { hostCompany: 'No such company' }), 422, 'unknown-company')
    assert.deepEqual(await recordsAt(ofCase(caseId)), before)
  })

  it('names the changed fields to a caller who may not read the case, but returns no values', async () => {
    const { caseId, steps } = await caseOfSteps(1)
    const stepId = steps[0]?.['stepId']
    await addNote(caseId, 'Private')
    await expectOk(upload(caseId))
    await expectOk(patch(adminCase(caseId), { hostCity: 'Bonn' }))
    await expectOk(patch(adminStep(caseId, stepId), { status: 'waived' }))
    const [stepped, edited, uploaded, noted] = await recordsAt(ofCase(caseId), { scopes: ['desk:read'] })
    assert.deepEqual(stepped?.['step'], { stepId, name: null })
    assert.equal(uploaded?.['record'].name, null)
    assert.deepEqual(edited?.['changes'], [{ pointer: '/hostCity' }])
    assert.deepEqual([uploaded?.['document'].name, uploaded?.['document'].type], [null, null])
    assert.equal(noted?.['note'].content, null)
    const [, , named] = await recordsAt(ofCase(caseId), { scopes: ['desk:read', 'documents:read'] })
    assert.equal(named?.['document'].name, 'permit.pdf')
  })

  it('is paged in both directions, and neither skips nor repeats an entry', async () => {
    const { caseId } = await newCase()
    // Concurrent, so that several entries have the same time.
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 3 === 0
          ? expectOk(upload(caseId))
          : n % 3 === 1
            ? addNote(caseId, `Note ${n}`)
            : expectOk(patch(adminCase(caseId), { hostCity: `City ${n}` })),
      ),
    )
    const all = await recordsAt(ofCase(caseId))
    assert.equal(new Set(all.map(({ entryId }) => entryId)).size, all.length)
    assert.deepEqual(
      all.map(({ at }) => at),
      all
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    )
    for (const size of [1, 2, 5]) {
      const walked: Fields[] = []
      let page = await expectOk(get(`${ofCase(caseId)}?maxRecords=${size}`))
      assert.equal(page['prevCursor'], null)
      for (;;) {
        walked.push(...page['records'])
        assert.equal(page['total'], all.length)
        if (!page['nextCursor']) break
        page = await expectOk(get(`${ofCase(caseId)}?maxRecords=${size}&nextCursor=${page['nextCursor']}`))
      }
      assert.deepEqual(walked, all)
      const back: Fields[] = [...page['records']]
      while (page['prevCursor']) {
        page = await expectOk(get(`${ofCase(caseId)}?maxRecords=${size}&prevCursor=${page['prevCursor']}`))
        back.unshift(...page['records'])
      }
      assert.deepEqual(back, all)
    }
    const { nextCursor } = await expectOk(get(`${ofCase(caseId)}?maxRecords=2`))
    await addNote(caseId, 'Added after the first page')
    assert.deepEqual(
      await recordsAt(`${ofCase(caseId)}?maxRecords=3&nextCursor=${nextCursor}`),
      all.slice(2, 5),
    )
  })

  it('rejects a cursor of another timeline, and an invalid size', async () => {
    const [one, other] = [await newCase(), await newCase()]
    await addNote(one.caseId, 'So that there is a second page')
    const { nextCursor } = await expectOk(get(`${ofCase(one.caseId)}?maxRecords=1`))
    await expectProblem(get(`${ofCase(other.caseId)}?nextCursor=${nextCursor}`), 400, 'invalid-cursor')
    await expectInvalid(get(`${ofCase(one.caseId)}?maxRecords=0`), '/maxRecords')
    await expectInvalid(get(`${ofCase(one.caseId)}?nextCursor=a&prevCursor=b`), '/prevCursor')
  })

  it('responds with 404 for an unknown case, and for one of other companies', async () => {
    await expectProblem(get(ofCase(UNKNOWN_ID)), 404, 'case-not-found')
    await expectProblem(get(ofCase('x')), 404, 'case-not-found')
    const [own, other] = [await company(), await company()]
    const [mine, theirs] = [await recordsOf(own), await recordsOf(other)]
    const { token } = await limitedTo(own)
    await expectProblem(get(ofCase(theirs.caseId), { token }), 404, 'case-not-found')
    assert.deepEqual(await recordsAt(ofCase(mine.caseId), { token }), await recordsAt(ofCase(mine.caseId)))
  })
})

describe('GET /admin/v1/applicants/{applicantId}/timeline', () => {
  it('has the record of the person, all cases and all documents', async () => {
    const documents = [{ name: 'Residence card', referenceNumber: 'RC-1' }]
    const { id, number, primary } = await family(person({ documents }))
    const first = await newCase({}, { employeeNumber: number })
    const second = await newCase({}, { employeeNumber: number })
    await expectOk(patch(byId(id), { primaryApplicant: { jobTitle: 'Head of Research' } }))
    await addNote(second.caseId, 'A note')
    const records = await recordsAt(ofPerson(id))
    assert.deepEqual(records.map(summaryOf).slice(0, 2), [
      ['note', 'note.add'],
      ['change', 'applicant.write', '/jobTitle'],
    ])
    assert.deepEqual(records[1]?.['changes'][0].after, 'Head of Research')
    const created = records.filter(({ action }) => action === 'case.create').map(({ record }) => record.id)
    assert.deepEqual(created, [second.caseId, first.caseId])
    const card = records.find(({ kind }) => kind === 'document')
    assert.equal(card?.['document'].documentId, primary['documents'][0].documentId)
    assert.deepEqual(card?.['actor'], { userId: null, clientId: credentials.clientId, name: null })
    assert.deepEqual((await recordsAt(ofPerson(id), { scopes: ['desk:read'] }))[1]?.['changes'], [
      { pointer: '/jobTitle' },
    ])
  })

  it('keeps what happened to a document that was removed, and to a dependent that is archived', async () => {
    const documents = [{ name: 'Residence card', referenceNumber: 'RC-2' }]
    const { id, dependentId } = await createFamilyWithDependent(person({ documents }))
    await expectOk(patch(byId(id), { primaryApplicant: { documents: null } }))
    const card = (await recordsAt(ofPerson(id))).find(({ kind }) => kind === 'document')
    assert.equal(card?.['document'].isRemoved, true)
    const { body: primaryApplicant } = await get(byId(id))
    await expectOk(put(byId(id), { primaryApplicant, dependents: [] }))
    const [archived] = await recordsAt(ofPerson(dependentId))
    assert.deepEqual(summaryOf(archived as Fields), ['change', 'applicant.archive', '/archived'])
  })

  it('has what happened to an absorbed record, where the caller has the companies of both', async () => {
    const [own, other] = [await company(), await company()]
    const of = (owner: Company) => family(person({ sendingCompany: owner.name }))
    const { token } = await limitedTo(own)
    const jobsAt = async (path: string, rest: object) =>
      (await recordsAt(path, rest)).flatMap(({ changes }) =>
        (changes ?? []).flatMap(({ pointer, after }: Fields) => (pointer === '/jobTitle' ? [after] : [])),
      )
    for (const [source, seen] of [
      [await of(own), ['Cook']],
      [await of(other), []],
    ] as const) {
      const target = await of(own)
      await expectOk(patch(byId(source.id), { primaryApplicant: { jobTitle: 'Cook' } }))
      await expectOk(patch(byId(source.id), { primaryApplicant: { jobTitle: null } }))
      const merge = { from: source.id }
      await expectOk(post(`/admin/v1/applicants/${encodeURIComponent(target.id)}/merge`, merge))
      const jobs = await jobsAt(ofPerson(target.id), { token })
      assert.deepEqual(
        jobs.filter(job => job === 'Cook'),
        seen,
      )
      assert.ok((await jobsAt(ofPerson(target.id), {})).includes('Cook'))
    }
  })

  it('names who added the documents of an absorbed record', async () => {
    const source = await family(person({ documents: [{ name: 'Permit' }] }))
    const target = await family(person())
    await expectOk(post(`/admin/v1/applicants/${encodeURIComponent(target.id)}/merge`, { from: source.id }))
    const entries = await recordsAt(ofPerson(target.id), {})
    const added = entries.find(({ kind, document }) => kind === 'document' && document?.name === 'Permit')
    assert.ok(added?.['actor'], JSON.stringify(entries))
  })

  it('has of the cases of a person only those that the caller sees', async () => {
    const [own, other] = [await company(), await company()]
    const { id, number } = await family(person({ sendingCompany: own.name }))
    const all = (name: string) => ({ hostCompany: name, sendingCompany: name, billingCompany: name })
    const mine = await newCase(all(own.name), { employeeNumber: number })
    const theirs = await newCase(all(other.name), { employeeNumber: number })
    await addNote(theirs.caseId, 'Not for the other company')
    const { token } = await limitedTo(own)
    const records = await recordsAt(ofPerson(id), { token })
    assert.ok(records.some(({ record }) => record.id === mine.caseId))
    assert.ok(records.every(({ record }) => record.id !== theirs.caseId))
    const outside = await limitedTo(other)
    await expectProblem(get(ofPerson(id), { token: outside.token }), 404, 'applicant-not-found')
    await expectProblem(get(ofPerson(UNKNOWN_ID)), 404, 'applicant-not-found')
    await expectProblem(get(`${ofPerson(id)}?nextCursor=AAAA`), 400, 'invalid-cursor')
  })
})

const byPointer = (a: Fields, b: Fields) => (a['pointer'] < b['pointer'] ? -1 : 1)
