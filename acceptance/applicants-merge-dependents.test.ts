// The dependents in a PATCH of their primary applicant: merged, moved to it, or created.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
  put,
} from './people.ts'

const dependentsOf = async (id: string) => (await get(`${byId(id)}/dependents`)).body

describe('the dependents of a merge', () => {
  it('are merged by id and by number; those not in the body are unchanged', async () => {
    const { id, number, dependents } = await family(person(), [child(), child(), child()])
    const [first, second, third] = dependents as [Fields, Fields, Fields]
    const body = {
      dependents: [
        { applicantId: first['applicantId'], jobTitle: 'One' },
        { employeeNumber: second['employeeNumber'], jobTitle: 'Two' },
      ],
    }
    const response = await expectOk(patch(byNumber(number), body))
    assert.equal(response['dependents'].length, 3)
    const read = (await dependentsOf(id)).map(({ updatedAt: _updatedAt, ...rest }: Fields) => rest)
    const expected = [{ ...first, jobTitle: 'One' }, { ...second, jobTitle: 'Two' }, third]
    assert.deepEqual(
      read,
      expected.map(({ updatedAt: _updatedAt, ...rest }: Fields) => rest),
    )
  })

  it('move from another primary applicant with all their data', async () => {
    const from = await family(person(), [everyField({ relationship: 'Spouse' }), child(), child()])
    const [spouse, second, third] = from.dependents as [Fields, Fields, Fields]
    const { id, number } = await family()
    await expectOk(patch(byId(id), { dependents: [{ applicantId: spouse['applicantId'] }] }))
    await expectOk(patch(byNumber(number), { dependents: [{ employeeNumber: second['employeeNumber'] }] }))
    assert.deepEqual(await dependentsOf(from.id), [third])
    const moved = (await get(dependentById(id, spouse['applicantId']))).body
    assert.deepEqual({ ...moved, updatedAt: '' }, { ...spouse, updatedAt: '' })
    assert.equal((await dependentsOf(id)).length, 2)
    await expectProblem(get(dependentById(from.id, spouse['applicantId'])), 404, 'dependent-not-found')
    await expectProblem(
      get(dependentByNumber(from.number, second['employeeNumber'])),
      404,
      'dependent-not-found',
    )
  })

  it('are created if no record has their id or number', async () => {
    const { id } = await family()
    const applicantId = ownId()
    const dependents = [child(), child({ applicantId }), child({ employeeNumber: null })]
    const response = await expectOk(patch(byId(id), { dependents }))
    assert.equal(response['dependents'][1].applicantId, applicantId)
    assert.deepEqual(await dependentsOf(id), response['dependents'])
    await expectInvalid(
      patch(byId(id), { dependents: [{ employeeNumber: newNumber() }] }),
      '/dependents/0/firstName',
      '/dependents/0/lastName',
      '/dependents/0/relationship',
    )
  })

  it('are rejected if one is a primary applicant or occurs twice', async () => {
    const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent()
    const other = await family()
    for (const one of [{ applicantId: other.id }, { employeeNumber: other.number }, { applicantId: id }])
      for (const path of [byId(id), byNumber(number)])
        await expectProblem(patch(path, { dependents: [one] }), 409, 'dependent-of-another-applicant')
    const twice = [{ applicantId: dependentId }, { employeeNumber: dependentNumber }]
    await expectInvalid(patch(byId(id), { dependents: twice }), '/dependents/1/applicantId')
  })

  it('are rejected with the number of a restored dependent in the same request', async () => {
    const from = await createFamilyWithDependent()
    const primaryApplicant = { firstName: 'Anna', lastName: 'Schmidt' }
    await expectOk(put(byId(from.id), { primaryApplicant, dependents: [] }))
    const { id } = await family()
    const restored = { applicantId: from.dependentId }
    const dependents = [restored, child({ firstName: 'Zoë', employeeNumber: from.dependentNumber })]
    await expectProblem(patch(byId(id), { dependents }), 409, 'employee-number-in-use')
    assert.deepEqual(await dependentsOf(id), [])
  })

  it('belong to one primary applicant after concurrent merges into several', async () => {
    const { dependentId } = await createFamilyWithDependent()
    const takers = await Promise.all(Array.from({ length: 4 }, () => family()))
    const body = { dependents: [{ applicantId: dependentId }] }
    await Promise.all(takers.map(({ id }) => expectOk(patch(byId(id), body))))
    const lists = await Promise.all(takers.map(({ id }) => dependentsOf(id)))
    assert.equal(lists.flat().length, 1)
  })

  it('belong to one primary applicant each after concurrent merges between families', async () => {
    const families = await Promise.all(Array.from({ length: 4 }, () => createFamilyWithDependent()))
    await Promise.all(
      families.flatMap(({ id }) =>
        families.map(({ dependentId }) =>
          expectOk(patch(byId(id), { dependents: [{ applicantId: dependentId }] })),
        ),
      ),
    )
    const lists = await Promise.all(families.map(({ id }) => dependentsOf(id)))
    assert.equal(lists.flat().length, 4)
  })
})
