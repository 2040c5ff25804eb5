// The applicant of a case: linked if known, created if not, and shown everywhere with the current employee number.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addNote,
  caseAt,
  caseBody,
  casesOfId,
  casesOfNumber,
  dayFromNow,
  everyCaseField,
  newCase,
  newName,
  notesAt,
  ownToken,
  pagesFrom,
  stepsAt,
} from './case-factories.ts'
import { credentials } from './client.ts'
import {
  byId,
  byNumber,
  createFamilyWithDependent,
  dependentByNumber,
  everyField,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newNumber,
  patch,
  person,
  post,
  put,
  retiredNumber,
} from './people.ts'

const create = (body: unknown) => post('/v2/case', body)
const { apiKey } = credentials
const IDENTITY = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }
const renumber = (number: string, next: string) =>
  expectOk(post(`${byNumber(number)}/${encodeURIComponent(next)}`, IDENTITY, { apiKey }))

describe('POST /v2/case: an existing applicant', () => {
  it('is linked, and its record is unchanged, byte for byte', async () => {
    const { id, number } = await family(everyField())
    const paths = [byId(id), byNumber(number), `${byId(id)}/dependents`]
    const before = await Promise.all(paths.map(path => get(path)))
    const sent = await everyCaseField()
    sent['applicant'].employeeNumber = number
    const made = await expectOk(create(sent))
    assert.deepEqual([made['applicantId'], made['employeeNumber']], [id, number])
    assert.equal(made['applicant'].applicantId, id)
    const after = await Promise.all(paths.map(path => get(path)))
    for (const [index, response] of after.entries()) {
      assert.equal(response.bytes.toString(), before[index]?.bytes.toString())
      assert.equal(response.headers.get('etag'), before[index]?.headers.get('etag'))
    }
  })

  it('is shown in the case as it was sent, not as it is stored', async () => {
    const { id, number } = await family(everyField())
    const made = await newCase({}, { employeeNumber: number, firstName: 'Otherwise', lastName: 'Called' })
    assert.equal(made.applicantId, id)
    const { applicant } = await expectOk(get(caseAt(made.caseId)))
    assert.deepEqual([applicant.firstName, applicant.lastName], ['Otherwise', 'Called'])
    assert.deepEqual([applicant.dateOfBirth, applicant.passports], [null, []])
  })

  it('may be a dependent', async () => {
    const { dependentId, dependentNumber, id } = await createFamilyWithDependent()
    const made = await newCase({}, { employeeNumber: dependentNumber })
    assert.equal(made.applicantId, dependentId)
    for (const path of [casesOfId(dependentId), casesOfNumber(dependentNumber)])
      assert.deepEqual(
        (await get(path)).body.map((one: Fields) => one['caseId']),
        [made.caseId],
      )
    assert.deepEqual((await get(casesOfId(id))).body, [])
  })

  it('keeps its cases when it is an archived dependent', async () => {
    const { dependentNumber, id, primary } = await createFamilyWithDependent()
    const { caseId } = await newCase({}, { employeeNumber: dependentNumber })
    await expectOk(put(byId(id), { primaryApplicant: primary, dependents: [] }))
    assert.equal((await get(caseAt(caseId))).status, 200)
  })

  it('is created once by several concurrent cases', async () => {
    const employeeNumber = newNumber()
    const body = await caseBody({}, { employeeNumber })
    const responses = await Promise.all(Array.from({ length: 8 }, () => create(body)))
    assert.deepEqual(
      responses.map(({ status }) => status),
      responses.map(() => 201),
    )
    assert.equal(new Set(responses.map(response => response.body.applicantId)).size, 1)
    assert.equal((await get(casesOfNumber(employeeNumber))).body.length, responses.length)
  })
})

describe('POST /v2/case: warnings', () => {
  const ANNA = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }
  const warned = async (response: ReturnType<typeof create>) => {
    const { warnings } = await expectOk(response)
    for (const { detail } of warnings) assert.doesNotMatch(detail, /Anna|Schmidt|1990/i)
    return warnings.map(({ pointer, code }: Fields) => `${code} ${pointer}`)
  }

  it('list names and date of birth that differ from the linked record, without revealing stored values', async () => {
    const { number } = await family()
    const send = async (applicant: Fields) =>
      warned(create(await caseBody({}, { ...ANNA, ...applicant, employeeNumber: number })))
    assert.deepEqual(await send({}), [])
    assert.deepEqual(await send({ dateOfBirth: null }), [])
    assert.deepEqual(await send({ dateOfBirth: '1990-05-31T23:00:00' }), [])
    assert.deepEqual(await send({ firstName: ' ÁNNA ', lastName: 'SCHMI-DT' }), [])
    const [first, last, birth] = [
      'applicant-name-differs /applicant/firstName',
      'applicant-name-differs /applicant/lastName',
      'applicant-birth-date-differs /applicant/dateOfBirth',
    ]
    assert.deepEqual(await send({ firstName: 'Hanna' }), [first])
    assert.deepEqual(await send({ lastName: 'Schmitt' }), [last])
    assert.deepEqual(await send({ dateOfBirth: '1990-06-01' }), [birth])
    assert.deepEqual(await send({ firstName: 'X', lastName: 'Y', dateOfBirth: '2000-01-01' }), [
      first,
      last,
      birth,
    ])
  })

  it('include a date of birth that the record does not have, also for a dependent', async () => {
    const { number } = await family(person({ dateOfBirth: null }))
    const birth = 'applicant-birth-date-differs /applicant/dateOfBirth'
    assert.deepEqual(await warned(create(await caseBody({}, { ...ANNA, employeeNumber: number }))), [birth])
    const { dependentNumber } = await createFamilyWithDependent()
    const ben = { firstName: 'Ben', lastName: 'Schmidt', dateOfBirth: '2018-09-12' }
    const send = async (applicant: Fields) =>
      warned(create(await caseBody({}, { ...applicant, employeeNumber: dependentNumber })))
    assert.deepEqual(await send(ben), [])
    assert.deepEqual(await send({ ...ben, dateOfBirth: '2018-09-13' }), [birth])
  })

  it('include an unknown process, and are empty without a process or for a new applicant', async () => {
    const processName = newName('No such process')
    assert.deepEqual(await warned(create(await caseBody({ processName }))), ['unknown-process /processName'])
    for (const none of ['', ' ', null]) {
      assert.deepEqual(await warned(create(await caseBody({ processName: none }))), [])
    }
    assert.deepEqual(await warned(create(await caseBody({ processName: 'WORK PERMIT' }))), [])
  })

  it('are repeated for the same Idempotency-Key, and never returned by a read', async () => {
    const { number } = await family()
    const body = await caseBody({}, { employeeNumber: number, firstName: 'Hanna' })
    const headers = { 'idempotency-key': newName('warnings').replaceAll(' ', '-') }
    const first = await post('/v2/case', body, { headers })
    assert.equal(first.body.warnings.length, 1)
    const again = await post('/v2/case', body, { headers })
    assert.equal(again.bytes.toString(), first.bytes.toString())
    for (const read of [
      (await get(caseAt(first.body.caseId))).body,
      (await get(casesOfNumber(number))).body[0],
    ])
      assert.ok(!Object.hasOwn(read, 'warnings'))
  })

  it('stop comparing after ten cases that differ from one record; the cases are still created', async () => {
    const { number, dependentNumber } = await createFamilyWithDependent()
    const { token } = await ownToken(['cases:write', 'applicants:write'])
    const ben = { firstName: 'Ben', dateOfBirth: '2018-09-12' }
    const send = async (employeeNumber: string, applicant: Fields) =>
      warned(post('/v2/case', await caseBody({}, { ...applicant, employeeNumber }), { token }))
    for (let day = 13; day < 23; day++)
      assert.deepEqual(await send(dependentNumber, { ...ben, dateOfBirth: `2018-09-${day}` }), [
        'applicant-birth-date-differs /applicant/dateOfBirth',
      ])
    for (const dateOfBirth of ['2018-09-12', '2018-09-23'])
      assert.deepEqual(await send(dependentNumber, { ...ben, dateOfBirth }), [
        'applicant-not-compared /applicant',
      ])
    assert.deepEqual(await send(number, ANNA), [])
    // Changes of numbers have a separate limit.
    await expectOk(post(dependentByNumber(number, dependentNumber), ben, { token }))
  })
})

describe('POST /v2/case: a new applicant', () => {
  it('has null where the case has empty text', async () => {
    const { applicantId } = await newCase({}, { middleName: '', placeOfBirth: '', currentJobTitle: '' })
    const { middleName, cityOfBirth, jobTitle } = await expectOk(get(byId(applicantId)))
    assert.deepEqual([middleName, cityOfBirth, jobTitle], [null, null, null])
  })

  it('is created with passports and dependents', async () => {
    const sent = await everyCaseField()
    const { applicantId } = await expectOk(create(sent))
    const { applicant } = sent
    const record = await expectOk(get(byNumber(applicant.employeeNumber)))
    assert.equal(record['applicantId'], applicantId)
    assert.deepEqual((await get(byId(applicantId))).body, record)
    for (const [name, value] of Object.entries({
      employeeNumber: applicant.employeeNumber,
      firstName: applicant.firstName,
      lastName: applicant.lastName,
      middleName: applicant.middleName,
      countryOfBirth: applicant.countryOfBirth,
      cityOfBirth: applicant.placeOfBirth,
      dateOfBirth: `${applicant.dateOfBirth}T00:00:00`,
      gender: applicant.gender,
      maritalStatus: applicant.maritalStatus,
      email: applicant.emailAddress,
      telephone: applicant.telephoneNumber,
      hireDate: `${applicant.hireDate}T00:00:00`,
      jobTitle: applicant.currentJobTitle,
      addressLine1: applicant.addressStreet1,
      addressLine2: applicant.addressStreet2,
      addressCity: applicant.addressCity,
      addressState: applicant.addressState,
      addressPostalCode: applicant.addressPostalCode,
      addressCountry: applicant.addressCountry,
      relationship: '',
      status: 'A',
    }))
      assert.equal(record[name], value, name)
    assert.deepEqual(
      record['passports'].map(({ passportId, ...rest }: Fields) => [typeof passportId, rest]),
      applicant.passports.map((passport: Fields) => [
        'string',
        {
          passportNumber: passport['passportNumber'],
          issueDate: `${passport['issueDate']}T00:00:00`,
          expiryDate: `${passport['expirationDate']}T00:00:00`,
          nationality: passport['Nationality'],
          country: passport['country'],
          issuedBy: passport['issuingAuthority'],
        },
      ]),
    )
    const dependents = await get(`${byId(applicantId)}/dependents`)
    assert.deepEqual(
      dependents.body.map((one: Fields) => [
        one['firstName'],
        one['lastName'],
        one['relationship'],
        one['nationality'],
        one['dateOfBirth'],
        one['gender'],
      ]),
      applicant.dependents.map((one: Fields) => [
        one['firstName'],
        one['lastName'],
        one['relationship'],
        one['nationality'],
        `${one['dateOfBirth']}T00:00:00`,
        one['gender'],
      ]),
    )
  })

  it('is a new record for each case without a number', async () => {
    const body = await caseBody({}, { employeeNumber: undefined })
    const [one, other] = [await expectOk(create(body)), await expectOk(create(body))]
    assert.notEqual(one['applicantId'], other['applicantId'])
    for (const { applicantId, caseId } of [one, other] as { applicantId: string; caseId: string }[]) {
      assert.equal((await get(byId(applicantId))).body.employeeNumber, null)
      assert.deepEqual(
        (await get(casesOfId(applicantId))).body.map((found: Fields) => found['caseId']),
        [caseId],
      )
    }
  })

  it('is the same record for the next case of that number', async () => {
    const first = await newCase()
    const second = await newCase({}, { employeeNumber: first.employeeNumber, lastName: 'Married' })
    assert.equal(second.applicantId, first.applicantId)
    assert.equal((await get(byId(first.applicantId))).body.lastName, 'Schmidt')
  })

  it('is rejected with a retired number, and nothing is created', async () => {
    const employeeNumber = await retiredNumber({ apiKey })
    await expectProblem(create(await caseBody({}, { employeeNumber })), 409, 'employee-number-retired')
    await expectProblem(get(casesOfNumber(employeeNumber)), 404, 'applicant-not-found')
  })
})

describe('a case after its applicant has changed', () => {
  it('keeps what was sent', async () => {
    const sent = await everyCaseField()
    const { warnings: _warnings, ...made } = await expectOk(create(sent))
    const record = (await get(byId(made['applicantId']))).body
    await expectOk(
      put(byId(made['applicantId']), {
        primaryApplicant: { ...record, firstName: 'Changed', passports: [], email: '', sendingCompany: 'x' },
        dependents: [],
      }),
    )
    await expectOk(patch(byId(made['applicantId']), { primaryApplicant: { lastName: 'Changed too' } }))
    assert.deepEqual((await get(caseAt(made['caseId']))).body, made)
  })

  it('keeps the entity tags of cases and documents when other fields of the person change', async () => {
    const { number } = await family()
    const { caseId } = await newCase({}, { employeeNumber: number })
    const tagOf = async () => (await get(caseAt(caseId))).headers.get('etag') ?? ''
    const etag = await tagOf()
    await expectOk(patch(byNumber(number), { primaryApplicant: { jobTitle: 'Head of Research' } }))
    assert.equal(await tagOf(), etag)
    const body = { costCenter: '4711' }
    await expectOk(patch(`/admin/v1/cases/${caseId}`, body, { headers: { 'if-match': etag } }))
  })

  it('shows the new employee number in case, applicant, steps and notes at once', async () => {
    const { number, id } = await family()
    const cases = [
      await newCase({}, { employeeNumber: number }),
      await newCase({}, { employeeNumber: number }),
    ]
    for (const { caseId } of cases) await addNote(caseId, 'Written before the number was changed.')
    const etag = (await get(caseAt(cases[0]?.caseId ?? ''))).headers.get('etag')
    const next = newNumber('N')
    assert.equal((await renumber(number, next))['casesUpdated'], 2)

    for (const { caseId } of cases) {
      const { body } = await get(caseAt(caseId))
      const [steps, notes] = [await get(stepsAt(caseId)), await get(notesAt(caseId))]
      for (const one of [body, body.applicant, ...body.steps, ...steps.body, ...notes.body])
        assert.deepEqual([one.employeeNumber, one.applicantId], [next, id])
    }
    assert.notEqual((await get(caseAt(cases[0]?.caseId ?? ''))).headers.get('etag'), etag)
    const range = { startDate: dayFromNow(-1), endDate: dayFromNow(1), maxRecords: 1000, offset: '' }
    for (const list of ['steps', 'notes'] as const) {
      const records = (await pagesFrom(list, range)).flatMap(one => one.records)
      const own = records.filter(({ applicantId }) => applicantId === id)
      assert.ok(own.length >= cases.length)
      for (const { employeeNumber } of own) assert.equal(employeeNumber, next)
    }
    assert.deepEqual(
      (await get(casesOfNumber(next))).body.map((one: Fields) => one['caseId']),
      cases.map(({ caseId }) => caseId),
    )
    await expectProblem(get(casesOfNumber(number)), 404, 'applicant-not-found')
  })

  it("shows a dependent's new number too", async () => {
    const { number, dependentId, dependentNumber } = await createFamilyWithDependent()
    const { caseId } = await newCase({}, { employeeNumber: dependentNumber })
    const newEmployeeNumber = newNumber('D')
    const identity = { firstName: 'Ben', dateOfBirth: '2018-09-12', newEmployeeNumber }
    await expectOk(post(dependentByNumber(number, dependentNumber), identity))
    const { body } = await get(caseAt(caseId))
    for (const one of [body, body.applicant, ...body.steps])
      assert.deepEqual([one.employeeNumber, one.applicantId], [newEmployeeNumber, dependentId])
  })

  it('shows a number that a merge set', async () => {
    const { caseId, applicantId } = await newCase({}, { employeeNumber: null })
    const before = (await get(caseAt(caseId))).body
    assert.equal(before.employeeNumber, null)
    const employeeNumber = newNumber()
    await expectOk(patch(byId(applicantId), { primaryApplicant: { employeeNumber } }))
    const after = (await get(caseAt(caseId))).body
    assert.equal(after.applicant.employeeNumber, employeeNumber)
    assert.equal(after.employeeNumber, employeeNumber)
    for (const [index, record] of [after, ...after.steps].entries())
      assert.ok(record.updatedAt > [before, ...before.steps][index].updatedAt)
  })
})
