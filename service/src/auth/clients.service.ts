import { timingSafeEqual } from 'node:crypto'
import { requireCompanies } from '../companies/companies.service.ts'
import type { Database, Sql } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { requireAllCompanies } from '../lib/boundary.ts'
import type { Clock } from '../lib/clock.ts'
import { formsOfExternalId, isExternalId } from '../lib/external-caller.ts'
import {
  cannotGrant,
  type Grant,
  includesGrant,
  requireGrantable,
  requireScopesOfClient,
} from '../lib/grants.ts'
import { isFindable, newId } from '../lib/ids.ts'
import type { Principal } from '../lib/principal.ts'
import { declareProblem } from '../lib/problem.ts'
import { expandScopes } from '../lib/scopes.ts'
import { requireIssuer } from './blocked-callers.service.ts'
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

export const externalClient = declareProblem({
  code: 'external-client',
  status: 409,
  title: 'This client gets its tokens from the external issuer, so it has no secret here.',
  remedy: 'Rotate its secret at the external issuer.',
})

export const clientConstraints = { clients_pkey: clientIdInUse, api_keys_client_id_fkey: clientNotFound }

/** The scopes of the caller, which must include those of the client that it creates or changes. */
type CallerScopes = ReadonlySet<string>

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
  /** How the ids of the external issuer's callers begin. */
  externalPrefix?: string | undefined
  /** Takes all other companies from what belongs to the client. Implemented in events/ and desk/. */
  limitBelongings: (unit: UnitOfWork, clientId: string, companies: readonly string[]) => Promise<void>
}

interface Authenticated {
  scopes: string[]
  /** Whether it sees the records of some companies only. */
  isLimited: boolean
}

export type Clients = ReturnType<typeof createClients>

const MAX_ID_LENGTH = 128

// Compared when there is no such client, so that an unknown id takes as long as a wrong secret.
const DUMMY_HASH = hashSecret('no client has this')

/** Without the '=' of other ids, which some clients would escape in HTTP Basic. */
const newClientId = (): string => newId<'client'>().replace('=', '')

/** In place of a hash: no secret matches it. */
const NO_SECRET = 'none'

export function createClients({ db, unlimited = db, clock, externalPrefix, limitBelongings }: Dependencies) {
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
    // A client without companies belongs to no company: the caller would not see it any more.
    if (held !== null && sorted.length === 0)
      throw cannotGrant('This caller is limited to some companies. List at least one of them.')
    await requireCompanies(unit, companies, '/companies')
    return sorted
  }

  const get = async (from: Sql, clientId: string) => {
    const client = await store.findClient(from, clientId)
    if (!client) throw clientNotFound()
    return client
  }

  const requireWithin = async (tx: Sql, clientId: string, caller: CallerScopes) => {
    const scopes = await store.lockScopes(tx, clientId)
    if (!scopes) throw clientNotFound()
    requireScopesOfClient(caller, scopes)
  }

  /** An external caller may work for any company: limiting or disabling it affects all of them. */
  const requireAllCompaniesForExternal = (clientId: string, caller: Pick<Principal, 'companies'>) => {
    if (isExternalId(clientId)) requireAllCompanies(caller)
  }

  return {
    get: (clientId: string) => get(sql, clientId),
    find: (clientId: string) => store.findClient(sql, clientId),
    list: () => store.listClients(sql),

    async create(
      unit: UnitOfWork,
      { clientId = newClientId(), name, scopes, companies: asked = null }: NewClient,
      grantor: Grantor,
    ) {
      const { tx, audit } = unit
      requireAllCompaniesForExternal(clientId, grantor)
      requireGrantable(grantor.scopes, scopes, '/scopes')
      const companies = await grantedCompanies(unit, asked, grantor)
      const external = isExternalId(clientId)
      if (external) requireIssuer('/clientId', clientId, externalPrefix)
      const clientSecret = external ? null : newSecret()
      const secretHash = clientSecret === null ? NO_SECRET : await hashSecret(clientSecret)
      await store.insertClient(tx, { clientId, name, scopes, companies, secretHash })
      audit({ action: 'client.create', recordId: clientId, after: { name, scopes, companies } })
      return { ...(await get(tx, clientId)), clientSecret }
    },

    /** Changes the fields of the patch. Tokens that were issued keep their scopes until they expire. */
    async merge(unit: UnitOfWork, clientId: string, patch: ClientPatch, grantor: Grantor) {
      const { tx, audit } = unit
      requireAllCompaniesForExternal(clientId, grantor)
      if (!(await store.lockClient(tx, clientId))) throw clientNotFound()
      await requireWithin(tx, clientId, grantor.scopes)
      const current = await get(tx, clientId)
      if (patch.scopes) requireGrantable(grantor.scopes, patch.scopes, '/scopes')
      const companies =
        patch.companies === undefined
          ? current.companies
          : await grantedCompanies(unit, patch.companies, grantor)
      const { name = current.name, scopes = current.scopes } = patch
      await store.updateClient(tx, { clientId, name, scopes, companies })
      if (companies !== null) await limitBelongings(unit, clientId, companies)
      const { name: oldName, scopes: oldScopes, companies: oldCompanies } = current
      audit({
        action: 'client.write',
        recordId: clientId,
        before: { name: oldName, scopes: oldScopes, companies: oldCompanies },
        after: { name, scopes, companies },
      })
      return get(tx, clientId)
    },

    async rotateSecret(
      { tx, audit }: UnitOfWork,
      clientId: string,
      { graceSeconds, caller }: { graceSeconds: number; caller: CallerScopes },
    ) {
      await requireWithin(tx, clientId, caller)
      if (isExternalId(clientId)) throw externalClient()
      const clientSecret = newSecret()
      const previousUntil = graceSeconds ? new Date(clock.now().getTime() + graceSeconds * 1000) : null
      const current = await store.findSecret(tx, clientId)
      const secretHash = await hashSecret(clientSecret, current?.secretHash)
      await store.replaceSecret(tx, { clientId, secretHash, previousUntil })
      audit({ action: 'client.rotate_secret', recordId: clientId })
      return { ...(await get(tx, clientId)), clientSecret }
    },

    async setDisabled(
      { tx, audit, actor }: UnitOfWork,
      clientId: string,
      { disabled, caller }: { disabled: boolean; caller: CallerScopes },
    ) {
      requireAllCompaniesForExternal(clientId, actor)
      await requireWithin(tx, clientId, caller)
      await store.setDisabled(tx, clientId, disabled)
      audit({
        action: disabled ? 'client.disable' : 'client.enable',
        recordId: clientId,
        before: { disabled: !disabled },
        after: { disabled },
      })
      return get(tx, clientId)
    },

    async createApiKey(
      { tx, audit }: UnitOfWork,
      clientId: string,
      { name, caller }: { name: string; caller: CallerScopes },
    ) {
      await requireWithin(tx, clientId, caller)
      const apiKey = newSecret()
      const keyId = newId<'apiKey'>()
      const key = { keyId, clientId, name, keyHash: hashApiKey(apiKey) }
      if (!(await store.insertApiKey(tx, key))) throw clientNotFound()
      audit({
        action: 'client.create_api_key',
        recordId: clientId,
        after: { apiKeys: { [keyId]: { name } } },
      })
      return { keyId, name, apiKey }
    },

    async revokeApiKey(
      { tx, audit }: UnitOfWork,
      clientId: string,
      { keyId, caller }: { keyId: string; caller: CallerScopes },
    ) {
      const scopes = await store.lockScopes(tx, clientId)
      if (!scopes) throw apiKeyNotFound()
      requireScopesOfClient(caller, scopes)
      if (!(await store.revokeApiKey(tx, clientId, keyId))) throw apiKeyNotFound()
      audit({
        action: 'client.revoke_api_key',
        recordId: clientId,
        before: { apiKeys: { [keyId]: { revoked: false } } },
        after: { apiKeys: { [keyId]: { revoked: true } } },
      })
    },

    exists: async (clientId: string): Promise<boolean> =>
      isFindable(clientId) && (await store.findClient(unlimited.sql, clientId)) !== undefined,

    /** Whether it is enabled, and has what it had. The scopes of an external caller are those of its tokens. */
    async stillHas(from: Sql, clientId: string, grant: Grant): Promise<boolean> {
      const external = isExternalId(clientId)
      const states = await store.listStates(from, external ? formsOfExternalId(clientId) : [clientId])
      return states.every(
        ({ disabled, companies, scopes }) =>
          !disabled &&
          includesGrant(
            { companies, scopes: external ? new Set(grant.scopes) : expandScopes(scopes) },
            grant,
          ),
      )
    },

    /** What may go into its tokens, or undefined when id or secret are wrong or the client is disabled. */
    async authenticate(clientId: string, secret: string): Promise<Authenticated | undefined> {
      // PostgreSQL rejects text with NUL; no client has such an id, or a longer one.
      if (clientId.includes('\0') || clientId.length > MAX_ID_LENGTH) return undefined
      const row = isExternalId(clientId) ? undefined : await store.findSecret(unlimited.sql, clientId)
      const { previousSecretHash: previous, previousSecretUntil: until } = row ?? {}
      const isInGracePeriod = previous && until && until > clock.now()
      const current = row?.secretHash ?? (await DUMMY_HASH)
      const matches = await verifySecret(secret, current, ...(isInGracePeriod ? [previous] : []))
      if (!row || row.disabledAt || !matches) return undefined
      return { scopes: row.scopes, isLimited: row.companies !== null }
    },

    async verifyApiKey(clientId: string, key: string): Promise<boolean> {
      const given = hashApiKey(key)
      const hashes = await store.listApiKeyHashes(unlimited.sql, clientId)
      return hashes.filter(hash => timingSafeEqual(hash, given)).length > 0
    },
  }
}
