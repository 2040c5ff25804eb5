// Creates the first client: from the settings, or with generated credentials on the first start of an embedded database. They
// are stored in DATA_DIR/credentials.json before the row is inserted: after a crash the next start uses the same secret.
import { timingSafeEqual } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../db/database.ts'
import { newId } from '../lib/ids.ts'
import { damaged, readPrivateJson, writePrivateJson } from '../lib/private-file.ts'
import { ALL_SCOPES } from '../lib/scopes.ts'
import * as store from './clients.store.ts'
import { hashApiKey, hashSecret, newSecret, verifySecret } from './secrets.ts'

export interface Credentials {
  clientId: string
  clientSecret: string
  apiKey: string | undefined
}

/**
 * Creates the client of the settings where there is none. An existing one is left as it is: otherwise a start would undo
 * what an operator did, such as disabling it. Returns a warning for each setting that is not in effect.
 */
export async function ensureConfigured(db: Database, credentials: Credentials): Promise<string[]> {
  const { clientId } = credentials
  const existing = await store.findSecret(db.sql, clientId)
  const created = !existing && (await createBootstrap(db, credentials))
  return created ? [] : warningsOf(db, credentials)
}

/** Returns false where another service has created the client meanwhile. */
async function createBootstrap(
  db: Database,
  { clientId, clientSecret, apiKey }: Credentials,
): Promise<boolean> {
  const secretHash = await hashSecret(clientSecret)
  return db.transaction(async tx => {
    const client = { clientId, name: 'Bootstrap', scopes: ALL_SCOPES, secretHash }
    if (!(await store.insertClientIfMissing(tx, client))) return false
    const keyId = newId<'apiKey'>()
    if (apiKey)
      await store.insertApiKey(tx, { keyId, clientId, name: 'Bootstrap', keyHash: hashApiKey(apiKey) })
    return true
  })
}

async function warningsOf(db: Database, { clientId, clientSecret, apiKey }: Credentials): Promise<string[]> {
  const stored = await store.findSecret(db.sql, clientId)
  if (!stored) return []
  const path = `/admin/v1/clients/${encodeURIComponent(clientId)}`
  const ignored = 'is ignored, because the client exists and this is not its'
  const warnings: string[] = []
  if (stored.disabledAt)
    warnings.push(
      `The client of BOOTSTRAP_CLIENT_ID is disabled, and stays so. POST ${path}/enable enables it.`,
    )
  if (!(await verifySecret(clientSecret, stored.secretHash)))
    warnings.push(
      `BOOTSTRAP_CLIENT_SECRET ${ignored} secret. POST ${path}/rotate-secret returns a new one for the setting.`,
    )
  const keys = apiKey ? await store.listApiKeyHashes(db.sql, clientId) : []
  if (apiKey && !keys.some(key => timingSafeEqual(key, hashApiKey(apiKey))))
    warnings.push(
      `BOOTSTRAP_API_KEY ${ignored} key. POST ${path}/api-keys returns a new one for the setting.`,
    )
  return warnings
}

/** Returns the credentials when they are new, so that they are printed once. */
export async function ensureEmbedded(db: Database, dataDir: string): Promise<Credentials | undefined> {
  const file = join(dataDir, 'credentials.json')
  let generated: Credentials | undefined
  if (!existsSync(file)) {
    if (await store.hasClients(db.sql)) return undefined
    generated = { clientId: 'caseport', clientSecret: newSecret(), apiKey: newSecret() }
    writePrivateJson(file, generated)
  }
  const credentials = generated ?? readCredentials(file)
  if (await store.findSecret(db.sql, credentials.clientId)) return undefined
  await createBootstrap(db, credentials)
  return generated
}

const REMEDY = 'Remove it, or set BOOTSTRAP_CLIENT_ID and BOOTSTRAP_CLIENT_SECRET.'

function readCredentials(file: string): Credentials {
  const { clientId, clientSecret, apiKey } = (readPrivateJson(file, REMEDY) ?? {}) as Partial<Credentials>
  if (typeof clientId === 'string' && typeof clientSecret === 'string')
    return { clientId, clientSecret, apiKey }
  throw damaged(file, REMEDY)
}
