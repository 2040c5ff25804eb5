// A secret that all services on one database share. The first service to start generates it.
import { randomBytes } from 'node:crypto'
import { keyIdOf, type Sealer } from '../lib/sealing.ts'
import type { Database, Sql, Tx } from './database.ts'
import { placeOf, type SealedColumn } from './sealed-columns.ts'

export const sharedSecretColumn: SealedColumn = {
  table: 'secrets',
  id: 'name',
  column: 'value',
  type: 'bytea',
}

interface Options {
  db: Database
  sealer: Sealer
  name: string
}

export function createSharedSecret({ db, sealer, name }: Options) {
  const place = placeOf(sharedSecretColumn, name)
  let value: Buffer | undefined

  const toStored = (secret: Buffer): Buffer => {
    const text = sealer.seal(secret.toString('base64'), place)
    return keyIdOf(text) === undefined ? secret : Buffer.from(text)
  }
  const fromStored = (stored: Buffer): Buffer => {
    const text = stored.toString('latin1')
    return keyIdOf(text) === undefined ? stored : Buffer.from(sealer.unseal(text, place), 'base64')
  }
  return {
    /** Runs `onCreated` in the transaction that generates the secret, if none was there. */
    async load(onCreated?: (secret: Buffer) => Promise<void>): Promise<void> {
      if (onCreated) return db.transaction(tx => loadIn(tx, onCreated))
      return loadIn(db.sql)
    },
    value(): Buffer {
      if (!value) throw new Error(`The secret ${name} was used before it was loaded.`)
      return value
    },
  }

  async function loadIn(sql: Sql, onCreated?: (secret: Buffer) => Promise<void>): Promise<void> {
    const [row] = await sql<[{ value: Buffer; created: boolean }]>`
        insert into secrets (name, value) values (${name}, ${toStored(randomBytes(32))})
        on conflict (name) do update set name = excluded.name
        returning value, xmax = 0 as created`
    value = fromStored(row.value)
    if (row.created) await onCreated?.(value)
  }
}

/** The next start of a service makes new ones. */
export async function deleteSharedSecrets(tx: Tx, names: string[]): Promise<void> {
  await tx`delete from secrets where name = any(${names}::text[])`
}
