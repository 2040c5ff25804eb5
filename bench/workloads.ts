// What is measured: one table of requests. The load on the service, the bytes of the bare route and the statements of the
// driver are derived from it.
import { randomUUID } from 'node:crypto'
import { applicantId, caseId, DAYS, type Dataset, employeeNumber, FIRST_DAY, person } from './seed.ts'

/** A dataset, and cursors deep in its lists. */
export interface Scene {
  dataset: Dataset
  cursors: Record<string, string>
}

export interface Request {
  method: string
  path: string
  body?: string
}

export interface Workload {
  name: string
  /** `index` chooses the record; without it, a random one. */
  request(scene: Scene, index?: number): Request
  /** The values in the statements of a request for record `index`. The driver replaces them by those of other records. */
  names(index: number): string[]
  /** The limits it is compared with; `least` is about the first. */
  limits: ('bare' | 'driver' | 'pgbench')[]
  /** The least ratio to the first limit at 32 connections, with 1,000 applicants. */
  least?: number
  /** The same with 1,000,000 applicants, of which no cache holds many. */
  leastLarge?: number
}

export const random = (below: number) => Math.floor(Math.random() * below)

const day = (offset: number) => new Date(FIRST_DAY + offset * 86_400_000).toISOString().slice(0, 10)
const RANGE = `startDate=${day(0)}&endDate=${day(DAYS + 1)}`
const byId = (index: number) => `/v2/applicant/${encodeURIComponent(applicantId(index))}`
const byNumber = (number: string) => `/v2/applicant/employeenumber/${number}`
const namesOf = (index: number) => [
  applicantId(index),
  employeeNumber(index),
  person(index).email,
  person(index).passportNumber,
]
const none = () => []

function applicant(index: number): string {
  const { firstName, lastName, email, passportNumber } = person(index)
  return JSON.stringify({
    primaryApplicant: {
      firstName,
      lastName,
      email,
      dateOfBirth: '1990-05-31',
      nationality: 'DE',
      jobTitle: `Engineer ${random(1e6)}`,
      passports: [{ passportNumber, country: 'DE', nationality: 'DE', expiryDate: '2031-02-28' }],
      metaData: [{ tagName: 'costCenter', value: String(random(1e6)) }],
    },
  })
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
    names: namesOf,
    limits: ['bare', 'driver', 'pgbench'],
    least: 0.6,
    leastLarge: 0.5,
  },
  {
    name: 'read applicant by number',
    request: ({ dataset }, index = random(dataset.applicants)) => get(byNumber(employeeNumber(index))),
    names: namesOf,
    limits: ['bare', 'driver', 'pgbench'],
    least: 0.6,
    leastLarge: 0.5,
  },
  {
    name: 'upsert by number, existing',
    request: ({ dataset }, index = random(dataset.applicants)) => ({
      method: 'PUT',
      path: byNumber(employeeNumber(index)),
      body: applicant(index),
    }),
    names: namesOf,
    limits: ['driver', 'pgbench'],
    least: 0.6,
    leastLarge: 0.6,
  },
  {
    name: 'upsert by number, new',
    request: () => ({ method: 'PUT', path: byNumber(`N-${randomUUID()}`), body: applicant(random(1e9)) }),
    names: none,
    limits: ['driver'],
    least: 0.6,
    leastLarge: 0.6,
  },
  {
    name: 'merge by number',
    request: ({ dataset }, index = random(dataset.applicants)) => ({
      method: 'PATCH',
      path: byNumber(employeeNumber(index)),
      body: JSON.stringify({ primaryApplicant: { jobTitle: `Engineer ${random(1e6)}` } }),
    }),
    names: namesOf,
    limits: ['driver'],
  },
  {
    name: 'create case',
    request: ({ dataset }, index = random(dataset.applicants)) => ({
      method: 'POST',
      path: '/v2/case',
      body: newCase(index),
    }),
    names: namesOf,
    limits: ['driver'],
    least: 0.5,
    leastLarge: 0.6,
  },
  {
    name: 'read case',
    request: ({ dataset }, index = random(dataset.cases)) =>
      get(`/v2/case/${encodeURIComponent(caseId(index))}`),
    names: index => [caseId(index)],
    limits: ['bare', 'driver', 'pgbench'],
    least: 0.5,
    leastLarge: 0.35,
  },
  {
    name: 'page of 100 steps, first',
    request: () => get(`${list('steps')}&offset=`),
    names: none,
    limits: ['driver', 'pgbench'],
    least: 0.5,
    leastLarge: 0.5,
  },
  {
    name: 'page of 100 steps, deep',
    request: ({ cursors }) => get(`${list('steps')}&nextCursor=${cursors['steps']}`),
    names: none,
    limits: ['driver'],
    least: 0.5,
    leastLarge: 0.5,
  },
  {
    name: 'page of 100 notes, deep',
    request: ({ cursors }) => get(`${list('notes')}&nextCursor=${cursors['notes']}`),
    names: none,
    limits: ['driver'],
  },
  {
    name: 'page of 100 documents',
    request: () => get(`/v2/documents?${RANGE}&maxRecords=100`),
    names: none,
    limits: ['driver'],
  },
  {
    name: 'search by name',
    request: ({ dataset }, index = random(dataset.applicants)) =>
      get(`/admin/v1/applicants?maxRecords=20&name=${encodeURIComponent(person(index).lastName)}`),
    names: none,
    limits: [],
  },
  {
    name: 'search by passport',
    request: ({ dataset }, index = random(dataset.applicants)) =>
      get(`/admin/v1/applicants?passportNumber=${person(index).passportNumber}`),
    names: none,
    limits: [],
  },
  {
    name: 'a mixed day, 80 % reads',
    request: scene => (Math.random() < 0.8 ? anyOf(READS) : anyOf(WRITES)).request(scene),
    names: none,
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
