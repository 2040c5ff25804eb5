// The fields of an upload: their errors, and their values.
import { COUNTRY_CODES } from '../lib/countries.ts'
import { parseWallClock } from '../lib/dates.ts'
import type { FieldError } from '../lib/problem.ts'
import type { UploadFields } from './uploads.service.ts'

/** What a document has beside its file. */
export const DETAILS = [
  'name',
  'type',
  'description',
  'expiryDate',
  'issueDate',
  'referenceNumber',
  'country',
]

export function faultsOf(fields: Map<string, string>, required: readonly string[]): FieldError[] {
  const faults: FieldError[] = []
  for (const name of required)
    if (!fields.get(name)) faults.push({ pointer: `/${name}`, detail: 'Required, but missing.' })
  const code = fields.get('countryCode')
  if (code && !(COUNTRY_CODES as readonly string[]).includes(code))
    faults.push({ pointer: '/countryCode', detail: `Expected one of ${COUNTRY_CODES.join(', ')}.` })
  for (const name of ['issueDate', 'expiryDate']) {
    const text = fields.get(name)
    if (text && !parseWallClock(text))
      faults.push({ pointer: `/${name}`, detail: 'Expected a real calendar date such as 2027-06-30.' })
  }
  const country = fields.get('country')
  if (country && !/^[A-Za-z]{2,3}$/.test(country))
    faults.push({ pointer: '/country', detail: 'Expected a country code of two or three letters.' })
  for (const [name, text] of fields) {
    if (text.includes('\0')) faults.push({ pointer: `/${name}`, detail: 'Must not hold a NUL character.' })
    else if (text.length > 4_000)
      faults.push({ pointer: `/${name}`, detail: 'Must have at most 4000 characters.' })
  }
  return faults
}

export function valuesOf(fields: Map<string, string>): UploadFields {
  const text = (name: string) => fields.get(name) || null
  const date = (name: string) => parseWallClock(fields.get(name) ?? '') ?? null
  return {
    caseId: fields.get('caseId') ?? null,
    type: text('type'),
    name: text('name'),
    description: text('description'),
    issueDate: date('issueDate'),
    expiryDate: date('expiryDate'),
    referenceNumber: text('referenceNumber'),
    country: text('country'),
  }
}
