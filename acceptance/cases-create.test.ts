// Creating a case: its fields, its companies, and invalid input.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  caseAt,
  caseBody,
  companies,
  company,
  dayFromNow,
  everyCaseField,
  newName,
} from './case-factories.ts'
import {
  byNumber,
  expectInvalid,
  expectOk,
  expectProblem,
  type Fields,
  get,
  newNumber,
  patch,
  post,
} from './people.ts'

const create = (body: unknown) => post('/v2/case', body)

describe('POST /v2/case: fields', () => {
  it('responds with 201, the case, and its Location', async () => {
    const response = await create(await caseBody())
    assert.equal(response.status, 201)
    assert.match(response.body.caseId, /^[A-Za-z0-9_-]{23}=$/)
    const location = response.headers.get('location') ?? ''
    const { warnings, ...made } = response.body
    assert.deepEqual(warnings, [])
    const read = await get(location)
    assert.equal(read.status, 200)
    assert.deepEqual(read.body, made)
    assert.equal(read.headers.get('etag'), response.headers.get('etag'))
    assert.deepEqual((await get(caseAt(made.caseId))).body, made)
    assert.deepEqual((await get(`/v2/case/${made.caseId}`)).body, made)
  })

  it('stores and returns every field unmodified', async () => {
    const sent = await everyCaseField()
    const made = await expectOk(create(sent))
    for (const body of [made, await expectOk(get(caseAt(made['caseId'])))]) {
      const { applicant, ...fields } = sent
      for (const [name, value] of Object.entries(fields)) assert.deepEqual(body[name], value, name)
      for (const [name, value] of Object.entries(applicant))
        assert.deepEqual(body['applicant'][name], value, name)
    }
  })

  it('adds the fields that the service assigns, and nothing else', async () => {
    const sent = await everyCaseField()
    const [host, sending, billing] = await companies()
    const before = Date.now()
    const made = await expectOk(create(sent))
    const { applicant } = made
    assert.deepEqual(
      Object.keys(made).filter(name => !Object.hasOwn(sent, name)).sort(),
      ['applicantId', 'assignee', 'billingCompanyId', 'caseId', 'closedAt', 'createdAt', 'dueDate', 'employeeNumber',
        'hostCompanyId', 'sendingCompanyId', 'status', 'steps', 'updatedAt', 'warnings'],
    ) // biome-ignore format: a table reads better than a column
    assert.deepEqual(
      Object.keys(applicant).filter(name => !Object.hasOwn(sent['applicant'], name)),
      ['applicantId'],
    )
    assert.equal(made['status'], 'open')
    assert.deepEqual([made['closedAt'], made['assignee'], made['dueDate']], [null, null, null])
    assert.deepEqual(
      [made['hostCompanyId'], made['sendingCompanyId'], made['billingCompanyId']],
      [host.companyId, sending.companyId, billing.companyId],
    )
    assert.equal(applicant.applicantId, made['applicantId'])
    assert.equal(made['employeeNumber'], sent['applicant'].employeeNumber)
    assert.equal(applicant.employeeNumber, sent['applicant'].employeeNumber)
    assert.match(made['createdAt'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    assert.equal(made['updatedAt'], made['createdAt'])
    assert.ok(Math.abs(Date.parse(made['createdAt']) - before) < 60_000)
  })

  it('returns every field, null for those that were not sent', async () => {
    const sent = await caseBody({}, { employeeNumber: undefined })
    const made = await expectOk(create(sent))
    const every = await everyCaseField()
    for (const name of Object.keys(every)) assert.ok(Object.hasOwn(made, name), name)
    for (const name of Object.keys(every['applicant']))
      assert.ok(Object.hasOwn(made['applicant'], name), name)
    assert.deepEqual(
      [made['metadata'], made['applicant'].passports, made['applicant'].dependents],
      [[], [], []],
    )
    assert.equal(made['hostCity'], null)
    assert.equal(made['employeeNumber'], null)
    assert.equal(made['applicant'].employeeNumber, null)
    assert.equal(made['applicant'].Vip, null)
  })

  it('accepts empty text for optional fields; an empty date, code or country is stored as null', async () => {
    const passport = { passportNumber: '', country: '', expirationDate: '', issueDate: '', Nationality: '' }
    const dependent = {
      firstName: 'Ben',
      lastName: 'Schmidt',
      relationship: 'Child',
      dateOfBirth: '',
      gender: '',
    }
    const empty = {
      employeeNumber: '',
      middleName: '',
      countryOfResidence: '',
      dateOfBirth: '',
      hireDate: '',
      gender: '',
      maritalStatus: '',
      emailAddress: '',
      passports: [passport],
      dependents: [dependent],
    }
    const body = await caseBody({ salary: '', processName: '', hostCountry: '', hostCity: '' }, empty)
    const made = await expectOk(create(body))
    assert.equal(made['salary'], '')
    assert.equal(made['hostCountry'], null)
    const { applicant } = made
    assert.deepEqual(
      [applicant.employeeNumber, applicant.dateOfBirth, applicant.hireDate, applicant.gender],
      [null, null, null, null],
    )
    assert.deepEqual([applicant.maritalStatus, applicant.countryOfResidence], [null, null])
    assert.equal(applicant.passports[0].passportNumber, '')
    assert.deepEqual(
      [applicant.passports[0].expirationDate, applicant.passports[0].Nationality],
      [null, null],
    )
    assert.deepEqual([applicant.dependents[0].dateOfBirth, applicant.dependents[0].gender], [null, null])
  })

  it('returns dates without a time, whatever the format in which they were sent', async () => {
    const applicant = {
      dateOfBirth: '1990-05-31T23:59:59+14:00',
      hireDate: '2019-07-01T08:30:15.123Z',
      passports: [{ issueDate: '2020-01-02T00:00:00', expirationDate: '2030-01-01' }],
      dependents: [
        { firstName: 'B', lastName: 'C', relationship: 'Child', dateOfBirth: '2018-09-12T00:00:00' },
      ],
    }
    const { applicant: read } = await expectOk(create(await caseBody({}, applicant)))
    assert.equal(read.dateOfBirth, '1990-05-31')
    assert.equal(read.hireDate, '2019-07-01')
    assert.deepEqual(
      [read.passports[0].issueDate, read.passports[0].expirationDate, read.dependents[0].dateOfBirth],
      ['2020-01-02', '2030-01-01', '2018-09-12'],
    )
  })

  it('starts the first step today', async () => {
    const days = [dayFromNow(0)]
    const { steps, caseId, applicantId, employeeNumber } = await expectOk(create(await caseBody()))
    days.push(dayFromNow(0))
    assert.ok(steps.length > 1)
    assert.deepEqual(
      steps.map((step: Fields) => [step['sequence'], step['status'], step['completionDate']]),
      steps.map((_: Fields, index: number) => [index + 1, index === 0 ? 'inProgress' : 'notStarted', null]),
    )
    assert.ok(days.includes(steps[0].startDate))
    for (const step of steps) {
      assert.deepEqual(
        [step.caseId, step.applicantId, step.employeeNumber],
        [caseId, applicantId, employeeNumber],
      )
      assert.match(step.createdAt, /Z$/)
    }
    for (const step of steps.slice(1)) assert.equal(step.startDate, null)
    assert.equal(new Set(steps.map((step: Fields) => step['stepId'])).size, steps.length)
  })
})

describe('POST /v2/case: companies', () => {
  it('finds each by name in any case, by code and by id, and shows it as it was sent', async () => {
    const [host, sending, billing] = await companies()
    const named = {
      hostCompany: host.name.toUpperCase(),
      sendingCompany: sending.code,
      billingCompany: billing.companyId,
    }
    const made = await expectOk(create(await caseBody(named)))
    assert.deepEqual(
      [made['hostCompanyId'], made['sendingCompanyId'], made['billingCompanyId']],
      [host.companyId, sending.companyId, billing.companyId],
    )
    for (const [name, value] of Object.entries(named)) assert.equal(made[name], value)
  })

  it('accepts one company for all three', async () => {
    const { name, companyId } = await company()
    const made = await expectOk(
      create(await caseBody({ hostCompany: name, sendingCompany: name, billingCompany: name })),
    )
    assert.deepEqual(
      [made['hostCompanyId'], made['sendingCompanyId'], made['billingCompanyId']],
      [companyId, companyId, companyId],
    )
  })

  it('rejects unknown companies, and reports all of them', async () => {
    const unknown = {
      hostCompany: newName('No'),
      sendingCompany: newName('No'),
      billingCompany: newName('No'),
    }
    const pointersOf = async (fields: Fields) => {
      const problem = await expectProblem(create(await caseBody(fields)), 422, 'unknown-company')
      return problem['errors'].map((error: { pointer: string }) => error.pointer).sort()
    }
    assert.deepEqual(await pointersOf(unknown), ['/billingCompany', '/hostCompany', '/sendingCompany'])
    const { sendingCompany } = unknown
    assert.deepEqual(await pointersOf({ sendingCompany }), ['/sendingCompany'])
  })

  it('rejects an inactive company by name, code and id, and accepts it when it is active again', async () => {
    const { companyId, name, code } = await company()
    const set = (active: boolean) => expectOk(patch(`/admin/v1/companies/${companyId}`, { active }))
    await set(false)
    for (const billingCompany of [name, code, companyId]) {
      const problem = await expectProblem(create(await caseBody({ billingCompany })), 422, 'unknown-company')
      assert.deepEqual(
        problem['errors'].map((error: { pointer: string }) => error.pointer),
        ['/billingCompany'],
      )
    }
    await set(true)
    assert.equal((await create(await caseBody({ billingCompany: name }))).status, 201)
  })

  it('still returns a case whose company has become inactive', async () => {
    const { companyId, name } = await company()
    const made = await expectOk(create(await caseBody({ hostCompany: name })))
    await expectOk(patch(`/admin/v1/companies/${companyId}`, { active: false, name: newName('Renamed') }))
    const read = await expectOk(get(caseAt(made['caseId'])))
    assert.deepEqual([read['hostCompany'], read['hostCompanyId']], [name, companyId])
  })

  it('creates no applicant if it is rejected: the number is still free', async () => {
    const employeeNumber = newNumber()
    const body = await caseBody({ hostCompany: newName('No') }, { employeeNumber })
    await expectProblem(create(body), 422, 'unknown-company')
    await expectProblem(get(byNumber(employeeNumber)), 404, 'applicant-not-found')
    const primaryApplicant = { employeeNumber, firstName: 'Someone', lastName: 'Else' }
    assert.equal((await post('/v2/applicant', { primaryApplicant })).status, 201)
  })
})

describe('POST /v2/case: malformed input', () => {
  it('requires type, companies and an applicant with a name', async () => {
    await expectInvalid(
      create({}),
      '/caseType',
      '/hostCompany',
      '/sendingCompany',
      '/billingCompany',
      '/applicant',
    )
    await expectInvalid(
      create(await caseBody({ applicant: {} })),
      '/applicant/firstName',
      '/applicant/lastName',
    )
    const empty = { caseType: '', hostCompany: ' ', sendingCompany: '', billingCompany: null }
    await expectInvalid(
      create(await caseBody(empty, { firstName: '', lastName: null })),
      '/caseType',
      '/hostCompany',
      '/sendingCompany',
      '/billingCompany',
      '/applicant/firstName',
      '/applicant/lastName',
    )
  })

  it('reports all errors at once, on every level', async () => {
    const body = await caseBody(
      { hostCountry: 'Germany', homeCountry: 1, salary: 85_000, metadata: [{ tagName: 1, value: {} }] },
      {
        employeeNumber: ' x',
        dateOfBirth: '1990-02-30',
        hireDate: 'soon',
        gender: 'female',
        maritalStatus: '1',
        Vip: 'yes',
        emailAddress: 'nobody',
        countryOfBirth: 'X',
        passports: [{}, { expirationDate: '2030-13-01', Nationality: 'Irish' }],
        dependents: [
          { firstName: 'B', lastName: 'C', relationship: '' },
          { relationship: 'Child', gender: '' },
        ],
      },
    )
    await expectInvalid(
      create(body),
      '/hostCountry',
      '/homeCountry',
      '/salary',
      '/metadata/0/tagName',
      '/metadata/0/value',
      '/applicant/employeeNumber',
      '/applicant/dateOfBirth',
      '/applicant/hireDate',
      '/applicant/gender',
      '/applicant/maritalStatus',
      '/applicant/Vip',
      '/applicant/emailAddress',
      '/applicant/countryOfBirth',
      '/applicant/passports/1/expirationDate',
      '/applicant/passports/1/Nationality',
      '/applicant/dependents/0/relationship',
      '/applicant/dependents/1/firstName',
      '/applicant/dependents/1/lastName',
    )
  })

  it('rejects misspelled field names, and suggests the right one', async () => {
    const body = await caseBody(
      { metaData: [], casetype: 'x' },
      { vip: true, email: 'a@example.com', passports: [{ nationality: 'IE', expiryDate: '' }] },
    )
    const problem = await expectInvalid(
      create(body),
      '/metaData',
      '/casetype',
      '/applicant/vip',
      '/applicant/email',
      '/applicant/passports/0/nationality',
      '/applicant/passports/0/expiryDate',
    )
    const hints = Object.fromEntries(
      problem['errors'].map(({ pointer, detail }: { pointer: string; detail: string }) => [pointer, detail]),
    )
    assert.match(hints['/metaData'], /metadata/)
    assert.match(hints['/applicant/vip'], /Vip/)
    assert.match(hints['/applicant/passports/0/nationality'], /Nationality/)
  })

  it('rejects fields that the service assigns', async () => {
    const body = await caseBody({ caseId: 'abcd', status: 'closed', steps: [] }, { applicantId: 'abcd' })
    await expectInvalid(create(body), '/caseId', '/status', '/steps', '/applicant/applicantId')
  })
})
