import { timingSafeEqual } from 'node:crypto'
import { requireCompanies } from '../companies/companies.service.ts'
import type { Database, Sql } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Principal } from '../lib/principal.ts'
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

export const cannotGrant = declareProblem({
  code: 'cannot-grant',
  status: 403,
  title: 'The caller cannot grant what it does not have itself.',
  remedy: 'Grant only scopes and companies of the caller, or ask an operator who has more.',
})

export const clientConstraints = { clients_pkey: clientIdInUse, api_keys_client_id_fkey: clientNotFound }

interface NewClient {
  clientId?: string
  name: string
  scopes: string[]
  /** The ids of the companies whose records it sees; null is all of them. */
  companies?: string[] | null
}

type ClientPatch = Partial<Pick<NewClient, 'name' | 'scopes' | 'companies'>>

/** What the caller has, and can grant. */
export type Grantor = Pick<Principal, 'scopes' | 'companies'>

interface Dependencies {
  /** As the caller sees it. */
  db: Database
  /** For authentication, when there is no caller yet. */
  unlimited?: Database
  clock: Clock
}

interface Authenticated {
  scopes: string[]
  /** Whether it sees the records of some companies only. */
  isLimited: boolean
}

export type Clients = ReturnType<typeof createClients>

// Compared when there is no such client, so that an unknown id takes as long as a wrong secret.
const DUMMY_HASH = hashSecret('no client has this')

/** Without the '=' of other ids, which some clients would escape in HTTP Basic. */
const newClientId = (): string => newId<'client'>().replace('=', '')

export function createClients({ db, unlimited = db, clock }: Dependencies) {
  const { sql } = db

  /** Sorted, so that clients with the same companies have the same list. */
  const grantedCompanies = async (
    unit: UnitOfWork,
    companies: string[] | null,
    grantor: Grantor,
  ): Promise<string[] | null> => {
    if (companies === null) {
      if (grantor.companies === null) return null
      throw cannotGrant('This caller is limited to some companies. List companies of the caller.')
    }
    const sorted = [...new Set(companies)].sort()
    const held = grantor.companies
    if (held !== null && !sorted.every(company => held.includes(company)))
      throw cannotGrant('The list has a company that this caller does not have.')
    await requireCompanies(unit, companies, '/companies')
    return sorted
  }

  const get = async (from: Sql, clientId: string) => {
    const client = await store.findClient(from, clientId)
    if (!client) throw clientNotFound()
    return client
  }

  return {
    get: (clientId: string) => get(sql, clientId),
    list: () => store.listClients(sql),

    async create(
      unit: UnitOfWork,
      { clientId = newClientId(), name, scopes, companies: asked = null }: NewClient,
      grantor: Grantor,
    ) {
      const { tx, audit } = unit
      const companies = await grantedCompanies(unit, asked, grantor)
      const clientSecret = newSecret()
      const secretHash = await hashSecret(clientSecret)
      await store.insertClient(tx, { clientId, name, scopes, companies, secretHash })
      audit({ action: 'client.create', recordId: clientId })
      return { ...(await get(tx, clientId)), clientSecret }
    },

    /** Changes the fields of the patch. Tokens that were issued keep their scopes until they expire. */
    async merge(unit: UnitOfWork, clientId: string, patch: ClientPatch, grantor: Grantor) {
      const { tx, audit } = unit
      if (!(await store.lockClient(tx, clientId))) throw clientNotFound()
      const current = await get(tx, clientId)
      const lacking = patch.scopes?.filter(scope => !grantor.scopes.has(scope)) ?? []
      if (lacking.length > 0) throw cannotGrant(`This caller does not have ${lacking.join(' ')}.`)
      const companies =
        patch.companies === undefined
          ? current.companies
          : await grantedCompanies(unit, patch.companies, grantor)
      const { name = current.name, scopes = current.scopes } = patch
      await store.updateClient(tx, { clientId, name, scopes, companies })
      audit({ action: 'client.write', recordId: clientId })
      return get(tx, clientId)
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
      audit({ action: disabled ? 'client.disable' : 'client.enable', recordId: clientId })
      return get(tx, clientId)
    },

    async createApiKey({ tx, audit }: UnitOfWork, clientId: string, name: string) {
      const apiKey = newSecret()
      const keyId = newId<'apiKey'>()
      const key = { keyId, clientId, name, keyHash: hashApiKey(apiKey) }
      if (!(await store.insertApiKey(tx, key))) throw clientNotFound()
      audit({ action: 'client.create_api_key', recordId: clientId })
      return { keyId, name, apiKey }
    },

    async revokeApiKey({ tx, audit }: UnitOfWork, clientId: string, keyId: string) {
      if (!(await store.revokeApiKey(tx, clientId, keyId))) throw apiKeyNotFound()
      audit({ action: 'client.revoke_api_key', recordId: clientId })
    },

    /** What may go into its tokens, or undefined when id or secret are wrong or the client is disabled. */
    async authenticate(clientId: string, secret: string): Promise<Authenticated | undefined> {
      // PostgreSQL rejects text with NUL; no client has such an id.
      if (clientId.includes('\0')) return undefined
      const row = await store.findSecret(unlimited.sql, clientId)
      const current = await verifySecret(secret, row?.secretHash ?? (await DUMMY_HASH))
      if (!row || row.disabledAt) return undefined
      const found = { scopes: row.scopes, isLimited: row.companies !== null }
      if (current) return found
      const { previousSecretHash, previousSecretUntil } = row
      const isInGracePeriod = previousSecretHash && previousSecretUntil && previousSecretUntil > clock.now()
      return isInGracePeriod && (await verifySecret(secret, previousSecretHash)) ? found : undefined
    },

    async verifyApiKey(clientId: string, key: string): Promise<boolean> {
      const given = hashApiKey(key)
      const hashes = await store.listApiKeyHashes(unlimited.sql, clientId)
      return hashes.filter(hash => timingSafeEqual(hash, given)).length > 0
    },
  }
}
