// `npm run bench:growth`: the same operations on a small and on a large world, side by side in one run. What one costs
// must not grow with the size of the tables; the ratio of the medians says whether it does.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { buildApp } from '../service/src/app.ts'
import { ensureConfigured } from '../service/src/auth/bootstrap.ts'
import { openPlaces } from '../service/src/blobs/open-place.ts'
import { readConfig } from '../service/src/config.ts'
import { connect } from '../service/src/db/database.ts'
import { startEmbedded } from '../service/src/db/embedded.ts'
import { migrate } from '../service/src/db/migrate.ts'
import { systemClock } from '../service/src/lib/clock.ts'
import { createLog } from '../service/src/log.ts'
import { applicantId, DAYS, employeeNumber, FIRST_DAY, person, seed, type World } from './seed.ts'

const option = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}

const SMALL: World = { applicants: 1_000, cases: 1_000, steps: 10_000, notes: 10_000 }
const steps = option('steps', 10_000_000)
const LARGE: World = {
  applicants: option('applicants', 1_000_000),
  cases: Math.ceil(steps / 10),
  steps,
  notes: steps,
}
const ROUNDS = option('rounds', 400)
const LIMIT = 1.5

const log = createLog('error')
const dataDir = mkdtempSync(join(tmpdir(), 'caseport-growth-'))
// Loaded without care for a crash, then served with all of it.
const LOADING = { wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '16GB', autovacuum: 'off' }
const say = (text: string) => process.stdout.write(text)

interface Side {
  world: World
  base: string
  token: string
  close(): Promise<void>
}

type Server = Awaited<ReturnType<typeof startEmbedded>>

async function load(server: Server, name: string, world: World): Promise<void> {
  const admin = postgres({ ...server.connection, database: 'postgres', max: 1 })
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  const connection = { ...server.connection, database: name }
  const db = connect({ connection, log })
  await migrate(db, log)
  await db.close()
  const loader = postgres({ ...connection, max: 1, onnotice: () => {} })
  const begun = performance.now()
  await seed(loader, world, (table, done, total) => {
    if (process.stdout.isTTY) say(`\r${name}: ${table} ${Math.floor((100 * done) / total)} %            `)
  })
  await loader`checkpoint`
  await loader.end()
  say(`\r${name}: ${JSON.stringify(world)} loaded in ${((performance.now() - begun) / 1000).toFixed(0)} s\n`)
}

async function open(server: Server, name: string, world: World): Promise<Side> {
  const db = connect({ connection: { ...server.connection, database: name }, log })
  const credentials = { clientId: 'bench', clientSecret: 'bench', apiKey: 'bench' }
  await ensureConfigured(db, credentials)
  const config = readConfig({ DATA_DIR: dataDir })
  const { app, start } = buildApp({
    config,
    db,
    blobs: await openPlaces(config.repositories),
    log,
    clock: systemClock,
  })
  await start()
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const answer = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'bench',
      client_secret: 'bench',
    }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return {
    world,
    base,
    token,
    close: async () => {
      await app.close()
      await db.close()
    },
  }
}

const random = (below: number) => Math.floor(Math.random() * below)

async function ask({ base, token }: Side, path: string, body?: object): Promise<Response> {
  return fetch(base + path, {
    method: body ? 'PUT' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
}

const RANGE = (() => {
  const day = (offset: number) => new Date(FIRST_DAY + offset * 86_400_000).toISOString().slice(0, 10)
  return `startDate=${day(0)}&endDate=${day(DAYS + 1)}`
})()

/** A cursor somewhere in the list, found by walking in from an offset once. */
async function cursorIn(side: Side, list: string, share: number, total: number): Promise<string> {
  const answer = await ask(
    side,
    `/v2/cases/applicants/${list}?${RANGE}&maxRecords=100&offset=${Math.floor(total * share)}`,
  )
  const { nextCursor } = (await answer.json()) as { nextCursor: string }
  return nextCursor
}

type Operation = (side: Side, cursors: Record<string, string>) => Promise<Response>

const upsert = (index: number) => {
  const { firstName, lastName } = person(index)
  return { primaryApplicant: { firstName, lastName, jobTitle: `Engineer ${random(1e6)}` } }
}

const OPERATIONS: Record<string, Operation> = {
  'read applicant by id': side => ask(side, `/v2/applicant/${applicantId(random(side.world.applicants))}`),
  'read applicant by number': side => ask(side, `/v2/applicant/employeenumber/${employeeNumber(random(side.world.applicants))}`),
  'upsert, existing': side => {
    const index = random(side.world.applicants)
    return ask(side, `/v2/applicant/employeenumber/${employeeNumber(index)}`, upsert(index))
  },
  'upsert, new': side => ask(side, `/v2/applicant/employeenumber/N-${crypto.randomUUID()}`, upsert(1)),
  'search by name': side => ask(side, `/admin/v1/applicants?maxRecords=20&name=${encodeURIComponent(person(random(side.world.applicants)).lastName)}`),
  'search by e-mail': side => ask(side, `/admin/v1/applicants?email=${person(random(side.world.applicants)).email}`),
  'search by passport': side => ask(side, `/admin/v1/applicants?passportNumber=${person(random(side.world.applicants)).passportNumber}`),
  'first page of 100 steps': side => ask(side, `/v2/cases/applicants/steps?${RANGE}&offset=`),
  'page of 100 steps, middle': (side, cursors) => ask(side, `/v2/cases/applicants/steps?${RANGE}&nextCursor=${cursors['steps middle']}`),
  'page of 100 steps, end': (side, cursors) => ask(side, `/v2/cases/applicants/steps?${RANGE}&nextCursor=${cursors['steps end']}`),
  'first page of 100 notes': side => ask(side, `/v2/cases/applicants/notes?${RANGE}`),
  'page of 100 notes, middle': (side, cursors) => ask(side, `/v2/cases/applicants/notes?${RANGE}&nextCursor=${cursors['notes middle']}`),
  'page of 100 notes, end': (side, cursors) => ask(side, `/v2/cases/applicants/notes?${RANGE}&nextCursor=${cursors['notes end']}`),
} // biome-ignore format: a table

async function timed(operation: Operation, side: Side, cursors: Record<string, string>): Promise<number> {
  const begun = performance.now()
  const answer = await operation(side, cursors)
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`)
  return performance.now() - begun
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const loading = await startEmbedded({ dataDir, log, durable: false, settings: LOADING })
await load(loading, 'small', SMALL)
await load(loading, 'large', LARGE)
await loading.stop()
const server = await startEmbedded({ dataDir, log })
const small = await open(server, 'small', SMALL)
const large = await open(server, 'large', LARGE)
const cursors = new Map<Side, Record<string, string>>()
for (const side of [small, large]) {
  const { steps, notes } = side.world
  cursors.set(side, {
    'steps middle': await cursorIn(side, 'steps', 0.5, steps),
    'steps end': await cursorIn(side, 'steps', 0.95, steps),
    'notes middle': await cursorIn(side, 'notes', 0.5, notes),
    'notes end': await cursorIn(side, 'notes', 0.95, notes),
  })
}

const rows: { name: string; small: number; large: number; ratio: number }[] = []
for (const [name, operation] of Object.entries(OPERATIONS)) {
  const times = { small: [] as number[], large: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    const counted = round >= ROUNDS / 8
    const inSmall = await timed(operation, small, cursors.get(small) ?? {})
    const inLarge = await timed(operation, large, cursors.get(large) ?? {})
    if (counted) {
      times.small.push(inSmall)
      times.large.push(inLarge)
    }
  }
  const [a, b] = [median(times.small), median(times.large)]
  rows.push({ name, small: a, large: b, ratio: b / a })
  say(`${name.padEnd(28)} ${a.toFixed(2)} ms  ${b.toFixed(2)} ms  ${(b / a).toFixed(2)}\n`)
}
await small.close()
await large.close()
await server.stop()
rmSync(dataDir, { recursive: true, force: true })

const title = (world: World) =>
  `${world.applicants.toLocaleString('en')} applicants, ${world.steps.toLocaleString('en')} steps`
writeFileSync(
  join(import.meta.dirname, 'GROWTH.md'),
  `# Cost against size

Made by \`npm run bench:growth\`; not edited by hand. Medians of ${ROUNDS} requests each, one at a time over HTTP with
authorization and audit on, the two worlds in turn, in one run on one machine. Read the ratio, not the times.

| operation | ${title(SMALL)} | ${title(LARGE)} | ratio |
|---|---|---|---|
${rows.map(row => `| ${row.name} | ${row.small.toFixed(2)} ms | ${row.large.toFixed(2)} ms | ${row.ratio.toFixed(2)} |`).join('\n')}
`,
)
const worst = rows.filter(row => row.ratio > LIMIT)
for (const { name, ratio } of worst) process.stderr.write(`${name} grows: ${ratio.toFixed(2)} times.\n`)
process.exit(worst.length ? 1 : 0)
