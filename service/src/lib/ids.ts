// Identifiers of records: opaque Base64url text.
import { randomBytes } from 'node:crypto'

declare const brand: unique symbol
export type Id<Name extends string> = string & { readonly [brand]: Name }

/** 17 random bytes (136 bits): 23 characters and one '='. */
export function newId<Name extends string>(): Id<Name> {
  return `${randomBytes(17).toString('base64url')}=` as Id<Name>
}

/** Ids that a client may import from another system. Two words are reserved: paths have them where an id could be. */
export const ID_PATTERN = '^(?!(?:health|employeenumber)$)[A-Za-z0-9_-]{4,128}={0,2}$'

const shape = new RegExp(ID_PATTERN)

export function isId(text: string): boolean {
  return shape.test(text)
}

/** PostgreSQL text has no NUL: no record has such a key, and the statement would fail. */
export function isFindable(...keys: string[]): boolean {
  return keys.every(key => !key.includes('\0'))
}
