// Writes sbom.cdx.json, a CycloneDX list of everything that an installation runs: the packages of package-lock.json that are
// not for development only, Node and PostgreSQL among them. `--check` writes nothing. Works offline.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Component {
  'bom-ref': string
  name: string
  version: string
  purl: string
  hashes?: unknown[]
  licenses?: unknown[]
}

interface Bom {
  bomFormat: string
  specVersion: string
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

interface Lock {
  packages: Record<string, { version?: string; dev?: boolean; devOptional?: boolean; link?: boolean }>
}

const ROOT = join(import.meta.dirname, '..')
const FILE = 'sbom.cdx.json'
/** Tests are a workspace of the repository, but no part of an installation. */
const NOT_INSTALLED = '@caseport/acceptance'

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** The packages of an installation: those of the lock file that are not for development only. */
function installedIn({ packages }: Lock): Set<string> {
  return new Set(
    Object.entries(packages)
      .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
      .map(([path, { version = '' }]) => purlOf(path.split('node_modules/').at(-1) ?? '', version)),
  )
}

const lockOf = (root: string) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock

const isOwn = ({ purl }: Component) => purl.startsWith('pkg:npm/%40caseport/')

/**
 * npm makes the list, and names it after the folder that it runs in. Its own `--omit=dev` also leaves out packages that both
 * an installation and development need.
 */
export function makeBom(root = ROOT): Bom {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
  const text = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const bom = JSON.parse(text) as Bom
  const installed = installedIn(lockOf(root))
  bom.metadata.component.name = 'caseport'
  bom.components = bom.components.filter(
    component =>
      !component['bom-ref'].startsWith(`${NOT_INSTALLED}@`) &&
      (isOwn(component) || installed.has(component.purl)),
  )
  const refs = new Set([...bom.components, bom.metadata.component].map(component => component['bom-ref']))
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(other => refs.has(other)) }))
  return bom
}

/** What the list lacks or has in excess, compared with package-lock.json. */
export function bomErrors(bom: Bom, lock: Lock): string[] {
  const errors: string[] = []
  if (bom.bomFormat !== 'CycloneDX') errors.push(`bomFormat is ${bom.bomFormat}, not CycloneDX.`)
  const expected = installedIn(lock)
  const listed = new Map(bom.components.map(component => [component.purl, component]))
  for (const purl of expected) if (!listed.has(purl)) errors.push(`${purl} is installed, but not listed.`)
  for (const [purl, component] of listed) {
    const own = isOwn(component)
    const { hashes = [] } = component
    if (!own && !expected.has(purl)) errors.push(`${purl} is listed, but not installed.`)
    if (!own && hashes.length === 0) errors.push(`${purl} has no hash.`)
  }
  const refs = new Set([...bom.components, bom.metadata.component].map(component => component['bom-ref']))
  for (const { ref, dependsOn = [] } of bom.dependencies)
    for (const other of [ref, ...dependsOn])
      if (!refs.has(other)) errors.push(`${other} is a dependency, but not listed.`)
  return errors
}

if (import.meta.main) {
  const bom = makeBom()
  const errors = bomErrors(bom, lockOf(ROOT))
  for (const error of errors) process.stderr.write(`${error}\n`)
  if (errors.length > 0) process.exitCode = 1
  else if (process.argv.includes('--check'))
    process.stdout.write(`${bom.components.length} components: as in package-lock.json.\n`)
  else {
    writeFileSync(join(ROOT, FILE), `${JSON.stringify(bom, null, 2)}\n`)
    process.stdout.write(`${FILE}: CycloneDX ${bom.specVersion}, ${bom.components.length} components.\n`)
  }
}
