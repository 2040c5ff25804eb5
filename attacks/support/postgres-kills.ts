// The three set-ups of the kill-postgres attack. Writers run throughout; all acknowledged writes are checked at the end.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createExternalPostgres,
  createStandby,
  type ExternalPostgres,
} from '../../service/test/support/external-postgres.ts'
import type { Context } from '../attack.ts'
import { type Client, createClient } from './client.ts'
import { openLedger } from './ledger.ts'
import { disableSynchronousCommit, embeddedSql, killPostgres } from './postgres-processes.ts'
import { launch, type Service, tokenOf } from './service.ts'
import { createCompany, createWriters, type Writers, waitForWrites, writeDuring } from './writers.ts'

export interface Part {
  kills: number
  acknowledged: number
  rejected: number
  checked: number
  lost: number
  slowest: number
  /** From a kill until a write sent after it is acknowledged. */
  longestOutage: number
  /** Slowest response to the concurrent writes sent while there was no primary, in milliseconds. */
  slowestWithoutPrimary: number
  findings: string[]
}

const WRITERS = 12
const CONCURRENT_WRITES = 40
const REJECTION_LIMIT_MS = 3000
const OUTAGE_LIMIT_MS = 30_000
const PROMOTE_AFTER_MS = 1000
const FREEZE_MS = 15_000

interface Setup {
  service: Service
  client: Client
  writers: Writers
}

async function setUp({ folder, after }: Context, env: Record<string, string>): Promise<Setup> {
  const service = await launch({ DATA_DIR: join(folder, 'data'), ...env })
  after(() => service.kill())
  await service.ready()
  const client = createClient(() => service.url, { token: await tokenOf(service.url) })
  after(client.close)
  await createCompany(client)
  const ledger = openLedger(join(folder, `ledger-${service.port}`))
  after(ledger.close)
  return { service, client, writers: createWriters({ client, ledger }) }
}

/** Milliseconds until a write that is sent from now on is acknowledged. */
async function measureOutage({ client }: Setup): Promise<number> {
  const began = performance.now()
  const call = {
    method: 'PUT',
    path: '/v2/applicant/employeenumber/probe',
    body: { primaryApplicant: { firstName: 'A', lastName: 'B' } },
  } as const
  for (;;) {
    const { status } = await client.call(call)
    const elapsed = performance.now() - began
    if ((status > 0 && status < 300) || elapsed > OUTAGE_LIMIT_MS) return elapsed
    await sleep(20)
  }
}

async function summarize(
  { service, client, writers }: Setup,
  kills: number,
  outages: number[],
): Promise<Part> {
  const { lost, checked } = await writers.verify(client)
  const findings = [...writers.errors, ...lost]
  const longestOutage = Math.max(...outages)
  if (longestOutage >= OUTAGE_LIMIT_MS) findings.push(`no write for ${Math.round(longestOutage)} ms`)
  if (service.child.exitCode !== null) findings.push(`the service has exited: ${service.output()}`)
  const { acknowledged, rejected, slowest } = writers.counts
  return {
    kills,
    acknowledged,
    rejected,
    checked,
    lost: lost.length,
    slowest,
    longestOutage,
    slowestWithoutPrimary: 0,
    findings,
  }
}

export async function attackEmbedded(context: Context, kills: number): Promise<Part> {
  const { quick, folder, broken, progress } = context
  const setup = await setUp(context, {})
  const dataDir = join(folder, 'data')
  if (broken === 'synchronous-commit') {
    const sql = embeddedSql(dataDir)
    await disableSynchronousCommit(sql)
    await sql.end()
  }
  const outages: number[] = []
  await writeDuring(setup.writers, { count: WRITERS }, async () => {
    for (let kill = 1; kill <= kills; kill++) {
      await waitForWrites(setup.writers, randomInt(20, quick ? 80 : 300), 5000)
      killPostgres(join(dataDir, 'postgres'), kill % 2 === 0 ? 'postmaster' : 'all')
      outages.push(await measureOutage(setup))
      progress(kill, kills)
    }
  })
  return summarize(setup, kills, outages)
}

export async function attackExternal(context: Context, kills: number): Promise<Part> {
  const { quick, folder, broken, progress, after } = context
  const server = await createExternalPostgres({ folder: join(folder, 'external') })
  after(server.kill)
  if (broken === 'synchronous-commit') {
    const sql = server.sql()
    await disableSynchronousCommit(sql)
    await sql.end()
  }
  const setup = await setUp(context, { DATABASE_URL: server.url })
  const outages: number[] = []
  await writeDuring(setup.writers, { count: WRITERS }, async () => {
    for (let kill = 1; kill <= kills; kill++) {
      await waitForWrites(setup.writers, randomInt(20, quick ? 80 : 300), 5000)
      await server.kill()
      const outage = measureOutage(setup)
      await sleep(randomInt(1000))
      await server.start()
      outages.push(await outage)
      progress(kill, kills)
    }
  })
  if (!quick) await writeDuring(setup.writers, { count: WRITERS }, () => freeze(server, setup, outages))
  return summarize(setup, kills, outages)
}

/** PostgreSQL is frozen instead of killed: connections stay open but get no response, and requests must still not hang. */
async function freeze(server: ExternalPostgres, setup: Setup, outages: number[]): Promise<void> {
  await waitForWrites(setup.writers, 100, 5000)
  const frozen = server.freeze(FREEZE_MS)
  const outage = measureOutage(setup)
  await frozen
  outages.push((await outage) - FREEZE_MS)
}

export async function attackFailover(context: Context, kills: number): Promise<Part> {
  const parts: Part[] = []
  for (let kill = 1; kill <= kills; kill++) {
    const folder = join(context.folder, `pair-${kill}`)
    parts.push(await failOver({ ...context, folder }, kill % 2 === 0))
    context.progress(kill, kills)
  }
  const sum = (of: (part: Part) => number) => parts.reduce((all, part) => all + of(part), 0)
  const max = (of: (part: Part) => number) => Math.max(...parts.map(of))
  return {
    kills,
    acknowledged: sum(part => part.acknowledged),
    rejected: sum(part => part.rejected),
    checked: sum(part => part.checked),
    lost: sum(part => part.lost),
    slowest: max(part => part.slowest),
    longestOutage: max(part => part.longestOutage),
    slowestWithoutPrimary: max(part => part.slowestWithoutPrimary),
    findings: parts.flatMap(part => part.findings),
  }
}

async function failOver(context: Context, primaryFirst: boolean): Promise<Part> {
  const { folder, after } = context
  const primary = await createExternalPostgres({ folder: join(folder, 'primary') })
  after(primary.kill)
  const standby = await createStandby(primary, { folder: join(folder, 'standby') })
  after(standby.kill)
  const hosts = [primary.host, standby.host]
  if (!primaryFirst) hosts.reverse()
  const url = `postgres://caseport@${hosts.join(',')}/caseport`
  const setup = await setUp(context, { DATABASE_URL: url })
  const { client, writers } = setup
  let slowest = 0
  const findings: string[] = []
  const outages: number[] = []
  await writeDuring(writers, { count: WRITERS }, async () => {
    await waitForWrites(writers, 100, 5000)
    await primary.kill()
    const outage = measureOutage(setup)
    const responses = Promise.all(
      Array.from({ length: CONCURRENT_WRITES }, (_, each) =>
        client.call({
          method: 'PUT',
          path: `/v2/applicant/employeenumber/crowd-${each}`,
          body: { primaryApplicant: { firstName: 'A', lastName: 'B' } },
        }),
      ),
    )
    for (const { status, milliseconds, headers } of await responses) {
      slowest = Math.max(slowest, milliseconds)
      if (status !== 503 || !headers['retry-after']) findings.push(`without a primary, a write got ${status}`)
    }
    await sleep(PROMOTE_AFTER_MS)
    await standby.promote()
    outages.push(await outage)
    await waitForWrites(writers, 100, 5000)
  })
  if (slowest > REJECTION_LIMIT_MS)
    findings.push(`without a primary, a write waited for ${Math.round(slowest)} ms`)
  const part = await summarize(setup, 1, outages)
  await setup.service.kill()
  await standby.kill()
  return { ...part, slowestWithoutPrimary: slowest, findings: [...findings, ...part.findings] }
}
