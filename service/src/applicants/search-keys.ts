// Computes the search keys of a record: its texts, folded so that different spellings are equal.
import { fold, foldSpelling } from '../lib/fold.ts'
import type { Applicant } from './applicant.ts'

/**
 * Raise it with every change of the keys below or of lib/fold.ts. Workers recompute the keys of older rows, of applicants and
 * of cases. The indexes that find those rows have the version in their condition, so the change needs a migration as well.
 */
export const KEYS_VERSION = 1

/** Keys must fit into an index entry of 2,700 bytes; this many characters have 800 bytes at most. */
const MAX_LENGTH = 200

export interface SearchKeys {
  name: string
  nameReversed: string
  keys: string[]
}

/** Longer than any name of a company, and short enough for an index. */
const MAX_COMPANY_LENGTH = 600

/** The folded name, code or id of the company that the record of a primary applicant names. */
export function companyKeyOf({ sendingCompany }: Pick<Applicant, 'sendingCompany'>): string | null {
  return fold(sendingCompany ?? '').slice(0, MAX_COMPANY_LENGTH) || null
}

export function searchKeysOf(record: Omit<Applicant, 'documents'>): SearchKeys {
  const { firstName, middleName, lastName, email, alternateEmail, employeeNumber, passports } = record
  const keys = [
    ...[email, alternateEmail].map(address => emailKey(address ?? '')),
    ...passports.map(passport => passportKey(String(passport['passportNumber'] ?? ''))),
    numberKey(employeeNumber ?? ''),
  ]
  return {
    ...nameKeysOf({ firstName, middleName, lastName }),
    keys: [...new Set(keys.filter(key => key.length > 2))],
  }
}

/** The folded name of a person, in both orders. */
export function nameKeysOf({
  firstName,
  middleName,
  lastName,
}: Pick<Applicant, 'firstName' | 'middleName' | 'lastName'>): Omit<SearchKeys, 'keys'> {
  const names = (...parts: (string | null)[]) => searchable(parts.filter(Boolean).join(' '))
  return {
    name: names(lastName, firstName, middleName),
    nameReversed: names(firstName, middleName, lastName),
  }
}

/** The keys that a whole number, e-mail address or passport number is found by. */
export const wholeKeys = (text: string) => [numberKey(text), emailKey(text), passportKey(text)]

/** Folds a name or its prefix. A final sigma becomes a plain one: the last letter of a prefix may not be the last of the name. */
export const searchable = (text: string) => cut(foldSpelling(text).replaceAll('ς', 'σ'))

const MAX_ROTATIONS = 3

/** The beginning of a name, folded. */
export interface NamePrefix {
  prefix: string
  /**
   * The same with its last words first. So "Anna Schmidt" finds "Schmidt Anna Beate" too, whose middle name stands between in the
   * other order.
   */
  rotated: string[]
}

export function namePrefixOf(text: string): NamePrefix {
  const words = text.trim().split(/\s+/)
  const rotated = words
    .slice(1, 1 + MAX_ROTATIONS)
    .map((_, at) => searchable([...words.slice(-1 - at), ...words.slice(0, -1 - at)].join(' ')))
  return { prefix: searchable(text), rotated }
}

export const emailKey = (email: string) => `e:${cut(fold(email))}`
export const passportKey = (number: string) => `p:${cut(foldSpelling(number))}`
export const numberKey = (number: string) => `n:${cut(fold(number))}`

const cut = (text: string) => (text.length > MAX_LENGTH ? [...text].slice(0, MAX_LENGTH).join('') : text)
