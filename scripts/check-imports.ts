// Keeps the dependency rule of ARCHITECTURE.md: imports run down, never back up. Prints every one that does not.
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '..', 'service', 'src')

/** What each folder may import beside itself; `.` is the top of service/src. */
const FOLDERS: Record<string, string[]> = {
  lib: [],
  db: ['lib'],
  'embedded-postgres': ['db', 'lib'],
  blobs: ['lib'],
  http: ['db', 'lib'],
  auth: ['http', 'db', 'lib'],
  audit: ['http', 'db', 'lib'],
  events: ['http', 'db', 'lib'],
  reminders: ['http', 'db', 'lib'],
  documents: ['blobs', 'http', 'db', 'lib'],
  demo: ['cases', 'applicants', 'companies', 'documents', 'db', 'lib'],
  companies: ['http', 'db', 'lib'],
  processes: ['http', 'db', 'lib'],
  cases: ['applicants', 'companies', 'processes', 'http', 'db', 'lib'],
  applicants: ['documents', 'http', 'db', 'lib'],
}

/** Within and across folders: what a file of this role must not import. */
const ROLES: Record<string, RegExp> = {
  store: /\.(service|routes|schema)\.ts$|^http\//,
  service: /\.(routes|schema)\.ts$|^http\//,
}

/** Only these know the web framework. */
const KNOWS_FASTIFY = /^(app\.ts|http\/.*|.*\.routes\.ts)$/

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

function faultOf({ from, to }: Import): string | undefined {
  if (to === 'fastify')
    return KNOWS_FASTIFY.test(from) ? undefined : 'only app.ts, http/ and *.routes.ts know Fastify'
  if (!to.endsWith('.ts')) return undefined
  const [fromFolder, toFolder] = [dirname(from).split('/')[0] ?? '.', dirname(to).split('/')[0] ?? '.']
  if (fromFolder === '.') return undefined
  if (toFolder === '.') return 'nothing below imports the top of service/src'
  const role = basename(from).split('.').at(-2) ?? ''
  if (ROLES[role]?.test(to)) return `a ${role} file must not import this`
  if (fromFolder === toFolder) return undefined
  const allowed = FOLDERS[fromFolder]
  if (!allowed)
    return `${fromFolder}/ is not in the table of scripts/check-imports.ts: say there what it may import`
  if (!allowed.includes(toFolder))
    return `${fromFolder}/ may import ${allowed.join(', ') || 'nothing of ours'}`
  if (/\.store\.ts$/.test(to)) return "a feature's store is its own; call its service"
  return undefined
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

const files = (await Array.fromAsync<string>(glob('**/*.ts', { cwd: ROOT }))).sort()
const imports = files.flatMap(importsOf)
const faults = imports.flatMap(edge => {
  const fault = faultOf(edge)
  return fault ? [`${edge.from} imports ${edge.to}: ${fault}.`] : []
})
for (const cycle of cyclesOf(imports)) faults.push(`A circle: ${cycle}.`)
for (const file of files) {
  if (file !== 'config.ts' && readFileSync(join(ROOT, file), 'utf8').includes('process.env'))
    faults.push(`${file} reads process.env: only config.ts does.`)
}

for (const fault of faults) process.stderr.write(`${fault}\n`)
process.stdout.write(
  `${imports.length} imports in ${files.length} files of ${relative(process.cwd(), ROOT)}: ${faults.length || 'none'} against the rule.\n`,
)
if (faults.length) process.exitCode = 1
