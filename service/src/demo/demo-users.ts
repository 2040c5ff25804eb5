// A user for each role, for `npm start -- --demo`. The passwords are made at random, and kept in DATA_DIR/credentials.json
// before the users are inserted: after a crash the next start uses the same ones.
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../db/database.ts'
import { type Recorders, runUnitOfWork, systemActor } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { StartError } from '../lib/problem.ts'
import { ALL_ROLES, type Role } from '../lib/roles.ts'
import { newToken } from '../lib/tokens.ts'
import type { Users } from '../people/users.service.ts'
import type { SignIn } from '../sign-in/sign-in.service.ts'

export interface DemoUser {
  role: Role
  email: string
  password: string
}

interface Parts {
  db: Database
  clock: Clock
  recorders: Recorders
  users: Users
  signIn: SignIn
  dataDir: string
}

const ACTOR = systemActor('demo', 'demo')
const PASSWORD_LENGTH = 22

const NAMES: Record<Role, string> = {
  viewer: 'Vera Lindqvist',
  'case-manager': 'Ruth Okafor',
  auditor: 'Aldo Marchetti',
  admin: 'Ada Brandt',
}

/** Returns those that are in the file, whether or not this call has created them. */
export async function createDemoUsers({
  db,
  clock,
  recorders,
  users,
  signIn,
  dataDir,
}: Parts): Promise<DemoUser[]> {
  const file = join(dataDir, 'credentials.json')
  const stored = readCredentials(file)
  const kept = new Map((stored.users ?? []).map(user => [user.email, user]))
  const missing: DemoUser[] = []
  for (const role of ALL_ROLES) {
    const email = `${role}@demo.example`
    if (await users.findByEmail(email)) continue
    missing.push(kept.get(email) ?? { role, email, password: newToken().slice(0, PASSWORD_LENGTH) })
  }
  for (const user of missing) kept.set(user.email, user)
  if (missing.length > 0) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writePrivately(file, `${JSON.stringify({ ...stored, users: [...kept.values()] }, null, 2)}\n`)
  }
  for (const { role, email, password } of missing)
    await db.transaction(tx =>
      runUnitOfWork({
        tx,
        actor: ACTOR,
        now: clock.now(),
        recorders,
        async work(unit) {
          const { userId } = await users.insert(unit, { email, name: NAMES[role], roles: [role] }, unit.now)
          await signIn.setPassword(unit, userId, password)
        },
      }),
    )
  return [...kept.values()]
}

function readCredentials(file: string): { users?: DemoUser[] } {
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new StartError(`${file} is damaged. Remove it, or restore it from a backup.`)
  }
}

function writePrivately(file: string, text: string): void {
  const draft = `${file}.new`
  const fd = openSync(draft, 'w', 0o600)
  try {
    fchmodSync(fd, 0o600)
    writeSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, file)
}
