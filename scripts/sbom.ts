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

/** npm makes the list, and names it after the folder that it runs in. */
export function makeBom(root = ROOT): Bom {
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--omit=dev',
    '--package-lock-only',
  ]
  const text = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const bom = JSON.parse(text) as Bom
  const unwanted = (ref: string) => ref.startsWith(`${NOT_INSTALLED}@`)
  bom.metadata.component.name = 'caseport'
  bom.components = bom.components.filter(component => !unwanted(component['bom-ref']))
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => !unwanted(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(other => !unwanted(other)) }))
  return bom
}

/** What the list lacks or has in excess, compared with package-lock.json. */
export function bomErrors(bom: Bom, lock: Lock): string[] {
  const errors: string[] = []
  if (bom.bomFormat !== 'CycloneDX') errors.push(`bomFormat is ${bom.bomFormat}, not CycloneDX.`)
  const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`
  const installed = Object.entries(lock.packages).filter(
    ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
  )
  const expected = new Set(
    installed.map(([path, { version = '' }]) => purlOf(path.split('node_modules/').at(-1) ?? '', version)),
  )
  const listed = new Map(bom.components.map(component => [component.purl, component]))
  for (const purl of expected) if (!listed.has(purl)) errors.push(`${purl} is installed, but not listed.`)
  for (const [purl, { hashes = [] }] of listed) {
    const own = purl.startsWith('pkg:npm/%40caseport/')
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
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  const errors = bomErrors(bom, lock)
  for (const error of errors) process.stderr.write(`${error}\n`)
  if (errors.length > 0) process.exitCode = 1
  else if (process.argv.includes('--check'))
    process.stdout.write(`${bom.components.length} components: as in package-lock.json.\n`)
  else {
    writeFileSync(join(ROOT, FILE), `${JSON.stringify(bom, null, 2)}\n`)
    process.stdout.write(`${FILE}: CycloneDX ${bom.specVersion}, ${bom.components.length} components.\n`)
  }
}
