// The three set-ups of the kill-postgres attack. Each is written to all the time, and checked at the end.
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
import { acknowledgeBeforeDisk, embeddedSql, killPostgres } from './postgres-processes.ts'
import { launch, type Service, tokenOf } from './service.ts'
import { createWriters, during, moreWrites, prepare, type Writers } from './writers.ts'

export interface Part {
  kills: number
  acknowledged: number
  refused: number
  checked: number
  lost: number
  slowest: number
  /** From a kill until a write sent after it is acknowledged. */
  longestOutage: number
  /** The slowest answer to a crowd that came while there was no primary. */
  crowd: number
  findings: string[]
}

const WRITERS = 12
const CROWD = 40
const CROWD_LIMIT_MS = 3000
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
  await prepare(client)
  const ledger = openLedger(join(folder, `ledger-${service.port}`))
  after(ledger.close)
  return { service, client, writers: createWriters({ client, ledger }) }
}

/** Milliseconds until a write that is sent from now on is acknowledged. */
async function outage({ client }: Setup): Promise<number> {
  const began = performance.now()
  const call = {
    method: 'PUT',
    path: '/v2/applicant/employeenumber/probe',
    body: { primaryApplicant: { firstName: 'A', lastName: 'B' } },
  } as const
  for (;;) {
    const { status } = await client.call(call)
    const passed = performance.now() - began
    if ((status > 0 && status < 300) || passed > OUTAGE_LIMIT_MS) return passed
    await sleep(20)
  }
}

async function reckon({ service, client, writers }: Setup, kills: number, outages: number[]): Promise<Part> {
  const { lost, checked } = await writers.reckon(client)
  const findings = [...writers.faults, ...lost]
  const longestOutage = Math.max(...outages)
  if (longestOutage >= OUTAGE_LIMIT_MS) findings.push(`no write for ${Math.round(longestOutage)} ms`)
  if (service.child.exitCode !== null) findings.push(`the service has ended: ${service.output()}`)
  const { acknowledged, refused, slowest } = writers.counts
  return {
    kills,
    acknowledged,
    refused,
    checked,
    lost: lost.length,
    slowest,
    longestOutage,
    crowd: 0,
    findings,
  }
}

export async function attackEmbedded(context: Context, kills: number): Promise<Part> {
  const { quick, folder, broken, progress } = context
  const place = await setUp(context, {})
  const dataDir = join(folder, 'data')
  if (broken === 'synchronous-commit') {
    const sql = embeddedSql(dataDir)
    await acknowledgeBeforeDisk(sql)
    await sql.end()
  }
  const outages: number[] = []
  await during(place.writers, { count: WRITERS }, async () => {
    for (let kill = 1; kill <= kills; kill++) {
      await moreWrites(place.writers, randomInt(20, quick ? 80 : 300), 5000)
      killPostgres(join(dataDir, 'postgres'), kill % 2 === 0 ? 'postmaster' : 'all')
      outages.push(await outage(place))
      progress(kill, kills)
    }
  })
  return reckon(place, kills, outages)
}

export async function attackOutside(context: Context, kills: number): Promise<Part> {
  const { quick, folder, broken, progress, after } = context
  const server = await createExternalPostgres({ folder: join(folder, 'outside') })
  after(server.kill)
  if (broken === 'synchronous-commit') {
    const sql = server.sql()
    await acknowledgeBeforeDisk(sql)
    await sql.end()
  }
  const place = await setUp(context, { DATABASE_URL: server.url })
  const outages: number[] = []
  await during(place.writers, { count: WRITERS }, async () => {
    for (let kill = 1; kill <= kills; kill++) {
      await moreWrites(place.writers, randomInt(20, quick ? 80 : 300), 5000)
      await server.kill()
      const back = outage(place)
      await sleep(randomInt(1000))
      await server.start()
      outages.push(await back)
      progress(kill, kills)
    }
  })
  if (!quick) await during(place.writers, { count: WRITERS }, () => freeze(server, place, outages))
  return reckon(place, kills, outages)
}

/** Not killed but silent: nobody may wait for it, and nobody is told that anything was closed. */
async function freeze(server: ExternalPostgres, place: Setup, outages: number[]): Promise<void> {
  await moreWrites(place.writers, 100, 5000)
  const frozen = server.freeze(FREEZE_MS)
  const back = outage(place)
  await frozen
  outages.push((await back) - FREEZE_MS)
}

export async function attackFailover(context: Context, kills: number): Promise<Part> {
  const parts: Part[] = []
  for (let kill = 1; kill <= kills; kill++) {
    const folder = join(context.folder, `pair-${kill}`)
    parts.push(await failOver({ ...context, folder }, kill % 2 === 0))
    context.progress(kill, kills)
  }
  const sum = (of: (part: Part) => number) => parts.reduce((all, part) => all + of(part), 0)
  const most = (of: (part: Part) => number) => Math.max(...parts.map(of))
  return {
    kills,
    acknowledged: sum(part => part.acknowledged),
    refused: sum(part => part.refused),
    checked: sum(part => part.checked),
    lost: sum(part => part.lost),
    slowest: most(part => part.slowest),
    longestOutage: most(part => part.longestOutage),
    crowd: most(part => part.crowd),
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
  const place = await setUp(context, { DATABASE_URL: url })
  const { client, writers } = place
  let slowest = 0
  const wrong: string[] = []
  const outages: number[] = []
  await during(writers, { count: WRITERS }, async () => {
    await moreWrites(writers, 100, 5000)
    await primary.kill()
    const back = outage(place)
    const crowd = Promise.all(
      Array.from({ length: CROWD }, (_, each) =>
        client.call({
          method: 'PUT',
          path: `/v2/applicant/employeenumber/crowd-${each}`,
          body: { primaryApplicant: { firstName: 'A', lastName: 'B' } },
        }),
      ),
    )
    for (const { status, milliseconds, headers } of await crowd) {
      slowest = Math.max(slowest, milliseconds)
      if (status !== 503 || !headers['retry-after']) wrong.push(`without a primary, a write got ${status}`)
    }
    await sleep(PROMOTE_AFTER_MS)
    await standby.promote()
    outages.push(await back)
    await moreWrites(writers, 100, 5000)
  })
  if (slowest > CROWD_LIMIT_MS) wrong.push(`without a primary, a write waited for ${Math.round(slowest)} ms`)
  const part = await reckon(place, 1, outages)
  await place.service.kill()
  await standby.kill()
  return { ...part, crowd: slowest, findings: [...wrong, ...part.findings] }
}
