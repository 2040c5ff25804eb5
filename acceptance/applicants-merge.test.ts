// The two PATCHes of a primary applicant; their dependents are in applicants-merge-dependents.test.ts.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { credentials } from './client.ts'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
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
  retiredNumber,
} from './people.ts'

const merge = (path: string, primaryApplicant: Fields) => patch(path, { primaryApplicant })
const recordOf = async (id: string) => {
  const { updatedAt: _updatedAt, ...record } = (await get(byId(id))).body
  return record
}
const dependentsOf = async (id: string) => (await get(`${byId(id)}/dependents`)).body

let retired: string
before(async () => {
  retired = await retiredNumber({ apiKey: credentials.apiKey })
})

describe('a merge of fields', () => {
  it('leaves fields that are not in the body unchanged, by id and by number', async () => {
    const { id, number } = await family(everyField())
    const was = await recordOf(id)
    const response = await merge(byId(id), { jobTitle: 'Captain' })
    assert.equal(response.status, 200)
    assert.equal(response.body.primaryApplicant.jobTitle, 'Captain')
    assert.deepEqual(await recordOf(id), { ...was, jobTitle: 'Captain' })
    await expectOk(merge(byNumber(number), { addressCity: 'Kyōto', applicantId: id, employeeNumber: number }))
    assert.deepEqual(await recordOf(id), { ...was, jobTitle: 'Captain', addressCity: 'Kyōto' })
  })

  it('clears each scalar field and each list with null', async () => {
    const { id } = await family(everyField())
    const was = await recordOf(id)
    const kept = [
      'applicantId',
      'employeeNumber',
      'firstName',
      'lastName',
      'status',
      'relationship',
      'createdAt',
    ]
    for (const [field, value] of Object.entries(was).filter(([name]) => !kept.includes(name))) {
      await expectOk(merge(byId(id), { [field]: null }))
      was[field] = Array.isArray(value) ? [] : null
      assert.deepEqual(await recordOf(id), was, field)
    }
  })

  it('is a no-op with an empty body', async () => {
    const { id, primary, dependent } = await createFamilyWithDependent(everyField())
    for (const body of [
      {},
      { primaryApplicant: {} },
      { dependents: [] },
      { primaryApplicant: { metaData: [], passports: [], documents: [], previousNames: [] }, dependents: [] },
    ]) {
      const response = await expectOk(patch(byId(id), body))
      assert.deepEqual(response, { primaryApplicant: primary, dependents: [dependent] })
      assert.deepEqual((await get(byId(id))).body, primary)
    }
  })

  it('responds with 404 for an unknown id or number, and for that of a dependent', async () => {
    const { dependentId, dependentNumber } = await createFamilyWithDependent()
    for (const path of [
      byId(ownId()),
      byId('x'),
      byId(dependentId),
      byNumber(newNumber()),
      byNumber(dependentNumber),
    ])
      await expectProblem(merge(path, { jobTitle: 'x' }), 404, 'applicant-not-found')
  })

  it('rejects an id in the body that differs from that of the record', async () => {
    const { id, number } = await family()
    for (const path of [byId(id), byNumber(number)])
      await expectInvalid(merge(path, { applicantId: ownId() }), '/primaryApplicant/applicantId')
  })

  it('rejects a number that is in use or retired, without any change', async () => {
    const { id, primary, dependentId } = await createFamilyWithDependent(
      person({ employeeNumber: null }),
      child({ employeeNumber: null }),
    )
    const other = await family()
    const cases = [
      [other.number, 'employee-number-in-use'],
      [retired, 'employee-number-retired'],
    ] as const
    for (const [employeeNumber, code] of cases) {
      await expectProblem(merge(byId(id), { employeeNumber, jobTitle: 'x' }), 409, code)
      const dependents = [{ applicantId: dependentId, employeeNumber }]
      await expectProblem(patch(byId(id), { primaryApplicant: { jobTitle: 'x' }, dependents }), 409, code)
      const bare = await createFamilyWithDependent(person(), child({ employeeNumber: null }))
      const given = [{ applicantId: bare.dependentId, employeeNumber }]
      await expectProblem(patch(byNumber(bare.number), { dependents: given }), 409, code)
    }
    assert.deepEqual((await get(byId(id))).body, primary)
  })

  it('rejects changing or removing a stored number', async () => {
    const { id, number, primary, dependentId, dependentNumber } = await createFamilyWithDependent()
    for (const employeeNumber of [newNumber(), null, '']) {
      const code = 'employee-number-fixed'
      await expectProblem(merge(byId(id), { employeeNumber, jobTitle: 'x' }), 409, code)
      const dependents = [{ applicantId: dependentId, employeeNumber }]
      for (const path of [byId(id), byNumber(number)])
        await expectProblem(patch(path, { primaryApplicant: { jobTitle: 'x' }, dependents }), 409, code)
    }
    assert.deepEqual((await get(byId(id))).body, primary)
    await expectOk(merge(byId(id), { employeeNumber: number }))
    await expectOk(
      patch(byId(id), { dependents: [{ applicantId: dependentId, employeeNumber: dependentNumber }] }),
    )
  })
})

describe('a merge of list items', () => {
  it('changes the item with the same id, whatever else it contains', async () => {
    const { id, number, primary } = await family(everyField())
    const { metaData, passports, documents, previousNames } = primary
    const changed = {
      metaData: [{ noteId: metaData[1].noteId, tagName: metaData[0].tagName }],
      passports: [{ passportId: passports[0].passportId, expiryDate: '2031-01-01', issuedBy: null }],
      documents: [{ documentId: documents[1].documentId, remindAboutRenewal: true, description: '' }],
      previousNames: [{ previousNameId: previousNames[0].previousNameId, firstName: 'Z' }],
    }
    await expectOk(merge(byNumber(number), changed))
    const read = await recordOf(id)
    assert.deepEqual(read.metaData, [metaData[0], { ...metaData[1], tagName: metaData[0].tagName }])
    assert.deepEqual(read.passports, [
      { ...passports[0], expiryDate: '2031-01-01T00:00:00', issuedBy: null },
      passports[1],
    ])
    assert.equal(read.documents[1].remindAboutRenewal, true)
    assert.equal(read.documents[1].referenceNumber, documents[1].referenceNumber)
    assert.deepEqual(read.documents[0], documents[0])
    assert.deepEqual(read.previousNames, [{ ...previousNames[0], firstName: 'Z' }])
  })

  it('changes the item with the same identity if it has no id', async () => {
    const { id, primary } = await family(everyField())
    const { metaData, passports, documents, previousNames } = primary
    await expectOk(
      merge(byId(id), {
        metaData: [{ tagName: 'costCenter', value: '4712' }],
        passports: [{ passportNumber: 'GB-OLD 9', country: 'GB', issuedBy: 'HMPO' }],
        documents: [{ name: 'Residence card', referenceNumber: 'RC-1', expiryReminder: 30 }],
        previousNames: [{ lastName: 'Byrne', firstName: 'Zoë', middleName: 'María' }],
      }),
    )
    const read = await recordOf(id)
    assert.deepEqual(read.metaData, [{ ...metaData[0], value: '4712' }, metaData[1]])
    assert.deepEqual(read.passports, [passports[0], { ...passports[1], issuedBy: 'HMPO' }])
    assert.deepEqual(read.documents, [{ ...documents[0], expiryReminder: 30 }, documents[1]])
    assert.deepEqual(read.previousNames, previousNames)
  })

  it('adds an item that matches none, and keeps those that are not in the body', async () => {
    const { id, primary } = await family(everyField())
    await expectOk(
      merge(byId(id), {
        metaData: [{ tagName: 'CostCenter', value: 'x' }],
        passports: [{ passportNumber: 'GB-OLD 9', country: 'IE' }],
        documents: [{ name: 'Residence card', referenceNumber: 'RC-2' }],
        previousNames: [{ lastName: 'Byrne', firstName: 'Zoë', middleName: 'Another' }],
      }),
    )
    const read = await recordOf(id)
    for (const list of ['metaData', 'passports', 'documents', 'previousNames']) {
      assert.deepEqual(read[list].slice(0, -1), primary[list])
      assert.equal(read[list].length, primary[list].length + 1)
    }
  })

  it('rejects ids that the record does not have, and reports every one', async () => {
    const { id, number, primary } = await family(everyField())
    const other = await family(everyField())
    const body = {
      jobTitle: 'x',
      metaData: [{ tagName: 'fine' }, { noteId: ownId() }],
      passports: [{ passportId: other.primary['passports'][0].passportId }],
      documents: [{ documentId: other.primary['documents'][0].documentId }],
      previousNames: [{ previousNameId: ownId() }],
    }
    for (const path of [byId(id), byNumber(number)]) {
      const { errors } = await expectProblem(merge(path, body), 422, 'unknown-reference')
      assert.deepEqual(errors.map(({ pointer }: Fields) => pointer).sort(), [
        '/primaryApplicant/documents/0/documentId',
        '/primaryApplicant/metaData/1/noteId',
        '/primaryApplicant/passports/0/passportId',
        '/primaryApplicant/previousNames/0/previousNameId',
      ])
    }
    assert.deepEqual((await get(byId(id))).body, primary)
  })

  it('rejects unknown ids on a dependent, also on one that it would create', async () => {
    const { id, dependentId } = await createFamilyWithDependent()
    const passports = [{ passportId: ownId(), passportNumber: 'P' }]
    for (const dependent of [{ applicantId: dependentId, passports }, child({ passports })]) {
      const { errors } = await expectProblem(
        patch(byId(id), { dependents: [dependent] }),
        422,
        'unknown-reference',
      )
      assert.deepEqual(
        errors.map(({ pointer }: Fields) => pointer),
        ['/dependents/0/passports/0/passportId'],
      )
    }
    assert.equal((await dependentsOf(id)).length, 1)
  })

  it('loses none of many concurrent ones', async () => {
    const { id } = await family()
    const tags = Array.from({ length: 20 }, (_, index) => `tag ${index}`)
    await Promise.all(tags.map(tagName => expectOk(merge(byId(id), { metaData: [{ tagName, value: 'x' }] }))))
    const { metaData } = await recordOf(id)
    assert.deepEqual(metaData.map(({ tagName }: Fields) => tagName).sort(), tags.sort())
  })
})

describe('the same merge sent twice', () => {
  it('changes nothing the second time', async () => {
    const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent(everyField())
    const other = await createFamilyWithDependent()
    const items = {
      jobTitle: 'Captain',
      hireDate: '2020-02-29',
      email: null,
      metaData: [
        { tagName: 'a', value: '1' },
        { tagName: 'costCenter', value: '2' },
      ],
      passports: [
        { passportNumber: 'N1', country: 'FR', expiryDate: '2030-01-01' },
        { passportNumber: 'N2' },
      ],
      documents: [
        { name: 'Visa', remindAboutRenewal: true, expiryReminder: '90,30,7' },
        { name: 'Letter', country: '' },
      ],
      previousNames: [
        { lastName: 'Old', firstName: 'One' },
        { lastName: 'Older', middleName: '' },
      ],
    }
    const body = {
      primaryApplicant: items,
      dependents: [
        { applicantId: dependentId, ...items },
        { employeeNumber: other.dependentNumber, ...items },
        child(items),
        { ...child(items), applicantId: ownId() },
        { ...child(items), employeeNumber: null, firstName: 'Without a number' },
      ],
    }
    const state = async () => {
      const reads = [byId(id), `${byId(id)}/dependents`, dependentByNumber(number, dependentNumber)]
      const responses = await Promise.all(reads.map(path => get(path)))
      return responses.map(({ bytes, headers }) => [bytes.toString(), headers.get('etag')])
    }
    await expectOk(patch(byId(id), body))
    const once = await state()
    for (const path of [byId(id), byNumber(number)]) {
      await expectOk(patch(path, body))
      assert.deepEqual(await state(), once)
    }
  })

  it('changes nothing when an item gets the name that identifies another one', async () => {
    const { id, primary } = await family(person({ metaData: [{ tagName: 'a', value: '1' }] }))
    const { noteId } = primary['metaData'][0]
    const body = {
      metaData: [
        { tagName: 'a', value: '2' },
        { noteId, tagName: 'b' },
      ],
    }
    await expectOk(merge(byId(id), body))
    const once = await get(byId(id))
    await expectOk(merge(byId(id), body))
    assert.equal((await get(byId(id))).bytes.toString(), once.bytes.toString())
  })
})
