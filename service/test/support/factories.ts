import { ensureConfigured } from '../../src/auth/bootstrap.ts'
import type { Database } from '../../src/db/database.ts'

let count = 0

/** A client with every scope and an API key, as the settings would make it. */
export async function registerClient(db: Database) {
  count += 1
  const client = {
    clientId: `test-client-${count}`,
    clientSecret: `test-secret-${count}`,
    apiKey: `test-key-${count}`,
  }
  await ensureConfigured(db, client)
  return client
}
