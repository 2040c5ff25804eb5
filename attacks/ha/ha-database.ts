// Two services on three PostgreSQL under Patroni: leaders are killed, agents and standbys frozen, leaders switched over,
// connections silenced, by direct hosts, through HAProxy and through PgBouncer. Writers, uploads and a reader run throughout,
// and interrupted uploads are removed after seconds. While an agent is frozen, a third service can reach only the PostgreSQL of
// that agent.
// HA_ONLY runs one of the ways alone: direct, standby, HAProxy, PgBouncer.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, Context, Outcome } from '../attack.ts'
import { envForBrokenGuard, envForQuickSweeps } from '../guards.ts'
import { createClient } from '../support/client.ts'
import { type Fleet, launchFleet } from '../support/fleet.ts'
import { openLedger } from '../support/ledger.ts'
import { launch, type Service, tokenOf } from '../support/service.ts'
import { createCase } from '../support/uploads.ts'
import { createCompany, createWriters, type Writers, waitForWrites, writeDuring } from '../support/writers.ts'
import { type Cluster, type Member, startCluster } from './cluster.ts'
import { type Acknowledged, type Files, findLostFiles, listQuarantine, uploadUntil } from './files.ts'
import { installPackages, reasonToSkip } from './packages.ts'
import { READ_PATH, watchReads } from './stale-reads.ts'

const WRITERS = 4
/** For how long there are two primaries. Interrupted uploads are removed after 14 to 17 s. */
const TWO_PRIMARIES_MS = { short: 22_000, long: 40_000 }
const NEXT_LEADER_MS = 100_000
const FIRST_UPLOAD_MS = 30_000
/** Patroni names another synchronous standby after about 20 s. */
const STANDBY_FROZEN_MS = { short: 6_000, long: 15_000 }
const STUCK_WRITES = 24
const SILENT_MS = 12_000
const OUTAGE_LIMIT_MS = 90_000
/** From the moment when the database takes writes again, in the same way, until a service does. */
const LATE_LIMIT_MS = 1_500
/** A read that takes longer while commits wait for a standby, or while connections are silent, was waiting for them. */
const READ_LIMIT_MS = 3_000

interface Plan {
  kills?: number
  freezes?: number
  switchovers?: number
  frozenStandbys?: number
  silences?: number
}

/** Its name, the URL of the database, and what is done to it. */
type Row = [string, () => Promise<string>, Plan]

interface Setup {
  context: Context
  cluster: Cluster
  url: string
  fleet: Fleet
  /** The environment of a service that is cut off from all members but one. */
  cutOffEnv: Record<string, string>
  /** The directory of all repositories. */
  repositories: string
  writers: Writers
  findings: string[]
  figures: string[]
}

async function run(context: Context): Promise<Outcome> {
  const skipped = reasonToSkip()
  if (skipped) return { figures: `skipped: ${skipped}`, findings: [] }
  installPackages()
  const { quick } = context
  const cluster = await startCluster(context)
  const outcomes: Outcome[] = []
  const { directUrl, proxyUrl } = cluster
  const pooled = () => cluster.startPgBouncer('session')
  // PgBouncer connects through HAProxy. What the cluster needs longest to recover from comes last.
  const plans: Row[] = quick
    ? [
        ['PgBouncer in session mode', pooled, { switchovers: 1 }],
        ['direct', async () => directUrl, { silences: 1, frozenStandbys: 1, freezes: 1 }],
      ]
    : [
        ['direct', async () => directUrl, { switchovers: 5, silences: 3, kills: 15, freezes: 5 }],
        ['standby', async () => directUrl, { frozenStandbys: 3 }],
        ['HAProxy', async () => proxyUrl, { switchovers: 5, silences: 3, kills: 15, freezes: 5 }],
        ['PgBouncer in session mode', pooled, { switchovers: 2, silences: 1, kills: 2 }],
      ]
  const only = process.env['HA_ONLY']
  for (const [name, url, plan] of plans)
    if (!only || name.startsWith(only))
      outcomes.push(await attackBy(context, { cluster, name, url: await url(), plan }))
  if (only ? only === 'PgBouncer' : !quick) outcomes.push(await rejectTransactionMode(context, cluster))
  return {
    figures: outcomes.map(({ figures }) => figures).join('; '),
    findings: outcomes.flatMap(({ findings }) => findings),
  }
}

interface Way {
  cluster: Cluster
  name: string
  url: string
  plan: Plan
}

async function attackBy(outer: Context, { cluster, name, url, plan }: Way): Promise<Outcome> {
  const cleanups: (() => unknown)[] = []
  const folder = join(outer.folder, name.replace(/\W/g, '-'))
  const context: Context = { ...outer, folder, after: cleanup => cleanups.push(cleanup) }
  mkdirSync(folder)
  // All ways use one database, which has one directory for files.
  const repositories = join(outer.folder, 'files')
  const env = { REPOSITORIES: `file:${repositories}`, ...envForQuickSweeps }
  const cutOffEnv = { ...env, ...envForBrokenGuard(outer.broken) }
  try {
    const fleet = await launchFleet({
      context,
      databaseUrl: url,
      size: 2,
      env: outer.broken === 'sweep-order' ? env : cutOffEnv,
    })
    const [first] = fleet.members
    if (!first) throw new Error('no service')
    const client = createClient(fleet.url, { token: await tokenOf(first.url), limit: 45_000 })
    context.after(client.close)
    await createCompany(client).catch(() => {})
    const ledger = openLedger(join(folder, 'ledger'))
    context.after(ledger.close)
    const writers = createWriters({ client, ledger, prefix: name.slice(0, 3), mayHang: true, pause: 100 })
    const setup: Setup = {
      context,
      cluster,
      url,
      fleet,
      cutOffEnv,
      repositories,
      writers,
      findings: [],
      figures: [],
    }
    await attackWith(setup, plan)
    const { lost, checked } = await writers.verify(client)
    setup.findings.push(...writers.errors, ...lost)
    for (const member of fleet.members) {
      if (hasEnded(member)) setup.findings.push(`a service has ended: ${member.output().slice(-500)}`)
      setup.findings.unshift(...errorsBehind500(member.output()).slice(0, 3))
    }
    return {
      figures: `${name}: ${writers.counts.acknowledged} writes acknowledged, of ${checked} records ${lost.length} lost or doubled; ${setup.figures.join(', ')}`,
      findings: setup.findings.map(finding => `${name}: ${finding}`),
    }
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}

const hasEnded = ({ child }: Service) => child.exitCode !== null || child.signalCode !== null

/** The lines of the log that tell where errors with the status 500 come from. */
function errorsBehind500(log: string): string[] {
  const lines = log.split('\n')
  const requestOf = (line: string) => /"requestId":"([^"]+)"/.exec(line)?.[1]
  const requests = new Set(lines.filter(line => line.includes('"status":500')).map(requestOf))
  return lines.filter(line => line.includes('"msg":"request failed"') && requests.has(requestOf(line)))
}

async function attackWith(
  setup: Setup,
  { kills = 0, freezes = 0, switchovers = 0, frozenStandbys = 0, silences = 0 }: Plan,
): Promise<void> {
  const { fleet, writers, findings, figures, context } = setup
  const target = { url: fleet.members[0]?.url ?? '', token: await tokenOf(fleet.members[0]?.url ?? '') }
  const over = new AbortController()
  const ledger = openLedger(join(context.folder, 'files-ledger'))
  context.after(ledger.close)
  const files: Files = { token: target.token, caseId: await createCase(target), ledger, uploads: 0 }
  const sweptBefore = listQuarantine(setup.repositories).length
  const acknowledged: Acknowledged[] = []
  const uploads = uploadUntil(over.signal, { url: fleet.url, files, acknowledged })
  /** When another member became the leader while the agent of the former one was frozen. */
  const promotions: number[] = []
  const reads = await watchReads(
    fleet.members.map(({ url }) => url),
    { token: target.token, until: over.signal },
  )
  const attack = async () => {
    await waitForWrites(writers, 20, 10_000)
    for (let round = 0; round < switchovers; round++)
      await measure(setup, 'switchover', () => setup.cluster.switchOver())
    for (let round = 0; round < silences; round++) await silenceConnections(setup)
    for (let round = 0; round < kills; round++) await killLeader(setup)
    for (let round = 0; round < frozenStandbys; round++) {
      const slowest = await freezeStandby(setup)
      if (slowest > READ_LIMIT_MS) findings.push(`a list took ${Math.round(slowest)} ms while commits waited`)
      figures.push(`slowest list while the standby was frozen ${Math.round(slowest)} ms`)
    }
    for (let round = 0; round < freezes; round++) promotions.push(...(await freezeAgent(setup, files)))
  }
  try {
    await writeDuring(writers, { count: WRITERS }, attack)
  } finally {
    over.abort()
    await Promise.race([Promise.allSettled([uploads, reads.ended]), sleep(60_000)])
  }
  const swept = listQuarantine(setup.repositories).length - sweptBefore
  const lost = await findLostFiles(target, files, setup.repositories)
  findings.push(...reads.findings, ...lost)
  const spanning = acknowledged.filter(({ began, ended }) => promotions.some(at => began < at && at < ended))
  // Otherwise the sweep could not have removed anything, or had nothing to remove.
  if (freezes > 0 && spanning.length === 0)
    findings.push('no upload began on a former primary and ended on the next')
  if (freezes > 0 && swept === 0) findings.push('no interrupted upload was removed')
  figures.push(
    `${ledger.entries.size} files acknowledged, ${lost.length} lost, ${swept} interrupted ones removed`,
    ...(freezes > 0 ? [`${spanning.length} uploads on two primaries`] : []),
    `${reads.count} reads, ${reads.findings.length} stale`,
  )
}

/** Milliseconds from the event until a write that was sent after it is acknowledged. */
async function measure(
  { cluster, url, fleet, figures, findings, context }: Setup,
  name: string,
  event: () => Promise<unknown> | unknown,
) {
  if (!(await cluster.whole(120))) findings.push(`the cluster was not whole before: ${name}`)
  const client = createClient(fleet.url, { token: await tokenOf(fleet.members[0]?.url ?? ''), limit: 30_000 })
  const began = performance.now()
  await event()
  await sleep(500)
  const over = new AbortController()
  let databaseAt = Infinity
  void cluster.takesWrites(url, over.signal).then(() => {
    databaseAt = performance.now()
  })
  const body = { primaryApplicant: { firstName: 'A', lastName: `B${began}` } }
  let elapsed = 0
  for (;;) {
    const { status } = await client.call({ method: 'PUT', path: '/v2/applicant/employeenumber/probe', body })
    elapsed = performance.now() - began
    if ((status > 0 && status < 300) || elapsed > OUTAGE_LIMIT_MS) break
    await sleep(100)
  }
  over.abort()
  client.close()
  const late = Math.max(0, began + elapsed - databaseAt)
  if (elapsed > OUTAGE_LIMIT_MS) findings.push(`${name}: no write for ${Math.round(elapsed)} ms`)
  else if (late > LATE_LIMIT_MS)
    findings.push(
      `${name}: the first write was ${Math.round(late)} ms later than one that was sent to the database in the same way`,
    )
  const figure = `${name} ${(elapsed / 1_000).toFixed(1)} s (${(late / 1_000).toFixed(1)} s after the database)`
  figures.push(figure)
  context.progress(0, 1, figure)
}

async function leaderOf(cluster: Cluster): Promise<Member> {
  for (;;) {
    const leader = await cluster.leader()
    if (leader) return leader
    await sleep(250)
  }
}

async function killLeader(setup: Setup): Promise<void> {
  const { cluster } = setup
  await cluster.whole(120)
  const leader = await leaderOf(cluster)
  await measure(setup, 'leader killed', () => cluster.kill(leader))
  cluster.startAgent(leader)
}

/**
 * Patroni's agent is frozen, and its PostgreSQL still accepts what clients send: there are two primaries for a while. A
 * service that is cut off from the other members takes uploads and sweeps on the former one. Returns when another member
 * became the leader; nothing if none did.
 */
async function freezeAgent(setup: Setup, files: Files): Promise<number[]> {
  const { cluster, context, cutOffEnv, findings } = setup
  await cluster.whole(120)
  const leader = await leaderOf(cluster)
  const folder = join(context.folder, 'data-cut-off')
  const cutOff = await launch({ ...cutOffEnv, DATABASE_URL: leader.url, DATA_DIR: folder })
  context.after(() => cutOff.kill())
  const over = new AbortController()
  const acknowledged: Acknowledged[] = []
  let uploads: Promise<void> | undefined
  try {
    await cutOff.ready()
    uploads = uploadUntil(over.signal, { url: () => cutOff.url, files, acknowledged })
    for (const end = performance.now() + FIRST_UPLOAD_MS; acknowledged.length === 0; await sleep(100))
      if (performance.now() > end) throw new Error('The cut-off service has acknowledged no upload.')
    let promotedAt: number | undefined
    await measure(setup, 'agent frozen', async () => {
      leader.agent?.kill('SIGSTOP')
      for (const end = performance.now() + NEXT_LEADER_MS; performance.now() < end; await sleep(100)) {
        const next = await cluster.leader()
        if (!next || next === leader) continue
        promotedAt = performance.now()
        break
      }
    })
    if (promotedAt === undefined) {
      findings.push('no other member became the leader while the agent was frozen')
      return []
    }
    const twoPrimaries = TWO_PRIMARIES_MS[context.quick ? 'short' : 'long']
    await sleep(Math.max(0, promotedAt + twoPrimaries - performance.now()))
    if (hasEnded(cutOff)) findings.push(`the cut-off service has ended: ${cutOff.output().slice(-500)}`)
    return [promotedAt]
  } finally {
    over.abort()
    await cutOff.kill()
    await uploads
    leader.agent?.kill('SIGCONT')
  }
}

/** More commits wait than a service has connections for writes. Returns the milliseconds of the slowest list meanwhile. */
async function freezeStandby(setup: Setup): Promise<number> {
  const { cluster, fleet, findings } = setup
  await cluster.whole(120)
  const standby = await cluster.synchronousStandby()
  if (!standby) {
    findings.push('there was no synchronous standby to freeze')
    return 0
  }
  const [member] = fleet.members
  const client = createClient(() => member?.url ?? '', {
    token: await tokenOf(member?.url ?? ''),
    limit: 60_000,
  })
  standby.agent?.kill('SIGSTOP')
  cluster.signalPostgres(standby, 'SIGSTOP')
  const end = performance.now() + STANDBY_FROZEN_MS[setup.context.quick ? 'short' : 'long']
  const writes = Array.from({ length: STUCK_WRITES }, (_, index) =>
    client.call({
      method: 'PUT',
      path: `/v2/applicant/employeenumber/stuck-${index}`,
      body: { primaryApplicant: { firstName: 'A', lastName: String(end) } },
    }),
  )
  let slowest = 0
  while (performance.now() < end) {
    await sleep(500)
    const { status, milliseconds } = await client.call({ path: '/admin/v1/clients' })
    slowest = Math.max(slowest, milliseconds)
    if (status !== 200) findings.push(`a list returned ${status} while commits waited`)
  }
  cluster.signalPostgres(standby, 'SIGCONT')
  standby.agent?.kill('SIGCONT')
  await Promise.all(writes)
  client.close()
  return slowest
}

/** Half of the idle connections of the services stop responding, and are not closed. Reads must not wait for them. */
async function silenceConnections({ cluster, fleet, findings, figures }: Setup): Promise<void> {
  await cluster.whole(120)
  const token = await tokenOf(fleet.members[0]?.url ?? '')
  const client = createClient(fleet.url, { token, limit: 60_000 })
  const silenced = await cluster.silenceConnections()
  const end = performance.now() + SILENT_MS
  let slowest = 0
  while (performance.now() < end) {
    const { status, milliseconds } = await client.call({ path: READ_PATH })
    slowest = Math.max(slowest, milliseconds)
    if (status !== 200)
      findings.push(`a read returned ${status} while ${silenced.count} connections were silent`)
    await sleep(50)
  }
  silenced.resume()
  client.close()
  if (silenced.count === 0) findings.push('there was no idle connection to silence')
  if (slowest > READ_LIMIT_MS)
    findings.push(`a read took ${Math.round(slowest)} ms while ${silenced.count} connections were silent`)
  figures.push(`slowest read with ${silenced.count} silent connections ${Math.round(slowest)} ms`)
}

/** In transaction mode the settings of a connection do not last: a service must not start. */
async function rejectTransactionMode(context: Context, cluster: Cluster): Promise<Outcome> {
  const url = await cluster.startPgBouncer('transaction')
  const service = await launch({ DATABASE_URL: url, DATA_DIR: join(context.folder, 'transaction') })
  const code = await Promise.race([service.exited, sleep(40_000, 'runs')])
  if (code === 'runs') await service.kill()
  const isNamed = /transaction/.test(service.output()) && /pool_mode/.test(service.output())
  const isRejected = code === 1 && isNamed
  return {
    figures: `PgBouncer in transaction mode: ${isRejected ? 'rejected at the start with the reason' : 'not rejected'}`,
    findings: isRejected ? [] : [`in transaction mode: ${code} ${service.output().slice(-500)}`],
  }
}

export const haDatabase: Attack = {
  name: 'ha-database',
  title: 'failures of an HA PostgreSQL (Patroni, HAProxy, PgBouncer)',
  must: '0 writes or files lost, 0 doubled, 0 stale reads after the new primary has acknowledged, no service ends; writes within 1.5 s of the database, no read waits longer than 3 s for a standby or a silent connection',
  breaks: ['highest-timeline', 'sweep-order', 'read-share', 'second-connection'],
  run,
}
