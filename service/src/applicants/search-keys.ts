// Owns what a record is searched by: its texts in a form in which different spellings are equal.
import { fold, foldSpelling } from '../lib/fold.ts'
import type { Applicant } from './applicant.ts'

/**
 * To be raised with every change of the keys below or of lib/fold.ts. Rows of an older version are made anew in the
 * background; the index that finds them has the version in its condition, so that a migration has to go along.
 */
export const KEYS_VERSION = 1

/** An index takes keys of 2,700 bytes; this many characters have 800 at most. */
const LONGEST = 200

export interface SearchKeys {
  name: string
  nameReversed: string
  keys: string[]
}

export function searchKeysOf(record: Omit<Applicant, 'documents'>): SearchKeys {
  const { firstName, middleName, lastName, email, alternateEmail, employeeNumber, passports } = record
  const keys = [
    ...[email, alternateEmail].map(address => emailKey(address ?? '')),
    ...passports.map(passport => passportKey(String(passport['passportNumber'] ?? ''))),
    numberKey(employeeNumber ?? ''),
  ]
  const names = (...parts: (string | null)[]) => searchable(parts.filter(Boolean).join(' '))
  return {
    name: names(lastName, firstName, middleName),
    nameReversed: names(firstName, middleName, lastName),
    keys: [...new Set(keys.filter(key => key.length > 2))],
  }
}

/** A name, or the beginning of one. The last sigma of a word is not the last letter of what goes on. */
export const searchable = (text: string) => cut(foldSpelling(text).replaceAll('ς', 'σ'))

export const emailKey = (email: string) => `e:${cut(fold(email))}`
export const passportKey = (number: string) => `p:${cut(foldSpelling(number))}`
export const numberKey = (number: string) => `n:${cut(fold(number))}`

const cut = (text: string) => (text.length > LONGEST ? [...text].slice(0, LONGEST).join('') : text)
