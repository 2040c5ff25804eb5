// Invalid input: what is rejected, with which messages, and that all errors are reported at once.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
  dependentByNumber,
  expectInvalid,
  type Fields,
  family,
  newNumber,
  patch,
  person,
  post,
  put,
} from './people.ts'

const create = (primaryApplicant: unknown, ...dependents: unknown[]) =>
  post('/v2/applicant', { primaryApplicant, dependents })

const detailOf = (body: Fields, pointer: string): string =>
  body['errors'].find((error: Fields) => error['pointer'] === pointer).detail

describe('an unknown field', () => {
  it('is rejected with a suggestion of the similar field', async () => {
    const { dateOfBirth, ...rest } = person()
    const body = await expectInvalid(
      create({ ...rest, dateofbirth: dateOfBirth }),
      '/primaryApplicant/dateofbirth',
    )
    assert.match(detailOf(body, '/primaryApplicant/dateofbirth'), /did you mean dateOfBirth\?/i)
  })

  it('is rejected on every level, in every write of a primary applicant', async () => {
    const { id, number } = await family()
    const body = {
      primaryApplicant: {
        ...person({ employeeNumber: number }),
        fistName: 'x',
        metaData: [{ tagname: 'x' }],
        passports: [{ passportNo: 'x' }],
        documents: [{ Name: 'x' }],
        previousNames: [{ lastname: 'x' }],
      },
      dependents: [{ ...child(), relation: 'x' }],
      dependants: [],
    }
    const pointers = [
      '/dependants',
      '/dependents/0/relation',
      '/primaryApplicant/documents/0/Name',
      '/primaryApplicant/fistName',
      '/primaryApplicant/metaData/0/tagname',
      '/primaryApplicant/passports/0/passportNo',
      '/primaryApplicant/previousNames/0/lastname',
    ]
    await expectInvalid(post('/v2/applicant', body), ...pointers)
    await expectInvalid(put(byId(id), body), ...pointers)
    await expectInvalid(put(byNumber(number), body), ...pointers)
    await expectInvalid(patch(byId(id), body), ...pointers)
    const response = await expectInvalid(patch(byNumber(number), body), ...pointers)
    assert.match(detailOf(response, '/dependants'), /did you mean dependents\?/i)
    assert.match(detailOf(response, '/primaryApplicant/metaData/0/tagname'), /did you mean tagName\?/i)
  })

  it('is rejected in every write of one dependent', async () => {
    const { id, number, dependentId } = await createFamilyWithDependent()
    const body = { ...child(), jobTitel: 'x' }
    const path = dependentByNumber(number, dependentId)
    for (const response of [post(`${byId(id)}/dependent`, body), put(path, body), patch(path, body)])
      assert.match(
        detailOf(await expectInvalid(response, '/jobTitel'), '/jobTitel'),
        /did you mean jobTitle\?/i,
      )
  })

  it('is also a spelling with a capital that another interface uses', async () => {
    const passports = [{ passportNumber: 'P', Nationality: 'DE' }]
    await expectInvalid(
      create(person({ passports, Vip: true })),
      '/primaryApplicant/Vip',
      '/primaryApplicant/passports/0/Nationality',
    )
  })
})

describe('the types of the fields', () => {
  it('reject wrong values at every level, all errors at once', async () => {
    const wrong = {
      firstName: 1,
      lastName: ['x'],
      email: 'not an address',
      gender: 'MF',
      maritalStatus: '1',
      status: 'AA',
      countryOfBirth: 'D',
      addressCountry: 'DEUT',
      dateOfBirth: '2023-02-29',
      metaData: {},
      passports: [{ country: 'D1', nationality: 'Irish', passportNumber: 5 }],
      documents: [{ remindAboutRenewal: 'yes', expiryReminder: 'sometime', country: 1 }],
      previousNames: ['Meyer'],
    }
    const pointers = [
      ...Object.keys(wrong).filter(name => !['passports', 'documents', 'previousNames'].includes(name)),
      'passports/0/country',
      'passports/0/nationality',
      'passports/0/passportNumber',
      'documents/0/remindAboutRenewal',
      'documents/0/expiryReminder',
      'documents/0/country',
      'previousNames/0',
    ]
    const { id } = await family()
    const atPrimary = pointers.map(pointer => `/primaryApplicant/${pointer}`)
    await expectInvalid(create(wrong), ...atPrimary)
    await expectInvalid(put(byId(id), { primaryApplicant: wrong }), ...atPrimary)
    await expectInvalid(patch(byId(id), { primaryApplicant: wrong }), ...atPrimary)
    const dependent = { ...wrong, relationship: 'Child' }
    await expectInvalid(post(`${byId(id)}/dependent`, dependent), ...pointers.map(pointer => `/${pointer}`))
  })

  it('reject other values in place of a record or of the list of dependents', async () => {
    await expectInvalid(create('Anna'), '/primaryApplicant')
    await expectInvalid(create([]), '/primaryApplicant')
    await expectInvalid(create(null), '/primaryApplicant')
    await expectInvalid(create(person(), 'Ben'), '/dependents/0')
    await expectInvalid(post('/v2/applicant', { primaryApplicant: person(), dependents: {} }), '/dependents')
  })

  it('accept country codes of two or three letters, and codes of one letter', async () => {
    for (const country of ['DE', 'DEU', 'de'])
      assert.equal((await family(person({ countryOfBirth: country }))).primary['countryOfBirth'], country)
    for (const gender of ['M', 'F', 'X'])
      assert.equal((await family(person({ gender }))).primary['gender'], gender)
  })
})

describe('the required fields of a record', () => {
  it('are first and last name in a create and in a replace', async () => {
    const { id, number } = await family()
    for (const empty of [undefined, null, '', '  ']) {
      const primaryApplicant = { firstName: empty, lastName: empty }
      const dependents = [{ firstName: empty, lastName: empty, relationship: empty }]
      const pointers = [
        '/primaryApplicant/firstName',
        '/primaryApplicant/lastName',
        '/dependents/0/firstName',
        '/dependents/0/lastName',
        '/dependents/0/relationship',
      ]
      await expectInvalid(post('/v2/applicant', { primaryApplicant, dependents }), ...pointers)
      await expectInvalid(put(byId(id), { primaryApplicant, dependents }), ...pointers)
      await expectInvalid(put(byNumber(number), { primaryApplicant, dependents }), ...pointers)
    }
    await expectInvalid(post('/v2/applicant', {}), '/primaryApplicant')
    await expectInvalid(put(byId(id), { dependents: [] }), '/primaryApplicant')
  })

  it('include the relationship of a dependent', async () => {
    const { id, number, dependentId } = await createFamilyWithDependent()
    const { relationship: _relationship, ...rest } = child()
    await expectInvalid(post(`${byId(id)}/dependent`, rest), '/relationship')
    await expectInvalid(put(dependentByNumber(number, dependentId), rest), '/relationship')
    for (const relationship of [null, ''])
      await expectInvalid(patch(dependentByNumber(number, dependentId), { relationship }), '/relationship')
  })

  it('cannot be cleared by a merge', async () => {
    const { id, dependentId } = await createFamilyWithDependent()
    for (const empty of [null, '']) {
      const names = { firstName: empty, lastName: empty }
      await expectInvalid(
        patch(byId(id), { primaryApplicant: names }),
        '/primaryApplicant/firstName',
        '/primaryApplicant/lastName',
      )
      const dependents = [{ applicantId: dependentId, ...names }]
      await expectInvalid(
        patch(byId(id), { dependents }),
        '/dependents/0/firstName',
        '/dependents/0/lastName',
      )
    }
  })

  it('exclude a relationship, which is rejected on a primary applicant', async () => {
    const { id, number } = await family()
    const primaryApplicant = person({ employeeNumber: number, relationship: 'Spouse' })
    for (const response of [
      create(primaryApplicant),
      put(byId(id), { primaryApplicant }),
      put(byNumber(number), { primaryApplicant }),
      patch(byId(id), { primaryApplicant }),
      patch(byNumber(number), { primaryApplicant }),
    ])
      await expectInvalid(response, '/primaryApplicant/relationship')
  })
})

describe('an employee number', () => {
  const good64 = newNumber('x'.repeat(40)).padEnd(64, 'y')

  it('has 1 to 64 printable characters', async () => {
    assert.equal((await family(person({ employeeNumber: good64 }))).number, good64)
    const emoji = '🚢'.repeat(64 - 20)
    const { number } = await family(person({ employeeNumber: newNumber(emoji) }))
    assert.ok(number.startsWith(emoji))
    for (const employeeNumber of [
      `${good64}z`,
      'tab\there',
      'line\nbreak',
      'nul\u0000',
      'bell\u0007',
      'esc\u001b[',
      5,
    ])
      await expectInvalid(create(person({ employeeNumber })), '/primaryApplicant/employeeNumber')
    await expectInvalid(
      create(person(), child({ employeeNumber: `${good64}z` })),
      '/dependents/0/employeeNumber',
    )
  })

  it('has the same limits in a PUT by employee number that would create the record', async () => {
    const primaryApplicant = { firstName: 'Anna', lastName: 'Schmidt' }
    for (const number of [`${good64}z`, 'tab\there', 'nul\u0000'])
      await expectInvalid(put(byNumber(number), { primaryApplicant }), '/employeeNumber')
  })

  it('is optional, for any number of records', async () => {
    for (const employeeNumber of [undefined, null, '']) {
      const one = await createFamilyWithDependent(person({ employeeNumber }), child({ employeeNumber }))
      assert.deepEqual([one.number, one.dependentNumber], [null, null])
    }
  })
})

describe('all errors at once', () => {
  it('include those of types, of ids and of relationship', async () => {
    const primaryApplicant = {
      applicantId: 'some-id',
      firstName: 'Anna',
      dateOfBirth: '1990-02-30',
      relationship: 'Spouse',
      passports: [{ passportId: 'some-passport', country: 'Germany' }],
    }
    await expectInvalid(
      create(primaryApplicant, child({ applicantId: 'another-id', gender: 'boy' })),
      '/primaryApplicant/applicantId',
      '/primaryApplicant/lastName',
      '/primaryApplicant/dateOfBirth',
      '/primaryApplicant/relationship',
      '/primaryApplicant/passports/0/passportId',
      '/primaryApplicant/passports/0/country',
      '/dependents/0/applicantId',
      '/dependents/0/gender',
    )
  })
})
