// Which records may be the same person: what they can have in common, and what that is worth. Pure: no database, no clock.
import { createHash } from 'node:crypto'
import { countryKey } from '../lib/countries.ts'
import { fold, foldSpelling } from '../lib/fold.ts'
import type { Applicant } from './applicant.ts'

/** In the order in which responses list them. */
export const REASONS = ['passport', 'nameAndBirthDate', 'email'] as const
export type Reason = (typeof REASONS)[number]

/** What a reason adds to the score. */
const WEIGHTS: Record<Reason, number> = { passport: 60, nameAndBirthDate: 40, email: 20 }
export const MAX_SCORE = 100

/** Something that a record can share with another one. */
export interface DuplicateKey {
  reason: Reason
  /** A digest of the folded text. */
  key: Buffer
  /** The country of a passport; empty where there is none. */
  qualifier: string
}

type Identity = Pick<
  Applicant,
  'firstName' | 'lastName' | 'dateOfBirth' | 'email' | 'alternateEmail' | 'passports'
>

/** The keys of a live record, each once. */
export function duplicateKeysOf({
  firstName,
  lastName,
  dateOfBirth,
  email,
  alternateEmail,
  passports,
}: Identity): DuplicateKey[] {
  const keys: DuplicateKey[] = []
  const add = (reason: Reason, text: string, qualifier = '') => {
    const key = digest(text)
    const isKnown = keys.some(
      one => one.reason === reason && one.key.equals(key) && one.qualifier === qualifier,
    )
    if (!isKnown) keys.push({ reason, key, qualifier })
  }
  for (const passport of passports) {
    const number = foldSpelling(String(passport['passportNumber'] ?? '').trim())
    if (number) add('passport', number, countryKey(String(passport['country'] ?? '')))
  }
  const [first, last] = [foldSpelling(firstName ?? ''), foldSpelling(lastName ?? '')]
  if (first && last && dateOfBirth) add('nameAndBirthDate', `${first}\n${last}\n${dateOfBirth.slice(0, 10)}`)
  for (const address of [email, alternateEmail]) {
    const folded = fold(address ?? '')
    if (folded) add('email', folded)
  }
  return keys
}

const digest = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16)

/** A key that two records share, with the qualifiers of both. */
export interface SharedKey {
  reason: Reason
  key: Buffer
  qualifiers: [string, string]
}

export interface Match {
  score: number
  reasons: Reason[]
  /** Changes with what the records have in common. */
  matched: Buffer
}

/** What the shared keys of two records prove; undefined where that is nothing. */
export function matchOf(shared: SharedKey[], { isFamily }: { isFamily: boolean }): Match | undefined {
  // Two countries are two passports. One that is missing may be either.
  const valid = shared.filter(({ qualifiers: [a, b] }) => a === b || !a || !b)
  const reasons = REASONS.filter(reason => valid.some(one => one.reason === reason))
  // A family shares an e-mail address, and a passport by mistake. Only the same name and birth date are the same person.
  if (reasons.length === 0 || (isFamily && !reasons.includes('nameAndBirthDate'))) return undefined
  const score = Math.min(
    MAX_SCORE,
    reasons.reduce((sum, reason) => sum + WEIGHTS[reason], 0),
  )
  const texts = valid.map(({ reason, key }) => `${reason} ${key.toString('hex')}`)
  return { score, reasons, matched: digest([...new Set(texts)].sort().join('\n')) }
}

/** The ids of a pair in the order in which it is stored: that of PostgreSQL's collation "C". */
export function pairOf(a: string, b: string): [string, string] {
  return a < b ? [a, b] : [b, a]
}
