// Seals secrets that are stored in the database, with AES-256-GCM. A sealed value names its key and belongs to one row and
// column: copied to another one, it cannot be opened.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

export interface SealingKey {
  /** Derived from the key, so that a value is never opened with another key of the same name. */
  id: string
  bytes: Buffer
  /** Undefined where the key file does not tell. */
  createdAt: Date | undefined
}

export interface KeyRing {
  /** The key that seals; undefined when there is none, and values are stored as they are. */
  current(): SealingKey | undefined
  find(id: string): SealingKey | undefined
}

/** Where a value is stored. */
export interface Place {
  /** `table.column`. */
  column: string
  /** The primary key of its row. */
  id: string
}

export interface Sealer {
  /** Returns the text unchanged when there is no key. */
  seal(text: string, place: Place): string
  /** Opens a sealed value; returns any other text unchanged. */
  unseal(stored: string, place: Place): string
}

/** A sealed value cannot be opened. The message names the place, never the value. */
export class SealedValueError extends Error {}

export const SEALED_PREFIX = 'sealed:v1:'
export const KEY_BYTES = 32

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function sealingKey(bytes: Buffer, createdAt?: Date): SealingKey {
  const digest = createHash('sha256').update('caseport sealing key\n').update(bytes).digest()
  return { id: digest.toString('base64url').slice(0, 8), bytes, createdAt }
}

export function newSealingKey(now: Date): SealingKey {
  return sealingKey(randomBytes(KEY_BYTES), now)
}

/** A fixed list of keys, the current one first. */
export function keyRing(keys: readonly SealingKey[]): KeyRing {
  return { current: () => keys[0], find: id => keys.find(key => key.id === id) }
}

/** The id of the key that has sealed the value; undefined when it is not sealed. */
export function keyIdOf(stored: string): string | undefined {
  return stored.startsWith(SEALED_PREFIX) ? stored.split(':')[2] : undefined
}

export function createSealer(keys: KeyRing): Sealer {
  return {
    seal(text, place) {
      const key = keys.current()
      if (!key) return text
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(associatedData(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${SEALED_PREFIX}${key.id}:${nonce.toString('base64url')}:${sealed.toString('base64url')}`
    },

    unseal(stored, place) {
      const keyId = keyIdOf(stored)
      if (keyId === undefined) return stored
      const key = keys.find(keyId)
      if (!key)
        throw new SealedValueError(`${describe(place)} is sealed with the key ${keyId}, which is unknown.`)
      const [nonce = '', sealed = ''] = stored.split(':').slice(3)
      const bytes = Buffer.from(sealed, 'base64url')
      try {
        const decipher = createDecipheriv(ALGORITHM, key.bytes, Buffer.from(nonce, 'base64url'), {
          authTagLength: TAG_BYTES,
        })
        decipher.setAAD(associatedData(place))
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
        return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString()
      } catch {
        throw new SealedValueError(`${describe(place)} was altered, or copied from another row.`)
      }
    },
  }
}

const associatedData = ({ column, id }: Place) => Buffer.from(`${column}\0${id}`)
const describe = ({ column, id }: Place) => `${column} of ${id}`
