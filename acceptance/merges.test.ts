// Merging two records of one person, undoing it, and what is left of the absorbed record.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  addNote,
  adminCase,
  COMPANIES,
  type Company,
  caseAt,
  casesOfId,
  casesOfNumber,
  company,
  newCase,
  notesAt,
  UNKNOWN_ID,
} from './case-factories.ts'
import { type Call, call } from './client.ts'
import { limitedTo, upload } from './company-factories.ts'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
  dependentById,
  everyField,
  expectInvalid,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newNumber,
  patch,
  person,
  post,
  put,
} from './people.ts'

const mergeAt = (id: string) => `/admin/v1/applicants/${encodeURIComponent(id)}/merge`
const undoAt = (mergeId: string) => `/admin/v1/merges/${encodeURIComponent(mergeId)}/undo`
const merge = (target: string, source: string, more: Fields = {}, rest: Partial<Call> = {}) =>
  post(mergeAt(target), { from: source, ...more }, rest)
const merged = (target: string, source: string, more: Fields = {}) => expectOk(merge(target, source, more))
const undo = (mergeId: string, body: Fields = {}, rest: Partial<Call> = {}) =>
  post(undoAt(mergeId), body, rest)
const ids = (records: Fields[], name: string) => records.map(record => record[name]).toSorted()
const etagOf = async (id: string) => (await get(byId(id))).headers.get('etag') ?? ''

describe('POST /admin/v1/applicants/{applicantId}/merge', () => {
  it('keeps the values of the target, fills what it lacks, and takes what is chosen', async () => {
    const target = await family(person({ jobTitle: 'Researcher', email: 'a@example.com', telephone: null }))
    const source = await family(
      person({ jobTitle: 'Head', email: 'b@example.com', telephone: '1', nationality: 'DE' }),
    )
    const result = await merged(target.id, source.id, { choices: { email: 'source', nationality: 'target' } })
    const { applicant } = result
    assert.deepEqual(
      [applicant.jobTitle, applicant.email, applicant.telephone, applicant.nationality],
      ['Researcher', 'b@example.com', '1', null],
    )
    const chosen = Object.fromEntries(
      result['differences'].map((one: Fields) => [one['field'], one['chosen']]),
    )
    assert.deepEqual(chosen, {
      jobTitle: 'target',
      email: 'source',
      telephone: 'source',
      nationality: 'target',
    })
    assert.deepEqual(await expectOk(get(byId(target.id))), applicant)
  })

  it('unites the lists by the rules of a replace, and keeps the ids of items', async () => {
    const list = (reference: string) => ({
      passports: [
        { passportNumber: 'PA-1', country: 'IE', issuedBy: reference },
        { passportNumber: `PB ${reference}`, country: 'GB' },
      ],
      documents: [
        { name: 'Card', referenceNumber: 'RC-1', description: reference },
        { name: `Card ${reference}`, expiryDate: '2030-01-01' },
      ],
      metaData: [
        { tagName: 'vip', value: reference },
        { tagName: reference, value: 'x' },
      ],
      previousNames: [{ lastName: reference, firstName: 'A', middleName: null }],
    })
    const target = await family(everyField(list('one')))
    const source = await family(everyField(list('two')))
    const result = await merged(target.id, source.id, { choices: { passports: 'source' } })
    const { applicant } = result
    const [first, second] = [target.primary, source.primary]
    assert.deepEqual(ids(applicant.passports, 'passportId'), [
      ...ids(first['passports'], 'passportId'),
      second['passports'][1].passportId,
    ].toSorted()) // biome-ignore format: short
    assert.equal(applicant.passports[0].issuedBy, 'two')
    assert.deepEqual(
      applicant.documents.map((one: Fields) => [one['documentId'], one['description']]),
      [...first['documents'], second['documents'][1]].map((one: Fields) => [
        one['documentId'],
        one['description'],
      ]),
    )
    assert.deepEqual(result['removedDocuments'], [second['documents'][0].documentId])
    assert.deepEqual(
      applicant.metaData.map((one: Fields) => `${one['tagName']} ${one['value']}`).toSorted(),
      ['one x', 'two x', 'vip one'],
    )
    assert.equal(applicant.previousNames.length, 2)
    const moved = await expectOk(get(`/v2/document/${second['documents'][1].documentId}`))
    assert.deepEqual([moved['applicantId'], moved['employeeNumber']], [target.id, target.number])
    const gone = get(`/v2/document/${second['documents'][0].documentId}`)
    await expectProblem(gone, 404, 'document-not-found')
  })

  it('moves cases with their steps, notes and files', async () => {
    const [target, source] = [await family(), await family()]
    const { caseId } = await newCase({}, { employeeNumber: source.number })
    const { noteId } = await addNote(caseId, 'Kept')
    const { documentId } = await expectOk(upload(caseId))
    const result = await merged(target.id, source.id)
    assert.deepEqual(result['moved'], { cases: [caseId], documents: [documentId], dependents: [] })
    const moved = await expectOk(get(caseAt(caseId)))
    assert.deepEqual([moved['applicantId'], moved['employeeNumber']], [target.id, target.number])
    for (const step of moved['steps']) assert.equal(step.applicantId, target.id)
    const [note] = (await get(notesAt(caseId))).body
    assert.deepEqual([note.noteId, note.applicantId, note.employeeNumber], [noteId, target.id, target.number])
    const file = await expectOk(get(`/v2/document/${documentId}`))
    assert.deepEqual([file['applicantId'], file['employeeNumber']], [target.id, target.number])
    assert.equal((await get(`/v2/document/${documentId}/file`)).status, 200)
    assert.deepEqual(ids((await get(casesOfId(target.id))).body, 'caseId'), [caseId])
  })

  it('moves dependents, and merges those that both have', async () => {
    const ben = { firstName: 'Ben', lastName: 'Schmidt', dateOfBirth: '2018-09-12' }
    const target = await family(person(), [child({ ...ben, employeeNumber: null, telephone: null })])
    const source = await family(person(), [
      child({ ...ben, firstName: 'BÉN', telephone: '7' }),
      child({ firstName: 'Kim', relationship: 'Spouse' }),
    ])
    const [kept, [absorbed, kim]] = [target.dependents[0] as Fields, source.dependents as [Fields, Fields]]
    const { caseId } = await newCase({}, { employeeNumber: absorbed['employeeNumber'] })
    const result = await merged(target.id, source.id)
    assert.deepEqual(result['mergedDependents'], [
      { applicantId: kept['applicantId'], absorbedApplicantId: absorbed['applicantId'] },
    ])
    assert.deepEqual(result['moved'].dependents, [kim['applicantId']])
    const dependents: Fields[] = (await get(`${byId(target.id)}/dependents`)).body
    assert.deepEqual(ids(dependents, 'applicantId'), ids([kept, kim], 'applicantId'))
    const one = dependents.find(record => record['applicantId'] === kept['applicantId'])
    assert.deepEqual([one?.['employeeNumber'], one?.['telephone'], one?.['firstName']], [absorbed['employeeNumber'], '7', 'Ben']) // biome-ignore format: short
    const lost = await expectProblem(
      get(dependentById(target.id, absorbed['applicantId'])),
      404,
      'dependent-not-found',
    )
    assert.equal(lost['mergedInto'], kept['applicantId'])
    assert.equal((await expectOk(get(caseAt(caseId))))['applicantId'], kept['applicantId'])
  })

  it('merges two dependents, and a dependent that is its own primary applicant', async () => {
    const one = await createFamilyWithDependent()
    const other = await createFamilyWithDependent()
    await merged(one.dependentId, other.dependentId, { employeeNumber: 'source' })
    const dependent = await expectOk(get(dependentById(one.id, one.dependentId)))
    assert.equal(dependent['employeeNumber'], other.dependentNumber)
    assert.deepEqual((await get(`${byId(other.id)}/dependents`)).body, [])
    const result = await merged(one.id, one.dependentId)
    assert.deepEqual([result['dependents'], result['applicant'].relationship], [[], ''])
    assert.deepEqual((await get(`${byId(one.id)}/dependents`)).body, [])
  })

  it('retires the number that does not remain, whichever is chosen', async () => {
    for (const [choice, at] of [
      [undefined, 0],
      ['target', 0],
      ['source', 1],
    ] as const) {
      const pair = [await family(), await family()]
      const [target, source] = pair as [(typeof pair)[0], (typeof pair)[0]]
      const [kept, retired] = [pair[at]?.number ?? '', pair[1 - at]?.number ?? '']
      const result = await merged(target.id, source.id, choice && { employeeNumber: choice })
      assert.deepEqual([result['applicant'].employeeNumber, result['retiredEmployeeNumber']], [kept, retired])
      assert.equal((await expectOk(get(byNumber(kept))))['applicantId'], target.id)
      // The nightly feed of the absorbed record gets an error that it can act on.
      const feed = put(byNumber(retired), { primaryApplicant: person({ employeeNumber: retired }) })
      await expectProblem(feed, 409, 'employee-number-retired')
      const read = await expectProblem(get(byNumber(retired)), 404, 'applicant-not-found')
      assert.equal(read['mergedInto'], target.id)
    }
  })

  it('gives the number of the absorbed record to a target that has none, or retires it', async () => {
    for (const choice of [undefined, 'target'] as const) {
      const [target, source] = [await family(person({ employeeNumber: null })), await family()]
      const result = await merged(target.id, source.id, choice && { employeeNumber: choice })
      const expected = choice ? [null, source.number] : [source.number, null]
      assert.deepEqual([result['applicant'].employeeNumber, result['retiredEmployeeNumber']], expected)
    }
  })

  it('writes nothing in a dry run, and says what it would do', async () => {
    const [target, source] = [await family(), await createFamilyWithDependent()]
    const { caseId } = await newCase({}, { employeeNumber: source.number })
    const tags = [await etagOf(target.id), await etagOf(source.id)]
    const planned = await merged(target.id, source.id, { dryRun: true })
    assert.deepEqual(
      [planned['mergeId'], planned['dryRun'], planned['moved'].cases, planned['moved'].dependents],
      [null, true, [caseId], [source.dependentId]],
    )
    assert.deepEqual([await etagOf(target.id), await etagOf(source.id)], tags)
    assert.equal((await expectOk(get(caseAt(caseId))))['applicantId'], source.id)
    const done = await merged(target.id, source.id)
    assert.deepEqual({ ...done['applicant'], updatedAt: '' }, { ...planned['applicant'], updatedAt: '' })
    assert.deepEqual(done['moved'], planned['moved'])
  })

  it('leaves an id that leads to the remaining record, and to no other', async () => {
    const [target, source] = [await family(), await createFamilyWithDependent()]
    await merged(target.id, source.id)
    const body = { primaryApplicant: person() }
    const calls: [string, Promise<Awaited<ReturnType<typeof get>>>][] = [
      ['read', get(byId(source.id))],
      ['dependents', get(`${byId(source.id)}/dependents`)],
      ['replace', put(byId(source.id), body)],
      ['merge', patch(byId(source.id), { primaryApplicant: { jobTitle: 'x' } })],
      ['merge by number', patch(byNumber(source.number), { primaryApplicant: { jobTitle: 'x' } })],
      ['new dependent', post(`${byId(source.id)}/dependent`, child())],
      ['cases', get(casesOfId(source.id))],
      ['cases by number', get(casesOfNumber(source.number))],
      ['another merge', merge(source.id, target.id)],
    ]
    for (const [name, response] of calls) {
      const problem = await expectProblem(response, 404, 'applicant-not-found')
      assert.equal(problem['mergedInto'], target.id, name)
    }
    const again = await expectProblem(merge(target.id, source.id), 422, 'unknown-reference')
    assert.deepEqual(again['errors'].map((error: Fields) => error['pointer']), ['/from'])
    const taken = put(byNumber(newNumber()), { primaryApplicant: { ...person(), employeeNumber: undefined, applicantId: source.id } })
    await expectProblem(taken, 409, 'dependent-of-another-applicant')
  }) // biome-ignore format: a table

  it('rejects records that cannot be one', async () => {
    const [one, other] = [await createFamilyWithDependent(), await createFamilyWithDependent()]
    await expectProblem(merge(one.id, other.dependentId), 409, 'records-not-mergeable')
    await expectProblem(merge(one.dependentId, other.id), 409, 'records-not-mergeable')
    await expectProblem(merge(one.dependentId, one.id), 409, 'records-not-mergeable')
    await expectProblem(merge(UNKNOWN_ID, one.id), 404, 'applicant-not-found')
    await expectProblem(merge(one.id, UNKNOWN_ID), 422, 'unknown-reference')
    await expectInvalid(merge(one.id, one.id), '/from')
  })

  it('rejects choices that mean nothing, all at once', async () => {
    const [target, source] = [await family(), await family(person({ employeeNumber: null }))]
    const choices = { relationship: 'source', jobTitle: 'mine', employeeNumber: 'source' }
    await expectInvalid(
      merge(target.id, source.id, { choices }),
      '/choices/jobTitle',
      '/choices/employeeNumber',
    )
    await expectInvalid(
      merge(target.id, source.id, { choices: { relationship: 'source' }, employeeNumber: 'source' }),
      '/choices/relationship',
      '/employeeNumber',
    )
    await expectInvalid(post(mergeAt(target.id), {}), '/from')
  })

  it('merges only the versions that the caller has compared', async () => {
    const [target, source] = [await family(), await family()]
    const [first, second] = [await etagOf(target.id), await etagOf(source.id)]
    await expectOk(patch(byId(source.id), { primaryApplicant: { jobTitle: 'x' } }))
    await expectProblem(merge(target.id, source.id, { fromVersion: second }), 412, 'version-mismatch')
    const headers = { 'if-match': second }
    await expectProblem(merge(target.id, source.id, {}, { headers }), 412, 'version-mismatch')
    const fromVersion = await etagOf(source.id)
    await expectOk(merge(target.id, source.id, { fromVersion }, { headers: { 'if-match': first } }))
  })

  it('runs once for an Idempotency-Key', async () => {
    const [target, source] = [await family(), await family()]
    const headers = { 'idempotency-key': newNumber('merge') }
    const first = await expectOk(merge(target.id, source.id, {}, { headers }))
    assert.deepEqual(await expectOk(merge(target.id, source.id, {}, { headers })), first)
    const other = merge(target.id, source.id, { dryRun: true }, { headers })
    await expectProblem(other, 422, 'idempotency-key-reused')
  })

  it('needs both scopes, and returns identifiers to a caller that may not read', async () => {
    const [target, source] = [await family(), await family()]
    const withoutWrite = { scopes: ['desk:write', 'applicants:read'] }
    await expectProblem(merge(target.id, source.id, {}, withoutWrite), 403, 'insufficient-scope')
    const result = await expectOk(
      merge(target.id, source.id, {}, { scopes: ['desk:write', 'applicants:write'] }),
    )
    assert.equal(result['applicant'].applicantId, target.id)
    assert.equal(result['applicant'].lastName, undefined)
    assert.equal(result['differences'], undefined)
    const again = undo(result['mergeId'], {}, withoutWrite)
    await expectProblem(again, 403, 'insufficient-scope')
  })
})

describe('POST /admin/v1/merges/{mergeId}/undo', () => {
  it('restores both records, their numbers, dependents, documents and cases', async () => {
    const target = await createFamilyWithDependent(everyField(), child({ employeeNumber: null }))
    const source = await createFamilyWithDependent(everyField({ sendingCompany: 'Other' }))
    const { caseId } = await newCase({}, { employeeNumber: source.number })
    const snapshot = async () => ({
      people: await Promise.all(
        [target, source].map(async ({ id }) => {
          const { updatedAt: _at, ...record } = await expectOk(get(byId(id)))
          const dependents: Fields[] = (await get(`${byId(id)}/dependents`)).body
          return [record, dependents.map(({ updatedAt: _time, ...dependent }) => dependent)]
        }),
      ),
      cases: ids((await get(casesOfId(source.id))).body, 'caseId'),
    })
    const before = await snapshot()
    const { mergeId } = await merged(target.id, source.id, { employeeNumber: 'source' })
    // A case that goes on takes its present state back.
    await addNote(caseId, 'While it was merged')
    await expectOk(patch(adminCase(caseId), { status: 'pending' }))
    const { documentId } = await expectOk(upload(caseId))
    const result = await expectOk(undo(mergeId, { reason: 'Two people' }))
    assert.equal(result['restored'].applicantId, source.id)
    assert.equal(result['applicant'].employeeNumber, target.number)
    assert.deepEqual(result['moved'].cases, [caseId])
    assert.deepEqual(await snapshot(), before)
    assert.equal((await expectOk(get(caseAt(caseId))))['status'], 'pending')
    assert.equal((await get(notesAt(caseId))).body.length, 1)
    assert.equal((await expectOk(get(`/v2/document/${documentId}`)))['applicantId'], source.id)
    const feed = put(byNumber(source.number), { primaryApplicant: person({ employeeNumber: source.number }) })
    assert.equal((await expectOk(feed))['primaryApplicant'].applicantId, source.id)
    await expectProblem(undo(mergeId), 409, 'merge-undone')
    await expectProblem(undo(UNKNOWN_ID), 404, 'merge-not-found')
  })

  it('is rejected, and names what was changed since', async () => {
    const changes: [
      string,
      (target: { id: string; number: string }, dependentId: string) => Promise<unknown>,
    ][] = [
      ['/target', ({ id }) => expectOk(patch(byId(id), { primaryApplicant: { jobTitle: 'New' } }))],
      ['/cases', ({ number }) => newCase({}, { employeeNumber: number })],
      ['/dependents/', ({ id }) => expectOk(post(`${byId(id)}/dependent`, child()))],
      [
        '/dependents/',
        ({ id }, applicantId) =>
          expectOk(patch(byId(id), { dependents: [{ applicantId, jobTitle: 'New' }] })),
      ],
    ]
    for (const [pointer, change] of changes) {
      const [target, source] = [await family(), await createFamilyWithDependent()]
      const { mergeId } = await merged(target.id, source.id)
      await change(target, source.dependentId)
      const problem = await expectProblem(undo(mergeId), 409, 'changed-since-merge')
      assert.equal(problem['errors'].length, 1, JSON.stringify(problem))
      assert.ok(problem['errors'][0].pointer.startsWith(pointer), JSON.stringify(problem))
      const read = await expectProblem(get(byId(source.id)), 404, 'applicant-not-found')
      assert.equal(read['mergedInto'], target.id)
    }
  })

  it('runs once for an Idempotency-Key', async () => {
    const [target, source] = [await family(), await family()]
    const { mergeId } = await merged(target.id, source.id)
    const headers = { 'idempotency-key': newNumber('undo') }
    const first = await expectOk(undo(mergeId, {}, { headers }))
    assert.deepEqual(await expectOk(undo(mergeId, {}, { headers })), first)
    await expectProblem(undo(mergeId, { reason: 'x' }, { headers }), 422, 'idempotency-key-reused')
  })
})

describe('GET /admin/v1/merges', () => {
  it('lists merges, the latest first, with who made and who undid them', async () => {
    const target = await family()
    const sources = [await family(), await family(), await family()]
    const made: string[] = []
    for (const { id } of sources) made.unshift((await merged(target.id, id))['mergeId'])
    await expectOk(undo(made[0] as string))
    const path = `/admin/v1/merges?applicantId=${encodeURIComponent(target.id)}`
    const pages: Fields[] = []
    for (let cursor = ''; ; ) {
      const page = await expectOk(get(`${path}&maxRecords=2${cursor && `&nextCursor=${cursor}`}`))
      pages.push(page)
      assert.equal(page['total'], 3)
      cursor = page['nextCursor']
      if (!cursor) break
    }
    const records: Fields[] = pages.flatMap(page => page['records'])
    assert.deepEqual(records.map(one => one['mergeId']), made) // biome-ignore format: short
    assert.ok(records[0]?.['undoneAt'] && records[0]?.['undoneBy'] && records[0]?.['mergedBy'])
    assert.deepEqual([records[1]?.['undoneAt'], records[1]?.['undoneBy']], [null, null])
    assert.equal(records[2]?.['absorbedApplicantId'], sources[0]?.id)
    const last = pages.at(-1)?.['prevCursor']
    const back = await expectOk(get(`${path}&maxRecords=2&prevCursor=${last}`))
    assert.deepEqual(back['records'], pages[0]?.['records'])
    const ofSource = `/admin/v1/merges?applicantId=${encodeURIComponent(sources[1]?.id ?? '')}`
    assert.deepEqual(ids((await expectOk(get(ofSource)))['records'], 'mergeId'), [made[1]])
    await expectProblem(get(`${path}&nextCursor=tampered`), 400, 'invalid-cursor')
    assert.ok((await expectOk(get('/admin/v1/merges?maxRecords=1')))['records'].length === 1)
  })
})

describe('merges of a caller who is limited to some companies', () => {
  let own: Company
  let foreign: Company
  let as: { token: string }
  let both: { token: string }

  before(async () => {
    ;[own, foreign] = [await company(), await company()]
    as = { token: (await limitedTo(own)).token }
    both = { token: (await limitedTo(own, foreign)).token }
  })
  const of = (owner: Company) => family(person({ sendingCompany: owner.name }))

  it('are possible between records that it sees, with cases of other companies', async () => {
    const [target, source] = [await of(own), await of(own)]
    // The case belongs to other companies, and moves all the same.
    const { caseId } = await newCase({}, { employeeNumber: source.number })
    const result = await expectOk(merge(target.id, source.id, {}, as))
    assert.deepEqual(result['moved'].cases, [])
    assert.equal((await expectOk(get(caseAt(caseId))))['applicantId'], target.id)
    const read = await expectProblem(get(byId(source.id), as), 404, 'applicant-not-found')
    assert.equal(read['mergedInto'], target.id)
    const { records } = await expectOk(get('/admin/v1/merges?maxRecords=1000', as))
    assert.ok(ids(records, 'mergeId').includes(result['mergeId']))
    await expectOk(undo(result['mergeId'], {}, as))
    assert.equal((await expectOk(get(caseAt(caseId))))['applicantId'], source.id)
  })

  it('stay in sight: the company of an absorbed dependent is not chosen if it is none of its own', async () => {
    for (const sendingCompany of [foreign.name, undefined]) {
      const { id, dependentId } = await createFamilyWithDependent(
        person({ sendingCompany: own.name }),
        child({ sendingCompany }),
      )
      const choices = { sendingCompany: 'source' }
      for (const dryRun of [true, false]) {
        const { errors } = await expectProblem(
          merge(id, dependentId, { choices, dryRun }, as),
          422,
          'unknown-company',
        )
        assert.equal(errors[0].pointer, '/choices/sendingCompany')
      }
      await expectOk(merge(id, dependentId, {}, as))
      assert.equal((await get(byId(id), as)).body.sendingCompany, own.name)
    }
  })

  it('are not undone where a case was created, which is named only if it sees it', async () => {
    for (const [fields, pointer] of [
      [{}, '/target'],
      [{ hostCompany: own.name, sendingCompany: own.name, billingCompany: own.name }, '/cases'],
    ] as const) {
      const [target, source] = [await of(own), await of(own)]
      const { mergeId } = await expectOk(merge(target.id, source.id, {}, as))
      await newCase(fields, { employeeNumber: target.number })
      const { errors } = await expectProblem(undo(mergeId, {}, as), 409, 'changed-since-merge')
      assert.deepEqual(
        errors.map((error: Fields) => error['pointer']),
        [pointer],
      )
    }
  })

  it('are not undone where the restored record would go out of sight', async () => {
    const renamed = await company()
    const limited = { token: (await limitedTo(renamed)).token }
    const source = await family(person({ sendingCompany: renamed.code }))
    const target = await of(renamed)
    const { mergeId } = await expectOk(merge(target.id, source.id, {}, limited))
    await expectOk(
      patch(`${COMPANIES}/${encodeURIComponent(renamed.companyId)}`, { code: `${renamed.code}-2` }),
    )
    const { errors } = await expectProblem(undo(mergeId, {}, limited), 409, 'changed-since-merge')
    assert.deepEqual(errors, [
      { pointer: '/source', detail: `You see no company ${renamed.code}, which the record had.` },
    ])
    await expectOk(undo(mergeId))
  })

  it('do not exist where it sees only one of the records', async () => {
    const [target, source] = [await of(foreign), await of(own)]
    await expectProblem(merge(target.id, source.id, {}, as), 404, 'applicant-not-found')
    await expectProblem(merge(source.id, target.id, {}, as), 422, 'unknown-reference')
    const { mergeId } = await expectOk(merge(target.id, source.id, {}, both))
    for (const path of [byId(source.id), byNumber(source.number)]) {
      const read = await expectProblem(get(path, as), 404, 'applicant-not-found')
      assert.equal('mergedInto' in read, false)
    }
    await expectProblem(undo(mergeId, {}, as), 404, 'merge-not-found')
    const { records } = await expectOk(get('/admin/v1/merges?maxRecords=1000', as))
    assert.ok(!ids(records, 'mergeId').includes(mergeId))
    const seen = await expectOk(get('/admin/v1/merges?maxRecords=1000', both))
    assert.ok(ids(seen['records'], 'mergeId').includes(mergeId))
    await expectOk(undo(mergeId, {}, both))
    assert.equal((await get(byId(source.id), as)).status, 200)
  })
})

describe('a replayed feed', () => {
  it('is rejected alike by id and by number where it names an absorbed record as a dependent', async () => {
    const [target, source, other] = [await family(), await family(), await family()]
    await expectOk(merge(target.id, source.id))
    const body = {
      primaryApplicant: { firstName: 'A', lastName: 'B' },
      dependents: [child({ applicantId: source.id })],
    }
    for (const send of [put, patch])
      for (const path of [byId(other.id), byNumber(other.number)])
        await expectProblem(send(path, body), 409, 'dependent-of-another-applicant')
    const gone = await expectProblem(put(byId(source.id), body), 404, 'applicant-not-found')
    assert.equal(gone['mergedInto'], target.id)
  })

  it('keeps working for the number that remains, with the body of the absorbed record', async () => {
    const body = { primaryApplicant: person({ employeeNumber: undefined }), dependents: [] }
    const [target, number] = [await family(), newNumber()]
    const source = (await expectOk(put(byNumber(number), body)))['primaryApplicant'].applicantId
    await merged(target.id, source, { employeeNumber: 'source' })
    const again = await expectOk(call({ method: 'PUT', path: byNumber(number), body }))
    assert.equal(again['primaryApplicant'].applicantId, target.id)
  })
})
