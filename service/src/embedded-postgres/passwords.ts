// The passwords of the embedded PostgreSQL, in DATA_DIR/pgpass: a password file of libpq, so that psql and pg_dump can use it
// too. PostgreSQL's own accounts get them while it does not run, in single-user mode: no connection is ever accepted without
// a password.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { SERVICE_ROLE } from '../db/roles.ts'
import { StartError } from '../lib/problem.ts'
import { type Account, childOptions } from './account.ts'
import type { Binaries } from './binaries.ts'
import { pgDataOfChild } from './cluster.ts'
import { openInDataDir, syncDirectory } from './data-dir.ts'
import {
  commandLine,
  HBA_FILE_NAME,
  OWNER,
  type ServerSettings,
  writeConfigFile,
  writePgDataFile,
} from './settings.ts'

const FILE_NAME = 'pgpass'

export interface Passwords {
  owner: string
  service: string
}

interface Options extends Server {
  /** Single-user mode needs the data directory for itself. */
  stopOrphans: () => Promise<void>
}

interface Server {
  dataDir: string
  pgData: string
  pgDataFd: number
  account: Account | undefined
  binaries: Binaries
  settings: ServerSettings
}

const HBA = [
  '# Caseport writes this file. Every account needs its password; those of Caseport are in DATA_DIR/pgpass.',
  'local all all scram-sha-256',
  'local replication all scram-sha-256',
]

/**
 * Returns the passwords of this DATA_DIR. Where there are none yet (a new database, one of an earlier release, a restored one
 * without its password file) it makes them. The file with the rules of access is written last: until it exists, the next
 * start does all of it again.
 */
export async function ensurePasswords(options: Options): Promise<Passwords> {
  const { dataDir, pgData, account } = options
  const known = readPasswords(dataDir)
  const rules = join(pgData, HBA_FILE_NAME)
  if (known && existsSync(rules)) return known
  rmSync(rules, { force: true })
  const passwords = known ?? { owner: newPassword(), service: newPassword() }
  if (!known) writePasswords(dataDir, passwords)
  await options.stopOrphans()
  await setPasswords(options, passwords)
  writePgDataFile({ pgData, name: HBA_FILE_NAME, lines: HBA, account })
  syncDirectory(pgData)
  return passwords
}

/** The passwords in DATA_DIR/pgpass; undefined when there is no such file. */
export function readPasswords(dataDir: string): Passwords | undefined {
  const path = join(dataDir, FILE_NAME)
  if (!existsSync(path)) return undefined
  const lines = readFileSync(path, 'utf8').split('\n')
  const passwordOf = (user: string) =>
    lines.map(line => line.split(':')).find(fields => fields.length === 5 && fields[3] === user)?.[4]
  const [owner, service] = [passwordOf(OWNER), passwordOf(SERVICE_ROLE)]
  if (!owner || !service)
    throw new StartError(`${path} is damaged. Remove it: the next start makes new passwords.`)
  return { owner, service }
}

/** Needs no escaping in SQL, in a URL or in the password file. */
const newPassword = () => randomBytes(32).toString('base64url')

function writePasswords(dataDir: string, { owner, service }: Passwords): void {
  const lines = [
    '# The passwords of the embedded PostgreSQL, made by Caseport. Without this file, the next start makes new ones.',
    `*:*:*:${OWNER}:${owner}`,
    `*:*:*:${SERVICE_ROLE}:${service}`,
  ]
  const draft = `${FILE_NAME}.new`
  rmSync(join(dataDir, draft), { force: true })
  const fd = openInDataDir({ dataDir, name: draft, flags: constants.O_WRONLY | constants.O_EXCL })
  try {
    writeSync(fd, `${lines.join('\n')}\n`)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(join(dataDir, draft), join(dataDir, FILE_NAME))
  syncDirectory(dataDir)
}

async function setPasswords(options: Server, { owner, service }: Passwords): Promise<void> {
  const { pgData, pgDataFd, account, binaries, settings, dataDir } = options
  // One statement per line.
  const statements = [
    `do $$ begin if not exists (select from pg_roles where rolname = '${SERVICE_ROLE}') then create role ${SERVICE_ROLE}; end if; end $$`,
    `alter role ${SERVICE_ROLE} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${service}'`,
    `alter role ${OWNER} password '${owner}'`,
  ]
  writeConfigFile({ pgData, account, settings })
  const extra = {
    ...settings.extra,
    password_encryption: 'scram-sha-256',
    // Iterations make guessing slower. 256 random bits cannot be guessed, and each connection would cost 4 ms of CPU time on
    // both sides.
    scram_iterations: '1',
    exit_on_error: 'on',
  }
  const args = commandLine({ ...settings, extra, pgData: pgDataOfChild(pgData) })
  const child = spawn(binaries.postgres, ['--single', ...args, 'postgres'], {
    ...childOptions(account),
    stdio: ['pipe', 'ignore', 'pipe', pgDataFd],
  })
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  )
  // A server that fails early closes its input; its exit status and output tell why.
  child.stdin?.on('error', () => {}).end(`${statements.join('\n')}\n`)
  const [status, stderr] = await Promise.all([ended, text(child.stderr as Readable)])
  if (status === 0) return
  const reason =
    stderr
      .trim()
      .split('\n')
      .findLast(line => /\b(ERROR|FATAL|PANIC): /.test(line)) ?? `exit status ${status}`
  throw new StartError(
    `DATA_DIR ${dataDir}: the passwords of the database cannot be set: ${reason.replace(/^.*?\b(ERROR|FATAL|PANIC): +/, '')}`,
  )
}
