import { timingSafeEqual } from 'node:crypto'
import type { Database, Sql } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { isFindable, newId } from '../lib/ids.ts'
import { declareProblem } from '../lib/problem.ts'
import * as store from './clients.store.ts'
import { hashApiKey, hashSecret, newSecret, verifySecret } from './secrets.ts'

export const clientNotFound = declareProblem({
  code: 'client-not-found',
  status: 404,
  title: 'There is no client with this id.',
  remedy: 'List the clients with GET /admin/v1/clients.',
})
export const apiKeyNotFound = declareProblem({
  code: 'api-key-not-found',
  status: 404,
  title: 'The client has no such API key, or it is revoked already.',
  remedy: 'Read the client with GET /admin/v1/clients/{clientId} to see its keys.',
})
export const clientIdInUse = declareProblem({
  code: 'client-id-in-use',
  status: 409,
  title: 'Another client has this id.',
  remedy: 'Choose another clientId, or leave it out to get a generated one.',
})

export const clientConstraints = { clients_pkey: clientIdInUse, api_keys_client_id_fkey: clientNotFound }

interface NewClient {
  clientId?: string
  name: string
  scopes: string[]
}

export type Clients = ReturnType<typeof createClients>

// Compared when there is no such client, so that an unknown id takes as long as a wrong secret.
const DUMMY_HASH = hashSecret('no client has this')

/** Without the '=' of other ids, which some clients would escape in HTTP Basic. */
const newClientId = (): string => newId<'client'>().replace('=', '')

export function createClients({ db, clock }: { db: Database; clock: Clock }) {
  const { sql } = db

  const get = async (from: Sql, clientId: string) => {
    const client = await store.findClient(from, clientId)
    if (!client) throw clientNotFound()
    return client
  }

  return {
    get: (clientId: string) => get(sql, clientId),
    list: () => store.listClients(sql),

    async create({ tx, audit }: UnitOfWork, { clientId = newClientId(), name, scopes }: NewClient) {
      const clientSecret = newSecret()
      await store.insertClient(tx, { clientId, name, scopes, secretHash: await hashSecret(clientSecret) })
      audit({ action: 'client.create', recordId: clientId, after: { name, scopes } })
      return { ...(await get(tx, clientId)), clientSecret }
    },

    async rotateSecret({ tx, audit }: UnitOfWork, clientId: string, graceSeconds: number) {
      const clientSecret = newSecret()
      const previousUntil = graceSeconds ? new Date(clock.now().getTime() + graceSeconds * 1000) : null
      const secretHash = await hashSecret(clientSecret)
      if (!(await store.replaceSecret(tx, { clientId, secretHash, previousUntil }))) throw clientNotFound()
      audit({ action: 'client.rotate_secret', recordId: clientId })
      return { ...(await get(tx, clientId)), clientSecret }
    },

    async setDisabled({ tx, audit }: UnitOfWork, clientId: string, disabled: boolean) {
      if (!(await store.setDisabled(tx, clientId, disabled))) throw clientNotFound()
      audit({
        action: disabled ? 'client.disable' : 'client.enable',
        recordId: clientId,
        before: { disabled: !disabled },
        after: { disabled },
      })
      return get(tx, clientId)
    },

    async createApiKey({ tx, audit }: UnitOfWork, clientId: string, name: string) {
      const apiKey = newSecret()
      const keyId = newId<'apiKey'>()
      await store.insertApiKey(tx, { keyId, clientId, name, keyHash: hashApiKey(apiKey) })
      audit({
        action: 'client.create_api_key',
        recordId: clientId,
        after: { apiKeys: { [keyId]: { name } } },
      })
      return { keyId, name, apiKey }
    },

    async revokeApiKey({ tx, audit }: UnitOfWork, clientId: string, keyId: string) {
      if (!(await store.revokeApiKey(tx, clientId, keyId))) throw apiKeyNotFound()
      audit({
        action: 'client.revoke_api_key',
        recordId: clientId,
        before: { apiKeys: { [keyId]: { revoked: false } } },
        after: { apiKeys: { [keyId]: { revoked: true } } },
      })
    },

    exists: async (clientId: string): Promise<boolean> =>
      isFindable(clientId) && (await store.findClient(sql, clientId)) !== undefined,

    /** The scopes of the client, or undefined when id or secret are wrong or the client is disabled. */
    async authenticate(clientId: string, secret: string): Promise<string[] | undefined> {
      // PostgreSQL rejects text with NUL; no client has such an id.
      if (clientId.includes('\0')) return undefined
      const row = await store.findSecret(sql, clientId)
      const current = await verifySecret(secret, row?.secretHash ?? (await DUMMY_HASH))
      if (!row || row.disabledAt) return undefined
      if (current) return row.scopes
      const { previousSecretHash, previousSecretUntil } = row
      const isInGracePeriod = previousSecretHash && previousSecretUntil && previousSecretUntil > clock.now()
      return isInGracePeriod && (await verifySecret(secret, previousSecretHash)) ? row.scopes : undefined
    },

    async verifyApiKey(clientId: string, key: string): Promise<boolean> {
      const given = hashApiKey(key)
      const hashes = await store.listApiKeyHashes(sql, clientId)
      return hashes.filter(hash => timingSafeEqual(hash, given)).length > 0
    },
  }
}
