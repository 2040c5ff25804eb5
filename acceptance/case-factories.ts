// Factories and paths of companies, cases, steps and notes. Every name is unique, so that the suite can run repeatedly
// against the same service.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type Call, call } from './client.ts'
import { expectOk, type Fields, get, newNumber, patch, post } from './people.ts'

export const CASE_STATUSES = ['open', 'pending', 'closed']
export const STEP_STATUSES = ['notStarted', 'inProgress', 'completed', 'waived']

const run = randomBytes(5).toString('hex')
let made = 0

/** A name that no other record has. */
export const newName = (prefix: string) => `${prefix} ${run} ${++made}`

const segment = encodeURIComponent

export const caseAt = (caseId: string) => `/v2/case/${segment(caseId)}`
export const stepsAt = (caseId: string) => `${caseAt(caseId)}/steps`
export const notesAt = (caseId: string) => `${caseAt(caseId)}/notes`
export const casesOfId = (applicantId: string) => `/v2/cases/applicant/id/${segment(applicantId)}`
export const casesOfNumber = (number: string) => `/v2/cases/applicant/employeenumber/${segment(number)}`
export const adminCase = (caseId: string) => `/admin/v1/cases/${segment(caseId)}`
export const adminStep = (caseId: string, stepId: string) => `${adminCase(caseId)}/steps/${segment(stepId)}`
export const adminNote = (caseId: string, noteId: string) => `${adminCase(caseId)}/notes/${segment(noteId)}`
export const processAt = (name: string) => `/admin/v1/processes/${segment(name)}`
export const COMPANIES = '/admin/v1/companies'

/** An id of the right shape that no record has. */
export const UNKNOWN_ID = 'bm90aGluZyBoYXMgdGhpcyA='

export interface Company {
  companyId: string
  name: string
  code: string
}

export async function company(fields: Fields = {}): Promise<Company> {
  const name = newName('Company')
  return (await expectOk(
    post(COMPANIES, { name, code: `C-${run}-${made}`, country: 'DE', ...fields }),
  )) as unknown as Company
}

let three: Promise<[Company, Company, Company]> | undefined

/** Host, sending and billing company of the cases that do not bring their own. */
export function companies(): Promise<[Company, Company, Company]> {
  three ??= Promise.all([company(), company(), company()])
  return three
}

/** The smallest valid body of a case. */
export async function caseBody(fields: Fields = {}, applicant: Fields = {}): Promise<Fields> {
  const [host, sending, billing] = await companies()
  return {
    caseType: `Acceptance ${run}`,
    hostCompany: host.name,
    sendingCompany: sending.name,
    billingCompany: billing.name,
    applicant: { employeeNumber: newNumber(), firstName: 'Anna', lastName: 'Schmidt', ...applicant },
    ...fields,
  }
}

/** Every field of a case, each with a distinct value. */
export async function everyCaseField(): Promise<Fields> {
  return {
    ...(await caseBody()),
    hostCountry: 'DE',
    hostCity: 'Köln',
    homeCountry: 'USA',
    assignmentId: 'ASG-2026/17',
    processName: 'There is no process of this name',
    payrollLocation: 'Dublin',
    salary: '85 000 €',
    newJobTitle: 'Senior naval architect 🚢',
    placeOfWork: 'Deutz "Werk 2"',
    authorizingPerson: "Siobhán O'Brien",
    costCenter: '4711',
    department: 'R&D <Europe>',
    billingReference: 'PO\\9',
    applicant: {
      employeeNumber: newNumber(),
      firstName: 'Zoë',
      lastName: "D'Angelo-Müller",
      middleName: 'María José',
      countryOfResidence: 'FR',
      countryOfBirth: 'IE',
      placeOfBirth: 'Dún Laoghaire',
      dateOfBirth: '1984-02-29',
      gender: 'F',
      maritalStatus: 'M',
      Vip: true,
      emailAddress: 'zoe@example.com',
      telephoneNumber: '+81 3 1234 5678',
      hireDate: '2019-07-01',
      currentJobTitle: 'Naval architect',
      addressStreet1: '12 "The Elms"',
      addressStreet2: 'c/o Nguyễn',
      addressCity: '東京',
      addressState: 'Tokyo-to',
      addressPostalCode: '100-0001',
      addressCountry: 'JP',
      passports: [
        {
          country: 'IE',
          passportNumber: 'PA1234567',
          expirationDate: '2030-01-01',
          issueDate: '2020-01-02',
          issuingAuthority: 'DFA Dublin',
          Nationality: 'IRL',
        },
        {
          country: 'GB',
          passportNumber: 'GB-OLD 9',
          expirationDate: '2020-01-01',
          issueDate: '2010-01-02',
          issuingAuthority: 'HMPO',
          Nationality: 'GB',
        },
      ],
      dependents: [
        {
          firstName: 'Ben',
          lastName: 'Müller',
          relationship: 'Child',
          nationality: 'IE',
          dateOfBirth: '2018-09-12',
          gender: 'M',
        },
        {
          firstName: 'Kim',
          lastName: "D'Angelo",
          relationship: 'Spouse',
          nationality: 'US',
          dateOfBirth: '1983-12-31',
          gender: 'F',
        },
      ],
    },
    metadata: [
      { tagName: 'project', value: 'Orion' },
      { tagName: 'wave', value: '' },
    ],
  }
}

/** Creates a case and returns its ids. */
export async function newCase(fields: Fields = {}, applicant: Fields = {}) {
  const body = await expectOk(post('/v2/case', await caseBody(fields, applicant)))
  return {
    caseId: body['caseId'] as string,
    applicantId: body['applicantId'] as string,
    employeeNumber: body['employeeNumber'] as string,
    steps: body['steps'] as Fields[],
    body,
  }
}

export const setStatus = (caseId: string, status: string, rest: Partial<Call> = {}) =>
  patch(adminCase(caseId), { status }, rest)
export const addStep = (caseId: string, body: Fields = {}) =>
  expectOk(post(`${adminCase(caseId)}/steps`, { name: 'Medical examination', ...body }))
export const addNote = (caseId: string, content: string) =>
  expectOk(post(`${adminCase(caseId)}/notes`, { content }))

/** Creates a process with this number of steps, and a case that follows it. */
export async function caseOfSteps(count: number, applicant: Fields = {}) {
  const name = newName('Process')
  const steps = Array.from({ length: count }, (_, index) => `Step ${index + 1}`)
  await expectOk(call({ method: 'PUT', path: processAt(name), body: { steps } }))
  return newCase({ processName: name }, applicant)
}

/** Registers a new client and returns its token. */
export async function ownToken(
  scopes = ['cases:read', 'admin'],
): Promise<{ token: string; clientId: string }> {
  const client = await expectOk(post('/admin/v1/clients', { name: 'Acceptance tests', scopes }))
  const basic = Buffer.from(`${client['clientId']}:${client['clientSecret']}`).toString('base64')
  const response = await expectOk(
    call({
      method: 'POST',
      path: '/oauth/token',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      scopes: null,
    }),
  )
  return { token: response['access_token'], clientId: client['clientId'] }
}

/** The date in this number of days, in UTC. */
export const dayFromNow = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** A random day in the far future, so that other tests do not list the steps of this one. */
export function ownDay(): string {
  const days = 1 + (randomBytes(4).readUInt32BE() % 300_000)
  return new Date(Date.UTC(2200, 0, 1) + days * 86_400_000).toISOString().slice(0, 10)
}

export const dayAfter = (day: string, days = 1) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

export type List = 'steps' | 'notes'
export type Query = Record<string, string | number>

const listAt = (list: List, query: Query) => {
  const text = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return `/v2/cases/applicants/${list}?${new URLSearchParams(text)}`
}
export const listed = (list: List, query: Query, rest: Partial<Call> = {}) => get(listAt(list, query), rest)

interface PageBody {
  records: Fields[]
  nextCursor: string | null
  prevCursor: string | null
}

export async function page(list: List, query: Query): Promise<PageBody> {
  return (await expectOk(listed(list, query))) as PageBody
}

export const idOf = (record: Fields): string => record['stepId'] ?? record['noteId']
export const idsOf = (records: Fields[]) => records.map(idOf)

/** Follows the cursors and returns all pages in the order in which they were read. */
export async function pagesFrom(
  list: List,
  query: Query,
  { way = 'nextCursor', between }: { way?: 'nextCursor' | 'prevCursor'; between?: () => unknown } = {},
): Promise<PageBody[]> {
  const pages = [await page(list, query)]
  const { offset: _offset, nextCursor: _next, prevCursor: _prev, ...range } = query
  for (let cursor = pages[0]?.[way]; cursor; cursor = pages.at(-1)?.[way]) {
    await between?.()
    pages.push(await page(list, { ...range, [way]: cursor }))
    assert.ok(pages.length < 2_000, 'The walk does not end.')
  }
  return pages
}

/** Part of a list by date that belongs to one test, although other tests write to the same list. */
export interface Section {
  /** Query parameters of the list that contains it. */
  range: Query
  /** The ids of its records in order. Notes of other tests may be among them. */
  ids: string[]
  /** The number of records before it. */
  base: number
  owns(record: Fields): boolean
}

/** Creates this number of steps that start on a day that no other test uses, or this number of notes. */
export function sectionOf(list: List, count: number): Promise<Section> {
  return list === 'steps' ? sectionOfSteps(count) : sectionOfNotes(count)
}

async function sectionOfSteps(count: number): Promise<Section> {
  const { caseId, steps } = await caseOfSteps(count)
  const startDate = ownDay()
  await Promise.all(steps.map(step => expectOk(patch(adminStep(caseId, step['stepId']), { startDate }))))
  const range = { startDate, endDate: startDate, type: 'started' }
  const { records } = await page('steps', { ...range, offset: 0, maxRecords: 1000 })
  assert.equal(records.length, count)
  return { range, ids: idsOf(records), base: 0, owns: record => record['caseId'] === caseId }
}

async function sectionOfNotes(count: number): Promise<Section> {
  const { caseId } = await newCase()
  await Promise.all(Array.from({ length: count }, (_, index) => addNote(caseId, `Note ${index}`)))
  const range = { startDate: dayFromNow(-1), endDate: dayFromNow(1), type: 'created' }
  const owns = (record: Fields) => record['caseId'] === caseId
  const pages = await pagesFrom('notes', { ...range, offset: '', maxRecords: 1000 })
  const all = pages.flatMap(({ records }) => records)
  const base = all.findIndex(owns)
  const records = all.slice(base, all.findLastIndex(owns) + 1)
  assert.equal(records.filter(owns).length, count)
  return { range, ids: idsOf(records), base, owns }
}
