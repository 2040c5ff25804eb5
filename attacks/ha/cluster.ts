// Three PostgreSQL 15 under Patroni with three etcd, an HAProxy and PgBouncers in front of them: all on loopback, on ports
// and in a folder of their own. The configuration is that of deploy/ha.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { freePort } from '../../scripts/free-port.ts'
import { processesIn } from '../../service/src/embedded-postgres/orphans.ts'
import type { Context } from '../attack.ts'

const TEMPLATES = join(import.meta.dirname, '..', '..', 'deploy', 'ha')
const SIZE = 3

export interface Member {
  name: string
  port: number
  /** The service's database on this member. */
  url: string
  restPort: number
  dataDir: string
  agent: ChildProcess | undefined
}

export interface Cluster {
  members: Member[]
  /** All hosts, for a service that finds the primary itself. */
  directUrl: string
  /** One host: HAProxy, which forwards to the primary. */
  proxyUrl: string
  /** Starts a PgBouncer in front of HAProxy; returns its URL. */
  startPgBouncer(mode: 'session' | 'transaction'): Promise<string>
  leader(): Promise<Member | undefined>
  /** Resolves when a write that was sent from now on is committed, over a new connection to a host of this URL. */
  takesWrites(url: string, signal: AbortSignal): Promise<void>
  synchronousStandby(): Promise<Member | undefined>
  startAgent(member: Member): void
  /** kill -9 of PostgreSQL and of its agent. */
  kill(member: Member): void
  /** SIGSTOP or SIGCONT for all processes of its PostgreSQL. */
  signalPostgres(member: Member, signal: NodeJS.Signals): void
  /** Stops every second idle backend of the services on the leader, until they are resumed. */
  silenceConnections(): Promise<{ count: number; resume(): void }>
  switchOver(): Promise<void>
  /** Resolves when all members run, and the leader has a synchronous standby. */
  whole(seconds: number): Promise<boolean>
}

interface RestMember {
  name: string
  role: string
  state: string
}

export async function startCluster({ folder, after }: Context): Promise<Cluster> {
  const dir = join(folder, 'cluster')
  mkdirSync(dir, { mode: 0o755 })
  execFileSync('chmod', ['755', folder, dir])
  const password = randomBytes(12).toString('hex')
  const children: ChildProcess[] = []
  const run = (name: string, command: string[], env: Record<string, string> = {}) => {
    const log = openSync(join(dir, `${name}.log`), 'a')
    const asPostgres = ['--reuid=postgres', '--regid=postgres', '--init-groups', ...command]
    const child = spawn('setpriv', asPostgres, {
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', ...env },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    children.push(child)
    return child
  }
  const folderOf = (name: string) => {
    const path = join(dir, name)
    mkdirSync(path, { mode: 0o700 })
    execFileSync('chown', ['postgres:postgres', path])
    return path
  }

  const login = `postgres:${password}`
  const members: Member[] = []
  const etcdPorts: string[] = []
  for (let index = 1; index <= SIZE; index++) {
    const name = `pg${index}`
    const [port, restPort] = [await freePort(), await freePort()]
    const url = `postgres://${login}@127.0.0.1:${port}/caseport`
    members.push({ name, port, url, restPort, dataDir: join(folderOf(name), 'data'), agent: undefined })
    etcdPorts.push(`${await freePort()} ${await freePort()}`)
  }
  const proxyPort = await freePort()
  const settings = join(dir, 'cluster.env')
  writeFileSync(
    settings,
    [
      ...members.map(
        ({ name, port, restPort }, index) =>
          `MEMBER_${index + 1}="${name} 127.0.0.1 ${port} ${restPort} ${etcdPorts[index]}"`,
      ),
      'NETWORK=127.0.0.1/32',
      ...['SUPERUSER', 'REPLICATION', 'REWIND', 'REST'].map(account => `${account}_PASSWORD=${password}`),
      'SHARED_BUFFERS=32MB',
      `PROXY=127.0.0.1:${proxyPort}`,
    ].join('\n'),
  )
  for (const { name, dataDir } of members) {
    const own = join(dataDir, '..')
    const etcdData = folderOf(`etcd-${name}`)
    execFileSync(join(TEMPLATES, 'configure'), [settings, name, own], {
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir, RUN_DIR: own, ETCD_DATA_DIR: etcdData },
    })
    execFileSync('chown', ['-R', 'postgres:postgres', own])
    run(`etcd-${name}`, ['/usr/bin/etcd'], environmentIn(join(own, 'etcd.env')))
  }
  const startAgent = (member: Member) => {
    member.agent = run(member.name, ['/usr/bin/patroni', join(member.dataDir, '..', 'patroni.yml')])
  }
  const signalPostgres = (member: Member, signal: NodeJS.Signals) => {
    // Without a folder, where the cluster did not come up: that is the error to report.
    if (!existsSync(member.dataDir)) return
    for (const pid of processesIn(member.dataDir)) signalOne(pid, signal)
  }
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    for (const member of members) signalPostgres(member, 'SIGKILL')
    await sleep(200)
  })
  for (const member of members) startAgent(member)

  const direct = members.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const rest = async (
    path: string,
    init?: RequestInit,
  ): Promise<{ status: number; text: string } | undefined> => {
    for (const { restPort } of members) {
      const signal = AbortSignal.timeout(init ? 15_000 : 1_000)
      // The time limit is that of the body too.
      const answer = await fetch(`http://127.0.0.1:${restPort}${path}`, { ...init, signal })
        .then(async response => ({ status: response.status, text: await response.text() }))
        .catch(() => undefined)
      if (answer) return answer
    }
    return undefined
  }
  const list = async (): Promise<RestMember[]> => {
    const response = await rest('/cluster')
    return response?.status === 200 ? JSON.parse(response.text).members : []
  }
  const named = (found: RestMember | undefined) => members.find(({ name }) => name === found?.name)
  const leader = async () => named((await list()).find(({ role }) => role === 'leader'))
  const [first] = members as [Member]
  run('haproxy', ['/usr/sbin/haproxy', '-db', '-f', join(first.dataDir, '..', 'haproxy.cfg')])

  const cluster: Cluster = {
    members,
    directUrl: `postgres://${login}@${direct}/caseport`,
    proxyUrl: `postgres://${login}@127.0.0.1:${proxyPort}/caseport`,
    async startPgBouncer(mode) {
      const port = await freePort()
      const path = join(dir, `pgbouncer-${mode}`)
      writeFileSync(`${path}.users`, `"postgres" "${password}"\n`)
      const fill: Record<string, string> = {
        HOST: '127.0.0.1',
        PORT: String(proxyPort),
        ADDRESS: '127.0.0.1',
        LISTEN_PORT: String(port),
        AUTH_FILE: `${path}.users`,
      }
      const template = readFileSync(join(TEMPLATES, 'pgbouncer.ini'), 'utf8')
      const text = template.replace(/@(\w+)@/g, (_, name) => fill[name] ?? '')
      writeFileSync(`${path}.ini`, text.replace('pool_mode = session', `pool_mode = ${mode}`))
      run(`pgbouncer-${mode}`, ['/usr/sbin/pgbouncer', `${path}.ini`])
      await sleep(500)
      return `postgres://${login}@127.0.0.1:${port}/caseport`
    },
    leader,
    async takesWrites(url, signal) {
      const hosts = (/@([^/]+)\//.exec(url)?.[1] ?? '').split(',')
      const writeTo = async (host: string) => {
        while (!signal.aborted && !(await commitsAt(`postgres://${login}@${host}/caseport`))) await sleep(50)
      }
      await Promise.race(hosts.map(writeTo))
    },
    synchronousStandby: async () => named((await list()).find(({ role }) => role === 'sync_standby')),
    startAgent,
    kill(member) {
      member.agent?.kill('SIGKILL')
      signalPostgres(member, 'SIGKILL')
    },
    signalPostgres,
    async silenceConnections() {
      const { url } = (await leader()) as Member
      let pids: number[] = []
      await withConnection(url, async sql => {
        const rows = await sql<{ pid: number }[]>`
          select pid from pg_stat_activity where application_name = 'caseport' and state = 'idle' order by pid`
        pids = rows.map(({ pid }) => pid).filter((_pid, index) => index % 2 === 0)
      })
      for (const pid of pids) signalOne(pid, 'SIGSTOP')
      return {
        count: pids.length,
        resume() {
          for (const pid of pids) signalOne(pid, 'SIGCONT')
        },
      }
    },
    async switchOver() {
      const [from, to] = [await leader(), await cluster.synchronousStandby()]
      const body = JSON.stringify({ leader: from?.name, candidate: to?.name })
      const headers = { authorization: `Basic ${Buffer.from(`patroni:${password}`).toString('base64')}` }
      const response = await rest('/switchover', { method: 'POST', body, headers })
      if (response?.status !== 200) throw new Error(`No switchover: ${response?.status} ${response?.text}`)
    },
    async whole(seconds) {
      const isWhole = (all: RestMember[]) =>
        all.length === SIZE &&
        all.every(({ state }) => state === 'running' || state === 'streaming') &&
        all.some(({ role }) => role === 'leader') &&
        all.some(({ role }) => role === 'sync_standby')
      for (const end = performance.now() + seconds * 1_000; performance.now() < end; await sleep(250))
        if (isWhole(await list())) return true
      return false
    },
  }
  if (!(await cluster.whole(120))) throw new Error(`The cluster did not start: see ${dir}`)
  const primary = (await leader()) as Member
  await withConnection(primary.url.replace(/caseport$/, 'postgres'), sql => sql`create database caseport`)
  // A schema of its own, because the other one is the service's.
  await withConnection(primary.url, sql => sql`create schema ha_probe create table writes (one int)`)
  return cluster
}

async function withConnection(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    fetch_types: false,
    connect_timeout: 2,
    backoff: () => 0,
    onnotice: () => {},
  })
  try {
    await work(sql)
  } finally {
    void sql.end({ timeout: 0 }).catch(() => {})
  }
}

/** Whether a write is committed there. */
const commitsAt = (url: string) =>
  withConnection(url, sql => sql`insert into ha_probe.writes values (1)`).then(
    () => true,
    () => false,
  )

/** The variables of a file for systemd's EnvironmentFile. */
function environmentIn(path: string): Record<string, string> {
  const lines = readFileSync(path, 'utf8').split('\n')
  return Object.fromEntries(
    lines.flatMap(line => [/^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []].filter(pair => pair.length)),
  )
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}
