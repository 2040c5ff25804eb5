// A real S3 server for tests: OpenStack Swift with its s3api, from Debian's packages, on loopback and in a folder of its own.
// Must not touch a Swift that the machine runs itself: own ports, own rings, own device, own processes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const PACKAGES = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'memcached']
const COMMANDS = ['swift-proxy-server', 'swift-ring-builder', 'swift-object-server', 'memcached']
const POLICY = '/usr/sbin/policy-rc.d'
const KINDS = ['account', 'container', 'object'] as const

type Kind = (typeof KINDS)[number]
type Ports = Record<Kind | 'proxy' | 'memcached', number>

export interface Swift {
  endpoint: string
  accessKey: string
  secretKey: string
  region: string
  stop(): Promise<void>
}

export async function startSwift(): Promise<Swift> {
  const dir = mkdtempSync(join(tmpdir(), 'caseport-swift-'))
  const children: ChildProcess[] = []
  // No server outlives the run.
  const kill = () => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
  process.once('exit', kill)
  const stop = async () => {
    await Promise.all(children.map(end))
    process.off('exit', kill)
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    const ports = await freePorts()
    writeSettings(dir, ports)
    for (const kind of KINDS) buildRing({ dir, kind, port: ports[kind] })
    const memcached = ['-l', '127.0.0.1', '-p', `${ports.memcached}`, '-U', '0', '-u', userInfo().username]
    children.push(run(dir, 'memcached', memcached))
    for (const kind of [...KINDS, 'proxy'])
      children.push(run(dir, `swift-${kind}-server`, [join(dir, `${kind}.conf`), '-v']))
    const servers = [...KINDS, 'proxy' as const].map(kind => `http://127.0.0.1:${ports[kind]}`)
    await Promise.all(servers.map(server => answering(server, { dir, children })))
    return {
      endpoint: `http://127.0.0.1:${ports.proxy}`,
      accessKey: 'caseport:tester',
      secretKey: 'only-for-tests',
      region: 'us-east-1',
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Throws a readable error if the packages are missing and cannot be installed. */
export function installSwift(): void {
  if (COMMANDS.every(command => existsSync(`/usr/bin/${command}`))) return
  const how = `apt-get install -y --no-install-recommends ${PACKAGES.join(' ')}`
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error(`These tests need OpenStack Swift. As root, on Debian or Ubuntu: ${how}`)
  // Keeps the packages from starting servers of their own.
  const ours = !existsSync(POLICY)
  if (ours) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    for (const command of ['apt-get update', how]) {
      process.stdout.write(`${command}\n`)
      const [program = '', ...options] = command.split(' ')
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
      const { status } = spawnSync(program, options, { env, stdio: ['ignore', 'ignore', 'inherit'] })
      if (status !== 0) throw new Error(`Swift could not be installed: ${command} failed.`)
    }
  } finally {
    if (ours) rmSync(POLICY)
  }
}

function writeSettings(dir: string, ports: Ports): void {
  const devices = join(dir, 'devices')
  mkdirSync(join(devices, 'd1'), { recursive: true })
  const common = (kind: Kind | 'proxy') => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${ports[kind]}
workers = 0
user = ${userInfo().username}
swift_dir = ${dir}
devices = ${devices}
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
`
  for (const kind of KINDS)
    writeFileSync(
      join(dir, `${kind}.conf`),
      `${common(kind)}
[pipeline:main]
pipeline = healthcheck ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
[filter:healthcheck]
use = egg:swift#healthcheck
`,
    )
  const filters = ['catch_errors', 'gatekeeper', 'healthcheck', 'listing_formats', 'bulk', 'slo']
  writeFileSync(
    join(dir, 'proxy.conf'),
    `${common('proxy')}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
${filters.map(filter => `[filter:${filter}]\nuse = egg:swift#${filter}\n`).join('')}
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${ports.memcached}
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
max_bucket_listing = 100
[filter:tempauth]
use = egg:swift#tempauth
user_caseport_tester = only-for-tests .admin
`,
  )
}

function buildRing({ dir, kind, port }: { dir: string; kind: Kind; port: number }): void {
  const steps = [['create', '1', '1', '0'], ['add', `r1z1-127.0.0.1:${port}/d1`, '1'], ['rebalance']]
  for (const step of steps) {
    const builder = join(dir, `${kind}.builder`)
    const { status, stdout } = spawnSync('swift-ring-builder', [builder, ...step], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`swift-ring-builder ${step.join(' ')} failed: ${stdout}`)
  }
}

function run(dir: string, command: string, options: string[]): ChildProcess {
  const log = openSync(join(dir, 'log'), 'a')
  return spawn(command, options, { cwd: dir, stdio: ['ignore', log, log] })
}

async function answering(
  server: string,
  { dir, children }: { dir: string; children: ChildProcess[] },
): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const response = await fetch(`${server}/healthcheck`).catch(() => undefined)
    if (response?.ok) return
    const dead = children.find(child => child.exitCode !== null || child.signalCode !== null)
    if (dead || Date.now() > deadline) {
      const log = readFileSync(join(dir, 'log'), 'utf8').slice(-4000)
      throw new Error(`${dead?.spawnfile ?? server} does not run:\n${log}`)
    }
    await sleep(100)
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const gone = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  const killing = setTimeout(() => child.kill('SIGKILL'), 3000)
  await gone
  clearTimeout(killing)
}

async function freePorts(): Promise<Ports> {
  const names = [...KINDS, 'proxy', 'memcached'] as const
  const servers = await Promise.all(
    names.map(async () => {
      const server = createServer()
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const ports = servers.map(server => (server.address() as { port: number }).port)
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as unknown as Ports
}
