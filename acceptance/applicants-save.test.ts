import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { credentials } from './client.ts'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
  dependentById,
  dependentByNumber,
  everyField,
  expectInvalid,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newNumber,
  ownId,
  person,
  post,
  put,
  retiredNumber,
} from './people.ts'

const create = (primaryApplicant: unknown, ...dependents: unknown[]) =>
  post('/v2/applicant', { primaryApplicant, dependents })

let retired: string
before(async () => {
  retired = await retiredNumber({ apiKey: credentials.apiKey })
})

describe('POST /v2/applicant', () => {
  it('responds with 201, the whole family, and its Location and ETag', async () => {
    const response = await create(everyField(), child(), child({ firstName: 'Cleo' }))
    assert.equal(response.status, 201)
    const { primaryApplicant, dependents } = response.body
    assert.deepEqual(Object.keys(response.body).sort(), ['dependents', 'primaryApplicant'])
    assert.deepEqual(
      dependents.map(({ firstName }: Fields) => firstName),
      ['Ben', 'Cleo'],
    )
    const location = response.headers.get('location') ?? ''
    const read = await get(location)
    assert.deepEqual(read.body, primaryApplicant)
    assert.equal(read.headers.get('etag'), response.headers.get('etag'))
    assert.deepEqual((await get(`${location}/dependents`)).body, dependents)
  })

  it('accepts a body without dependents', async () => {
    const { status, body } = await post('/v2/applicant', { primaryApplicant: person() })
    assert.deepEqual([status, body.dependents], [201, []])
  })

  it('rejects ids, and reports where each of them is', async () => {
    const ids = {
      applicantId: ownId(),
      metaData: [{ noteId: ownId() }],
      passports: [{ passportId: ownId() }],
      documents: [{ documentId: ownId() }],
      previousNames: [{ previousNameId: ownId() }],
    }
    const pointers = [
      'applicantId',
      'metaData/0/noteId',
      'passports/0/passportId',
      'documents/0/documentId',
      'previousNames/0/previousNameId',
    ]
    await expectInvalid(
      create(person(ids), child(ids)),
      ...pointers.map(pointer => `/primaryApplicant/${pointer}`),
      ...pointers.map(pointer => `/dependents/0/${pointer}`),
    )
  })

  it('ignores ids that are empty', async () => {
    for (const none of ['', null]) {
      const ids = {
        applicantId: none,
        metaData: [{ noteId: none, tagName: 'a', value: 'b' }],
        passports: [{ passportId: none, passportNumber: 'P' }],
        documents: [{ documentId: none, name: 'D' }],
        previousNames: [{ previousNameId: none, lastName: 'L' }],
      }
      const { primary, dependent } = await createFamilyWithDependent(person(ids), child(ids))
      for (const one of [primary, dependent]) {
        const { applicantId, metaData, passports, documents, previousNames } = one
        assert.ok(applicantId && metaData[0].noteId && passports[0].passportId)
        assert.ok(documents[0].documentId && previousNames[0].previousNameId)
      }
    }
  })

  it('rejects an employee number that a primary applicant or a dependent has', async () => {
    const { number, dependentNumber } = await createFamilyWithDependent()
    for (const taken of [number, dependentNumber]) {
      await expectProblem(create(person({ employeeNumber: taken })), 409, 'employee-number-in-use')
      const ofChild = await expectProblem(
        create(person(), child(), child({ firstName: 'Other', employeeNumber: taken })),
        409,
        'employee-number-in-use',
      )
      assert.deepEqual(
        ofChild.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/dependents/1/employeeNumber'],
      )
    }
  })

  it('rejects a retired employee number', async () => {
    await expectProblem(create(person({ employeeNumber: retired })), 409, 'employee-number-retired')
    await expectProblem(create(person(), child({ employeeNumber: retired })), 409, 'employee-number-retired')
  })

  it('rejects a number that occurs twice in the request', async () => {
    const number = newNumber()
    const twice = [child({ employeeNumber: number }), child({ employeeNumber: number })]
    await expectInvalid(create(person(), ...twice), '/dependents/1/employeeNumber')
    await expectInvalid(create(person({ employeeNumber: number }), twice[0]), '/dependents/0/employeeNumber')
    await expectProblem(get(byNumber(number)), 404, 'applicant-not-found')
  })

  it('stores nothing of a request whose second dependent is invalid', async () => {
    const { number: taken } = await family()
    const primary = person()
    const [first, second] = [child(), child()]
    for (const bad of [
      { ...second, employeeNumber: taken },
      { ...second, employeeNumber: retired },
      { ...second, gender: '??' },
    ]) {
      const { status } = await create(primary, first, bad)
      assert.ok(status === 409 || status === 400)
      await expectProblem(get(byNumber(primary['employeeNumber'])), 404, 'applicant-not-found')
    }
    // All numbers are still free.
    assert.equal((await create(primary, first, second)).status, 201)
  })

  it('creates one record for many concurrent requests with the same number', async () => {
    const employeeNumber = newNumber()
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 ? create(person({ employeeNumber })) : create(person(), child({ employeeNumber })),
      ),
    )
    const made = responses.filter(({ status }) => status === 201)
    assert.equal(made.length, 1)
    for (const { status, body } of responses)
      if (status !== 201) assert.deepEqual([status, body.code], [409, 'employee-number-in-use'])
  })

  it('accepts as many dependents and list items as a large family has', async () => {
    const dependents = Array.from({ length: 30 }, (_, index) => child({ firstName: `Child ${index}` }))
    const passports = Array.from({ length: 60 }, (_, index) => ({
      passportNumber: `P${index}`,
      country: 'DE',
    }))
    const made = await family(person({ passports }), dependents)
    assert.equal((await get(byId(made.id))).body.passports.length, 60)
    const { body } = await get(`${byId(made.id)}/dependents`)
    assert.deepEqual(
      body.map(({ firstName }: Fields) => firstName),
      dependents.map(({ firstName }) => firstName),
    )
  })
})

describe('POST /v2/applicant/{applicantId}/dependent', () => {
  const under = (id: string) => `${byId(id)}/dependent`

  it('responds with 201, the dependent, and its Location and ETag', async () => {
    const { id, number } = await family()
    const sent = everyField({ relationship: 'Spouse' })
    const response = await post(under(id), sent)
    assert.equal(response.status, 201)
    assert.equal(response.body.relationship, 'Spouse')
    const read = await get(response.headers.get('location') ?? '')
    assert.deepEqual(read.body, response.body)
    assert.equal(read.headers.get('etag'), response.headers.get('etag'))
    assert.deepEqual((await get(dependentByNumber(number, sent['employeeNumber']))).body, response.body)
  })

  it('leaves the other dependents and the primary applicant unchanged', async () => {
    const { id, primary, dependent } = await createFamilyWithDependent()
    const added = await expectOk(post(under(id), child()))
    assert.deepEqual((await get(`${byId(id)}/dependents`)).body, [dependent, added])
    assert.deepEqual((await get(byId(id))).body, primary)
  })

  it('responds with 404 for an id that is unknown, malformed, or that of a dependent', async () => {
    const { dependentId, number } = await createFamilyWithDependent()
    for (const id of ['bm9ib2R5', dependentId, number, 'x', 'a/b'])
      await expectProblem(post(under(id), child()), 404, 'applicant-not-found')
  })

  it('responds with 404 for an archived dependent', async () => {
    const { id, dependentId } = await createFamilyWithDependent()
    await expectOk(put(byId(id), { primaryApplicant: person({ employeeNumber: undefined }), dependents: [] }))
    await expectProblem(post(under(dependentId), child()), 404, 'applicant-not-found')
  })

  it('rejects ids, except empty ones', async () => {
    const { id } = await family()
    const passports = [{ passportId: ownId() }]
    await expectInvalid(
      post(under(id), child({ applicantId: ownId(), passports })),
      '/applicantId',
      '/passports/0/passportId',
    )
    assert.ok((await expectOk(post(under(id), child({ applicantId: '' }))))['applicantId'])
  })

  it('rejects a number that is in use or retired', async () => {
    const { id, number, dependentNumber } = await createFamilyWithDependent()
    for (const employeeNumber of [number, dependentNumber])
      await expectProblem(post(under(id), child({ employeeNumber })), 409, 'employee-number-in-use')
    await expectProblem(post(under(id), child({ employeeNumber: retired })), 409, 'employee-number-retired')
    assert.equal((await get(`${byId(id)}/dependents`)).body.length, 1)
  })

  it('stores every one of many concurrent requests', async () => {
    const { id } = await family()
    const added = await Promise.all(Array.from({ length: 20 }, () => expectOk(post(under(id), child()))))
    const { body } = await get(`${byId(id)}/dependents`)
    assert.deepEqual(
      new Set(body.map(({ applicantId }: Fields) => applicantId)),
      new Set(added.map(({ applicantId }) => applicantId)),
    )
    const one = added[7]?.['applicantId']
    assert.deepEqual((await get(dependentById(id, one))).body, added[7])
  })
})
