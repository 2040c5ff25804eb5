// Debian's packages of an HA PostgreSQL. Only root can install them, and start PostgreSQL as another account.
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

const PACKAGES = ['patroni', 'etcd-server', 'haproxy', 'pgbouncer', 'postgresql-15']
const PROGRAMS = [
  '/usr/bin/patroni',
  '/usr/bin/etcd',
  '/usr/sbin/haproxy',
  '/usr/sbin/pgbouncer',
  '/usr/lib/postgresql/15/bin/postgres',
]
const POLICY = '/usr/sbin/policy-rc.d'

/** Why the cluster cannot be started here, or undefined when it can. */
export function reasonToSkip(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root'
  return existsSync('/usr/bin/apt-get') || PROGRAMS.every(program => existsSync(program))
    ? undefined
    : 'no Debian'
}

/** Installs what is missing. Nothing is started by the packages themselves. */
export function installPackages(): void {
  if (PROGRAMS.every(program => existsSync(program))) return
  const hadPolicy = existsSync(POLICY)
  if (!hadPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    const options = ['install', '-y', '--no-install-recommends', '--no-upgrade']
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const run = (args: string[]) => spawnSync('apt-get', args, { env, encoding: 'utf8' })
    run(['update'])
    const { status, stderr } = run([...options, ...PACKAGES])
    if (status !== 0) throw new Error(`The packages could not be installed: ${stderr}`)
  } finally {
    if (!hadPolicy) rmSync(POLICY)
  }
}
