// The kinds of field that bodies are made of, each with the words a caller gets when it is wrong. All may be null: what
// a read gives for an empty field can be sent back.
import { Type } from 'typebox'
import { ID_PATTERN } from '../lib/ids.ts'

type Extra = { description?: string; example?: unknown }

const nullable = (schema: object, extra: Extra = {}) =>
  Type.Optional(Type.Unsafe<string | null>({ ...schema, ...extra }))

/**
 * One character that can be seen. Text of spaces, zero-width, bidi control or filler characters alone looks empty, so a
 * field that must have text takes none of these by themselves; beside visible text they are kept as sent.
 */
export const VISIBLE_PATTERN = '[^\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800]'
export const VISIBLE_EXPECTED = 'text with at least one visible character'

export const text = (maxLength = 500, extra: Extra = {}) =>
  nullable({ type: ['string', 'null'], maxLength }, extra)

/** Text of a record that needs it in the end. Nothing, or spaces, is left to the check of the whole record. */
export const visibleText = (maxLength = 500, extra: Extra = {}) =>
  nullable(
    {
      type: ['string', 'null'],
      maxLength,
      pattern: `^\\s*$|${VISIBLE_PATTERN}`,
      expects: VISIBLE_EXPECTED,
    },
    extra,
  )

export const letter = (extra: Extra = {}) =>
  nullable({ type: ['string', 'null'], pattern: '^[A-Za-z]?$', expects: 'one letter, or nothing' }, extra)

export const country = (extra: Extra = {}) =>
  nullable(
    {
      type: ['string', 'null'],
      pattern: '^([A-Za-z]{2,3})?$',
      expects: 'a country code of two or three letters',
    },
    { example: 'DE', ...extra },
  )

export const date = (extra: Extra = {}) =>
  nullable(
    {
      type: ['string', 'null'],
      format: 'wall-clock',
      expects: 'a real calendar date such as 1990-05-31 or 1990-05-31T00:00:00',
    },
    { example: '1990-05-31T00:00:00', ...extra },
  )

export const email = (extra: Extra = {}) =>
  nullable(
    {
      type: ['string', 'null'],
      maxLength: 320,
      pattern: '^([^\\s@]+@[^\\s@]+)?$',
      expects: 'an e-mail address of at most 320 characters',
    },
    extra,
  )

export const EMPLOYEE_NUMBER_EXPECTED = '1 to 64 printable characters, with no space at either end'
/** Printable: no control, format, private or unassigned character, and no separator but the plain space within. */
export const EMPLOYEE_NUMBER_PATTERN = '^(?! )(?:[^\\p{C}\\p{Z}]| ){1,64}(?<! )$'

export const employeeNumber = (extra: Extra = {}) =>
  nullable(
    {
      type: ['string', 'null'],
      pattern: `^$|${EMPLOYEE_NUMBER_PATTERN}`,
      expects: EMPLOYEE_NUMBER_EXPECTED,
    },
    { example: 'E-10042', ...extra },
  )

export const ID_EXPECTED =
  '4 to 128 characters of A-Z, a-z, 0-9, - and _, with up to two = at the end, but not "health" or "employeenumber"'

/** An id that a caller sends: kept as it is, so its shape is checked; empty means none. */
export const givenId = (extra: Extra = {}) =>
  nullable(
    {
      type: ['string', 'null'],
      pattern: `^$|${ID_PATTERN}`,
      expects: ID_EXPECTED,
    },
    extra,
  )

export const list = <T>(items: object, maxItems: number, extra: Extra = {}) =>
  Type.Optional(Type.Unsafe<T[] | null>({ type: ['array', 'null'], items, maxItems, ...extra }))

/** A field of a record that was read: accepted in a write and ignored. */
export const readOnly = () =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      readOnly: true,
      description: 'UTC, with Z. Ignored in a write.',
    }),
  )
