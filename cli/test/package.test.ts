// The packages as they are published: packed, installed offline in an empty folder, and used there.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { CLIENT_ID, CREDENTIALS, folderFor } from './support/caseport.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')
const folder = folderFor('package')
const app = join(folder, 'app')
const installed = join(app, 'node_modules', 'caseport')

interface Manifest {
  dependencies?: Record<string, string>
}

/** Folders of a package and of everything that it needs. */
function foldersOf(name: string, found = new Set<string>()): Set<string> {
  const path = join(ROOT, 'node_modules', name)
  if (found.has(path)) return found
  found.add(path)
  const { dependencies = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest
  for (const dependency of Object.keys(dependencies)) foldersOf(dependency, found)
  return found
}

before(async () => {
  await run('npm', ['run', '--silent', 'cli:build'], { cwd: ROOT })
  const target = join(folder, 'packages')
  mkdirSync(target)
  mkdirSync(app)
  const sources = [...foldersOf('caseport')]
  await run('npm', ['pack', ...sources, '--ignore-scripts', '--silent', '--pack-destination', target], {
    cwd: folder,
  })
  const tarballs = readdirSync(target).map(name => join(target, name))
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true }))
  // An empty cache and no network: everything must be in the tarballs.
  const offline = ['--offline', '--cache', join(folder, 'cache'), '--silent', '--no-audit', '--no-fund']
  await run('npm', ['install', ...offline, ...tarballs], { cwd: app })
})

const caseport = (...args: string[]) =>
  run(process.execPath, [join(installed, 'bin', 'caseport.js'), ...args], {
    cwd: app,
    env: { PATH: process.env['PATH'], HOME: folder, ...CREDENTIALS },
  })

describe('the package', () => {
  it('has what it needs, and neither sources nor tests', () => {
    assert.deepEqual(readdirSync(installed).sort(), ['LICENSE', 'README.md', 'bin', 'dist', 'package.json'])
    const files = readdirSync(join(installed, 'dist'), { recursive: true, withFileTypes: true })
    assert.deepEqual(
      files.filter(entry => entry.isFile() && !entry.name.endsWith('.js')).map(({ name }) => name),
      [],
    )
  })

  it('installs a command that works', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'cli', 'package.json'), 'utf8'))
    // As an ordinary user would call it.
    const path = `${join(process.execPath, '..')}:${process.env['PATH']}`
    const shown = execFileSync(join(app, 'node_modules', '.bin', 'caseport'), ['--version'], {
      encoding: 'utf8',
      env: { PATH: path },
    })
    assert.equal(shown.trim(), version)
    const { stdout } = await caseport('whoami')
    assert.equal(JSON.parse(stdout).clientId, CLIENT_ID)
  })

  it('imports people and reads changes', async () => {
    const path = join(app, 'people.csv')
    writeFileSync(path, `employeeNumber,firstName,lastName\nPK-${Date.now()},Anna,Schmidt\n`)
    const { stdout, stderr } = await caseport('people', 'import', path, '--rows', 'all')
    assert.equal(JSON.parse(stdout).outcome, 'created', stderr)
    const changes = await caseport(
      'changes',
      'tail',
      '--from-start',
      '--once',
      '--types',
      'applicant.created',
    )
    assert.match(changes.stdout, /"type":"applicant.created"/)
  })

  it('runs on Node 22, and says which Node it needs on an older one', async () => {
    const older = execFileSync(join(ROOT, 'tools', 'node-versions', 'run'), { encoding: 'utf8' }).trim()
    const [node20 = '', node22 = ''] = older.split('\n')
    assert.match((await run(node22, ['--version'])).stdout, /^v22\./)
    const { stdout } = await run(node22, [join(installed, 'bin', 'caseport.js'), 'whoami'], {
      env: { HOME: folder, ...CREDENTIALS },
    })
    assert.equal(JSON.parse(stdout).clientId, CLIENT_ID)
    const { code, stderr } = await run(node20, [join(installed, 'bin', 'caseport.js'), '--version']).catch(
      error => error,
    )
    assert.equal(code, 1)
    assert.match(stderr, /^caseport: Node 22\.12 or newer is needed; this is v20\.\S+\n$/)
  })
})
