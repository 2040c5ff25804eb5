// The two PUTs of a primary applicant; that of a dependent is in applicants-dependents.test.ts.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { credentials } from './client.ts'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
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
  put,
  retiredNumber,
} from './people.ts'

/** The body of a read without the time of the last change. */
const bytesOf = async (path: string) =>
  (await get(path)).bytes.toString().replace(/"updatedAt":"[^"]*"/g, '"updatedAt":""')

const named = (fields: Fields = {}) => ({ firstName: 'Anna', lastName: 'Schmidt', ...fields })

let retired: string
before(async () => {
  retired = await retiredNumber({ apiKey: credentials.apiKey })
})

describe('what a GET returned', () => {
  it('is a no-op when sent back in a PUT, by id and by number', async () => {
    const { id, number } = await family(everyField(), [
      everyField({ relationship: 'Spouse' }),
      child({ employeeNumber: null, metaData: [{}], passports: [{}], documents: [{}], previousNames: [{}] }),
    ])
    const paths = [byId(id), `${byId(id)}/dependents`]
    const bytes = await Promise.all(paths.map(bytesOf))
    for (const path of [byId(id), byNumber(number)]) {
      const primaryApplicant = (await get(byId(id))).body
      const dependents = (await get(`${byId(id)}/dependents`)).body
      const whole = await put(path, { primaryApplicant, dependents })
      assert.deepEqual([whole.status, whole.headers.get('location')], [200, null])
      assert.deepEqual(await Promise.all(paths.map(bytesOf)), bytes)
      await expectOk(put(path, { primaryApplicant }))
      assert.deepEqual(await Promise.all(paths.map(bytesOf)), bytes)
    }
  })
})

describe('PUT /v2/applicant/{applicantId}', () => {
  it('creates the record, its dependents and their lists under ids assigned by the client', async () => {
    const ids = {
      id: ownId(),
      dependent: ownId(),
      note: ownId(),
      passport: 'a-_0',
      document: ownId(),
      name: ownId(),
    }
    const primaryApplicant = named({
      applicantId: ids.id,
      metaData: [{ noteId: ids.note, tagName: 'a', value: 'b' }],
      passports: [{ passportId: ids.passport, passportNumber: 'P' }],
      documents: [{ documentId: ids.document, name: 'D' }],
      previousNames: [{ previousNameId: ids.name, lastName: 'L' }],
    })
    const response = await put(byId(ids.id), {
      primaryApplicant,
      dependents: [child({ applicantId: ids.dependent })],
    })
    assert.equal(response.status, 201)
    const read = (await get(response.headers.get('location') ?? '')).body
    assert.deepEqual(read, response.body.primaryApplicant)
    assert.deepEqual(
      [read.applicantId, read.metaData[0].noteId, read.passports[0].passportId, read.documents[0].documentId],
      [ids.id, ids.note, ids.passport, ids.document],
    )
    assert.equal(read.previousNames[0].previousNameId, ids.name)
    assert.equal((await get(`${byId(ids.id)}/dependents`)).body[0].applicantId, ids.dependent)
  })

  it('accepts ids of 4 to 128 characters of the Base64url alphabet, with up to two =', async () => {
    const seed = ownId().replaceAll('=', '')
    for (const id of [
      `${seed}_-`,
      `${seed}=`,
      `${seed}==`,
      seed.padEnd(128, 'x'),
      `${seed.padEnd(128, 'y')}==`,
    ])
      assert.equal((await put(byId(id), { primaryApplicant: named() })).status, 201, id)
    const bad = [
      'x',
      'abc',
      'abc=',
      'a b c d',
      'a/b/c/d',
      'abcd===',
      'ab=cd',
      'äöüß',
      'abc+d',
      'x'.repeat(129),
    ]
    for (const id of bad) {
      await expectInvalid(put(byId(id), { primaryApplicant: named() }), '/applicantId')
      await expectInvalid(
        put(byId(ownId()), { primaryApplicant: named(), dependents: [child({ applicantId: id })] }),
        '/dependents/0/applicantId',
      )
      await expectInvalid(
        put(byId(ownId()), { primaryApplicant: named({ passports: [{ passportId: id }] }) }),
        '/primaryApplicant/passports/0/passportId',
      )
    }
  })

  it('rejects ids that collide with a path segment, because no client could read the record', async () => {
    for (const id of ['health', 'employeenumber'])
      await expectInvalid(put(byId(id), { primaryApplicant: named() }), '/applicantId')
  })

  it('rejects an id in the body that differs from that of the path', async () => {
    const { id } = await family()
    for (const path of [byId(id), byId(ownId())])
      await expectInvalid(
        put(path, { primaryApplicant: named({ applicantId: ownId() }) }),
        '/primaryApplicant/applicantId',
      )
  })

  it('replaces each list: keeps the ids of matched items, assigns ids to new ones, and removes omitted ones', async () => {
    const { id, primary } = await family(everyField())
    const { metaData, passports, documents, previousNames } = primary
    const body = {
      primaryApplicant: named({
        metaData: [{ tagName: 'new' }, { ...metaData[1], value: 'changed' }],
        passports: [passports[1]],
        documents: [{ name: 'new' }, { ...documents[0], name: 'changed' }],
        previousNames: [{ ...previousNames[0], lastName: 'changed' }, { lastName: 'new' }],
      }),
    }
    await expectOk(put(byId(id), body))
    const read = (await get(byId(id))).body
    assert.deepEqual(read.metaData[1], { ...metaData[1], value: 'changed' })
    assert.deepEqual(read.passports, [passports[1]])
    assert.deepEqual(read.documents[1], { ...documents[0], name: 'changed' })
    assert.deepEqual(read.previousNames[0], { ...previousNames[0], lastName: 'changed' })
    assert.ok(read.metaData[0].noteId && read.documents[0].documentId && read.previousNames[1].previousNameId)
    assert.deepEqual([read.metaData.length, read.documents.length, read.previousNames.length], [2, 2, 2])
  })

  it('rejects an id that occurs twice in a list', async () => {
    const { id, primary } = await family(everyField())
    const [first] = primary['passports']
    const body = { primaryApplicant: named({ passports: [first, first] }) }
    await expectInvalid(put(byId(id), body), '/primaryApplicant/passports/1/passportId')
  })

  it('rejects a document of another person', async () => {
    const other = await family(everyField())
    const { id, number } = await family()
    const documents = [{ documentId: other.primary['documents'][0].documentId, name: 'Mine now' }]
    for (const path of [byId(id), byNumber(number)])
      await expectProblem(put(path, { primaryApplicant: named({ documents }) }), 422, 'unknown-reference')
    assert.deepEqual((await get(byId(other.id))).body, other.primary)
  })

  it('rejects the id of a dependent, also of an archived one', async () => {
    const { id, dependentId } = await createFamilyWithDependent()
    const taken = () => put(byId(dependentId), { primaryApplicant: named() })
    await expectProblem(taken(), 409, 'dependent-of-another-applicant')
    await expectOk(put(byId(id), { primaryApplicant: named(), dependents: [] }))
    await expectProblem(taken(), 409, 'dependent-of-another-applicant')
  })

  it('rejects a number that is in use or retired, without any change', async () => {
    const { id, primary, dependent } = await createFamilyWithDependent(person({ employeeNumber: null }))
    const { number: taken } = await family()
    const cases = [
      [taken, 'employee-number-in-use'],
      [retired, 'employee-number-retired'],
    ] as const
    for (const [employeeNumber, code] of cases)
      for (const body of [
        { primaryApplicant: named({ employeeNumber, jobTitle: 'x' }), dependents: [] },
        { primaryApplicant: named({ jobTitle: 'x' }), dependents: [child({ employeeNumber })] },
      ])
        for (const path of [byId(id), byId(ownId())]) await expectProblem(put(path, body), 409, code)
    assert.deepEqual((await get(byId(id))).body, primary)
    assert.deepEqual((await get(`${byId(id)}/dependents`)).body, [dependent])
  })

  it('rejects changing or removing a stored number, and keeps it if the body has none', async () => {
    const { id, number, primary } = await family()
    for (const employeeNumber of [newNumber(), null, '']) {
      const { errors } = await expectProblem(
        put(byId(id), { primaryApplicant: named({ employeeNumber, jobTitle: 'x' }) }),
        409,
        'employee-number-fixed',
      )
      assert.equal(errors[0].pointer, '/primaryApplicant/employeeNumber')
    }
    assert.deepEqual((await get(byId(id))).body, primary)
    const saved = await expectOk(put(byId(id), { primaryApplicant: named({ jobTitle: 'x' }) }))
    assert.equal(saved['primaryApplicant'].employeeNumber, number)
  })

  it('sets the number of a record that has none', async () => {
    const { id } = await family(person({ employeeNumber: null }))
    const employeeNumber = newNumber()
    await expectOk(put(byId(id), { primaryApplicant: named({ employeeNumber }) }))
    assert.equal((await get(byNumber(employeeNumber))).body.applicantId, id)
  })

  it('creates one record for many concurrent requests', async () => {
    const id = ownId()
    const dependents = [child({ applicantId: ownId() })]
    const body = { primaryApplicant: named({ employeeNumber: newNumber() }), dependents }
    const responses = await Promise.all(Array.from({ length: 40 }, () => put(byId(id), body)))
    const statuses = responses.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array(39).fill(200), 201])
    assert.equal((await get(`${byId(id)}/dependents`)).body.length, 1)
  })
})

describe('PUT /v2/applicant/employeenumber/{employeeNumber}', () => {
  it('creates with 201 and a Location, then replaces with 200 under the same id', async () => {
    const number = newNumber()
    const body = { primaryApplicant: everyField({ employeeNumber: number }), dependents: [child()] }
    const made = await put(byNumber(number), body)
    assert.equal(made.status, 201)
    assert.deepEqual((await get(made.headers.get('location') ?? '')).body, made.body.primaryApplicant)
    const replaced = await put(byNumber(number), { primaryApplicant: named() })
    assert.equal(replaced.status, 200)
    assert.equal(replaced.body.primaryApplicant.applicantId, made.body.primaryApplicant.applicantId)
    assert.equal(replaced.body.primaryApplicant.employeeNumber, number)
    assert.deepEqual(replaced.body.dependents, made.body.dependents)
  })

  it('rejects a number in the body that differs from that of the path', async () => {
    const { number } = await family()
    for (const path of [byNumber(number), byNumber(newNumber())])
      await expectInvalid(
        put(path, { primaryApplicant: named({ employeeNumber: newNumber() }) }),
        '/primaryApplicant/employeeNumber',
      )
  })

  it('rejects the number of a dependent, and a retired one', async () => {
    const { number, dependentNumber } = await createFamilyWithDependent()
    await expectProblem(
      put(byNumber(dependentNumber), { primaryApplicant: named() }),
      409,
      'employee-number-in-use',
    )
    await expectProblem(put(byNumber(retired), { primaryApplicant: named() }), 409, 'employee-number-retired')
    const dependents = [child({ employeeNumber: retired })]
    await expectProblem(
      put(byNumber(number), { primaryApplicant: named(), dependents }),
      409,
      'employee-number-retired',
    )
  })

  it('creates one record for a hundred concurrent requests', async () => {
    const number = newNumber()
    const body = { primaryApplicant: named({ jobTitle: 'Pilot' }), dependents: [child()] }
    const responses = await Promise.all(Array.from({ length: 100 }, () => put(byNumber(number), body)))
    const statuses = responses.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array(99).fill(200), 201])
    const ids = new Set(responses.map(response => response.body.primaryApplicant.applicantId))
    const people = new Set(responses.map(response => response.body.dependents[0].applicantId))
    assert.deepEqual([ids.size, people.size], [1, 1])
    assert.equal((await get(`${byNumber(number)}/dependents`)).body.length, 1)
  })

  it('stores the family of exactly one of many different concurrent requests', async () => {
    const number = newNumber()
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const jobTitle = `Job ${index}`
        const primaryApplicant = named({ jobTitle, passports: [{ passportNumber: jobTitle }] })
        return put(byNumber(number), {
          primaryApplicant,
          dependents: [child({ jobTitle }), child({ jobTitle })],
        })
      }),
    )
    assert.equal(responses.filter(({ status }) => status === 201).length, 1)
    const primary = (await get(byNumber(number))).body
    const dependents = (await get(`${byNumber(number)}/dependents`)).body
    assert.equal(primary.passports[0].passportNumber, primary.jobTitle)
    assert.deepEqual(
      dependents.map(({ jobTitle }: Fields) => jobTitle),
      [primary.jobTitle, primary.jobTitle],
    )
  })
})
