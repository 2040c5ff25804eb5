// The fictional people and companies of the demo: deterministic, and small enough for one screen.
import type { CaseStatus } from '../cases/case.ts'

export const COMPANIES = [
  { name: 'Northwind Robotics GmbH', code: 'NWR-DE', country: 'DE' },
  { name: 'Northwind Robotics Inc.', code: 'NWR-US', country: 'US' },
  { name: 'Northwind Robotics Ltd', code: 'NWR-UK', country: 'UK' },
  { name: 'Halden Pharma AG', code: 'HAL-CH', country: 'CH' },
  { name: 'Halden Pharma S.A.', code: 'HAL-FR', country: 'FR' },
  { name: 'Brightwater Consulting S.L.', code: 'BWC-ES', country: 'ES' },
  { name: 'Brightwater Consulting LLP', code: 'BWC-UK', country: 'UK' },
  { name: 'Old Harbour Shipping (closed)', code: 'OHS', country: 'UK', active: false },
]

const FAMILIES = [
  'Okafor', 'Schmidt', 'Nakamura', 'García', 'Dubois', 'Rossi', 'Kowalska', 'Patel', 'Johansson', 'Silva', 'Novák',
  'Haddad', 'Chen', 'Murphy', 'Yılmaz', 'Petrov', 'Kim', 'Müller', 'Fernández', 'O’Brien',
] // biome-ignore format: a table reads better than a column

const FIRST = [
  'Adaeze', 'Jonas', 'Haruka', 'Lucía', 'Étienne', 'Giulia', 'Zofia', 'Arjun', 'Astrid', 'Thiago', 'Tereza', 'Omar', 'Mei',
  'Niamh', 'Deniz', 'Ivan', 'Jiwoo', 'Franziska', 'Mateo', 'Saoirse', 'Chidi', 'Lena', 'Ren', 'Pablo', 'Camille', 'Marco',
  'Jan', 'Priya', 'Erik', 'Beatriz', 'Lukáš', 'Layla', 'Wei', 'Conor', 'Elif', 'Olga', 'Minho', 'Paul', 'Carmen', 'Aidan',
] // biome-ignore format: a table reads better than a column

const NATIONALITIES = [
  'NG',
  'DE',
  'JP',
  'ES',
  'FR',
  'IT',
  'PL',
  'IN',
  'SE',
  'BR',
  'CZ',
  'LB',
  'CN',
  'IE',
  'TR',
  'BG',
  'KR',
  'DE',
  'MX',
  'IE',
]
const TITLES = [
  'Software Engineer',
  'Research Scientist',
  'Finance Manager',
  'Head of Operations',
  'Product Designer',
  'Field Engineer',
]
const CHILDREN = ['Noah', 'Mia', 'Luca', 'Ines', 'Theo', 'Aya']
const TYPES = ['Work Permit', 'Visa', 'Dependent Permit', 'Renewal', 'Permanent Residence']
const HOSTS = ['DE', 'US', 'UK', 'CH', 'FR', 'ES']
const NOTES = [
  'Passport copy received; page with the photo is clear.',
  'Asked the employee for the signed contract.',
  'Consulate confirmed the appointment.',
  'Degree certificate is at the translator, back next week.',
  'Decision expected within three weeks, says the authority.',
  'Employee travels from the 3rd to the 9th; no appointments then.',
]
const AUTHORS = ['R. Okonkwo', 'S. Lindqvist', 'M. Duarte']

export const PEOPLE = 40

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T
const day = (date: Date) => `${date.toISOString().slice(0, 10)}T00:00:00`
const shifted = (today: Date, days: number) => new Date(today.getTime() + days * 86_400_000)

/** A family with passports and documents, whose expiry dates lie around today. */
export function person(index: number, today: Date) {
  const lastName = pick(FAMILIES, index)
  const nationality = pick(NATIONALITIES, index)
  const number = `D-${1001 + index}`
  const child = (order: number) => ({
    firstName: pick(CHILDREN, index + order),
    lastName,
    relationship: 'Child',
    dateOfBirth: `${2012 + ((index + order) % 10)}-0${1 + (index % 9)}-1${order}T00:00:00`,
    nationality,
  })
  const spouse = {
    firstName: pick(FIRST, index + 20),
    lastName,
    relationship: 'Spouse',
    nationality,
    employeeNumber: `${number}-D1`,
  }
  return {
    primaryApplicant: {
      employeeNumber: number,
      firstName: pick(FIRST, index),
      lastName,
      email: `${number.toLowerCase()}@example.com`,
      telephone: `+49 30 5550${100 + index}`,
      gender: index % 2 ? 'M' : 'F',
      maritalStatus: index % 3 === 0 ? 'M' : 'S',
      dateOfBirth: `${1968 + (index % 30)}-0${1 + (index % 9)}-${10 + (index % 18)}T00:00:00`,
      countryOfBirth: nationality,
      nationality,
      jobTitle: pick(TITLES, index),
      sendingCompany: pick(COMPANIES, index % 7).name,
      hireDate: `${2015 + (index % 10)}-02-01T00:00:00`,
      addressCity: 'Berlin',
      addressCountry: 'DE',
      metaData: [{ tagName: 'costCenter', value: String(4700 + (index % 7)) }],
      passports: [
        {
          passportNumber: `${nationality}${7_100_000 + index * 731}`,
          country: nationality,
          nationality,
          issuedBy: nationality,
          issueDate: day(shifted(today, -2000 - index)),
          expiryDate: day(shifted(today, 20 + index * 45)),
        },
      ],
      documents: [
        {
          name: 'Residence permit',
          referenceNumber: `RP-${5000 + index}`,
          country: pick(HOSTS, index),
          issueDate: day(shifted(today, -700)),
          expiryDate: day(shifted(today, -30 + index * 9)),
          remindAboutRenewal: index % 2 === 0,
          expiryReminder: 0,
        },
      ],
    },
    dependents: index % 3 === 0 ? [spouse, child(1)] : index % 3 === 1 ? [child(1), child(2)] : [],
  }
}

/** A person's case and its progress. */
export function journey(index: number) {
  const status: CaseStatus = pick(['open', 'open', 'pending', 'closed'] as const, index)
  return {
    caseType: pick(TYPES, index),
    hostCountry: pick(HOSTS, index),
    hostCompany: pick(COMPANIES, index % 7).name,
    sendingCompany: pick(COMPANIES, (index + 1) % 7).code,
    billingCompany: pick(COMPANIES, (index + 1) % 7).name,
    status,
    stepsDone: status === 'closed' ? 99 : index % 4,
    notes: Array.from({ length: 1 + (index % 3) }, (_, order) => ({
      content: pick(NOTES, index + order),
      author: pick(AUTHORS, index + order),
    })),
    startedDaysAgo: 150 - index * 3,
  }
}

const PAPERS = ['Passport', 'Contract', 'Degree', 'Permit']

/** A document of a person's case, with the lines of its page. */
export function paper(index: number, today: Date) {
  const type = pick(PAPERS, index)
  const country = pick(HOSTS, index)
  return {
    countryCode: country,
    type,
    name: `${type} (specimen)`,
    description: 'Made up for the demo.',
    issueDate: day(shifted(today, -400 - index)),
    expiryDate: type === 'Permit' || type === 'Passport' ? day(shifted(today, 15 + index * 20)) : null,
    referenceNumber: `${type.slice(0, 1)}-${8000 + index}`,
    country,
    lines: [`${type}, specimen`, `Kept in ${country}`],
  }
}
