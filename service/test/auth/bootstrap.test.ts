// The client of the BOOTSTRAP_* settings: created once, and left alone by later starts.
import assert from 'node:assert/strict'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type Credentials, ensureConfigured, ensureEmbedded } from '../../src/auth/bootstrap.ts'
import { createTestApp, createTestDatabase } from '../support/harness.ts'

const test = await createTestApp()
let count = 0

/** The settings of a client that does not exist yet. */
function newSettings() {
  count += 1
  return {
    clientId: `bootstrap-${count}`,
    clientSecret: `a long first secret ${count}`,
    apiKey: `a long first API key ${count}`,
  }
}

async function tokenOf({ clientId, clientSecret }: Credentials): Promise<string | undefined> {
  const response = await test.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }).toString(),
  })
  return response.json().access_token
}

const clientOf = async ({ clientId }: Credentials) =>
  (await test.call({ url: `/admin/v1/clients/${clientId}` })).body

describe('a start with BOOTSTRAP_CLIENT_ID', () => {
  it('creates the client with every scope and its API key, and warns of nothing', async () => {
    const settings = newSettings()
    assert.deepEqual(await ensureConfigured(test.db, settings), [])
    const { scopes, apiKeys } = await clientOf(settings)
    assert.ok(scopes.includes('admin'))
    assert.equal(apiKeys.length, 1)
    assert.ok(await tokenOf(settings))
    assert.deepEqual(await ensureConfigured(test.db, settings), [])
    assert.equal((await clientOf(settings)).apiKeys.length, 1)
  })

  it('leaves a disabled client disabled, and says how to enable it', async () => {
    const settings = newSettings()
    await ensureConfigured(test.db, settings)
    await test.call({ method: 'POST', url: `/admin/v1/clients/${settings.clientId}/disable` })
    const before = await clientOf(settings)
    const warnings = await ensureConfigured(test.db, settings)
    assert.equal(await tokenOf(settings), undefined)
    assert.deepEqual(await clientOf(settings), before)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /disabled.*\/admin\/v1\/clients\/bootstrap-\d+\/enable/)
  })

  it('keeps the stored secret where the setting has another, and says how to rotate it', async () => {
    const settings = newSettings()
    await ensureConfigured(test.db, settings)
    const changed = { ...settings, clientSecret: 'another secret of the settings' }
    const warnings = await ensureConfigured(test.db, changed)
    assert.equal(await tokenOf(changed), undefined)
    assert.ok(await tokenOf(settings))
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /BOOTSTRAP_CLIENT_SECRET.*\/rotate-secret/)
    assert.ok(!warnings[0]?.includes(changed.clientSecret))
  })

  it('keeps the grace period of a rotated secret, and the scopes', async () => {
    const settings = newSettings()
    await ensureConfigured(test.db, settings)
    await test.db.sql`update clients set scopes = '{cases:read}' where client_id = ${settings.clientId}`
    const url = `/admin/v1/clients/${settings.clientId}/rotate-secret`
    const { clientSecret } = (await test.call({ method: 'POST', url, body: { graceSeconds: 600 } })).body
    await ensureConfigured(test.db, settings)
    assert.ok(await tokenOf(settings))
    assert.ok(await tokenOf({ ...settings, clientSecret }))
    assert.deepEqual((await clientOf(settings)).scopes, ['cases:read'])
  })

  it('restores no revoked API key and adds no other, and says how to create one', async () => {
    const settings = newSettings()
    await ensureConfigured(test.db, settings)
    const [key] = (await clientOf(settings)).apiKeys
    await test.call({
      method: 'DELETE',
      url: `/admin/v1/clients/${settings.clientId}/api-keys/${encodeURIComponent(key.keyId)}`,
    })
    const before = await clientOf(settings)
    for (const apiKey of [settings.apiKey, 'another API key of the settings']) {
      const warnings = await ensureConfigured(test.db, { ...settings, apiKey })
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', /BOOTSTRAP_API_KEY.*\/api-keys/)
      assert.deepEqual(await clientOf(settings), before)
    }
  })

  it('creates one client and one key when several services start at once', async () => {
    const settings = newSettings()
    const warnings = await Promise.all(Array.from({ length: 4 }, () => ensureConfigured(test.db, settings)))
    assert.deepEqual(warnings.flat(), [])
    assert.equal((await clientOf(settings)).apiKeys.length, 1)
    assert.ok(await tokenOf(settings))
  })
})

describe('a first start of an embedded database', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caseport-bootstrap-'))
  const file = join(dataDir, 'credentials.json')
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  it('as root leaves credentials that the owner of DATA_DIR can read', {
    skip: process.getuid?.() !== 0 && 'only root may give files away',
  }, async () => {
    chownSync(dataDir, 1234, 4321)
    const db = await createTestDatabase()
    assert.ok(await ensureEmbedded(db, dataDir))
    const { uid, gid, mode } = statSync(file)
    assert.deepEqual([uid, gid, mode & 0o777], [1234, 4321, 0o600])
  })

  it('stops at damaged credentials', async () => {
    const db = await createTestDatabase()
    for (const text of ['{', 'null', '{"clientId":"x"}']) {
      writeFileSync(file, text)
      await assert.rejects(ensureEmbedded(db, dataDir), /credentials\.json is damaged\. Remove it, or set/)
    }
  })
})
