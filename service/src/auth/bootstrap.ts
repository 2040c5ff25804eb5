// Creates the first client: from the settings, or with generated credentials on the first start of an embedded database. They
// are stored in DATA_DIR/credentials.json before the row is inserted: after a crash the next start uses the same secret.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Tx } from '../db/database.ts'
import { StartError } from '../lib/problem.ts'
import { ALL_SCOPES } from '../lib/scopes.ts'
import * as store from './clients.store.ts'
import { hashApiKey, hashSecret, newSecret, verifySecret } from './secrets.ts'

export interface Credentials {
  clientId: string
  clientSecret: string
  apiKey: string | undefined
}

/** Creates the client of the settings, or resets it to every scope, this secret and this key. */
export async function ensureConfigured(db: Database, credentials: Credentials): Promise<void> {
  const { clientId, clientSecret } = credentials
  const existing = await store.findSecret(db.sql, clientId)
  const unchanged =
    existing &&
    !existing.disabledAt &&
    ALL_SCOPES.every(scope => existing.scopes.includes(scope)) &&
    (await verifySecret(clientSecret, existing.secretHash))
  const secretHash = unchanged ? existing.secretHash : await hashSecret(clientSecret)
  await db.transaction(async tx => {
    const client = { clientId, name: 'Bootstrap', scopes: ALL_SCOPES, secretHash }
    if (!unchanged && !(await store.insertClientIfMissing(tx, client))) await store.resetClient(tx, client)
    await ensureApiKey(tx, credentials)
  })
}

/** Returns the credentials when they are new, so that they are printed once. */
export async function ensureEmbedded(db: Database, dataDir: string): Promise<Credentials | undefined> {
  const file = join(dataDir, 'credentials.json')
  let generated: Credentials | undefined
  if (!existsSync(file)) {
    if (await store.hasClients(db.sql)) return undefined
    generated = { clientId: 'caseport', clientSecret: newSecret(), apiKey: newSecret() }
    writeDurably(file, `${JSON.stringify(generated, null, 2)}\n`)
  }
  const credentials = generated ?? readCredentials(file)
  if (await store.findSecret(db.sql, credentials.clientId)) return undefined
  const secretHash = await hashSecret(credentials.clientSecret)
  await db.transaction(async tx => {
    const client = { clientId: credentials.clientId, name: 'Bootstrap', scopes: ALL_SCOPES, secretHash }
    if (await store.insertClientIfMissing(tx, client)) await ensureApiKey(tx, credentials)
  })
  return generated
}

async function ensureApiKey(tx: Tx, { clientId, apiKey }: Credentials): Promise<void> {
  if (!apiKey) return
  // The id is derived from client and key, so that several services that start at the same time insert one row.
  const keyId = `${hashApiKey(`${clientId}:${apiKey}`).subarray(0, 17).toString('base64url')}=`
  await store.upsertApiKey(tx, { keyId, clientId, name: 'Bootstrap', keyHash: hashApiKey(apiKey) })
}

function readCredentials(file: string): Credentials {
  try {
    const { clientId, clientSecret, apiKey } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof clientId === 'string' && typeof clientSecret === 'string')
      return { clientId, clientSecret, apiKey }
  } catch {
    // Invalid JSON gets the same message.
  }
  throw new StartError(
    `${file} is damaged. Remove it, or set BOOTSTRAP_CLIENT_ID and BOOTSTRAP_CLIENT_SECRET.`,
  )
}

function writeDurably(file: string, text: string): void {
  const draft = `${file}.new`
  const fd = openSync(draft, 'w', 0o600)
  writeSync(fd, text)
  fsyncSync(fd)
  closeSync(fd)
  renameSync(draft, file)
}
