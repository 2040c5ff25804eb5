// An employee number identifies its record. No PUT or PATCH changes or removes it; Change employee number does.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TestResponse } from './client.ts'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
  dependentByNumber,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newNumber,
  patch,
  person,
  put,
} from './people.ts'

const named = (fields: Fields = {}) => ({ firstName: 'Anna', lastName: 'Schmidt', ...fields })
const dependentsOf = async (id: string): Promise<Fields[]> => (await get(`${byId(id)}/dependents`)).body
const WRITES = { PUT: put, PATCH: patch }

const OTHERS: Record<string, () => string | null> = {
  'another number': () => newNumber(),
  null: () => null,
  'an empty text': () => '',
}

const fixed = (response: Promise<TestResponse>) => expectProblem(response, 409, 'employee-number-fixed')

for (const [method, send] of Object.entries(WRITES))
  describe(`${method} of a record that has a number`, () => {
    for (const [name, other] of Object.entries(OTHERS)) {
      it(`/v2/applicant/{applicantId}: ${name} is rejected, and nothing changes`, async () => {
        const { id, primary, dependent } = await createFamilyWithDependent()
        const primaryApplicant = named({ employeeNumber: other(), jobTitle: 'x' })
        await fixed(send(byId(id), { primaryApplicant, dependents: [child()] }))
        assert.deepEqual((await get(byId(id))).body, primary)
        assert.deepEqual(await dependentsOf(id), [dependent])
      })

      it(`/v2/applicant/{applicantId} and by number: ${name} for a dependent is rejected, and nothing changes`, async () => {
        const { id, number, primary, dependent, dependentId } = await createFamilyWithDependent()
        const dependents = [child({ applicantId: dependentId, employeeNumber: other() })]
        for (const path of [byId(id), byNumber(number)]) {
          await fixed(send(path, { primaryApplicant: named({ jobTitle: 'x' }), dependents }))
          assert.deepEqual((await get(byId(id))).body, primary)
          assert.deepEqual(await dependentsOf(id), [dependent])
        }
      })

      it(`…/dependents/{dependentId}: ${name} is rejected, and nothing changes`, async () => {
        const { id, number, dependent, dependentId, dependentNumber } = await createFamilyWithDependent()
        for (const key of [dependentId, dependentNumber])
          await fixed(send(dependentByNumber(number, key), child({ employeeNumber: other(), jobTitle: 'x' })))
        assert.deepEqual(await dependentsOf(id), [dependent])
      })
    }

    it('keeps the number if the field is absent', async () => {
      const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent()
      const { employeeNumber: _employeeNumber, ...sent } = child({ applicantId: dependentId })
      const { primaryApplicant } = await expectOk(send(byId(id), { primaryApplicant: named() }))
      assert.equal(primaryApplicant['employeeNumber'], number)
      for (const path of [byId(id), byNumber(number)]) {
        const { dependents } = await expectOk(send(path, { primaryApplicant: named(), dependents: [sent] }))
        assert.equal(dependents[0].employeeNumber, dependentNumber)
      }
      for (const key of [dependentId, dependentNumber]) {
        const read = await expectOk(send(dependentByNumber(number, key), sent))
        assert.equal(read['employeeNumber'], dependentNumber)
      }
    })

    it('accepts the number that the record has', async () => {
      const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent()
      const dependent = child({ applicantId: dependentId, employeeNumber: dependentNumber })
      for (const path of [byId(id), byNumber(number)]) {
        const primaryApplicant = named({ employeeNumber: number })
        await expectOk(send(path, { primaryApplicant, dependents: [dependent] }))
      }
      await expectOk(send(dependentByNumber(number, dependentId), dependent))
    })

    it('rejects swapping numbers within a family', async () => {
      const { id, primary, dependents } = await family(person(), [child(), child({ firstName: 'Bea' })])
      const [first, second] = dependents as [Fields, Fields]
      const swapped = [
        { ...first, employeeNumber: second['employeeNumber'] },
        { ...second, employeeNumber: first['employeeNumber'] },
      ]
      await fixed(send(byId(id), { primaryApplicant: named(), dependents: swapped }))
      assert.deepEqual((await get(byId(id))).body, primary)
      assert.deepEqual(await dependentsOf(id), dependents)
    })
  })

for (const [method, send] of Object.entries(WRITES))
  describe(`${method} of a record that has no number`, () => {
    it('/v2/applicant/{applicantId} sets the number, and an empty one remains null', async () => {
      const { id } = await family(person({ employeeNumber: null }))
      for (const employeeNumber of [undefined, null, ''])
        assert.equal(
          (await expectOk(send(byId(id), { primaryApplicant: named({ employeeNumber }) })))[
            'primaryApplicant'
          ].employeeNumber,
          null,
        )
      const employeeNumber = newNumber()
      await expectOk(send(byId(id), { primaryApplicant: named({ employeeNumber }) }))
      assert.equal((await get(byNumber(employeeNumber))).body.applicantId, id)
      await fixed(send(byId(id), { primaryApplicant: named({ employeeNumber: newNumber() }) }))
    })

    it('sets the number of a dependent, by every path', async () => {
      const ways: ((number: string, id: string, dependent: Fields) => Promise<TestResponse>)[] = [
        (_number, id, dependent) => send(byId(id), { primaryApplicant: named(), dependents: [dependent] }),
        (number, _id, dependent) =>
          send(byNumber(number), { primaryApplicant: named(), dependents: [dependent] }),
        (number, _id, dependent) => send(dependentByNumber(number, dependent['applicantId']), dependent),
      ]
      for (const way of ways) {
        const { id, number, dependentId } = await createFamilyWithDependent(
          person(),
          child({ employeeNumber: null }),
        )
        const employeeNumber = newNumber('C')
        await expectOk(way(number, id, child({ applicantId: dependentId, employeeNumber })))
        const read = await expectOk(get(dependentByNumber(number, employeeNumber)))
        assert.equal(read['applicantId'], dependentId)
      }
    })
  })
