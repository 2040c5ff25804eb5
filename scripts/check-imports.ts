// Checks the dependency rule of ARCHITECTURE.md: imports run down, never back up, and a feature's SQL reads its own tables.
// Prints every violation.
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '..', 'service', 'src')

/** What each folder may import beside itself; `.` is the top of service/src. */
const FOLDERS: Record<string, string[]> = {
  lib: [],
  db: ['lib'],
  'embedded-postgres': ['db', 'lib'],
  workers: ['lib'],
  blobs: ['lib'],
  http: ['db', 'lib'],
  auth: ['companies', 'http', 'db', 'lib'],
  audit: ['http', 'db', 'lib'],
  events: ['http', 'db', 'lib'],
  reminders: ['http', 'db', 'lib'],
  calendar: ['http', 'db', 'lib'],
  documents: ['blobs', 'http', 'db', 'lib'],
  demo: [
    'imports',
    'desk',
    'cases',
    'applicants',
    'companies',
    'documents',
    'events',
    'users',
    'processes',
    'sign-in',
    'db',
    'lib',
  ],
  companies: ['http', 'db', 'lib'],
  console: ['http'],
  processes: ['http', 'db', 'lib'],
  users: ['companies', 'http', 'db', 'lib'],
  'sign-in': ['users', 'http', 'db', 'lib'],
  cases: ['applicants', 'companies', 'documents', 'users', 'processes', 'http', 'db', 'lib'],
  timeline: ['cases', 'applicants', 'documents', 'reminders', 'audit', 'http', 'db', 'lib'],
  applicants: ['companies', 'documents', 'http', 'db', 'lib'],
  imports: ['applicants', 'http', 'db', 'lib'],
  exports: ['cases', 'applicants', 'documents', 'events', 'http', 'db', 'lib'],
  desk: ['cases', 'applicants', 'documents', 'companies', 'events', 'imports', 'http', 'db', 'lib'],
}

/** Within and across folders: what a file of this role must not import. */
const ROLES: Record<string, RegExp> = {
  store: /\.(service|routes|schema)\.ts$|^http\//,
  service: /\.(routes|schema)\.ts$|^http\//,
}

/** Only these import the web framework. */
const MAY_IMPORT_FASTIFY = /^(app\.ts|http\/.*|.*\.routes\.ts)$/

/** The tables that each folder owns. Only its own SQL writes them. */
const TABLES: Record<string, string[]> = {
  db: ['secrets', 'company_sets', 'company_set_pairs'],
  http: ['idempotency_keys'],
  auth: ['clients', 'api_keys', 'signing_keys', 'blocked_callers'],
  audit: ['audit', 'audit_records', 'audit_chain', 'audit_anchors'],
  events: ['events', 'change_feed', 'change_feed_sets', 'webhooks', 'webhook_deliveries'],
  reminders: ['notifications', 'renewal_checks', 'passport_walk'],
  calendar: ['calendar_feeds'],
  documents: ['documents', 'document_files', 'former_files', 'pending_uploads', 'upload_usage', 'expiries'],
  desk: ['saved_views'],
  imports: ['imports', 'import_rows', 'import_dependents', 'import_results', 'import_fingerprints'],
  companies: ['companies'],
  processes: ['processes'],
  users: ['users', 'invitations'],
  'sign-in': [
    'user_passwords',
    'user_totp',
    'recovery_codes',
    'passkeys',
    'user_identities',
    'sessions',
    'sign_in_challenges',
  ],
  cases: ['cases', 'case_steps', 'case_notes', 'case_note_versions', 'case_checklists'],
  applicants: [
    'applicants',
    'retired_employee_numbers',
    'duplicate_checks',
    'duplicate_keys',
    'duplicate_pairs',
    'duplicate_dismissals',
    'merges',
    'merged_applicants',
  ],
}

/** The tables of other folders that a folder's SQL may read. ARCHITECTURE.md gives the reason of each. */
const MAY_READ: Record<string, string[]> = {
  applicants: ['documents'],
  cases: ['applicants', 'users'],
  documents: ['applicants', 'cases'],
  imports: ['applicants'],
  events: ['applicants', 'blocked_callers', 'cases', 'clients', 'company_sets'],
  calendar: ['applicants', 'case_steps', 'cases', 'documents', 'users'],
  reminders: ['applicants', 'documents'],
  'sign-in': ['users'],
}

interface Import {
  from: string
  to: string
}

function importsOf(file: string): Import[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const found = source.matchAll(
    /^(?:import|export)\b[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gms,
  )
  return [...found].map(match => {
    const target = match[1] ?? match[2] ?? match[3] ?? ''
    return { from: file, to: target.startsWith('.') ? join(dirname(file), target) : target }
  })
}

function importErrorOf({ from, to }: Import): string | undefined {
  if (to === 'fastify')
    return MAY_IMPORT_FASTIFY.test(from) ? undefined : 'only app.ts, http/ and *.routes.ts import Fastify'
  if (!to.endsWith('.ts')) return undefined
  const [fromFolder, toFolder] = [dirname(from).split('/')[0] ?? '.', dirname(to).split('/')[0] ?? '.']
  if (fromFolder === '.') return undefined
  if (toFolder === '.') return 'nothing below imports the top of service/src'
  const role = basename(from).split('.').at(-2) ?? ''
  if (ROLES[role]?.test(to)) return `a ${role} file must not import this`
  if (fromFolder === toFolder) return undefined
  const allowed = FOLDERS[fromFolder]
  if (!allowed) return `${fromFolder}/ is not in FOLDERS of scripts/check-imports.ts: add what it may import`
  if (!allowed.includes(toFolder))
    return `${fromFolder}/ may import ${allowed.join(', ') || 'nothing of ours'}`
  if (/\.store\.ts$/.test(to)) return "a feature's store is its own; call its service"
  return undefined
}

/** The command line is built on the SDK, on packages and on Node: it imports no file of another workspace. */
async function commandLineErrors(): Promise<string[]> {
  const folder = join(ROOT, '..', '..', 'cli')
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const packages = Object.keys(dependencies)
  const names = await Array.fromAsync<string>(glob('src/**/*.ts', { cwd: folder }))
  return names.sort().flatMap(name => {
    const source = readFileSync(join(folder, name), 'utf8')
    const targets = [...source.matchAll(/(?:from\s+|^import\s+|import\()'([^']+)'/gm)]
    const isAllowed = (target: string) =>
      target.startsWith('node:') ||
      (target.startsWith('.') && join(dirname(name), target).startsWith('src/')) ||
      packages.some(known => target === known || target.startsWith(`${known}/`))
    return targets
      .map(([, target = '']) => target)
      .filter(target => !isAllowed(target))
      .map(
        target => `cli/${name} imports ${target}: the command line has @caseport/sdk and its packages only.`,
      )
  })
}

function cyclesOf(imports: Import[]): string[] {
  const graph = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, trail: string[]) => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '))
    if (done.has(file) || trail.includes(file)) return
    for (const { to } of graph.get(file) ?? []) visit(to, [...trail, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return cycles
}

/** Statements that write a table of another folder, or read one that MAY_READ does not list. */
function tableErrorsOf(file: string): string[] {
  const folder = dirname(file).split('/')[0] ?? '.'
  const own = TABLES[folder] ?? []
  const code = readFileSync(join(ROOT, file), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
  const statements = code.matchAll(
    /\b(insert into|merge into|update|delete from|from|join)\s+(\w+)(?:\s\w+)?(?:,\s(\w+))?/g,
  )
  return [...statements].flatMap(([, verb = '', ...names]) => {
    const reads = verb === 'from' || verb === 'join'
    const allowed = reads ? [...own, ...(MAY_READ[folder] ?? [])] : own
    return names
      .filter(name => OWNERS.has(name) && !allowed.includes(name))
      .map(
        name => `${file} has "${verb} ${name}": ${name} belongs to ${OWNERS.get(name)}/; call its service.`,
      )
  })
}

const OWNERS = new Map(
  Object.entries(TABLES).flatMap(([folder, tables]) => tables.map(name => [name, folder] as const)),
)

/** Tables that a migration creates and TABLES does not list. */
async function unownedTables(): Promise<string[]> {
  const migrations = join(ROOT, '..', 'migrations')
  const names = await Array.fromAsync<string>(glob('*.sql', { cwd: migrations }))
  const sql = names.map(name => readFileSync(join(migrations, name), 'utf8')).join('\n')
  const created = [...sql.matchAll(/create table (?:if not exists )?(?!public\.%)(?:public\.)?(\w+)/g)].map(
    ([, name = '']) => name,
  )
  return created.filter(name => !OWNERS.has(name))
}

/** The console is built on the SDK and on packages: it imports no file of another workspace. */
async function consoleErrors(): Promise<string[]> {
  const folder = join(ROOT, '..', '..', 'console', 'src')
  const { dependencies } = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8'))
  const names = await Array.fromAsync<string>(glob('**/*.{ts,tsx}', { cwd: folder }))
  return names.sort().flatMap(name => {
    const source = readFileSync(join(folder, name), 'utf8')
    const targets = [...source.matchAll(/(?:from\s+|^import\s+|import\()'([^']+)'/gm)].map(
      match => match[1] ?? '',
    )
    const isAllowed = (target: string) =>
      target.startsWith('.')
        ? !join(dirname(name), target).startsWith('..')
        : Object.keys(dependencies).some(known => target === known || target.startsWith(`${known}/`))
    return targets
      .filter(target => !isAllowed(target))
      .map(
        target =>
          `console/src/${name} imports ${target}: the console has @caseport/sdk and its packages only.`,
      )
  })
}

const files = (await Array.fromAsync<string>(glob('**/*.ts', { cwd: ROOT }))).sort()
const imports = files.flatMap(importsOf)
const errors = [
  ...(await commandLineErrors()),
  ...imports.flatMap(edge => {
    const error = importErrorOf(edge)
    return error ? [`${edge.from} imports ${edge.to}: ${error}.`] : []
  }),
  ...cyclesOf(imports).map(cycle => `An import cycle: ${cycle}.`),
  ...files.flatMap(tableErrorsOf),
  ...(await consoleErrors()),
  ...(await unownedTables()).map(name => `The table ${name} has no owner: add it to TABLES.`),
]
for (const file of files) {
  if (file !== 'config.ts' && readFileSync(join(ROOT, file), 'utf8').includes('process.env'))
    errors.push(`${file} reads process.env: only config.ts does.`)
}

for (const error of errors) process.stderr.write(`${error}\n`)
process.stdout.write(
  `${imports.length} imports in ${files.length} files of ${relative(process.cwd(), ROOT)}: ${errors.length || 'no'} violations of the dependency rule.\n`,
)
if (errors.length) process.exitCode = 1
