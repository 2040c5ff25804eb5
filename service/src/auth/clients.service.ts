import { timingSafeEqual } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { declareProblem } from '../lib/problem.ts'
import * as store from './clients.store.ts'
import { hashApiKey, hashSecret, newSecret, verifySecret } from './secrets.ts'

export const clientNotFound = declareProblem({
  code: 'client-not-found',
  status: 404,
  title: 'There is no client of this id.',
  remedy: 'List the clients with GET /admin/v1/clients.',
})
export const apiKeyNotFound = declareProblem({
  code: 'api-key-not-found',
  status: 404,
  title: 'The client has no such API key, or it was revoked before.',
  remedy: 'Read the client with GET /admin/v1/clients/{clientId} to see its keys.',
})
export const clientIdInUse = declareProblem({
  code: 'client-id-in-use',
  status: 409,
  title: 'There is a client of this id already.',
  remedy: 'Choose another clientId, or leave it out to get a new one.',
})

export const clientConstraints = { clients_pkey: clientIdInUse, api_keys_client_id_fkey: clientNotFound }

export type Clients = ReturnType<typeof createClients>

// Compared against where no client was found, so that an unknown id takes as long as a wrong secret.
const DUMMY_HASH = hashSecret('no client has this')

/** Without the '=' of other ids: a client id goes into HTTP Basic, where some callers would escape it. */
const newClientId = (): string => newId<'client'>().replace('=', '')

export function createClients({ db, clock }: { db: Database; clock: Clock }) {
  const { sql } = db

  const get = async (clientId: string) => {
    const client = await store.findClient(sql, clientId)
    if (!client) throw clientNotFound()
    return client
  }

  return {
    get,
    list: () => store.listClients(sql),

    async create({
      clientId = newClientId(),
      name,
      scopes,
    }: {
      clientId?: string
      name: string
      scopes: string[]
    }) {
      const clientSecret = newSecret()
      await store.insertClient(sql, { clientId, name, scopes, secretHash: await hashSecret(clientSecret) })
      return { ...(await get(clientId)), clientSecret }
    },

    async rotateSecret(clientId: string, graceSeconds: number) {
      const clientSecret = newSecret()
      const previousUntil = graceSeconds ? new Date(clock.now().getTime() + graceSeconds * 1000) : null
      const secretHash = await hashSecret(clientSecret)
      if (!(await store.replaceSecret(sql, { clientId, secretHash, previousUntil }))) throw clientNotFound()
      return { ...(await get(clientId)), clientSecret }
    },

    async setDisabled(clientId: string, disabled: boolean) {
      if (!(await store.setDisabled(sql, clientId, disabled))) throw clientNotFound()
      return get(clientId)
    },

    async createApiKey(clientId: string, name: string) {
      const apiKey = newSecret()
      const keyId = newId<'apiKey'>()
      await store.insertApiKey(sql, { keyId, clientId, name, keyHash: hashApiKey(apiKey) })
      return { keyId, name, apiKey }
    },

    async revokeApiKey(clientId: string, keyId: string) {
      if (!(await store.revokeApiKey(sql, clientId, keyId))) throw apiKeyNotFound()
    },

    /** The client's scopes, or undefined where id and secret do not belong together or the client is disabled. */
    async authenticate(clientId: string, secret: string): Promise<string[] | undefined> {
      const row = await store.findSecret(sql, clientId)
      const current = await verifySecret(secret, row?.secretHash ?? (await DUMMY_HASH))
      if (!row || row.disabledAt) return undefined
      if (current) return row.scopes
      const { previousSecretHash, previousSecretUntil } = row
      const inGrace = previousSecretHash && previousSecretUntil && previousSecretUntil > clock.now()
      return inGrace && (await verifySecret(secret, previousSecretHash)) ? row.scopes : undefined
    },

    async verifyApiKey(clientId: string, key: string): Promise<boolean> {
      const given = hashApiKey(key)
      const hashes = await store.listApiKeyHashes(sql, clientId)
      return hashes.filter(hash => timingSafeEqual(hash, given)).length > 0
    },
  }
}
