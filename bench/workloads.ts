// The measured requests, as one table. The load on the service, the bytes of the bare route and the statements of the
// driver are derived from it.
import { randomUUID } from 'node:crypto'
import {
  applicantId,
  COMPANIES,
  caseId,
  DAYS,
  type Dataset,
  employeeNumber,
  FIRST_DAY,
  person,
  recordOf,
  smallCompanyStride,
} from './records.ts'

/** A dataset, and cursors deep in its lists. */
export interface Fixture {
  dataset: Dataset
  cursors: Record<string, string>
  /** Of a client that sees one small company; undefined where a release knows no such clients. */
  limitedToken?: string
}

export interface Request {
  method: string
  path: string
  body?: string
}

export interface Workload {
  name: string
  /** `index` chooses the record; without it, a random one. */
  request(fixture: Fixture, index?: number): Request
  /** Whether the caller is limited to one small company. */
  isLimited?: true
  /** The values that identify record `index` in the statements of its request. The driver replaces them. */
  valuesOf(index: number): string[]
  /** The limits, that is the baselines that the service is compared with; `minRatio` applies to the first. */
  limits: ('bare' | 'driver' | 'pgbench')[]
  /** Minimum ratio to the first limit at 32 connections, with 1,000 applicants. */
  minRatio?: number
  /** The same with 1,000,000 applicants, which do not fit into caches. */
  minRatioLarge?: number
}

export const random = (below: number) => Math.floor(Math.random() * below)

const day = (offset: number) => new Date(FIRST_DAY + offset * 86_400_000).toISOString().slice(0, 10)
const RANGE = `startDate=${day(0)}&endDate=${day(DAYS + 1)}`
const byId = (index: number) => `/v2/applicant/${encodeURIComponent(applicantId(index))}`
const byNumber = (number: string) => `/v2/applicant/employeenumber/${number}`
const applicantValues = (index: number) => [
  applicantId(index),
  employeeNumber(index),
  person(index).email,
  person(index).passportNumber,
]
const none = () => []

/** An applicant of the large company: the statements of one write, with its company, are repeated for others. */
export function randomOfLarge({ applicants }: Dataset): number {
  const index = random(applicants)
  return index % smallCompanyStride(applicants) === 0 ? index + 1 : index
}

/** A whole record, as an HR system sends it, with another job and cost centre. */
function applicant(index: number): string {
  const { applicantId, employeeNumber, passports, ...fields } = JSON.parse(
    recordOf(index, COMPANIES.large.name),
  )
  const [{ passportId, ...passport }] = passports
  const metaData = [{ tagName: 'costCenter', value: String(random(1e6)) }]
  const jobTitle = `Engineer ${random(1e6)}`
  return JSON.stringify({ primaryApplicant: { ...fields, jobTitle, metaData, passports: [passport] } })
}

function newCase(index: number): string {
  return JSON.stringify({
    caseType: 'Work Permit',
    hostCompany: 'NW',
    sendingCompany: 'NW',
    billingCompany: 'NW',
    hostCountry: 'DE',
    applicant: { employeeNumber: employeeNumber(index), firstName: 'Anna', lastName: 'Schmidt' },
  })
}

const get = (path: string): Request => ({ method: 'GET', path })
const list = (kind: string) => `/v2/cases/applicants/${kind}?${RANGE}&maxRecords=100`

export const workloads: Workload[] = [
  {
    name: 'read applicant by id',
    request: ({ dataset }, index = random(dataset.applicants)) => get(byId(index)),
    valuesOf: applicantValues,
    limits: ['bare', 'driver', 'pgbench'],
    minRatio: 0.28,
    minRatioLarge: 0.22,
  },
  {
    name: 'read applicant by number',
    request: ({ dataset }, index = random(dataset.applicants)) => get(byNumber(employeeNumber(index))),
    valuesOf: applicantValues,
    limits: ['bare', 'driver', 'pgbench'],
    minRatio: 0.28,
    minRatioLarge: 0.22,
  },
  {
    name: 'upsert by number, existing',
    request: ({ dataset }, index = randomOfLarge(dataset)) => ({
      method: 'PUT',
      path: byNumber(employeeNumber(index)),
      body: applicant(index),
    }),
    valuesOf: applicantValues,
    limits: ['driver', 'pgbench'],
    minRatio: 0.5,
    minRatioLarge: 0.5,
  },
  {
    name: 'upsert by number, new',
    request: () => ({ method: 'PUT', path: byNumber(`N-${randomUUID()}`), body: applicant(random(1e9)) }),
    valuesOf: none,
    limits: ['driver'],
    minRatio: 0.5,
    minRatioLarge: 0.5,
  },
  {
    name: 'merge by number',
    request: ({ dataset }, index = random(dataset.applicants)) => ({
      method: 'PATCH',
      path: byNumber(employeeNumber(index)),
      body: JSON.stringify({ primaryApplicant: { jobTitle: `Engineer ${random(1e6)}` } }),
    }),
    valuesOf: applicantValues,
    limits: ['driver'],
  },
  {
    name: 'create case',
    request: ({ dataset }, index = random(dataset.applicants)) => ({
      method: 'POST',
      path: '/v2/case',
      body: newCase(index),
    }),
    valuesOf: applicantValues,
    limits: ['driver'],
    minRatio: 0.5,
    minRatioLarge: 0.6,
  },
  {
    name: 'read case',
    request: ({ dataset }, index = random(dataset.cases)) =>
      get(`/v2/case/${encodeURIComponent(caseId(index))}`),
    valuesOf: index => [caseId(index)],
    limits: ['bare', 'driver', 'pgbench'],
    minRatio: 0.25,
    minRatioLarge: 0.12,
  },
  {
    name: 'page of 100 steps, first',
    request: () => get(`${list('steps')}&offset=`),
    valuesOf: none,
    limits: ['driver', 'pgbench'],
    minRatio: 0.38,
    minRatioLarge: 0.38,
  },
  {
    name: 'page of 100 steps, deep',
    request: ({ cursors }) => get(`${list('steps')}&nextCursor=${cursors['steps']}`),
    valuesOf: none,
    limits: ['driver'],
    minRatio: 0.38,
    minRatioLarge: 0.38,
  },
  {
    name: 'page of 100 notes, deep',
    request: ({ cursors }) => get(`${list('notes')}&nextCursor=${cursors['notes']}`),
    valuesOf: none,
    limits: ['driver'],
  },
  {
    name: 'page of 100 documents',
    request: () => get(`/v2/documents?${RANGE}&maxRecords=100`),
    valuesOf: none,
    limits: ['driver'],
  },
  {
    name: 'search by name',
    request: ({ dataset }, index = random(dataset.applicants)) =>
      get(`/admin/v1/applicants?maxRecords=20&name=${encodeURIComponent(person(index).lastName)}`),
    valuesOf: none,
    limits: [],
  },
  {
    name: 'search by passport',
    request: ({ dataset }, index = random(dataset.applicants)) =>
      get(`/admin/v1/applicants?passportNumber=${person(index).passportNumber}`),
    valuesOf: none,
    limits: [],
  },
  {
    name: 'read applicant, small company',
    request: ({ dataset }) => {
      const stride = smallCompanyStride(dataset.applicants)
      return get(byId(stride * random(Math.floor(dataset.applicants / stride))))
    },
    isLimited: true,
    valuesOf: none,
    limits: [],
  },
  {
    name: 'page of steps, small company',
    request: () => get(`${list('steps')}&offset=`),
    isLimited: true,
    valuesOf: none,
    limits: [],
  },
  {
    name: 'page of notes, small company',
    request: () => get(`${list('notes')}&offset=`),
    isLimited: true,
    valuesOf: none,
    limits: [],
  },
  {
    name: 'page of documents, small company',
    request: () => get(`/v2/documents?${RANGE}&maxRecords=100`),
    isLimited: true,
    valuesOf: none,
    limits: [],
  },
  {
    name: 'search by name, small company',
    request: ({ dataset }) => {
      const stride = smallCompanyStride(dataset.applicants)
      const { lastName } = person(stride * random(Math.floor(dataset.applicants / stride)))
      return get(`/admin/v1/applicants?maxRecords=20&name=${encodeURIComponent(lastName)}`)
    },
    isLimited: true,
    valuesOf: none,
    limits: [],
  },
  {
    name: 'a mixed day, 80 % reads',
    request: fixture => (Math.random() < 0.8 ? anyOf(READS) : anyOf(WRITES)).request(fixture),
    valuesOf: none,
    limits: [],
  },
]

const named = (...names: string[]) => workloads.filter(({ name }) => names.includes(name))
const READS = named(
  'read applicant by id',
  'read applicant by number',
  'read case',
  'page of 100 steps, first',
  'search by passport',
)
const WRITES = named('upsert by number, existing', 'upsert by number, new', 'merge by number', 'create case')
const anyOf = (some: Workload[]) => some[random(some.length)] as Workload
