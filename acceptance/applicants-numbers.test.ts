// Changes of employee numbers. Failed identity checks are limited by client, so every test that fails one on purpose
// does so as a client of its own.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { credentials } from './client.ts'
import {
  byId,
  byNumber,
  child,
  dependentById,
  dependentByNumber,
  everyField,
  type Fields,
  family,
  faulty,
  get,
  good,
  newCaller,
  newNumber,
  ownId,
  pair,
  patch,
  person,
  post,
  put,
  refused,
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
  it('gives the applicant the new number and says what has followed', async () => {
    const identity = { firstName: 'Zoë', lastName: "D'Angelo-Müller", dateOfBirth: '1984-02-29' }
    const { id, number, primary, dependents } = await family(everyField(), [child()])
    const to = newNumber('New/№ 1')
    const answer = await change(number, to, identity)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, {
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

  it('leaves the old number to find nothing, by any operation', async () => {
    const { number, dependentId } = await pair()
    await good(change(number, newNumber()))
    const none = 'applicant-not-found'
    await refused(get(byNumber(number)), 404, none)
    await refused(get(`${byNumber(number)}/dependents`), 404, none)
    await refused(get(dependentByNumber(number, dependentId)), 404, 'dependent-not-found')
    await refused(patch(byNumber(number), {}), 404, none)
    await refused(put(dependentByNumber(number, dependentId), child()), 404, none)
    await refused(patch(dependentByNumber(number, dependentId), {}), 404, none)
    await refused(change(number, newNumber()), 404, none)
    await refused(changeDependent(number, dependentId), 404, 'dependent-not-found')
  })

  it('retires the old number for good: nobody gets it, not even its owner', async () => {
    const { id, number } = await family()
    const second = newNumber()
    await good(change(number, second))
    const gone = 'employee-number-retired'
    await refused(change(second, number), 409, gone)
    await refused(post('/v2/applicant', { primaryApplicant: person({ employeeNumber: number }) }), 409, gone)
    const bare = await family(person({ employeeNumber: null }))
    await refused(put(byId(bare.id), { primaryApplicant: person({ employeeNumber: number }) }), 409, gone)
    await refused(put(byNumber(number), { primaryApplicant: person({ employeeNumber: number }) }), 409, gone)
    await refused(patch(byId(bare.id), { primaryApplicant: { employeeNumber: number } }), 409, gone)
    const other = await family()
    await refused(change(other.number, number), 409, gone)
    assert.equal((await get(byId(id))).body.employeeNumber, second)
  })

  it('compares names trimmed, case-folded and normalised, and dates by day', async () => {
    const jose = { firstName: 'José María', lastName: 'STRAßE', dateOfBirth: '1979-12-31T23:30:00' }
    let { number } = await family(person(jose))
    const claims = [
      { firstName: '  josé maría ', lastName: 'straße', dateOfBirth: '1979-12-31' },
      { firstName: 'JOSE\u0301 MARI\u0301A', lastName: 'Strasse', dateOfBirth: '1979-12-31T00:00:00' },
      { firstName: 'José María', lastName: '\tSTRASSE\n', dateOfBirth: '1979-12-31T05:00:00+09:00' },
    ]
    for (const claim of claims) {
      const to = newNumber()
      await good(change(number, to, claim))
      number = to
    }
  })

  it('refuses a claim that does not match, without a word of what is on record', async () => {
    const caller = await newCaller()
    const { number, primary } = await family()
    for (const wrong of [{ firstName: 'Anne' }, { lastName: 'Schmitt' }, { dateOfBirth: '1990-06-01' }]) {
      const body = await refused(
        change(number, newNumber(), { ...ANNA, ...wrong }, caller),
        422,
        'identity-mismatch',
      )
      assert.doesNotMatch(JSON.stringify(body), /Anna|Schmidt|1990-05-31/)
    }
    const unborn = await family(person({ dateOfBirth: null }))
    await refused(change(unborn.number, newNumber(), ANNA, caller), 422, 'identity-mismatch')
    assert.deepEqual((await get(byNumber(number))).body, primary)
  })

  it('needs all three fields, as text, and nothing else', async () => {
    const { number } = await family()
    const to = newNumber()
    await faulty(change(number, to, {}), '/firstName', '/lastName', '/dateOfBirth')
    await faulty(change(number, to, { ...ANNA, dateOfBirth: '1990-02-30' }), '/dateOfBirth')
    await faulty(
      change(number, to, { firstName: null, lastName: 5, dateOfBirth: '' }),
      '/firstName',
      '/lastName',
      '/dateOfBirth',
    )
    await faulty(change(number, to, { ...ANNA, employeeNumber: number }), '/employeeNumber')
  })

  it('needs an API key beside the token', async () => {
    const { number } = await family()
    await refused(change(number, newNumber(), ANNA, {}), 401, 'api-key-required')
    assert.equal((await get(byNumber(number))).status, 200)
  })

  it('refuses a number that someone has, the same number, and one that is no number', async () => {
    const { number, dependentNumber, primary } = await pair()
    const other = await pair()
    for (const taken of [dependentNumber, other.number, other.dependentNumber])
      await refused(change(number, taken), 409, 'employee-number-in-use')
    for (const bad of [number, 'x'.repeat(65), 'tab\there'])
      await faulty(change(number, bad), '/newEmployeeNumber')
    assert.deepEqual((await get(byNumber(number))).body, primary)
  })

  it('finds no primary applicant under the number of nobody, or of a dependent', async () => {
    const { dependentNumber } = await pair()
    for (const from of [newNumber(), dependentNumber])
      await refused(change(from, newNumber()), 404, 'applicant-not-found')
  })

  it('is done once when it is asked for many times at once', async () => {
    const { id, number } = await family()
    const wanted = Array.from({ length: 8 }, () => newNumber())
    const answers = await Promise.all(wanted.map(to => change(number, to)))
    const [done, ...more] = answers.filter(({ status }) => status === 200)
    assert.deepEqual(more, [])
    assert.equal((await get(byId(id))).body.employeeNumber, done?.body.employeeNumber)
    for (const { status } of answers) assert.ok(status === 200 || status === 404)
  })
})

describe('POST /v2/applicant/employeenumber/{primaryEmployeeNumber}/dependents/{currentDependentEmployeeNumber}', () => {
  it('gives the dependent the number of the body, and leaves it with its primary applicant', async () => {
    const spouse = everyField({ ...BEN, relationship: 'Spouse' })
    const { id, number, dependent, dependentId, dependentNumber } = await pair(person(), spouse)
    const to = newNumber('D')
    const answer = await changeDependent(number, dependentNumber, { ...BEN, newEmployeeNumber: to })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, {
      applicantId: dependentId,
      previousEmployeeNumber: dependentNumber,
      employeeNumber: to,
      casesUpdated: 0,
      documentsUpdated: 2,
    })
    const read = (await get(dependentByNumber(number, to))).body
    assert.deepEqual({ ...read, updatedAt: '' }, { ...dependent, employeeNumber: to, updatedAt: '' })
    assert.deepEqual((await get(`${byId(id)}/dependents`)).body, [read])
    await refused(get(dependentByNumber(number, dependentNumber)), 404, 'dependent-not-found')
    const again = child({ employeeNumber: dependentNumber })
    await refused(post(`${byId(id)}/dependent`, again), 409, 'employee-number-retired')
  })

  it("gives the next free number made of the primary applicant's where the body names none", async () => {
    const { id, number, dependents } = await family(person(), [child(), child()])
    const [first, second] = dependents as [Fields, Fields]
    const next = async (dependent: Fields) =>
      (await good(changeDependent(number, dependent['applicantId'])))['employeeNumber']
    assert.equal(await next(first), `${number}-D1`)
    assert.equal(await next(second), `${number}-D2`)
    // A number that was given up is not free, and neither is one that someone else was given.
    await good(post(`${byId(id)}/dependent`, child({ employeeNumber: `${number}-D3` })))
    assert.equal(await next(first), `${number}-D4`)
    const { body } = await get(dependentById(id, first['applicantId']))
    assert.equal(body.employeeNumber, `${number}-D4`)
  })

  it('takes the id of a dependent that has no number yet', async () => {
    const { number, dependentId } = await pair(person(), child({ employeeNumber: null }))
    const body = await good(changeDependent(number, dependentId))
    assert.deepEqual([body['previousEmployeeNumber'], body['employeeNumber']], [null, `${number}-D1`])
  })

  it('needs no API key, and compares as the other change does', async () => {
    const { number, dependentNumber } = await pair()
    await good(
      changeDependent(number, dependentNumber, { firstName: ' BEN ', dateOfBirth: '2018-09-12T11:00:00Z' }),
    )
  })

  it('refuses a claim that does not match', async () => {
    const caller = await newCaller()
    const { number, dependentNumber, dependent } = await pair()
    for (const wrong of [{ firstName: 'Benjamin' }, { dateOfBirth: '2018-09-13' }])
      await refused(
        changeDependent(number, dependentNumber, { ...BEN, ...wrong }, caller),
        422,
        'identity-mismatch',
      )
    assert.deepEqual((await get(dependentByNumber(number, dependentNumber))).body, dependent)
  })

  it('needs both fields, as text, and no others', async () => {
    const { number, dependentNumber } = await pair()
    await faulty(changeDependent(number, dependentNumber, {}), '/firstName', '/dateOfBirth')
    await faulty(changeDependent(number, dependentNumber, { ...BEN, newNumber: 'x' }), '/newNumber')
    for (const newEmployeeNumber of ['x'.repeat(65), 7, dependentNumber])
      await faulty(
        changeDependent(number, dependentNumber, { ...BEN, newEmployeeNumber }),
        '/newEmployeeNumber',
      )
  })

  it('refuses a number that someone has or that is retired', async () => {
    const { number, dependentNumber, dependent } = await pair()
    const to = (newEmployeeNumber: string) =>
      changeDependent(number, dependentNumber, { ...BEN, newEmployeeNumber })
    const other = await family()
    for (const taken of [number, other.number]) await refused(to(taken), 409, 'employee-number-in-use')
    await good(change(other.number, newNumber()))
    await refused(to(other.number), 409, 'employee-number-retired')
    assert.deepEqual((await get(dependentByNumber(number, dependentNumber))).body, dependent)
  })

  it('finds no dependent of nobody, of another primary applicant, or in the primary itself', async () => {
    const { number, dependentId, dependentNumber } = await pair()
    const other = await pair()
    const cases = [
      [newNumber(), dependentNumber],
      [number, newNumber()],
      [number, ownId()],
      [number, other.dependentNumber],
      [number, number],
      [dependentNumber, dependentId],
    ] as const
    for (const [primary, current] of cases)
      await refused(changeDependent(primary, current), 404, 'dependent-not-found')
  })
})

describe('someone who guesses at identities', () => {
  it('has to wait, by either change, for as long as Retry-After says; others do not', async () => {
    const caller = await newCaller()
    const { number, dependentNumber } = await pair()
    const guess = (day: number) =>
      day % 2
        ? change(number, newNumber(), { ...ANNA, dateOfBirth: `1990-01-${day}` }, caller)
        : changeDependent(number, dependentNumber, { ...BEN, dateOfBirth: `2018-01-${day}` }, caller)
    let answer = await guess(10)
    for (let day = 11; day < 31 && answer.status === 422; day++) answer = await guess(day)
    assert.deepEqual([answer.status, answer.body.code], [429, 'too-many-requests'])
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    // Not even a right claim is heard from there now.
    assert.equal((await change(number, newNumber(), ANNA, caller)).status, 429)
    assert.equal((await changeDependent(number, dependentNumber, BEN, caller)).status, 429)
    assert.equal((await change(number, newNumber())).status, 200)
  })
})
