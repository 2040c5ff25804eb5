// Changes of employee numbers. Failed identity checks are limited per client, so every test that fails one on purpose uses
// its own client.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addNote, caseAt, dayFromNow, newCase, notesAt, pagesFrom } from './case-factories.ts'
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
  newCaller,
  newNumber,
  ownId,
  patch,
  person,
  post,
  put,
} from './people.ts'

const ANNA = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }
const BEN = { firstName: 'Ben', dateOfBirth: '2018-09-12' }
const withKey = { apiKey: credentials.apiKey }

const changePath = (from: string, to: string) => `${byNumber(from)}/${encodeURIComponent(to)}`
const change = (from: string, to: string, identity: Fields = ANNA, rest: Fields = withKey) =>
  post(changePath(from, to), identity, rest)
const changeDependent = (primary: string, current: string, body: Fields = BEN, rest: Fields = {}) =>
  post(dependentByNumber(primary, current), body, rest)

describe('POST /v2/applicant/employeenumber/{oldEmployeeNumber}/{newEmployeeNumber}', () => {
  it('sets the new number and returns the number of updated records', async () => {
    const identity = { firstName: 'Zoë', lastName: "D'Angelo-Müller", dateOfBirth: '1984-02-29' }
    const { id, number, primary, dependents } = await family(everyField(), [child()])
    const to = newNumber('New/№ 1')
    const response = await change(number, to, identity)
    assert.equal(response.status, 200)
    assert.deepEqual(response.body, {
      applicantId: id,
      previousEmployeeNumber: number,
      employeeNumber: to,
      casesUpdated: 0,
      documentsUpdated: 2,
    })
    const read = (await get(byNumber(to))).body
    assert.deepEqual({ ...read, updatedAt: '' }, { ...primary, employeeNumber: to, updatedAt: '' })
    assert.ok(read.updatedAt > primary['updatedAt'])
    assert.deepEqual((await get(byId(id))).body, read)
    assert.deepEqual((await get(`${byNumber(to)}/dependents`)).body, dependents)
  })

  it('counts the cases, steps, notes and documents of the person as updated', async () => {
    const { id, number } = await family(person({ documents: [{ name: 'Visa' }] }))
    const { caseId } = await newCase({}, { employeeNumber: number })
    await addNote(caseId, 'Written before the number was changed.')
    const documentId = (await get(byId(id))).body.documents[0].documentId as string
    const state = async () => {
      const [read, notes, document] = await Promise.all([
        get(caseAt(caseId)),
        get(notesAt(caseId)),
        get(`/v2/document/${encodeURIComponent(documentId)}`),
      ])
      const records: Fields[] = [read.body, ...read.body.steps, ...notes.body, document.body]
      return { records, etags: [read.headers.get('etag'), document.headers.get('etag')] }
    }
    const before = await state()
    const to = newNumber()
    assert.deepEqual((await change(number, to)).body, {
      applicantId: id,
      previousEmployeeNumber: number,
      employeeNumber: to,
      casesUpdated: 1,
      documentsUpdated: 1,
    })
    const after = await state()
    for (const [index, record] of after.records.entries()) {
      const old = before.records[index] as Fields
      assert.deepEqual([record['employeeNumber'], record['createdAt']], [to, old['createdAt']])
      assert.ok(record['updatedAt'] > old['updatedAt'])
    }
    for (const [index, etag] of after.etags.entries()) assert.notEqual(etag, before.etags[index])
    const range = { startDate: dayFromNow(-1), endDate: dayFromNow(1), maxRecords: 1000, offset: '' }
    const notes = (await pagesFrom('notes', { ...range, type: 'updated' })).flatMap(({ records }) => records)
    const found = notes.filter(note => note['caseId'] === caseId)
    assert.deepEqual(
      found.map(note => note['employeeNumber']),
      [to],
    )
  })

  it('responds with 404 to every operation by the old number', async () => {
    const { number, dependentId } = await createFamilyWithDependent()
    await expectOk(change(number, newNumber()))
    const none = 'applicant-not-found'
    await expectProblem(get(byNumber(number)), 404, none)
    await expectProblem(get(`${byNumber(number)}/dependents`), 404, none)
    await expectProblem(get(dependentByNumber(number, dependentId)), 404, 'dependent-not-found')
    await expectProblem(patch(byNumber(number), {}), 404, none)
    await expectProblem(put(dependentByNumber(number, dependentId), child()), 404, none)
    await expectProblem(patch(dependentByNumber(number, dependentId), {}), 404, none)
    await expectProblem(change(number, newNumber()), 404, none)
    await expectProblem(changeDependent(number, dependentId), 404, 'dependent-not-found')
  })

  it('retires the old number: it is rejected for every record, even its former owner', async () => {
    const { id, number } = await family()
    const second = newNumber()
    await expectOk(change(number, second))
    const gone = 'employee-number-retired'
    await expectProblem(change(second, number), 409, gone)
    await expectProblem(
      post('/v2/applicant', { primaryApplicant: person({ employeeNumber: number }) }),
      409,
      gone,
    )
    const bare = await family(person({ employeeNumber: null }))
    await expectProblem(
      put(byId(bare.id), { primaryApplicant: person({ employeeNumber: number }) }),
      409,
      gone,
    )
    await expectProblem(
      put(byNumber(number), { primaryApplicant: person({ employeeNumber: number }) }),
      409,
      gone,
    )
    await expectProblem(patch(byId(bare.id), { primaryApplicant: { employeeNumber: number } }), 409, gone)
    const other = await family()
    await expectProblem(change(other.number, number), 409, gone)
    assert.equal((await get(byId(id))).body.employeeNumber, second)
  })

  it('compares names without accents, case, spaces and punctuation, and dates by day', async () => {
    const jose = { firstName: 'José María', lastName: 'STRAßE', dateOfBirth: '1979-12-31T23:30:00' }
    let { number } = await family(person(jose))
    const claims = [
      { firstName: '  josé maría ', lastName: 'straße', dateOfBirth: '1979-12-31' },
      { firstName: 'JOSE\u0301 MARI\u0301A', lastName: 'Strasse', dateOfBirth: '1979-12-31T00:00:00' },
      { firstName: 'José María', lastName: '\tSTRASSE\n', dateOfBirth: '1979-12-31T05:00:00+09:00' },
      { firstName: 'Jose-Maria', lastName: 'strasse', dateOfBirth: '1979-12-31' },
    ]
    for (const claim of claims) {
      const to = newNumber()
      await expectOk(change(number, to, claim))
      number = to
    }
  })

  it('rejects an identity that does not match, without revealing what is stored', async () => {
    const caller = await newCaller()
    const { number, primary } = await family()
    for (const wrong of [{ firstName: 'Anne' }, { lastName: 'Schmitt' }, { dateOfBirth: '1990-06-01' }]) {
      const body = await expectProblem(
        change(number, newNumber(), { ...ANNA, ...wrong }, caller),
        422,
        'identity-mismatch',
      )
      assert.doesNotMatch(JSON.stringify(body), /Anna|Schmidt|1990-05-31/)
    }
    const unborn = await family(person({ dateOfBirth: null }))
    await expectProblem(change(unborn.number, newNumber(), ANNA, caller), 422, 'identity-mismatch')
    assert.deepEqual((await get(byNumber(number))).body, primary)
  })

  it('requires exactly three fields, as text', async () => {
    const { number } = await family()
    const to = newNumber()
    await expectInvalid(change(number, to, {}), '/firstName', '/lastName', '/dateOfBirth')
    await expectInvalid(change(number, to, { ...ANNA, dateOfBirth: '1990-02-30' }), '/dateOfBirth')
    await expectInvalid(
      change(number, to, { firstName: null, lastName: 5, dateOfBirth: '' }),
      '/firstName',
      '/lastName',
      '/dateOfBirth',
    )
    await expectInvalid(change(number, to, { ...ANNA, employeeNumber: number }), '/employeeNumber')
  })

  it('requires an API key in addition to the token', async () => {
    const { number } = await family()
    await expectProblem(change(number, newNumber(), ANNA, {}), 401, 'api-key-required')
    assert.equal((await get(byNumber(number))).status, 200)
  })

  it('rejects a number in use, the same number, and an invalid one', async () => {
    const { number, dependentNumber, primary } = await createFamilyWithDependent()
    const other = await createFamilyWithDependent()
    for (const taken of [dependentNumber, other.number, other.dependentNumber])
      await expectProblem(change(number, taken), 409, 'employee-number-in-use')
    for (const bad of [number, 'x'.repeat(65), 'tab\there'])
      await expectInvalid(change(number, bad), '/newEmployeeNumber')
    assert.deepEqual((await get(byNumber(number))).body, primary)
  })

  it('responds with 404 for an unknown number, and for that of a dependent', async () => {
    const { dependentNumber } = await createFamilyWithDependent()
    for (const from of [newNumber(), dependentNumber])
      await expectProblem(change(from, newNumber()), 404, 'applicant-not-found')
  })

  it('takes effect once for many concurrent requests', async () => {
    const { id, number } = await family()
    const wanted = Array.from({ length: 8 }, () => newNumber())
    const responses = await Promise.all(wanted.map(to => change(number, to)))
    const [done, ...more] = responses.filter(({ status }) => status === 200)
    assert.deepEqual(more, [])
    assert.equal((await get(byId(id))).body.employeeNumber, done?.body.employeeNumber)
    for (const { status } of responses) assert.ok(status === 200 || status === 404)
  })
})

describe('POST /v2/applicant/employeenumber/{employeeNumber}/dependents/{dependentId}', () => {
  it('sets the number in the body, and leaves the dependent with its primary applicant', async () => {
    const spouse = everyField({ ...BEN, relationship: 'Spouse' })
    const { id, number, dependent, dependentId, dependentNumber } = await createFamilyWithDependent(
      person(),
      spouse,
    )
    const to = newNumber('D')
    const response = await changeDependent(number, dependentNumber, { ...BEN, newEmployeeNumber: to })
    assert.equal(response.status, 200)
    assert.deepEqual(response.body, {
      applicantId: dependentId,
      previousEmployeeNumber: dependentNumber,
      employeeNumber: to,
      casesUpdated: 0,
      documentsUpdated: 2,
    })
    const read = (await get(dependentByNumber(number, to))).body
    assert.deepEqual({ ...read, updatedAt: '' }, { ...dependent, employeeNumber: to, updatedAt: '' })
    assert.deepEqual((await get(`${byId(id)}/dependents`)).body, [read])
    await expectProblem(get(dependentByNumber(number, dependentNumber)), 404, 'dependent-not-found')
    const again = child({ employeeNumber: dependentNumber })
    await expectProblem(post(`${byId(id)}/dependent`, again), 409, 'employee-number-retired')
  })

  it("assigns the next free number derived from the primary applicant's if the body has none", async () => {
    const { id, number, dependents } = await family(person(), [child(), child()])
    const [first, second] = dependents as [Fields, Fields]
    const next = async (dependent: Fields) =>
      (await expectOk(changeDependent(number, dependent['applicantId'])))['employeeNumber']
    assert.equal(await next(first), `${number}-D1`)
    assert.equal(await next(second), `${number}-D2`)
    // Retired numbers and numbers of other people are not free.
    await expectOk(post(`${byId(id)}/dependent`, child({ employeeNumber: `${number}-D3` })))
    assert.equal(await next(first), `${number}-D4`)
    const { body } = await get(dependentById(id, first['applicantId']))
    assert.equal(body.employeeNumber, `${number}-D4`)
  })

  it('accepts the id of a dependent that has no number yet', async () => {
    const { number, dependentId } = await createFamilyWithDependent(person(), child({ employeeNumber: null }))
    const body = await expectOk(changeDependent(number, dependentId))
    assert.deepEqual([body['previousEmployeeNumber'], body['employeeNumber']], [null, `${number}-D1`])
  })

  it('requires no API key, and compares names and dates like the other change', async () => {
    const { number, dependentNumber } = await createFamilyWithDependent()
    await expectOk(
      changeDependent(number, dependentNumber, { firstName: ' BEN ', dateOfBirth: '2018-09-12T11:00:00Z' }),
    )
  })

  it('compares the last name if the body has one', async () => {
    const { number, dependentNumber } = await createFamilyWithDependent(
      person(),
      child({ lastName: "O'Łęcki" }),
    )
    const caller = await newCaller()
    const claim = { ...BEN, lastName: 'Schmidt' }
    await expectProblem(changeDependent(number, dependentNumber, claim, caller), 422, 'identity-mismatch')
    await expectInvalid(changeDependent(number, dependentNumber, { ...BEN, lastName: '' }), '/lastName')
    await expectOk(changeDependent(number, dependentNumber, { ...BEN, lastName: 'o’lecki' }, caller))
  })

  it('rejects an identity that does not match', async () => {
    const caller = await newCaller()
    const { number, dependentNumber, dependent } = await createFamilyWithDependent()
    for (const wrong of [{ firstName: 'Benjamin' }, { dateOfBirth: '2018-09-13' }])
      await expectProblem(
        changeDependent(number, dependentNumber, { ...BEN, ...wrong }, caller),
        422,
        'identity-mismatch',
      )
    assert.deepEqual((await get(dependentByNumber(number, dependentNumber))).body, dependent)
  })

  it('requires both fields, as text, and no others', async () => {
    const { number, dependentNumber } = await createFamilyWithDependent()
    await expectInvalid(changeDependent(number, dependentNumber, {}), '/firstName', '/dateOfBirth')
    await expectInvalid(changeDependent(number, dependentNumber, { ...BEN, newNumber: 'x' }), '/newNumber')
    for (const newEmployeeNumber of ['x'.repeat(65), 7, dependentNumber])
      await expectInvalid(
        changeDependent(number, dependentNumber, { ...BEN, newEmployeeNumber }),
        '/newEmployeeNumber',
      )
  })

  it('rejects a number that is in use or retired', async () => {
    const { number, dependentNumber, dependent } = await createFamilyWithDependent()
    const to = (newEmployeeNumber: string) =>
      changeDependent(number, dependentNumber, { ...BEN, newEmployeeNumber })
    const other = await family()
    for (const taken of [number, other.number]) await expectProblem(to(taken), 409, 'employee-number-in-use')
    await expectOk(change(other.number, newNumber()))
    await expectProblem(to(other.number), 409, 'employee-number-retired')
    assert.deepEqual((await get(dependentByNumber(number, dependentNumber))).body, dependent)
  })

  it('responds with 404 for an unknown number, another primary applicant, and the primary applicant itself', async () => {
    const { number, dependentId, dependentNumber } = await createFamilyWithDependent()
    const other = await createFamilyWithDependent()
    const cases = [
      [newNumber(), dependentNumber],
      [number, newNumber()],
      [number, ownId()],
      [number, other.dependentNumber],
      [number, number],
      [dependentNumber, dependentId],
    ] as const
    for (const [primary, current] of cases)
      await expectProblem(changeDependent(primary, current), 404, 'dependent-not-found')
  })
})

describe('failed identity checks', () => {
  const WRONG = '1999-09-09'
  const guess = (number: string, caller: Fields) =>
    change(number, newNumber(), { ...ANNA, dateOfBirth: WRONG }, caller)

  it('of one person are limited to 10 per client across number changes; 429 has Retry-After', async () => {
    const caller = await newCaller()
    const { number } = await family()
    for (let count = 0; count < 10; count++)
      await expectProblem(guess(number, caller), 422, 'identity-mismatch')
    const response = await guess(number, caller)
    assert.deepEqual([response.status, response.body.code], [429, 'too-many-requests'])
    const wait = Number(response.headers.get('retry-after'))
    assert.ok(wait > 0 && wait <= 300, `Retry-After: ${wait}`)
    // A matching identity is rejected as well. Otherwise the limit would reveal which identity matches.
    await expectProblem(change(number, newNumber(), ANNA, caller), 429, 'too-many-requests')
    // Another client is not affected. The new number that it sets does not reset the limit of the first client.
    const next = newNumber()
    await expectOk(change(number, next))
    await expectProblem(guess(next, caller), 429, 'too-many-requests')
    await expectProblem(guess(number, caller), 404, 'applicant-not-found')
  })

  it('of a dependent count together, whether it is addressed by id or by number', async () => {
    const caller = await newCaller()
    const { number, dependentId, dependentNumber } = await createFamilyWithDependent()
    const wrong = { ...BEN, dateOfBirth: WRONG }
    for (let count = 0; count < 5; count++)
      for (const current of [dependentId, dependentNumber])
        await expectProblem(changeDependent(number, current, wrong, caller), 422, 'identity-mismatch')
    for (const current of [dependentId, dependentNumber])
      await expectProblem(changeDependent(number, current, BEN, caller), 429, 'too-many-requests')
    // The limit does not apply to the primary applicant, who is another person.
    const next = newNumber()
    await expectOk(change(number, next, ANNA, caller))
    await expectProblem(changeDependent(next, dependentId, BEN, caller), 429, 'too-many-requests')
  })

  it('of eleven people do not block a change for a twelfth', async () => {
    const caller = await newCaller()
    for (let count = 0; count < 11; count++)
      await expectProblem(guess((await family()).number, caller), 422, 'identity-mismatch')
    await expectOk(change((await family()).number, newNumber(), ANNA, caller))
  })

  it('of any people are limited to 100 per client, also when concurrent', async () => {
    const caller = await newCaller()
    const families = await Promise.all(Array.from({ length: 12 }, () => family()))
    const numbers = families.flatMap(({ number }) => Array.from({ length: 9 }, () => number))
    const responses = await Promise.all(numbers.map(number => guess(number, caller)))
    const count = (status: number) => responses.filter(response => response.status === status).length
    assert.deepEqual([count(422), count(429)], [100, 8])
    const other = await family()
    await expectProblem(change(other.number, newNumber(), ANNA, caller), 429, 'too-many-requests')
    await expectOk(change(other.number, newNumber()))
  })
})
