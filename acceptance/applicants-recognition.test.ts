// How PUT and PATCH match people and items without our ids, and which ids they reject.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { caseAt, caseBody, casesOfId } from './case-factories.ts'
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
  newNumber,
  ownId,
  patch,
  person,
  post,
  put,
} from './people.ts'

const named = (fields: Fields = {}) => ({ firstName: 'Anna', lastName: 'Schmidt', ...fields })
const dependentsOf = async (id: string): Promise<Fields[]> => (await get(`${byId(id)}/dependents`)).body
const WRITES = { PUT: put, PATCH: patch }
const writes = Object.entries(WRITES)

const idsIn = (record: Fields) => ({
  metaData: record['metaData'].map(({ noteId }: Fields) => noteId),
  passports: record['passports'].map(({ passportId }: Fields) => passportId),
  documents: record['documents'].map(({ documentId }: Fields) => documentId),
  previousNames: record['previousNames'].map(({ previousNameId }: Fields) => previousNameId),
})

describe('a passport without an id', () => {
  const stored = { passportNumber: 'C01X00T47', country: 'DE', expiryDate: '2031-02-28' }
  const spellings: Record<string, Fields> = {
    'in lower case': { passportNumber: 'c01x00t47', country: 'de' },
    'with spaces': { passportNumber: ' C01 X00 T47 ', country: 'DE' },
    'with punctuation': { passportNumber: 'C01-X00.T/47', country: 'DE' },
    'with a country code of three letters': { passportNumber: 'C01X00T47', country: 'DEU' },
    'without a country': { passportNumber: 'C01X00T47' },
    'with all of that': { passportNumber: 'c01 x00-t47', country: 'deu' },
  }
  for (const [method, send] of writes)
    for (const [name, spelling] of Object.entries(spellings))
      it(`${method}: matches the stored one if sent ${name}`, async () => {
        const { id, number, primary } = await family(person({ passports: [stored] }))
        for (const path of [byId(id), byNumber(number)]) {
          const { primaryApplicant } = await expectOk(
            send(path, { primaryApplicant: named({ passports: [{ ...spelling, issuedBy: path }] }) }),
          )
          const [passport, ...more] = primaryApplicant['passports']
          assert.deepEqual(more, [])
          assert.equal(passport.passportId, primary['passports'][0].passportId)
          assert.equal(passport.issuedBy, path)
        }
      })

  for (const [method, send] of writes)
    it(`${method}: matches a stored one without a country, and sets its country`, async () => {
      const { id, primary } = await family(person({ passports: [{ passportNumber: 'P1' }] }))
      const passports = [{ passportNumber: 'P1', country: 'FR' }]
      const { primaryApplicant } = await expectOk(send(byId(id), { primaryApplicant: named({ passports }) }))
      assert.equal(primaryApplicant['passports'].length, 1)
      assert.equal(primaryApplicant['passports'][0].passportId, primary['passports'][0].passportId)
      assert.equal(primaryApplicant['passports'][0].country, 'FR')
    })

  for (const [method, send] of writes)
    it(`${method}: is a new one if number or country differ`, async () => {
      const { id, primary } = await family(person({ passports: [stored] }))
      const passports = [stored, { ...stored, country: 'FR' }, { ...stored, passportNumber: 'C01X00T48' }]
      const { primaryApplicant } = await expectOk(send(byId(id), { primaryApplicant: named({ passports }) }))
      const ids = idsIn(primaryApplicant).passports
      assert.equal(ids[0], primary['passports'][0].passportId)
      assert.equal(new Set(ids).size, 3)
      const again = await expectOk(send(byId(id), { primaryApplicant: named({ passports }) }))
      assert.deepEqual(again['primaryApplicant'], primaryApplicant)
    })
})

describe('a document without an id', () => {
  for (const [method, send] of writes) {
    it(`${method}: matches by name alone if it has no reference and the name is unique`, async () => {
      const { id, number, primary } = await family(
        person({ documents: [{ name: 'Visa', referenceNumber: 'V-1', expiryDate: '2030-01-01' }] }),
      )
      for (const path of [byId(id), byNumber(number)]) {
        const documents = [{ name: 'Visa', description: path }]
        const { primaryApplicant } = await expectOk(send(path, { primaryApplicant: named({ documents }) }))
        assert.deepEqual(idsIn(primaryApplicant).documents, idsIn(primary).documents)
        assert.equal(primaryApplicant['documents'][0].description, path)
      }
    })

    it(`${method}: matches a stored one that has no reference yet`, async () => {
      const { id, primary } = await family(person({ documents: [{ name: 'Visa' }] }))
      const documents = [{ name: 'Visa', referenceNumber: 'V-1' }]
      const { primaryApplicant } = await expectOk(send(byId(id), { primaryApplicant: named({ documents }) }))
      assert.deepEqual(idsIn(primaryApplicant).documents, idsIn(primary).documents)
      assert.equal(primaryApplicant['documents'][0].referenceNumber, 'V-1')
    })

    it(`${method}: is distinguished from others of the same name by the reference`, async () => {
      const visa = (referenceNumber: string) => ({ name: 'Visa', referenceNumber })
      const { id, primary } = await family(person({ documents: [visa('V-1'), visa('V-2')] }))
      const documents = [visa('V-2'), visa('V-1'), visa('V-3')]
      const { primaryApplicant } = await expectOk(send(byId(id), { primaryApplicant: named({ documents }) }))
      const byReference = Object.fromEntries(
        primaryApplicant['documents'].map((one: Fields) => [one['referenceNumber'], one['documentId']]),
      )
      const [first, second] = idsIn(primary).documents
      assert.equal(primaryApplicant['documents'].length, 3)
      assert.deepEqual([byReference['V-1'], byReference['V-2']], [first, second])
      assert.ok(![first, second].includes(byReference['V-3']))
    })
  }
})

describe('tags and previous names without ids', () => {
  for (const [method, send] of writes)
    it(`${method}: match by the tag's name, and by all three names`, async () => {
      const { id, primary } = await family(everyField())
      const { metaData, previousNames } = everyField()
      const sent = {
        metaData: [
          { ...metaData[0], value: 'other' },
          { tagName: 'new', value: '1' },
        ],
        previousNames: [...previousNames, { ...previousNames[0], middleName: 'Another' }],
      }
      const { primaryApplicant } = await expectOk(send(byId(id), { primaryApplicant: named(sent) }))
      const tag = (name: string) =>
        primaryApplicant['metaData'].find((one: Fields) => one['tagName'] === name)
      assert.deepEqual(tag('costCenter'), { ...primary['metaData'][0], value: 'other' })
      assert.ok(!idsIn(primary).metaData.includes(tag('new').noteId))
      assert.deepEqual(primaryApplicant['previousNames'][0], primary['previousNames'][0])
      assert.equal(primaryApplicant['previousNames'].length, 2)
    })
})

describe('a dependent without an id', () => {
  const ben = { firstName: 'Ben', lastName: 'Müller', dateOfBirth: '2018-09-12', relationship: 'Child' }
  const spellings = (): Record<string, Fields> => ({
    'in other letters': { firstName: 'BEN', lastName: 'MULLER' },
    'with spaces': { firstName: ' Ben ' },
    'with the hour of birth': { dateOfBirth: '2018-09-12T07:30:00' },
    'with another relationship': { relationship: 'Stepson' },
    'without a date of birth': { dateOfBirth: undefined },
    'with a number for the first time': { employeeNumber: newNumber('C') },
  })
  for (const [method, send] of writes)
    for (const [name, spelling] of Object.entries(spellings()))
      it(`${method}: matches the stored one if sent ${name}`, async () => {
        const { id, number, dependentId } = await createFamilyWithDependent(person(), ben)
        for (const path of [byId(id), byNumber(number)]) {
          const dependents = [{ ...ben, ...spelling, jobTitle: path }]
          await expectOk(send(path, { primaryApplicant: named(), dependents }))
          const read = await dependentsOf(id)
          assert.deepEqual(
            read.map(({ applicantId, jobTitle }) => [applicantId, jobTitle]),
            [[dependentId, path]],
          )
        }
      })

  for (const [method, send] of writes) {
    it(`${method}: matches a stored one that has no date of birth yet`, async () => {
      const { id, dependentId } = await createFamilyWithDependent(person(), { ...ben, dateOfBirth: null })
      await expectOk(send(byId(id), { primaryApplicant: named(), dependents: [ben] }))
      const read = await dependentsOf(id)
      assert.deepEqual(
        read.map(({ applicantId, dateOfBirth }) => [applicantId, dateOfBirth]),
        [[dependentId, '2018-09-12T00:00:00']],
      )
    })

    it(`${method}: matches by number, whatever its name and date of birth`, async () => {
      const { id, dependentId, dependentNumber } = await createFamilyWithDependent()
      const dependents = [
        { ...ben, firstName: 'Benedikt', dateOfBirth: null, employeeNumber: dependentNumber },
      ]
      await expectOk(send(byId(id), { primaryApplicant: named(), dependents }))
      const read = await dependentsOf(id)
      assert.deepEqual(
        read.map(({ applicantId, firstName }) => [applicantId, firstName]),
        [[dependentId, 'Benedikt']],
      )
    })

    it(`${method}: keeps the stored number if it is sent without one`, async () => {
      const { id, dependentId, dependentNumber, dependent } = await createFamilyWithDependent()
      const { employeeNumber: _employeeNumber, ...sent } = child()
      await expectOk(send(byId(id), { primaryApplicant: named(), dependents: [sent] }))
      assert.deepEqual(await dependentsOf(id), [dependent])
      assert.deepEqual(
        [dependent['applicantId'], dependent['employeeNumber']],
        [dependentId, dependentNumber],
      )
    })

    it(`${method}: is another person if number, name or date of birth differ`, async () => {
      const { id, dependentId } = await createFamilyWithDependent()
      const others = [
        child(),
        child({ employeeNumber: undefined, firstName: 'Bea' }),
        child({ employeeNumber: undefined, dateOfBirth: '2018-09-13' }),
      ]
      await expectOk(send(byId(id), { primaryApplicant: named(), dependents: others }))
      const ids = (await dependentsOf(id)).map(({ applicantId }) => applicantId)
      assert.equal(new Set(ids).size, method === 'PUT' ? 3 : 4)
      assert.equal(ids.includes(dependentId), method === 'PATCH')
    })
  }

  it('PUT: two without a date of birth that differ only by relationship are distinguished by it', async () => {
    const sent = ['Mother', 'Daughter'].map(relationship => ({ ...ben, dateOfBirth: null, relationship }))
    const { id, dependents } = await family(person(), sent)
    await expectOk(put(byId(id), { primaryApplicant: named(), dependents: sent.toReversed() }))
    assert.deepEqual(await dependentsOf(id), dependents)
  })
})

describe('an archived dependent that is restored', () => {
  /** A dependent with a number, a case, a passport and a document that one write omitted. */
  async function archived() {
    const sent = everyField({
      firstName: 'Kim',
      relationship: 'Spouse',
      dateOfBirth: '1983-12-31',
      employeeNumber: newNumber('C'),
    })
    const { id, number, dependent, dependentId, dependentNumber } = await createFamilyWithDependent(
      person(),
      sent,
    )
    const applicant = { employeeNumber: dependentNumber, firstName: 'Kim', lastName: sent['lastName'] }
    const { caseId, applicantId } = await expectOk(post('/v2/case', await caseBody({}, applicant)))
    assert.equal(applicantId, dependentId)
    await expectOk(put(byNumber(number), { primaryApplicant: named(), dependents: [] }))
    assert.deepEqual(await dependentsOf(id), [])
    await expectProblem(get(dependentById(id, dependentId)), 404, 'dependent-not-found')
    assert.equal((await get(caseAt(caseId))).body.applicantId, dependentId)
    const { employeeNumber: _employeeNumber, ...unnumbered } = sent
    return { id, number, dependent, dependentId, dependentNumber, caseId, unnumbered }
  }

  const WAYS: Record<string, (one: { dependentId: string; dependentNumber: string }) => Fields> = {
    'its id': ({ dependentId }) => ({ applicantId: dependentId }),
    'its number': ({ dependentNumber }) => ({ employeeNumber: dependentNumber }),
    'its number, though the name is another': ({ dependentNumber }) => ({
      employeeNumber: dependentNumber,
      firstName: 'Kimberley',
    }),
    'its name and day of birth': () => ({}),
  }
  for (const [method, send] of writes)
    for (const [name, fields] of Object.entries(WAYS))
      it(`${method}: by ${name} is the same record, with its number, cases, items and documents`, async () => {
        const one = await archived()
        const dependents = [{ ...one.unnumbered, ...fields(one) }]
        const back = await expectOk(send(byNumber(one.number), { primaryApplicant: named(), dependents }))
        const [read, ...more] = await dependentsOf(one.id)
        assert.deepEqual(more, [])
        assert.deepEqual(back['dependents'], [read])
        const { firstName } = dependents[0] as Fields
        assert.deepEqual({ ...read, updatedAt: '' }, { ...one.dependent, firstName, updatedAt: '' })
        assert.deepEqual(
          (await get(casesOfId(one.dependentId))).body.map(({ caseId }: Fields) => caseId),
          [one.caseId],
        )
        for (const documentId of idsIn(one.dependent).documents) {
          const document = (await get(`/v2/document/${encodeURIComponent(documentId)}`)).body
          assert.equal(document.applicantId, one.dependentId)
        }
        const { headers } = await get(dependentById(one.id, one.dependentId))
        await expectOk(send(byNumber(one.number), { primaryApplicant: named(), dependents }))
        const again = await get(dependentById(one.id, one.dependentId))
        assert.equal(again.headers.get('etag'), headers.get('etag'))
      })

  it('without a number is matched by name and date of birth, and remains one record over repeated writes', async () => {
    const body = { primaryApplicant: named(), dependents: [child({ employeeNumber: undefined })] }
    const number = newNumber()
    const made = await expectOk(put(byNumber(number), body))
    const { applicantId } = made['dependents'][0]
    for (let night = 0; night < 3; night++) {
      await expectOk(put(byNumber(number), { ...body, dependents: [] }))
      const back = await expectOk(put(byNumber(number), body))
      assert.deepEqual(
        back['dependents'].map((one: Fields) => one['applicantId']),
        [applicantId],
      )
    }
  })

  it('returns to its own primary applicant, not to another one that has a child of the same name', async () => {
    const { id: other, dependentId } = await createFamilyWithDependent()
    await expectOk(put(byId(other), { primaryApplicant: named(), dependents: [] }))
    const { id } = await family()
    const dependents = [child({ employeeNumber: undefined })]
    const made = await expectOk(put(byId(id), { primaryApplicant: named(), dependents }))
    assert.notEqual(made['dependents'][0].applicantId, dependentId)
    const back = await expectOk(put(byId(other), { primaryApplicant: named(), dependents }))
    assert.equal(back['dependents'][0].applicantId, dependentId)
  })
})

describe('removed documents of one name', () => {
  const visa = (more: Fields = {}) => ({ name: 'Visa', ...more })
  const write = async (id: string, documents: Fields[]): Promise<string[]> => {
    const { primaryApplicant } = await expectOk(put(byId(id), { primaryApplicant: named({ documents }) }))
    return primaryApplicant['documents'].map(({ documentId }: Fields) => documentId)
  }

  it('come back with the last removed first', async () => {
    const { id } = await family()
    const [first, second] = await write(id, [visa(), visa()])
    assert.deepEqual(await write(id, [visa()]), [first])
    assert.deepEqual(await write(id, []), [])
    assert.deepEqual(await write(id, [visa()]), [first])
    assert.deepEqual(await write(id, [visa(), visa()]), [first, second])
  })

  it('come back in the order in which the record had them', async () => {
    const { id } = await family()
    const [x, y] = await write(id, [visa({ description: 'x' }), visa({ description: 'y' })])
    const moved = [visa({ documentId: y, description: 'z' }), visa({ documentId: x, description: 'x' })]
    assert.deepEqual(await write(id, moved), [y, x])
    assert.deepEqual(await write(id, []), [])
    assert.deepEqual(await write(id, [visa({ description: 'new' })]), [y])
  })
})

describe('the id of an item that belongs to another person', () => {
  const ITEMS: Record<string, (owner: Fields) => Fields> = {
    passport: ({ passports }) => ({
      passports: [{ passportId: passports[0].passportId, passportNumber: 'X' }],
    }),
    document: ({ documents }) => ({ documents: [{ documentId: documents[0].documentId, name: 'X' }] }),
    'previous name': ({ previousNames }) => ({
      previousNames: [{ previousNameId: previousNames[0].previousNameId, lastName: 'X' }],
    }),
    note: ({ metaData }) => ({ metaData: [{ noteId: metaData[0].noteId, tagName: 'X' }] }),
  }
  for (const [method, send] of writes)
    for (const [kind, claim] of Object.entries(ITEMS))
      it(`${method}: of a ${kind} is rejected with 422 on a primary applicant and on a dependent`, async () => {
        const other = await createFamilyWithDependent(everyField(), everyField({ relationship: 'Spouse' }))
        const one = await createFamilyWithDependent(everyField(), everyField({ relationship: 'Spouse' }))
        const rejected = (response: Promise<Awaited<ReturnType<typeof put>>>) =>
          expectProblem(response, 422, 'unknown-reference')
        for (const owner of [other.primary, other.dependent]) {
          const claimed = claim(owner)
          for (const path of [byId(one.id), byNumber(one.number)]) {
            await rejected(send(path, { primaryApplicant: named(claimed) }))
            const dependents = [{ ...child(claimed), ...pick(one.dependent) }]
            await rejected(send(path, { primaryApplicant: named(), dependents }))
            await rejected(send(path, { primaryApplicant: named(), dependents: [child(claimed)] }))
          }
          const dependent = { ...child(claimed), ...pick(one.dependent) }
          await rejected(send(dependentByNumber(one.number, one.dependentId), dependent))
          await rejected(send(dependentByNumber(one.number, one.dependentNumber), dependent))
        }
        // Also within the family.
        await rejected(send(byId(one.id), { primaryApplicant: named(claim(one.dependent)) }))
        await rejected(
          send(dependentByNumber(one.number, one.dependentId), {
            ...child(claim(one.primary)),
            ...pick(one.dependent),
          }),
        )
        for (const { id, primary, dependent } of [one, other]) {
          assert.deepEqual((await get(byId(id))).body, primary)
          assert.deepEqual(await dependentsOf(id), [dependent])
        }
      })

  it('PUT: is rejected in a create, and nothing is created', async () => {
    const { primary } = await family(everyField())
    for (const claim of Object.values(ITEMS)) {
      const number = newNumber()
      for (const path of [byId(ownId()), byNumber(number)]) {
        await expectProblem(put(path, { primaryApplicant: named(claim(primary)) }), 422, 'unknown-reference')
        await expectProblem(get(path), 404, 'applicant-not-found')
      }
    }
  })
})

/** The fields by which a body with other content still matches this dependent. */
const pick = ({ applicantId, employeeNumber }: Fields) => ({ applicantId, employeeNumber })
