// The fixtures of a test file: a database of its own, cloned from the migrated template in milliseconds, and the whole
// application on it. Only the clock is a stand-in.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { FastifyBaseLogger, InjectOptions } from 'fastify'
import { type AppParts, type BuiltApp, buildApp } from '../../src/app.ts'
import { ensureConfigured } from '../../src/auth/bootstrap.ts'
import { openRepositories } from '../../src/blobs/open-repository.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { connect, type Database, type SocketConnection } from '../../src/db/database.ts'
import type { Transfers } from '../../src/documents/transfers.ts'
import { connectionsOf } from '../../src/embedded-postgres/connections.ts'
import { ALL_SCOPES, type Scope } from '../../src/lib/scopes.ts'
import { createSealer, keyRing, newSealingKey } from '../../src/lib/sealing.ts'
import { createLog } from '../../src/log.ts'
import type { Tracing } from '../../src/tracing.ts'

export const silent = createLog('silent')

/** Seals secrets for all applications of a test file. */
export const testSealer = createSealer(keyRing([newSealingKey(new Date())]))

/** The PostgreSQL server of this run, which `npm test` starts; as the owner of the tables, or as the service. */
export function testConnection(database: string, as: 'owner' | 'service' = 'owner'): SocketConnection {
  const dataDir = process.env['TEST_POSTGRES']
  if (!dataDir) throw new Error('Run the tests with: npm test -- service/test/<file>')
  return { ...connectionsOf(dataDir)[as], database }
}

export interface TestDatabase extends Database {
  name: string
  /** The same database, as the role that the service runs as. */
  service: Database
}

/** A database for this test file alone, dropped at its end. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const server = connect({ connection: testConnection('postgres'), log: silent, poolSize: 1 })
  // Copying files takes half as long as writing them to the WAL, where nothing waits for the disk.
  await server.sql.unsafe(`create database ${name} template caseport strategy file_copy`)
  const db = connect({ connection: testConnection(name), log: silent })
  const service = connect({ connection: testConnection(name, 'service'), log: silent })
  after(async () => {
    await Promise.all([db.close(), service.close()])
    await server.sql.unsafe(`drop database ${name} with (force)`)
    await server.close()
  })
  return { ...db, name, service }
}

/** A clock that only moves when a test moves it. */
export function testClock(start = new Date()) {
  let time = start.getTime()
  return {
    now: () => new Date(time),
    advance(seconds: number) {
      time += seconds * 1000
    },
    set(date: Date) {
      time = date.getTime()
    },
  }
}

export type TestClock = ReturnType<typeof testClock>

interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  body?: unknown
  headers?: Record<string, string>
  /** The scopes of the token; every scope when left out, no token when null. */
  scopes?: Scope[] | null
}

export interface TestApp extends BuiltApp {
  config: Config
  /** As the owner of the tables. */
  db: Database
  /** What the application uses: the role of the service. */
  appDb: Database
  clock: TestClock
  /** The client of `call`, with every scope and an API key. */
  client: { clientId: string; clientSecret: string; apiKey: string }
  token(scopes?: Scope[]): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any response.
  call(call: Call): Promise<{ status: number; headers: Record<string, unknown>; body: any; text: string }>
}

export async function createTestApp(
  overrides: {
    config?: Partial<Config>
    db?: Database
    blobs?: (repositories: AppParts['blobs']) => AppParts['blobs']
    clock?: TestClock
    log?: FastifyBaseLogger
    transfers?: Transfers
    tracing?: Tracing
  } = {},
): Promise<TestApp> {
  const created = overrides.db ? undefined : await createTestDatabase()
  const db = (overrides.db ?? created) as Database
  const clock = overrides.clock ?? testClock()
  const dataDir = mkdtempSync(join(tmpdir(), 'caseport-data-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))
  const config = { ...readConfig({ DATA_DIR: dataDir }), ...overrides.config }
  const repositories = await openRepositories(config.repositories)
  const appDb = created?.service ?? db
  const built = buildApp({
    config,
    db: appDb,
    sealer: testSealer,
    blobs: overrides.blobs?.(repositories) ?? repositories,
    clock,
    log: overrides.log ?? silent,
    ...(overrides.transfers && { transfers: overrides.transfers }),
    tracing: overrides.tracing,
  })
  await built.start()
  after(() => built.app.close())
  const client = await registerClient(db)
  const tokens = new Map<string, Promise<string>>()

  const token = (scopes: Scope[] = ALL_SCOPES) => {
    const scope = scopes.join(' ')
    const known = tokens.get(scope) ?? requestToken(built, client, scope)
    tokens.set(scope, known)
    return known
  }
  return {
    ...built,
    config,
    db,
    appDb,
    clock,
    client,
    token,
    async call({ method = 'GET', url, body, headers = {}, scopes }) {
      const authorization = scopes === null ? {} : { authorization: `Bearer ${await token(scopes)}` }
      const options: InjectOptions = { method, url, headers: { ...authorization, ...headers } }
      if (body !== undefined) options.payload = body as object
      const response = await built.app.inject(options)
      const json = /[/+]json/.test(String(response.headers['content-type'] ?? ''))
      return {
        status: response.statusCode,
        headers: response.headers,
        body: json && response.body ? response.json() : undefined,
        text: response.body,
      }
    },
  }
}

async function requestToken(built: BuiltApp, client: TestApp['client'], scope: string): Promise<string> {
  const response = await built.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
      scope,
    }).toString(),
  })
  if (response.statusCode !== 200) throw new Error(`No token: ${response.body}`)
  return response.json().access_token
}

let count = 0

/** Registers a client with every scope and an API key, as BOOTSTRAP_CLIENT_ID does. */
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
