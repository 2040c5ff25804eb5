import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
  dependentById,
  everyField,
  expectOk,
  type Fields,
  family,
  get,
  patch,
  person,
  post,
  put,
} from './people.ts'

const IDS = ['applicantId', 'noteId', 'passportId', 'documentId', 'previousNameId']

/** The fields that a client wrote, without the ids and times that the service adds. */
function written(record: Fields): Fields {
  const { createdAt: _createdAt, updatedAt: _updatedAt, ...rest } = record
  return JSON.parse(JSON.stringify(rest), (key, value) => (IDS.includes(key) ? undefined : value))
}

describe('the fields of a record', () => {
  it('are stored and returned unmodified, on a primary applicant and on a dependent', async () => {
    const primary = everyField()
    const dependent = everyField({ relationship: 'Spouse', firstName: 'José', gender: 'M' })
    const made = await createFamilyWithDependent(primary, dependent)
    assert.deepEqual(written(made.primary), primary)
    assert.deepEqual(written(made.dependent), dependent)
    assert.deepEqual(written((await get(byId(made.id))).body), primary)
    assert.deepEqual(written((await get(dependentById(made.id, made.dependentId))).body), dependent)
  })

  it('have unique ids in every list', async () => {
    const { primary, dependent } = await createFamilyWithDependent(
      everyField(),
      everyField({ relationship: 'Spouse' }),
    )
    const ids = [primary, dependent].flatMap(
      ({ applicantId, metaData, passports, documents, previousNames }) => [
        applicantId,
        ...metaData.map(({ noteId }: Fields) => noteId),
        ...passports.map(({ passportId }: Fields) => passportId),
        ...documents.map(({ documentId }: Fields) => documentId),
        ...previousNames.map(({ previousNameId }: Fields) => previousNameId),
      ],
    )
    assert.equal(new Set(ids).size, 16)
    for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{23}=$/)
  })

  it('are all present when none was sent: null, or an empty list', async () => {
    const { id, primary } = await family({ firstName: 'Anna', lastName: 'Schmidt' })
    const { createdAt, updatedAt, ...rest } = (await get(byId(id))).body
    const empty = Object.fromEntries(
      Object.entries(everyField()).map(([name, value]) => [name, Array.isArray(value) ? [] : null]),
    )
    const given = { applicantId: id, firstName: 'Anna', lastName: 'Schmidt', status: 'A', relationship: '' }
    assert.deepEqual(rest, { ...empty, ...given })
    assert.deepEqual(primary, { ...rest, createdAt, updatedAt })
  })

  it('of a list item are all present when none was sent', async () => {
    const bare = { metaData: [{}], passports: [{}], documents: [{}], previousNames: [{}] }
    const { primary } = await family(person(bare))
    const full = everyField()
    for (const list of Object.keys(bare)) {
      const { [list]: items } = written(primary)
      assert.deepEqual(Object.keys(items[0]).sort(), Object.keys(full[list][0]).sort())
    }
  })

  it('may omit relationship on a primary applicant, which is then returned as empty text', async () => {
    for (const relationship of ['', null, undefined])
      assert.equal((await family(person({ relationship }))).primary['relationship'], '')
  })

  it('have status A by default', async () => {
    for (const status of ['', null, undefined])
      assert.equal((await family(person({ status }))).primary['status'], 'A')
    assert.equal((await family(person({ status: 'I' }))).primary['status'], 'I')
  })

  it('keep an empty passport number, and list items in the order in which they were sent', async () => {
    const passports = ['B2', '', 'A1'].map(passportNumber => ({ passportNumber, country: 'DE' }))
    const { id, primary } = await family(person({ passports }))
    assert.deepEqual(
      primary['passports'].map(({ passportNumber }: Fields) => passportNumber || ''),
      ['B2', '', 'A1'],
    )
    assert.deepEqual((await get(byId(id))).body.passports, primary['passports'])
  })
})

describe('a date', () => {
  const stored = async (dateOfBirth: string) => (await family(person({ dateOfBirth }))).primary['dateOfBirth']

  it('may have a time, a fraction and a zone: the local time is kept as written', async () => {
    const dates = {
      '1990-05-31': '1990-05-31T00:00:00',
      '1990-05-31T13:14:15': '1990-05-31T13:14:15',
      '1990-05-31T13:14:15.678': '1990-05-31T13:14:15',
      '1990-05-31T23:59:59.999999Z': '1990-05-31T23:59:59',
      '1990-05-31T00:30:00+14:00': '1990-05-31T00:30:00',
      '1990-05-31T23:30:00-12:00': '1990-05-31T23:30:00',
      '1916-05-01T00:00:00': '1916-05-01T00:00:00',
      '2024-03-31T02:30:00': '2024-03-31T02:30:00',
    }
    for (const [given, kept] of Object.entries(dates)) assert.equal(await stored(given), kept)
  })

  it('may be a leap day of a leap year', async () => {
    for (const day of ['2000-02-29', '2024-02-29']) assert.equal(await stored(day), `${day}T00:00:00`)
  })

  it('is rejected in every field if it does not exist in the calendar', async () => {
    const impossible = ['1900-02-29', '2023-02-29', '2024-02-30', '2024-04-31', '2024-13-01', '2024-00-10']
    const noDates = [
      '2024-1-5',
      '31.05.1990',
      '05/31/1990',
      'yesterday',
      '2024-01-01T25:00:00',
      '2024-01-01T10:61:00',
    ]
    for (const date of [...impossible, ...noDates, 19900531, true]) {
      const response = await post('/v2/applicant', {
        primaryApplicant: person({
          dateOfBirth: date,
          hireDate: date,
          passports: [{ issueDate: date, expiryDate: date }],
          documents: [{ issueDate: date, expiryDate: date }],
        }),
        dependents: [child({ dateOfBirth: date })],
      })
      assert.equal(response.status, 400, String(date))
      assert.deepEqual(
        response.body.errors.map(({ pointer }: Fields) => pointer).sort(),
        [
          '/dependents/0/dateOfBirth',
          '/primaryApplicant/dateOfBirth',
          '/primaryApplicant/documents/0/expiryDate',
          '/primaryApplicant/documents/0/issueDate',
          '/primaryApplicant/hireDate',
          '/primaryApplicant/passports/0/expiryDate',
          '/primaryApplicant/passports/0/issueDate',
        ],
        String(date),
      )
    }
  })

  it('is stored in the same way by a replace and by a merge', async () => {
    const { id, number } = await family()
    const hireDate = '2024-02-29T23:00:00.5-08:00'
    const passports = [{ passportNumber: 'P1', expiryDate: '2030-12-31T23:59:59+02:00' }]
    for (const write of [put, patch])
      for (const path of [byId(id), byNumber(number)]) {
        const body = { primaryApplicant: { ...person(), employeeNumber: number, hireDate, passports } }
        const { primaryApplicant } = await expectOk(write(path, body))
        assert.equal(primaryApplicant.hireDate, '2024-02-29T23:00:00')
        assert.equal(primaryApplicant.passports[0].expiryDate, '2030-12-31T23:59:59')
      }
  })
})

describe('empty text in a date, a code or a country', () => {
  const codes = ['gender', 'maritalStatus', 'countryOfBirth', 'addressCountry', 'dateOfBirth', 'hireDate']
  const emptied = Object.fromEntries(codes.map(name => [name, '']))
  const items = {
    passports: [{ passportNumber: 'P', issueDate: '', expiryDate: '', nationality: '', country: '' }],
    documents: [{ name: 'D', issueDate: '', expiryDate: '', country: '' }],
  }
  const assertEmpty = (record: Fields) => {
    for (const name of codes) assert.equal(record[name], null, name)
    const { issueDate, expiryDate, nationality, country } = record['passports'][0]
    assert.deepEqual([issueDate, expiryDate, nationality, country], [null, null, null, null])
    const document = record['documents'][0]
    assert.deepEqual([document.issueDate, document.expiryDate, document.country], [null, null, null])
  }

  it('is stored as null in a create and in a replace', async () => {
    const { id, primary } = await family(person({ ...emptied, ...items }))
    assertEmpty(primary)
    const body = { primaryApplicant: person({ ...emptied, ...items, employeeNumber: undefined }) }
    assertEmpty((await expectOk(put(byId(id), body)))['primaryApplicant'])
  })

  it('clears the field in a merge', async () => {
    const { id, primary } = await family(everyField())
    const { passportId } = primary['passports'][0]
    const { documentId } = primary['documents'][0]
    const body = {
      primaryApplicant: {
        ...emptied,
        passports: [{ ...items.passports[0], passportId }],
        documents: [{ ...items.documents[0], documentId }],
      },
    }
    assertEmpty((await expectOk(patch(byId(id), body)))['primaryApplicant'])
  })
})

describe('empty text in any other field', () => {
  const body = (empty: string | undefined) => ({
    primaryApplicant: person({
      middleName: empty,
      jobTitle: empty,
      nationality: empty,
      metaData: [{ tagName: 'costCentre', value: empty }],
      passports: [{ passportNumber: 'P', country: 'DE', issuedBy: empty }],
      employeeNumber: undefined,
    }),
  })

  it('is read as null, and is the same as a field that is left out', async () => {
    const { id } = await family(person())
    const { primaryApplicant } = await expectOk(put(byId(id), body('')))
    const { middleName, jobTitle, nationality, metaData, passports } = primaryApplicant
    assert.deepEqual([middleName, jobTitle, nationality, metaData[0].value], [null, null, null, null])
    assert.equal(passports[0].issuedBy, null)
    for (const empty of [undefined, '']) {
      const again = await expectOk(put(byId(id), body(empty)))
      assert.equal(again['primaryApplicant'].updatedAt, primaryApplicant.updatedAt)
    }
  })
})

describe('createdAt and updatedAt', () => {
  it('are times in UTC: the first is constant, the second is updated by every change', async () => {
    const begun = Date.now() - 60_000
    const { id, primary } = await family()
    for (const time of [primary['createdAt'], primary['updatedAt']]) {
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
      assert.ok(Date.parse(time) > begun && Date.parse(time) < Date.now() + 60_000)
    }
    const { primaryApplicant } = await expectOk(patch(byId(id), { primaryApplicant: { jobTitle: 'Cook' } }))
    assert.equal(primaryApplicant.createdAt, primary['createdAt'])
    assert.ok(primaryApplicant.updatedAt > primary['updatedAt'])
  })

  it('are accepted in a write and ignored', async () => {
    const { id, primary } = await family()
    const times = { createdAt: '2001-01-01T00:00:00Z', updatedAt: '2001-01-01T00:00:00Z' }
    const { primaryApplicant } = await expectOk(
      put(byId(id), { primaryApplicant: person({ ...times, employeeNumber: undefined }) }),
    )
    assert.equal(primaryApplicant.createdAt, primary['createdAt'])
    assert.ok(primaryApplicant.updatedAt >= primary['updatedAt'])
  })
})
