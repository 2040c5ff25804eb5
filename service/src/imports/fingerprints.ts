// Fingerprints of rows that an earlier import found to change nothing. While neither the row nor a record of its family has
// changed, the row is not read again, and the family is not compared.
import { hash as hashOf } from 'node:crypto'
import { LISTS, TEXT_FIELDS } from '../applicants/applicant.ts'
import type { Import } from './import.ts'

/** Raised when the rules of writes change, so that a row may mean something else than before. */
const RULES_VERSION = 3

/** What decides how the rows of a file are read; part of each fingerprint. */
export function readingOf({ mode, format, hasDependents, companies }: Import): string {
  const reading = [
    RULES_VERSION,
    TEXT_FIELDS,
    LISTS,
    mode,
    format,
    hasDependents,
    companies && [...companies].sort(),
  ]
  return hashOf('sha256', JSON.stringify(reading), 'base64')
}
