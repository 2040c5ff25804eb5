// Owns the shape of identifiers: opaque Base64url text, made here and parsed here.
import { randomBytes } from 'node:crypto'

declare const brand: unique symbol
export type Id<Name extends string> = string & { readonly [brand]: Name }

/** 17 bytes give 23 characters and one '='; all 136 bits are random. */
export function newId<Name extends string>(): Id<Name> {
  return `${randomBytes(17).toString('base64url')}=` as Id<Name>
}

/** What a client may bring from the system it leaves. Two words stand in paths where an id could: nobody could read those. */
export const ID_PATTERN = '^(?!(?:health|employeenumber)$)[A-Za-z0-9_-]{4,128}={0,2}$'

const shape = new RegExp(ID_PATTERN)

export function isId(text: string): boolean {
  return shape.test(text)
}

/** PostgreSQL has no text with a NUL: nothing is found by it, and the statement would fail. */
export function isFindable(...keys: string[]): boolean {
  return keys.every(key => !key.includes('\0'))
}
