// The colleagues of the demo: one for each role, and the HR contact of a company. The passwords are made at random, and kept in DATA_DIR/credentials.json
// before the users are inserted: after a crash the next start uses the same ones.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { readPrivateJson, writePrivateJson } from '../lib/private-file.ts'
import type { Role } from '../lib/roles.ts'
import { newToken } from '../lib/tokens.ts'
import type { SignIn } from '../sign-in/sign-in.service.ts'
import type { Users } from '../users/users.service.ts'

export interface DemoUser {
  role: Role
  email: string
  password: string
}

/** A user as the rest of the demo needs it. */
export interface Colleague {
  userId: string
  role: Role
  email: string
  name: string
  companies: string[] | null
}

/** Runs a unit of work of the demo. */
export type RunUnit = <T>(work: (unit: UnitOfWork) => Promise<T>) => Promise<T>

interface Parts {
  run: RunUnit
  users: Users
  signIn: SignIn
  dataDir: string
  /** The id of the company with this code. */
  companyIdOf: (code: string) => Promise<string | undefined>
}

const PASSWORD_LENGTH = 22

interface Person {
  role: Role
  email: string
  name: string
  /** The code of the company to which the person is limited. */
  company?: string
}

const PEOPLE: Person[] = [
  { role: 'viewer', email: 'viewer@demo.example', name: 'Vera Lindqvist' },
  { role: 'case-manager', email: 'case-manager@demo.example', name: 'Ruth Okafor' },
  { role: 'auditor', email: 'auditor@demo.example', name: 'Aldo Marchetti' },
  { role: 'admin', email: 'admin@demo.example', name: 'Ada Brandt' },
  { role: 'case-manager', email: 'hr@demo.example', name: 'Henrik Voss', company: 'HALDEN' },
]

/** Creates those that are missing. Returns all of them, and the passwords of those that are in the file. */
export async function createDemoUsers({
  run,
  users,
  signIn,
  dataDir,
  companyIdOf,
}: Parts): Promise<{ colleagues: Colleague[]; credentials: DemoUser[] }> {
  const file = join(dataDir, 'credentials.json')
  const stored = readCredentials(file)
  const kept = new Map((stored.users ?? []).map(user => [user.email, user]))
  const colleagues: Colleague[] = []
  const missing: (Person & { password: string })[] = []
  for (const person of PEOPLE) {
    const { email, role } = person
    const found = await users.findByEmail(email)
    if (found) colleagues.push({ ...found, role })
    else
      missing.push({
        ...person,
        password: kept.get(email)?.password ?? newToken().slice(0, PASSWORD_LENGTH),
      })
  }
  for (const { role, email, password } of missing) kept.set(email, { role, email, password })
  if (missing.length > 0) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writePrivateJson(file, { ...stored, users: [...kept.values()] })
  }
  for (const { role, email, name, password, company } of missing) {
    const companyId = company && (await companyIdOf(company))
    // Where the company does not exist, the person sees nothing rather than everything.
    const companies = company === undefined ? null : companyId ? [companyId] : []
    await run(async unit => {
      const { userId } = await users.insert(unit, { email, name, roles: [role], companies }, unit.now)
      await signIn.setPassword(unit, userId, password)
      colleagues.push({ userId, role, email, name, companies })
    })
  }
  return { colleagues, credentials: [...kept.values()] }
}

function readCredentials(file: string): { users?: DemoUser[] } {
  if (!existsSync(file)) return {}
  return (readPrivateJson(file, 'Remove it, or restore it from a backup.') ?? {}) as { users?: DemoUser[] }
}
