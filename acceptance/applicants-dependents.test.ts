// Dependents in a PUT of their primary applicant, and in the PUT and PATCH of one dependent.
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
  patch,
  person,
  post,
  put,
  retiredNumber,
} from './people.ts'

const named = (fields: Fields = {}) => ({ firstName: 'Anna', lastName: 'Schmidt', ...fields })
const dependentsOf = async (id: string) => (await get(`${byId(id)}/dependents`)).body

let retired: string
before(async () => {
  retired = await retiredNumber({ apiKey: credentials.apiKey })
})

describe('the dependents of a PUT', () => {
  it('replace the stored set if present, and leave it unchanged if absent', async () => {
    const { id, number, dependents } = await family(person(), [child(), child()])
    for (const path of [byId(id), byNumber(number)]) {
      const response = await expectOk(put(path, { primaryApplicant: named({ employeeNumber: number }) }))
      assert.deepEqual(response['dependents'], dependents)
      assert.deepEqual(await dependentsOf(id), dependents)
    }
    const [first] = dependents
    const kept = await expectOk(put(byId(id), { primaryApplicant: named(), dependents: [first] }))
    assert.deepEqual(kept['dependents'], [first])
    assert.deepEqual(await dependentsOf(id), [first])
    await expectOk(put(byId(id), { primaryApplicant: named(), dependents: [] }))
    assert.deepEqual(await dependentsOf(id), [])
  })

  it('are matched by id, otherwise by number among those of this primary applicant', async () => {
    const { id, dependents } = await family(person(), [child({ employeeNumber: null }), child()])
    const [first, second] = dependents as [Fields, Fields]
    const given = newNumber()
    const sent = [
      child({ applicantId: first['applicantId'], employeeNumber: given, firstName: 'By id' }),
      child({ employeeNumber: second['employeeNumber'], firstName: 'By number' }),
      child({ firstName: 'New' }),
    ]
    const response = await expectOk(put(byId(id), { primaryApplicant: named(), dependents: sent }))
    const [one, two, three] = response['dependents']
    assert.deepEqual(
      [one.applicantId, one.employeeNumber, one.firstName],
      [first['applicantId'], given, 'By id'],
    )
    assert.deepEqual([two.applicantId, two.firstName], [second['applicantId'], 'By number'])
    assert.equal(two.createdAt, second['createdAt'])
    assert.ok(![one.applicantId, two.applicantId].includes(three.applicantId))
    assert.equal((await dependentsOf(id)).length, 3)
  })

  it('are replaced as a whole', async () => {
    const { id, dependentId, dependentNumber } = await createFamilyWithDependent(
      person(),
      everyField({ relationship: 'Spouse' }),
    )
    const dependents = [{ ...child(), applicantId: dependentId, employeeNumber: undefined }]
    await expectOk(put(byId(id), { primaryApplicant: named(), dependents }))
    const read = (await get(dependentById(id, dependentId))).body
    assert.deepEqual(
      [read.email, read.employeeNumber, read.passports, read.documents],
      [null, dependentNumber, [], []],
    )
  })

  it('keep their numbers: swapping, changing or removing one is rejected', async () => {
    const { id, number, primary, dependents } = await family(person(), [child(), child()])
    const [first, second] = dependents as [Fields, Fields]
    const expectFixed = async (primaryApplicant: Fields, sent: Fields[], ...pointers: string[]) => {
      for (const path of [byId(id), byNumber(number)]) {
        const { errors } = await expectProblem(
          put(path, { primaryApplicant, dependents: sent }),
          409,
          'employee-number-fixed',
        )
        assert.deepEqual(
          errors.map(({ pointer }: { pointer: string }) => pointer),
          pointers,
        )
      }
    }
    const numbers = ['/dependents/0/employeeNumber', '/dependents/1/employeeNumber'] as const
    const swapped = [
      { ...first, employeeNumber: second['employeeNumber'] },
      { ...second, employeeNumber: first['employeeNumber'] },
    ]
    await expectFixed(named(), swapped, ...numbers)
    await expectFixed(named(), [{ ...first, employeeNumber: null }, second], numbers[0])
    await expectFixed(named(), [first, { ...second, employeeNumber: '' }], numbers[1])
    assert.deepEqual((await get(byId(id))).body, primary)
    assert.deepEqual(await dependentsOf(id), [first, second])
  })

  it('are rejected if they belong to another primary applicant or are one', async () => {
    const other = await createFamilyWithDependent()
    const { id, number, primary } = await family()
    for (const applicantId of [other.dependentId, other.id, id])
      for (const path of [byId(id), byNumber(number)])
        await expectProblem(
          put(path, { primaryApplicant: named({ jobTitle: 'x' }), dependents: [child({ applicantId })] }),
          409,
          'dependent-of-another-applicant',
        )
    assert.deepEqual((await get(byId(id))).body, primary)
    assert.deepEqual(await dependentsOf(other.id), [other.dependent])
  })

  it('are rejected with the id of their own primary applicant while it is created', async () => {
    const passportId = (await family(everyField())).primary['passports'][0].passportId
    for (const more of [{}, { passports: [{ passportId, passportNumber: 'X' }] }]) {
      const [id, number] = [ownId(), newNumber()]
      const dependents = [child({ applicantId: id, ...more })]
      for (const [path, applicantId] of [[byId(id)], [byNumber(number), id]] as const)
        await expectProblem(
          put(path, { primaryApplicant: named({ applicantId }), dependents }),
          409,
          'dependent-of-another-applicant',
        )
      await expectProblem(get(byId(id)), 404, 'applicant-not-found')
    }
  })

  it('are rejected with the number of another person or with the same number twice', async () => {
    const other = await createFamilyWithDependent()
    const { id, primary, dependents } = await family(person(), [child(), child()])
    const [first, second] = dependents as [Fields, Fields]
    for (const employeeNumber of [other.number, other.dependentNumber])
      await expectProblem(
        put(byId(id), { primaryApplicant: named(), dependents: [child(), child({ employeeNumber })] }),
        409,
        'employee-number-in-use',
      )
    const { employeeNumber } = first
    const both = [first, { ...second, employeeNumber }]
    await expectInvalid(
      put(byId(id), { primaryApplicant: named(), dependents: both }),
      '/dependents/1/employeeNumber',
    )
    await expectInvalid(
      put(byId(id), { primaryApplicant: named(), dependents: [first, first] }),
      '/dependents/1/applicantId',
      '/dependents/1/employeeNumber',
    )
    assert.deepEqual((await get(byId(id))).body, primary)
    assert.deepEqual(await dependentsOf(id), dependents)
  })
})

describe('an archived dependent', () => {
  const archived = async () => {
    const made = await createFamilyWithDependent(person(), everyField({ relationship: 'Spouse' }))
    const primaryApplicant = named({ employeeNumber: made.number })
    await expectOk(put(byId(made.id), { primaryApplicant, dependents: [] }))
    return made
  }

  it('releases its number', async () => {
    const one = await archived()
    const { number } = await family(person({ employeeNumber: one.dependentNumber }))
    assert.equal(number, one.dependentNumber)
    const another = await archived()
    const body = child({ employeeNumber: another.dependentNumber })
    const added = await expectOk(post(`${byId(another.id)}/dependent`, body))
    assert.notEqual(added['applicantId'], another.dependentId)
  })

  it('is restored by a PUT with its id', async () => {
    const { id, number, dependent, dependentId } = await archived()
    await expectOk(put(byNumber(number), { primaryApplicant: named(), dependents: [dependent] }))
    const read = (await get(dependentById(id, dependentId))).body
    assert.deepEqual({ ...read, updatedAt: '' }, { ...dependent, updatedAt: '' })
  })

  it('is restored by a PATCH with its id', async () => {
    const { id, dependent, dependentId } = await archived()
    await expectOk(patch(byId(id), { dependents: [{ applicantId: dependentId, jobTitle: 'Back' }] }))
    const read = (await get(dependentById(id, dependentId))).body
    assert.deepEqual({ ...read, updatedAt: '' }, { ...dependent, jobTitle: 'Back', updatedAt: '' })
  })

  it('responds with 404 to a write to it', async () => {
    const { number, dependentId, dependentNumber } = await archived()
    for (const key of [dependentId, dependentNumber]) {
      await expectProblem(put(dependentByNumber(number, key), child()), 404, 'dependent-not-found')
      await expectProblem(patch(dependentByNumber(number, key), {}), 404, 'dependent-not-found')
    }
  })

  it('still belongs to its primary applicant', async () => {
    const { dependentId } = await archived()
    const { id } = await family()
    const body = { primaryApplicant: named(), dependents: [child({ applicantId: dependentId })] }
    await expectProblem(put(byId(id), body), 409, 'dependent-of-another-applicant')
  })
})

describe('PUT /v2/applicant/employeenumber/{employeeNumber}/dependents/{dependentId}', () => {
  it('replaces the whole dependent, by its id and by its number', async () => {
    const spouse = everyField({ relationship: 'Spouse' })
    const { id, number, dependentId, dependentNumber, dependent } = await createFamilyWithDependent(
      person(),
      spouse,
    )
    for (const key of [dependentId, dependentNumber]) {
      await expectOk(put(dependentByNumber(number, key), dependent))
      const sent = {
        firstName: 'Eva',
        lastName: 'Roth',
        relationship: 'Partner',
        employeeNumber: dependentNumber,
      }
      const response = await put(dependentByNumber(number, key), sent)
      assert.equal(response.status, 200)
      const read = (await get(dependentById(id, dependentId))).body
      assert.deepEqual(read, response.body)
      assert.deepEqual(
        [read.firstName, read.relationship, read.email, read.passports],
        ['Eva', 'Partner', null, []],
      )
      assert.equal(read.createdAt, dependent['createdAt'])
    }
  })

  it('is a no-op for the body that a GET returned', async () => {
    const { number, dependentId } = await createFamilyWithDependent(
      person(),
      everyField({ relationship: 'Spouse' }),
    )
    const path = dependentByNumber(number, dependentId)
    const before = await get(path)
    await expectOk(put(path, before.body))
    const after = await get(path)
    assert.equal(after.bytes.toString(), before.bytes.toString())
    assert.equal(after.headers.get('etag'), before.headers.get('etag'))
  })

  it('responds with 404 for an unknown primary applicant or dependent', async () => {
    const { number, dependentId } = await createFamilyWithDependent()
    const other = await createFamilyWithDependent()
    await expectProblem(put(dependentByNumber(newNumber(), dependentId), child()), 404, 'applicant-not-found')
    await expectProblem(
      put(dependentByNumber(other.dependentNumber, dependentId), child()),
      404,
      'applicant-not-found',
    )
    for (const key of [ownId(), newNumber(), other.dependentId, other.dependentNumber, number])
      await expectProblem(put(dependentByNumber(number, key), child()), 404, 'dependent-not-found')
  })

  it('rejects another id in the body, numbers in use, and documents of another person', async () => {
    const { id, number, dependentId, dependent } = await createFamilyWithDependent()
    const other = await family(everyField())
    const path = dependentByNumber(number, dependentId)
    await expectInvalid(put(path, child({ applicantId: ownId() })), '/applicantId')
    await expectProblem(put(path, child({ employeeNumber: newNumber() })), 409, 'employee-number-fixed')
    const bare = await createFamilyWithDependent(person(), child({ employeeNumber: null }))
    const barePath = dependentByNumber(bare.number, bare.dependentId)
    await expectProblem(put(barePath, child({ employeeNumber: number })), 409, 'employee-number-in-use')
    await expectProblem(put(barePath, child({ employeeNumber: retired })), 409, 'employee-number-retired')
    const documents = [{ documentId: other.primary['documents'][0].documentId }]
    await expectProblem(put(barePath, child({ documents, employeeNumber: null })), 422, 'unknown-reference')
    assert.deepEqual((await get(dependentById(id, dependentId))).body, dependent)
  })
})

describe('PATCH /v2/applicant/employeenumber/{employeeNumber}/dependents/{dependentId}', () => {
  it('changes only the fields in the body, by the id and by the number of the dependent', async () => {
    const spouse = everyField({ relationship: 'Spouse' })
    const { id, number, dependentId, dependentNumber, dependent } = await createFamilyWithDependent(
      person(),
      spouse,
    )
    await expectOk(
      patch(dependentByNumber(number, dependentId), { applicantId: dependentId, jobTitle: 'Cook' }),
    )
    await expectOk(patch(dependentByNumber(number, dependentNumber), { email: null }))
    const { updatedAt: _updatedAt, ...read } = (await get(dependentById(id, dependentId))).body
    const { updatedAt: _before, ...was } = dependent
    assert.deepEqual(read, { ...was, jobTitle: 'Cook', email: null })
  })

  it('responds with 404 under another primary applicant', async () => {
    const { dependentId } = await createFamilyWithDependent()
    const { number } = await family()
    await expectProblem(patch(dependentByNumber(newNumber(), dependentId), {}), 404, 'applicant-not-found')
    await expectProblem(patch(dependentByNumber(number, dependentId), {}), 404, 'dependent-not-found')
  })

  it('rejects another id in the body, numbers in use, and unknown items', async () => {
    const { number, dependentId } = await createFamilyWithDependent()
    const path = dependentByNumber(number, dependentId)
    await expectInvalid(patch(path, { applicantId: ownId() }), '/applicantId')
    for (const employeeNumber of [newNumber(), null, ''])
      await expectProblem(patch(path, { employeeNumber }), 409, 'employee-number-fixed')
    const bare = await createFamilyWithDependent(person(), child({ employeeNumber: null }))
    const barePath = dependentByNumber(bare.number, bare.dependentId)
    await expectProblem(patch(barePath, { employeeNumber: number }), 409, 'employee-number-in-use')
    await expectProblem(patch(barePath, { employeeNumber: retired }), 409, 'employee-number-retired')
    const { errors } = await expectProblem(
      patch(path, { passports: [{ passportId: ownId() }] }),
      422,
      'unknown-reference',
    )
    assert.equal(errors[0].pointer, '/passports/0/passportId')
  })
})
