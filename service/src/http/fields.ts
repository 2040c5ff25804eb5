// The kinds of field that bodies are made of, each with the words of the error for an invalid value. All may be null: what
// a read returns for an empty field can be sent back.

import { EXTERNAL_ID_PATTERN } from '../lib/external-caller.ts'
import { ID_PATTERN } from '../lib/ids.ts'
import { Type } from '../lib/json-schema.ts'

type Extra = { description?: string; example?: unknown }

const nullable = (schema: object, extra: Extra = {}) =>
  Type.Optional(Type.Unsafe<string | null>({ ...schema, ...extra }))

/**
 * One visible character. Text of spaces, zero-width, bidi control or filler characters alone looks empty, so a field that
 * must have text rejects it; beside visible text these characters are kept as sent.
 */
export const VISIBLE_PATTERN = '[^\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800]'
export const VISIBLE_EXPECTED = 'text with at least one visible character'

export const text = (maxLength = 500, extra: Extra = {}) =>
  nullable({ type: ['string', 'null'], maxLength }, extra)

const VISIBLE_OR_EMPTY_PATTERN = `^\\s*$|${VISIBLE_PATTERN}`

/** Text that the whole record may require. An empty value, or spaces, is left to the check of the whole record. */
export const visibleText = (maxLength = 500, extra: Extra = {}) =>
  nullable(
    {
      type: ['string', 'null'],
      maxLength,
      pattern: VISIBLE_OR_EMPTY_PATTERN,
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

const EMPTY_OR_NUMBER_PATTERN = `^$|${EMPLOYEE_NUMBER_PATTERN}`

export const employeeNumber = (extra: Extra = {}) =>
  nullable(
    {
      type: ['string', 'null'],
      pattern: EMPTY_OR_NUMBER_PATTERN,
      expects: EMPLOYEE_NUMBER_EXPECTED,
    },
    { example: 'E-10042', ...extra },
  )

export const ID_EXPECTED =
  '4 to 128 characters of A-Z, a-z, 0-9, - and _, with up to two = at the end, but not "health" or "employeenumber"'

const EMPTY_OR_ID_PATTERN = `^$|${ID_PATTERN}`

/** An id that a client sends: stored as it is, so its shape is checked; empty means none. */
export const givenId = (extra: Extra = {}) =>
  nullable(
    {
      type: ['string', 'null'],
      pattern: EMPTY_OR_ID_PATTERN,
      expects: ID_EXPECTED,
    },
    extra,
  )

export const list = <T>(items: object, maxItems: number, extra: Extra = {}) =>
  Type.Optional(Type.Unsafe<T[] | null>({ type: ['array', 'null'], items, maxItems, ...extra }))

/** A field that reads return: accepted in a write and ignored. */
export const readOnly = () =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      readOnly: true,
      description: 'UTC, with `Z`. Ignored in a write.',
    }),
  )

/** Not `.` or `..`: HTTP libraries remove them from a path. */
export const CLIENT_ID_PATTERN = '^(?!\\.{1,2}$)[!-9;-~]{1,128}$'
/** Of a local client, which has no colon, or of a caller of the external issuer. */
export const NEW_CLIENT_ID_PATTERN = `${CLIENT_ID_PATTERN}|${EXTERNAL_ID_PATTERN}`

/**
 * The OpenAPI document has these patterns instead. Generators copy a pattern into languages without `\p{…}` or
 * lookarounds, and into JavaScript without the `u` flag, where `\p{C}` is the letters p and C in braces. Each accepts at
 * least what the service accepts, so that a generated client rejects nothing by mistake; `expects` has the exact rule.
 */
export const PORTABLE_PATTERNS = new Map<string, { pattern?: string; maxLength?: number }>([
  [VISIBLE_PATTERN, { pattern: '\\S' }],
  [VISIBLE_OR_EMPTY_PATTERN, {}],
  [EMPLOYEE_NUMBER_PATTERN, { pattern: '^\\S(.*\\S)?$', maxLength: 64 }],
  [EMPTY_OR_NUMBER_PATTERN, { pattern: '^(\\S(.*\\S)?)?$', maxLength: 64 }],
  [ID_PATTERN, { pattern: '^[A-Za-z0-9_-]{4,128}={0,2}$' }],
  [EMPTY_OR_ID_PATTERN, { pattern: '^([A-Za-z0-9_-]{4,128}={0,2})?$' }],
  [NEW_CLIENT_ID_PATTERN, { pattern: '^[!-~]+$', maxLength: 1_024 }],
])

/** Text that must have a visible character, and must not be null. */
export const requiredText = (extra: Extra & { maxLength?: number } = {}) =>
  Type.Unsafe<string>({
    type: 'string',
    minLength: 1,
    maxLength: 500,
    pattern: VISIBLE_PATTERN,
    expects: VISIBLE_EXPECTED,
    ...extra,
  })

/** Fields of these kinds refer to one schema of the OpenAPI document, so that a generator makes one type of each. */
export const FIELD_KINDS = {
  OptionalCountryCode: country(),
  OptionalDate: date(),
  OptionalEmail: email(),
  OptionalEmployeeNumber: employeeNumber(),
  OptionalId: givenId(),
  OptionalLetter: letter(),
  OptionalText: text(),
  ReadOnlyTimestamp: readOnly(),
  RequiredText: requiredText(),
}
