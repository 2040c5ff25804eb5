// Simulates a month of an integration. An HR system without our ids sends all families every night by employee number,
// employees change in between, and a second client mirrors the service by polling only. Uses only what README and
// openapi.json document, and checks every response against openapi.json.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  adminCase,
  adminNote,
  adminStep,
  type Company,
  caseAt,
  casesOfNumber,
  company,
  dayFromNow,
  notesAt,
  stepsAt,
} from './case-factories.ts'
import { call, credentials, type TestResponse } from './client.ts'
import {
  byId,
  byNumber,
  dependentById,
  expectOk,
  expectProblem,
  type Fields,
  get as httpGet,
  newNumber,
  patch,
  post,
  put,
} from './people.ts'

// ---------------------------------------------------------------------------------------------- the HR system

interface Passport {
  number: string
  country: string
  expires: string
}

interface Person {
  first: string
  last: string
  born: string
  passports: Passport[]
  permits: { name: string; reference: string; expires: string }[]
}

interface Relative extends Person {
  /** Few relatives have an employee number. */
  number?: string
  relation: string
}

interface Employee extends Person {
  number: string
  job: string
  status: string
  formerNames: { first: string; last: string }[]
  tags: Record<string, string>
  family: Relative[]
}

interface Row {
  number: string
  body: { primaryApplicant: Fields; dependents: Fields[] }
}

const FIRST = [
  'Anna',
  'Ben',
  'Chidi',
  'Deniz',
  'Elif',
  'Farid',
  'Giulia',
  'Łukasz',
  'Siobhán',
  'Jürgen',
  'Mei',
]
const LAST = ['Schmidt', "O'Brien", 'Nakamura', 'García-López', 'Dubois', 'Kowalski', 'Østergaard']
const COUNTRIES = ['DE', 'IE', 'JP', 'ES', 'FR', 'PL', 'DK']

const pick = <T>(list: T[], index: number) => list[index % list.length] as T

function newEmployee(index: number): Employee {
  const last = pick(LAST, index)
  const country = pick(COUNTRIES, index)
  const passport = (of: string): Passport => ({
    number: `P${of}${1000 + index}`,
    country,
    expires: `203${index % 9}-02-28`,
  })
  const permit = (of: string) => ({
    name: 'Residence permit',
    reference: `RP-${of}-${index}`,
    expires: `203${index % 9}-06-30`,
  })
  const spouse: Relative = {
    ...(index % 4 === 0 && { number: newNumber('S') }),
    first: pick(FIRST, index + 3),
    last,
    born: `198${index % 10}-11-02`,
    relation: 'Spouse',
    passports: [passport('S')],
    permits: index % 3 === 0 ? [permit('S')] : [],
  }
  const children = Array.from(
    { length: index % 3 },
    (_, child): Relative => ({
      first: pick(FIRST, index + 5 + child),
      last,
      born: `201${child}-0${1 + (index % 9)}-15`,
      relation: 'Child',
      passports: [passport(`C${child}`)],
      permits: child === 0 ? [permit('C')] : [],
    }),
  )
  return {
    number: newNumber(),
    first: pick(FIRST, index),
    last,
    born: `197${index % 10}-03-0${1 + (index % 9)}`,
    job: pick(['Engineer', 'Buyer', 'Pilot'], index),
    status: 'A',
    passports: [passport('A'), ...(index % 4 === 0 ? [{ ...passport('X'), expires: '2020-01-01' }] : [])],
    permits: index % 2 === 0 ? [permit('A')] : [],
    formerNames: index % 5 === 0 ? [{ first: pick(FIRST, index), last: 'Formerly' }] : [],
    tags: { costCentre: String(4700 + index), site: pick(['Köln', 'Cork'], index) },
    family: [...(index % 2 === 0 ? [spouse] : []), ...children],
  }
}

/** The fields of both employees and relatives in a row of the file. */
const personFields = ({ first, last, born, passports, permits }: Person): Fields => ({
  firstName: first,
  lastName: last,
  dateOfBirth: born,
  passports: passports.map(({ number, country, expires }) => ({
    passportNumber: number,
    country,
    nationality: country,
    expiryDate: expires,
  })),
  documents: permits.map(({ name, reference, expires }) => ({
    name,
    referenceNumber: reference,
    expiryDate: expires,
    remindAboutRenewal: true,
    expiryReminder: 0,
  })),
})

const rowOf = (employee: Employee): Row => ({
  number: employee.number,
  body: {
    primaryApplicant: {
      ...personFields(employee),
      jobTitle: employee.job,
      status: employee.status,
      metaData: Object.entries(employee.tags).map(([tagName, value]) => ({ tagName, value })),
      previousNames: employee.formerNames.map(({ first, last }) => ({ firstName: first, lastName: last })),
    },
    dependents: employee.family.map(relative => ({
      ...personFields(relative),
      relationship: relative.relation,
      ...(relative.number && { employeeNumber: relative.number }),
    })),
  },
})

const staff: Employee[] = Array.from({ length: 25 }, (_, index) => newEmployee(index))
const employee = (index: number) => staff[index] as Employee
const file = (): Row[] => staff.map(rowOf)

/** Sends a file as an integrator does: one PUT for each row, four at a time. */
async function send(rows: Row[]): Promise<Map<string, TestResponse>> {
  const responses = new Map<string, TestResponse>()
  const waiting = [...rows]
  const worker = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift())
      responses.set(row.number, await put(byNumber(row.number), row.body))
  }
  await Promise.all(Array.from({ length: 4 }, worker))
  return responses
}

// ------------------------------------------------------------------------------------------------- the mirror

const firstDay = dayFromNow(0)

/** All records of a list by date since the start of the test, read by cursor. */
async function listed(path: string, query: Record<string, string>): Promise<Fields[]> {
  const range = { startDate: firstDay, endDate: dayFromNow(1), maxRecords: '500', ...query }
  let page = await expectOk(httpGet(`${path}?${new URLSearchParams(range)}`))
  const records: Fields[] = [...page['records']]
  while (page['nextCursor']) {
    const { offset: _offset, ...rest } = range as Record<string, string>
    const next = new URLSearchParams({ ...rest, nextCursor: page['nextCursor'] })
    page = await expectOk(httpGet(`${path}?${next}`))
    records.push(...page['records'])
  }
  return records
}

/** A copy of the records of these people, maintained by read requests only. */
class Mirror {
  readonly people = new Map<string, { etag: string; record: Fields; dependents: Fields[] }>()
  readonly cases = new Map<string, Fields>()
  readonly steps = new Map<string, Fields>()
  readonly notes = new Map<string, Fields>()
  readonly documents = new Map<string, Fields>()
  /** The number of primary applicants that had changed at the last poll. */
  changed = 0
  readonly #ids = new Set<string>()

  /** `numbers` are those of the file. A person is looked up by number once, and by id afterwards. */
  async poll(numbers: string[]): Promise<void> {
    this.changed = 0
    for (const [id, { etag }] of this.people) await this.#read(byId(id), etag)
    const known = new Set([...this.people.values()].map(({ record }) => record['employeeNumber']))
    for (const number of numbers) if (!known.has(number)) await this.#read(byNumber(number), undefined)
    for (const { record } of this.people.values())
      for (const one of (await httpGet(casesOfNumber(record['employeeNumber']))).body)
        this.cases.set(one.caseId, one)
    this.#follow(this.documents, 'documentId', await listed('/v2/documents', {}))
    // An empty offset requests cursors from the first record on.
    const lists = '/v2/cases/applicants'
    this.#follow(this.steps, 'stepId', await listed(`${lists}/steps`, { offset: '' }))
    this.#follow(this.notes, 'noteId', await listed(`${lists}/notes`, { offset: '', type: 'updated' }))
  }

  async #read(path: string, etag: string | undefined): Promise<void> {
    const response = await httpGet(path, etag ? { headers: { 'if-none-match': etag } } : {})
    assert.ok(response.status === 200 || response.status === 304, `${path}: ${response.status}`)
    const id: string = response.status === 200 ? response.body.applicantId : idOfPath(path)
    const record = response.status === 200 ? response.body : this.people.get(id)?.record
    if (response.status === 200) this.changed++
    const dependents = (await httpGet(`${byId(id)}/dependents`)).body
    this.people.set(id, { etag: response.headers.get('etag') ?? '', record, dependents })
    for (const one of [record, ...dependents]) this.#ids.add(one.applicantId)
    // A list by date does not report removed documents, so they are derived from the record.
    const own = new Set([record, ...dependents].flatMap(one => one.documents.map(idOfDocument)))
    const visible = new Set([record, ...dependents].map(one => one.applicantId))
    for (const [documentId, document] of this.documents)
      if (!document['caseId'] && visible.has(document['applicantId']) && !own.has(documentId))
        this.documents.delete(documentId)
  }

  #follow(copy: Map<string, Fields>, key: string, records: Fields[]): void {
    for (const record of records) if (this.#ids.has(record['applicantId'])) copy.set(record[key], record)
  }
}

const idOfPath = (path: string) => decodeURIComponent(path.split('/').at(-1) ?? '')
const idOfDocument = ({ documentId }: Fields): string => documentId
const sorted = (map: Map<string, Fields>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

// -------------------------------------------------------------------------------------------------- the month

const mirror = new Mirror()
/** The current employee numbers of all present and former employees. */
const numbers = () => [...new Set([...staff, ...leavers].map(({ number }) => number))]
const leavers: Employee[] = []
const uploads: string[] = []
let employer: Company

/** Every record with its ETag, by employee number. */
async function readAll(): Promise<Record<string, Fields[]>> {
  const entries = await Promise.all(
    numbers().map(async number => {
      const primary = await httpGet(byNumber(number))
      assert.equal(primary.status, 200, number)
      const list: Fields[] = (await httpGet(`${byNumber(number)}/dependents`)).body
      const dependents = await Promise.all(
        list.map(one => httpGet(dependentById(primary.body.applicantId, one['applicantId']))),
      )
      const seen = [primary, ...dependents].map(({ headers, body }) => ({ etag: headers.get('etag'), body }))
      return [number, seen] as const
    }),
  )
  return Object.fromEntries(entries)
}

/** One night: sends the file, then polls for the mirror. */
async function night(rows = file()): Promise<Map<string, TestResponse>> {
  const responses = await send(rows)
  await mirror.poll(numbers())
  return responses
}

/** A night whose rows must all be accepted, and which changes only these people. */
async function nightThatChanges(changed: string[]): Promise<Map<string, TestResponse>> {
  const was = await readAll()
  const responses = await night()
  for (const [number, { status, body }] of responses)
    assert.equal(status, 200, `${number} ${JSON.stringify(body)}`)
  const is = await readAll()
  for (const number of numbers()) {
    if (changed.includes(number)) assert.notDeepEqual(is[number], was[number], number)
    else assert.deepEqual(is[number], was[number], number)
  }
  return responses
}

/** Nights with an unchanged file: all ids, ETags and times stay the same, and the mirror finds no change. */
async function unchangedNights(count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    await nightThatChanges([])
    assert.equal(mirror.changed, 0)
  }
}

describe('a month of nightly files from an HR system without our ids', () => {
  before(async () => {
    employer = await company()
  })

  it('night 1: the first file creates every family', async () => {
    const responses = await night()
    assert.equal(responses.size, 25)
    for (const [number, { status, body }] of responses)
      assert.equal(status, 201, `${number} ${JSON.stringify(body)}`)
    const people = staff.flatMap(({ family }) => family).length
    const dependents = [...mirror.people.values()].flatMap(one => one.dependents)
    assert.deepEqual([mirror.people.size, dependents.length], [25, people])
  })

  it('nights 2 to 5: an unchanged file changes no record', () => unchangedNights(4))

  it('night 6: a new employee is created, and a case is linked to the record', async () => {
    const hire = { ...newEmployee(40), job: 'Naval architect' }
    staff.push(hire)
    const responses = await night()
    assert.equal(responses.get(hire.number)?.status, 201)
    const created = await expectOk(
      post('/v2/case', {
        caseType: 'Work Permit',
        hostCountry: 'DE',
        hostCompany: employer.code,
        sendingCompany: employer.name,
        billingCompany: employer.companyId,
        applicant: { employeeNumber: hire.number, firstName: hire.first, lastName: hire.last },
      }),
    )
    assert.equal(created['applicantId'], responses.get(hire.number)?.body.primaryApplicant.applicantId)
    await mirror.poll(numbers())
    assert.equal(mirror.cases.get(created['caseId'])?.['employeeNumber'], hire.number)
    assert.equal(mirror.steps.size, created['steps'].length)
  })

  it('nights 7 and 8: an unchanged file changes no record of an applicant with a case', () =>
    unchangedNights(2))

  it('night 9: a new job title and an additional passport change one record, which keeps its items', async () => {
    const one = employee(1)
    const was = (await expectOk(httpGet(byNumber(one.number))))['passports']
    one.job = 'Head of Purchasing'
    one.passports.unshift({ number: 'NEW 2041-77', country: 'IE', expires: '2041-05-01' })
    const responses = await nightThatChanges([one.number])
    const { primaryApplicant } = responses.get(one.number)?.body ?? {}
    assert.equal(primaryApplicant.jobTitle, 'Head of Purchasing')
    assert.equal(primaryApplicant.passports.length, was.length + 1)
    const kept = primaryApplicant.passports.filter(
      (passport: Fields) => passport['passportNumber'] !== 'NEW 2041-77',
    )
    assert.deepEqual(kept, was)
  })

  it('night 10: an unchanged file changes no record', () => unchangedNights(1))

  it('nights 11 and 12: a child that the file omits is archived, then restored as the same record', async () => {
    const one = employee(2)
    const family = one.family
    const number = one.number
    const child = family.findLast(({ relation, permits }) => relation === 'Child' && permits.length > 0)
    assert.ok(child && !child.number)
    const dependents = async (): Promise<Fields[]> => (await httpGet(`${byNumber(number)}/dependents`)).body
    const was = await dependents()
    one.family = family.filter(relative => relative !== child)
    await nightThatChanges([number])
    assert.equal((await dependents()).length, was.length - 1)
    one.family = family
    await nightThatChanges([number])
    const is = await dependents()
    const strip = (records: Fields[]) =>
      records
        .map(({ updatedAt: _updatedAt, ...rest }) => rest)
        .sort((a, b) => (a['applicantId'] < b['applicantId'] ? -1 : 1))
    assert.deepEqual(strip(is), strip(was))
    const back = is.find(({ firstName }) => firstName === child.first)
    const { documentId } = back?.['documents'][0] ?? {}
    const document = await expectOk(httpGet(`/v2/document/${encodeURIComponent(documentId)}`))
    assert.equal(document['applicantId'], back?.['applicantId'])
  })

  it('night 13: an unchanged file changes no record', () => unchangedNights(1))

  it('night 14: an invalid row is rejected with its errors, and the others are accepted', async () => {
    const bad = employee(3)
    const changed = employee(5)
    changed.job = 'Chief pilot'
    const was = await readAll()
    const rows = file().map(row => {
      if (row.number !== bad.number) return row
      const primaryApplicant = { ...row.body.primaryApplicant, jobTitle: 'Lost', dateOfBirth: '1973-02-30' }
      const passports = [{ ...row.body.primaryApplicant['passports'][0], expiryDate: 'soon' }]
      return { ...row, body: { ...row.body, primaryApplicant: { ...primaryApplicant, passports } } }
    })
    const responses = await night(rows)
    for (const [number, { status, body }] of responses) {
      if (number !== bad.number) assert.equal(status, 200, `${number} ${JSON.stringify(body)}`)
      else {
        assert.deepEqual([status, body.code], [400, 'invalid-request'])
        assert.deepEqual(body.errors.map(({ pointer }: Fields) => pointer).sort(), [
          '/primaryApplicant/dateOfBirth',
          '/primaryApplicant/passports/0/expiryDate',
        ])
      }
    }
    const is = await readAll()
    for (const number of numbers())
      if (number === changed.number) assert.equal(is[number]?.[0]?.['body'].jobTitle, 'Chief pilot')
      else assert.deepEqual(is[number], was[number], number)
  })

  it('night 15: the corrected row changes no record', () => unchangedNights(1))

  it('night 16: the same file in another order changes no record', async () => {
    const reverseLists = (fields: Fields): Fields =>
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.toReversed() : value,
        ]),
      )
    const was = await readAll()
    const reversed = file().map(({ number, body: { primaryApplicant, dependents } }) => ({
      number,
      body: {
        primaryApplicant: reverseLists(primaryApplicant),
        dependents: dependents.map(reverseLists).reverse(),
      },
    }))
    const responses = await night(reversed.reverse())
    for (const [number, { status }] of responses) assert.equal(status, 200, number)
    assert.deepEqual(await readAll(), was)
    assert.equal(mirror.changed, 0)
  })

  it('nights 17 and 18: steps, notes and uploads of a case are not affected by the file', async () => {
    const [one] = mirror.cases.values()
    const caseId: string = one?.['caseId']
    const steps: Fields[] = (await httpGet(stepsAt(caseId))).body
    await expectOk(patch(adminStep(caseId, steps[0]?.['stepId']), { status: 'completed' }))
    const note = await expectOk(
      post(`${adminCase(caseId)}/notes`, { content: 'Passport copy received.', author: 'R. Okafor' }),
    )
    await mirror.poll(numbers())
    await expectOk(
      patch(adminNote(caseId, note['noteId']), { content: 'Passport copy received and checked.' }),
    )
    const form = new FormData()
    form.append('caseId', caseId)
    form.append('countryCode', 'DE')
    form.append('document', new Blob(['%PDF-1.7 a permit'], { type: 'application/pdf' }), 'permit.pdf')
    const uploaded = await expectOk(call({ method: 'POST', path: '/v2/document', body: form }))
    uploads.push(uploaded['documentId'])
    await unchangedNights(2)
    assert.equal(mirror.notes.get(note['noteId'])?.['content'], 'Passport copy received and checked.')
    assert.equal(mirror.documents.get(uploaded['documentId'])?.['caseId'], caseId)
    assert.equal(mirror.steps.get(steps[0]?.['stepId'])?.['status'], 'completed')
  })

  it('nights 19 to 21: a change of employee number is visible in every list', async () => {
    const one = staff.at(-1) as Employee
    const [from, to] = [one.number, newNumber()]
    const { applicantId } = await expectOk(httpGet(byNumber(from)))
    const change = `${byNumber(from)}/${encodeURIComponent(to)}`
    const identity = { firstName: one.first, lastName: one.last, dateOfBirth: one.born }
    await expectProblem(post(change, identity), 401, 'api-key-required')
    const changed = await expectOk(post(change, identity, { apiKey: credentials.apiKey }))
    assert.deepEqual(
      [changed['applicantId'], changed['previousEmployeeNumber'], changed['employeeNumber']],
      [applicantId, from, to],
    )
    const old = rowOf(one)
    one.number = to
    await mirror.poll(numbers())
    assert.equal(mirror.changed, 1)
    const follows = (copy: Map<string, Fields>) =>
      [...copy.values()]
        .filter(record => record['applicantId'] === applicantId)
        .map(record => record['employeeNumber'])
    for (const copy of [mirror.cases, mirror.steps, mirror.notes, mirror.documents]) {
      assert.ok(follows(copy).length > 0)
      assert.deepEqual([...new Set(follows(copy))], [to])
    }
    // A row with the retired number does not create a second record.
    await expectProblem(put(byNumber(from), old.body), 409, 'employee-number-retired')
    await unchangedNights(3)
  })

  it('nights 22 to 24: a terminated employee remains stored after the file omits them', async () => {
    const leaver = employee(7)
    leaver.status = 'T'
    const responses = await nightThatChanges([leaver.number])
    assert.equal(responses.get(leaver.number)?.body.primaryApplicant.status, 'T')
    await unchangedNights(1)
    leavers.push(...staff.splice(staff.indexOf(leaver), 1))
    await unchangedNights(1)
    assert.equal((await expectOk(httpGet(byNumber(leaver.number))))['status'], 'T')
  })

  it('nights 25 to 30: an unchanged file changes no record', () => unchangedNights(6))

  it('after 30 nights the mirror equals the state of the service', async () => {
    const now = await readAll()
    assert.equal(mirror.people.size, 26)
    const steps = new Map<string, Fields>()
    const notes = new Map<string, Fields>()
    const cases = new Map<string, Fields>()
    const documents = new Map<string, Fields>()
    for (const number of numbers()) {
      const [primary, ...dependents] = now[number] as [Fields, ...Fields[]]
      const copy = mirror.people.get(primary['body'].applicantId)
      assert.equal(copy?.etag, primary['etag'])
      assert.deepEqual(copy?.record, primary['body'])
      assert.deepEqual(
        copy?.dependents,
        dependents.map(({ body }) => body),
      )
      for (const one of (await httpGet(casesOfNumber(number))).body) {
        cases.set(one.caseId, await expectOk(httpGet(caseAt(one.caseId))))
        for (const step of (await httpGet(stepsAt(one.caseId))).body) steps.set(step.stepId, step)
        for (const note of (await httpGet(notesAt(one.caseId))).body) notes.set(note.noteId, note)
      }
      const own = [primary, ...dependents].flatMap(({ body }) => body.documents.map(idOfDocument))
      for (const documentId of own)
        documents.set(documentId, await expectOk(httpGet(`/v2/document/${encodeURIComponent(documentId)}`)))
    }
    for (const documentId of uploads)
      documents.set(documentId, await expectOk(httpGet(`/v2/document/${encodeURIComponent(documentId)}`)))
    assert.deepEqual(sorted(mirror.cases), sorted(cases))
    assert.deepEqual(sorted(mirror.steps), sorted(steps))
    assert.deepEqual(sorted(mirror.notes), sorted(notes))
    assert.deepEqual(sorted(mirror.documents), sorted(documents))
    assert.deepEqual([cases.size, notes.size, uploads.length], [1, 1, 1])
  })
})
