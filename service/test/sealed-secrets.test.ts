// Secrets in the database: sealed at the start, opened by every service that has the key, resealed by a rotation.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createSigningKeys } from '../src/auth/signing-keys.service.ts'
import { type Config, readConfig } from '../src/config.ts'
import type { Database } from '../src/db/database.ts'
import { findKeysInUse, sealValues } from '../src/db/sealed-columns.ts'
import { createSharedSecret } from '../src/db/shared-secret.ts'
import { writeKeyFile } from '../src/lib/key-file.ts'
import { StartError } from '../src/lib/problem.ts'
import { createSealer, keyRing, newSealingKey, SEALED_PREFIX } from '../src/lib/sealing.ts'
import { openSealer, SEALED_COLUMNS } from '../src/sealed-secrets.ts'
import { createTestApp, createTestDatabase, silent, type TestDatabase, testClock } from './support/harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'caseport-sealed-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const plain = createSealer(keyRing([]))
const issuer = { configured: undefined, fallback: 'http://127.0.0.1:8080' }
const EXTERNAL = { DATABASE_URL: 'postgres://db.example/caseport' }

/** The settings of a service with a DATA_DIR of its own. */
const newConfig = (env: Record<string, string> = {}): Config =>
  readConfig({ DATA_DIR: mkdtempSync(join(folder, 'data-')), ...env })

function recordWarnings() {
  const warnings: string[] = []
  return {
    warnings,
    log: { debug() {}, info() {}, error() {}, warn: (_: object, text: string) => void warnings.push(text) },
  }
}

/** A database as a release without sealing has left it: everything is plain text. */
async function createPlainDatabase(webhooks = 3): Promise<TestDatabase> {
  const db = await createTestDatabase()
  await createSigningKeys({ db, sealer: plain, clock: testClock(), issuer }).rotate()
  await createSharedSecret({ db, sealer: plain, name: 'cursors' }).load()
  await db.sql`
    insert into webhooks (webhook_id, url, description, event_types, secret, previous_secret, created_at, updated_at)
    select 'w-' || n, 'https://receiver.example', '', '{}', 'whsec_' || n, case when n % 2 = 0 then 'whsec_old_' || n end,
      now(), now()
    from generate_series(1, ${webhooks}::int) n`
  return db
}

async function contentOf(db: Database): Promise<string> {
  const rows = await db.sql`
    select private_jwk::text as value from signing_keys
    union all select encode(value, 'escape') from secrets
    union all select secret from webhooks
    union all select previous_secret from webhooks where previous_secret is not null`
  return rows.map(({ value }) => value).join('\n')
}

describe('the start of a service', () => {
  it('seals all plain secrets, which keep working', async () => {
    const db = await createPlainDatabase(1_201)
    const config = newConfig()
    const before = createSharedSecret({ db, sealer: plain, name: 'cursors' })
    await before.load()
    const keysBefore = createSigningKeys({ db, sealer: plain, clock: testClock(), issuer })
    await keysBefore.rotate()

    const sealer = await openSealer({ config, db: db.service, log: silent })
    const content = await contentOf(db)
    assert.equal(content.split('\n').length, 1 + 1 + 1_201 + 600)
    for (const line of content.split('\n')) assert.match(line, /^"?sealed:v1:/)
    assert.equal(statSync(join(config.dataDir, 'encryption.key')).mode & 0o777, 0o600)

    const secret = createSharedSecret({ db: db.service, sealer, name: 'cursors' })
    await secret.load()
    assert.deepEqual(secret.value(), before.value())
    const keys = createSigningKeys({ db: db.service, sealer, clock: testClock(), issuer })
    await keys.rotate()
    assert.equal(keys.current().kid, keysBefore.current().kid)
    assert.deepEqual(keys.current().publicJwk, keysBefore.current().publicJwk)
    const [row] = await db.sql<{ secret: string; old: string }[]>`
      select secret, previous_secret as old from webhooks where webhook_id = 'w-2'`
    const place = { column: 'webhooks.secret', id: 'w-2' }
    assert.equal(sealer.unseal(row?.secret ?? '', place), 'whsec_2')
    assert.equal(sealer.unseal(row?.old ?? '', place), 'whsec_old_2')

    const again = await openSealer({ config, db: db.service, log: silent })
    assert.equal(await contentOf(db), content)
    assert.equal(again.unseal(row?.secret ?? '', place), 'whsec_2')
  })

  it('seals each secret once when several services start at the same time', async () => {
    const db = await createPlainDatabase(700)
    const file = join(folder, 'shared.key')
    writeKeyFile(file, [newSealingKey(new Date())])
    const config = newConfig({ ENCRYPTION_KEY_FILE: file })
    const sealers = await Promise.all(
      [1, 2, 3].map(() => openSealer({ config, db: db.service, log: silent })),
    )
    const rows = await db.sql<{ id: string; secret: string }[]>`
      select webhook_id as id, secret from webhooks`
    for (const [index, { id, secret }] of rows.entries()) {
      assert.match(secret, /^sealed:v1:/)
      const opened = sealers[index % 3]?.unseal(secret, { column: 'webhooks.secret', id })
      assert.equal(opened, id.replace('w-', 'whsec_'))
    }
  })

  it('fails without the key of sealed secrets, and names the file and the remedy', async () => {
    const db = await createPlainDatabase()
    const config = newConfig()
    await openSealer({ config, db, log: silent })
    const fails = async (other: Config, message: RegExp) =>
      assert.rejects(openSealer({ config: other, db, log: silent }), (error: unknown) => {
        assert.ok(error instanceof StartError)
        assert.match(error.message, message)
        return true
      })

    // Another DATA_DIR, as after a restore without its key file: no new key is made.
    const restored = newConfig()
    const missing = join(restored.dataDir, 'encryption.key')
    await fails(restored, new RegExp(`^ENCRYPTION_KEY_FILE ${missing} does not exist\\. Restore it`))
    assert.ok(!existsSync(missing))
    const wrong = join(folder, 'wrong.key')
    writeKeyFile(wrong, [newSealingKey(new Date())])
    await fails(
      newConfig({ ENCRYPTION_KEY_FILE: wrong }),
      new RegExp(`^ENCRYPTION_KEY_FILE ${wrong} lacks the key [\\w-]{8}, .* Restore the file`),
    )
    await fails(newConfig(EXTERNAL), /sealed with the key [\w-]{8}: set ENCRYPTION_KEY_FILE/)
    await fails(newConfig({ ENCRYPTION_KEY_FILE: join(folder, 'none') }), /does not exist/)
  })

  it('does not make a file that ENCRYPTION_KEY_FILE names', async () => {
    const db = await createPlainDatabase()
    const file = join(folder, 'not-made.key')
    for (const env of [{}, EXTERNAL]) {
      const config = newConfig({ ENCRYPTION_KEY_FILE: file, ...env })
      await assert.rejects(openSealer({ config, db, log: silent }), /npm run rotate-key/)
    }
    assert.ok(!existsSync(file))
  })

  it('warns and leaves secrets as they are where DATABASE_URL is set and ENCRYPTION_KEY_FILE is not', async () => {
    const db = await createPlainDatabase()
    const before = await contentOf(db)
    const { warnings, log } = recordWarnings()
    await openSealer({ config: newConfig(EXTERNAL), db, log })
    assert.match(warnings.join('\n'), /^ENCRYPTION_KEY_FILE is not set/)
    assert.equal(await contentOf(db), before)
  })

  it('warns of a key file that every user can read', async () => {
    const db = await createTestDatabase()
    const file = join(folder, 'open.key')
    writeKeyFile(file, [newSealingKey(new Date())])
    chmodSync(file, 0o644)
    const { warnings, log } = recordWarnings()
    await openSealer({ config: newConfig({ ENCRYPTION_KEY_FILE: file }), db, log })
    assert.match(warnings.join('\n'), /chmod 600/)
  })
})

describe('a running service', () => {
  it('stores no secret in plain text', async () => {
    const test = await createTestApp()
    const created = await test.call({
      method: 'POST',
      url: '/admin/v1/webhooks',
      body: { url: 'https://receiver.example/hook' },
    })
    assert.equal(created.status, 201)
    const { webhookId, secret } = created.body
    const rotated = await test.call({
      method: 'POST',
      url: `/admin/v1/webhooks/${webhookId}/rotate-secret`,
      body: { graceSeconds: 3600 },
    })
    assert.equal(rotated.status, 200)
    const content = await contentOf(test.db)
    for (const line of content.split('\n')) assert.match(line, /^"?sealed:v1:/)
    for (const value of [secret, rotated.body.secret]) assert.ok(!content.includes(value.slice(10, 30)))
  })
})

describe('resealing', () => {
  it('continues after a crash, and leaves nothing under the old key', async () => {
    const db = await createPlainDatabase(1_400)
    const [old, current] = [newSealingKey(new Date()), newSealingKey(new Date())]
    const columns = SEALED_COLUMNS
    const { sql } = db.service
    await sealValues({ sql, sealer: createSealer(keyRing([old])), columns, except: SEALED_PREFIX })
    const sealer = createSealer(keyRing([current, old]))
    const except = `${SEALED_PREFIX}${current.id}:`

    // A connection that is lost in the middle stands for a crash: what was sealed anew stays.
    let statements = 0
    const failing = new Proxy(sql, {
      apply(target, self, parameters) {
        const isUpdate = Array.isArray(parameters[0]) && parameters[0][0].includes('update')
        if (isUpdate && ++statements > 3) throw new Error('crash')
        return Reflect.apply(target as never, self, parameters)
      },
    })
    await assert.rejects(sealValues({ sql: failing, sealer, columns, except }), /crash/)
    const [counts] = await sql<{ moved: number; left: number }[]>`
      select count(*) filter (where starts_with(secret, ${except}))::int as moved,
        count(*) filter (where not starts_with(secret, ${except}))::int as left from webhooks`
    assert.ok(counts && counts.moved > 0 && counts.left > 0)
    assert.deepEqual((await findKeysInUse(sql, columns)).ids, new Set([old.id, current.id]))

    const { errors } = await sealValues({ sql, sealer, columns, except })
    assert.deepEqual(errors, [])
    assert.deepEqual(await findKeysInUse(sql, columns), { ids: new Set([current.id]), hasPlain: false })
    const alone = createSealer(keyRing([current]))
    for (const { id, secret } of await sql<{ id: string; secret: string }[]>`
      select webhook_id as id, secret from webhooks`)
      assert.equal(alone.unseal(secret, { column: 'webhooks.secret', id }), id.replace('w-', 'whsec_'))
  })

  it('reports values that cannot be opened, and seals all others', async () => {
    const db = await createPlainDatabase(3)
    const [old, current] = [newSealingKey(new Date()), newSealingKey(new Date())]
    const columns = SEALED_COLUMNS
    const { sql } = db
    await sealValues({ sql, sealer: createSealer(keyRing([old])), columns, except: SEALED_PREFIX })
    await sql`update webhooks set secret = (select secret from webhooks where webhook_id = 'w-1') where webhook_id = 'w-3'`
    const { errors } = await sealValues({
      sql,
      sealer: createSealer(keyRing([current, old])),
      columns,
      except: `${SEALED_PREFIX}${current.id}:`,
    })
    assert.deepEqual(errors, ['webhooks.secret of w-3 was altered, or copied from another row.'])
    const { ids } = await findKeysInUse(sql, columns)
    assert.deepEqual(ids, new Set([old.id, current.id]))
  })
})
