// One section for each of the nine rules of the Applicant API. The other applicant files test the details.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { credentials } from './client.ts'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
  dependentById,
  dependentByNumber,
  everyField,
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

const LISTS = ['metaData', 'passports', 'documents', 'previousNames']
const NAMES = { firstName: 'Eva', lastName: 'Roth' }
const ANNA = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }
const withKey = { apiKey: credentials.apiKey }

/** The names of the fields that are not empty. */
const filled = (record: Fields) =>
  Object.keys(record).filter(name => (LISTS.includes(name) ? record[name].length > 0 : record[name] !== null))

const bare = ['applicantId', 'createdAt', 'firstName', 'lastName', 'relationship', 'status', 'updatedAt']

describe('rule 1: Save applicant creates a brand-new applicant', () => {
  it('with its dependents in one request', async () => {
    const primaryApplicant = person()
    const dependents = [child(), child()]
    const response = await post('/v2/applicant', { primaryApplicant, dependents })
    assert.equal(response.status, 201)
    const number = primaryApplicant['employeeNumber']
    const { body } = await get(`${byNumber(number)}/dependents`)
    assert.deepEqual(
      body.map(({ employeeNumber }: Fields) => employeeNumber),
      dependents.map(({ employeeNumber }) => employeeNumber),
    )
  })

  it('and rejects a number that another primary applicant or dependent has', async () => {
    const { number } = await family()
    const primaryApplicant = person()
    const dependents = [child(), child({ employeeNumber: number })]
    await expectProblem(
      post('/v2/applicant', { primaryApplicant, dependents }),
      409,
      'employee-number-in-use',
    )
    await expectProblem(get(byNumber(primaryApplicant['employeeNumber'])), 404, 'applicant-not-found')
  })
})

describe('rule 2: Update applicant creates or fully replaces the record', () => {
  it('creates it if it does not exist', async () => {
    const id = ownId()
    assert.equal((await put(byId(id), { primaryApplicant: person(), dependents: [] })).status, 201)
    assert.equal((await get(byId(id))).body.applicantId, id)
  })

  it('clears omitted fields', async () => {
    const { id } = await family(everyField())
    const response = await put(byId(id), { primaryApplicant: NAMES, dependents: [] })
    assert.equal(response.status, 200)
    assert.deepEqual(filled((await get(byId(id))).body).sort(), [...bare, 'employeeNumber'].sort())
  })
})

describe('rule 3: Save applicant by employee number is an upsert', () => {
  it('creates the applicant, and replaces it the next time', async () => {
    const number = newNumber()
    const made = await put(byNumber(number), { primaryApplicant: everyField({ employeeNumber: number }) })
    const again = await put(byNumber(number), { primaryApplicant: NAMES })
    assert.deepEqual([made.status, again.status], [201, 200])
    const { body } = await get(byNumber(number))
    assert.equal(body.applicantId, made.body.primaryApplicant.applicantId)
    assert.deepEqual(filled(body).sort(), [...bare, 'employeeNumber'].sort())
  })
})

describe('rule 4: Save dependent by employee number is a full replacement', () => {
  it('of the dependent addressed by the primary applicant’s number and its own id or number', async () => {
    const { number, dependentId } = await createFamilyWithDependent(
      person(),
      everyField({ relationship: 'Spouse' }),
    )
    const path = dependentByNumber(number, dependentId)
    const response = await put(path, { ...NAMES, relationship: 'Partner' })
    assert.equal(response.status, 200)
    const { body } = await get(path)
    assert.equal(body.relationship, 'Partner')
    assert.deepEqual(filled(body).sort(), [...bare, 'employeeNumber'].sort())
  })
})

describe('rule 5: the merge operations update only the fields provided', () => {
  it('and leave the others unchanged, in all three operations', async () => {
    const one = await createFamilyWithDependent(everyField(), everyField({ relationship: 'Spouse' }))
    const dependentPath = dependentByNumber(one.number, one.dependentNumber)
    await expectOk(patch(byId(one.id), { primaryApplicant: { jobTitle: 'First' } }))
    await expectOk(patch(byNumber(one.number), { primaryApplicant: { addressCity: 'Second' } }))
    await expectOk(patch(dependentPath, { applicantId: one.dependentId, jobTitle: 'Third' }))
    const primary = (await get(byId(one.id))).body
    const dependent = (await get(dependentPath)).body
    const changed = { jobTitle: 'First', addressCity: 'Second', updatedAt: '' }
    assert.deepEqual({ ...primary, updatedAt: '' }, { ...one.primary, ...changed })
    assert.deepEqual({ ...dependent, updatedAt: '' }, { ...one.dependent, jobTitle: 'Third', updatedAt: '' })
  })

  it('and associate their dependents with the merged applicant', async () => {
    const duplicate = await createFamilyWithDependent()
    const { id, number } = await family()
    const dependents = [{ applicantId: duplicate.dependentId }, child()]
    await expectOk(patch(byNumber(number), { primaryApplicant: { jobTitle: 'Merged' }, dependents }))
    assert.equal((await get(`${byId(id)}/dependents`)).body.length, 2)
    assert.equal((await get(dependentById(id, duplicate.dependentId))).status, 200)
    assert.deepEqual((await get(`${byId(duplicate.id)}/dependents`)).body, [])
  })
})

describe('rule 6: Save dependent needs an existing primary applicant', () => {
  it('and adds the dependent to it', async () => {
    const { id } = await family()
    const response = await post(`${byId(id)}/dependent`, child())
    assert.equal(response.status, 201)
    assert.deepEqual((await get(`${byId(id)}/dependents`)).body, [response.body])
  })

  it('and responds with 404 for any other id', async () => {
    const { dependentId } = await createFamilyWithDependent()
    for (const id of [ownId(), dependentId])
      await expectProblem(post(`${byId(id)}/dependent`, child()), 404, 'applicant-not-found')
  })
})

describe('rule 7: Change employee number verifies, and cannot be undone', () => {
  it('changes the number if name and date of birth match', async () => {
    const { id, number } = await family()
    const to = newNumber()
    const response = await post(`${byNumber(number)}/${to}`, ANNA, withKey)
    assert.equal(response.status, 200)
    assert.deepEqual([response.body.previousEmployeeNumber, response.body.employeeNumber], [number, to])
    assert.equal((await get(byNumber(to))).body.applicantId, id)
    await expectProblem(get(byNumber(number)), 404, 'applicant-not-found')
    await expectProblem(post(`${byNumber(to)}/${number}`, ANNA, withKey), 409, 'employee-number-retired')
  })

  it('rejects the change if they do not match', async () => {
    const caller = await newCaller()
    const { number } = await family()
    const wrong = { ...ANNA, lastName: 'Smith' }
    await expectProblem(post(`${byNumber(number)}/${newNumber()}`, wrong, caller), 422, 'identity-mismatch')
    assert.equal((await get(byNumber(number))).status, 200)
  })

  it('requires an API key and a token', async () => {
    const { number } = await family()
    const path = `${byNumber(number)}/${newNumber()}`
    await expectProblem(post(path, ANNA), 401, 'api-key-required')
    await expectProblem(post(path, ANNA, { ...withKey, scopes: null }), 401, 'token-required')
  })
})

describe('rule 8: Change dependent employee number keeps the dependent where it is', () => {
  it('verified by first name and date of birth', async () => {
    const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent()
    const path = dependentByNumber(number, dependentNumber)
    const { employeeNumber } = await expectOk(post(path, { firstName: 'Ben', dateOfBirth: '2018-09-12' }))
    assert.notEqual(employeeNumber, dependentNumber)
    assert.equal((await get(dependentByNumber(number, employeeNumber))).body.applicantId, dependentId)
    assert.equal((await get(`${byId(id)}/dependents`)).body.length, 1)
    const caller = await newCaller()
    const wrong = { firstName: 'Ben', dateOfBirth: '2018-09-13' }
    await expectProblem(
      post(dependentByNumber(number, employeeNumber), wrong, caller),
      422,
      'identity-mismatch',
    )
  })
})

describe('rule 9: each read by employee number has a counterpart by encoded id', () => {
  it('which returns the same', async () => {
    const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent(everyField())
    const counterparts = [
      [byId(id), byNumber(number)],
      [`${byId(id)}/dependents`, `${byNumber(number)}/dependents`],
      [dependentById(id, dependentId), dependentByNumber(number, dependentNumber)],
    ] as const
    for (const [one, other] of counterparts) assert.deepEqual((await get(one)).body, (await get(other)).body)
  })
})
