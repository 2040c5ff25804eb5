// A secret that all services on one database share. The first service to start generates it.
import { randomBytes } from 'node:crypto'
import type { Database } from './database.ts'

export function createSharedSecret({ db, name }: { db: Database; name: string }) {
  let value: Buffer | undefined
  return {
    async load(): Promise<void> {
      const [row] = await db.sql<[{ value: Buffer }]>`
        insert into secrets (name, value) values (${name}, ${randomBytes(32)})
        on conflict (name) do update set name = excluded.name
        returning value`
      value = row.value
    },
    value(): Buffer {
      if (!value) throw new Error(`The secret ${name} was used before it was loaded.`)
      return value
    },
  }
}
