// The package as it is published: packed, installed offline in an empty folder, and used there.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { freePort } from '../../scripts/free-port.ts'
import { BASE_URL, CLIENT_ID, CLIENT_SECRET } from './support/service.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')
const MAX_BYTES = 12 * 1024
const RECIPES = 10

const folder = mkdtempSync(join(tmpdir(), 'caseport-sdk-package-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const app = join(folder, 'app')
const installed = join(app, 'node_modules', '@caseport', 'sdk')

const recipes = readFileSync(join(ROOT, 'sdk', 'README.md'), 'utf8').matchAll(
  /^## (.+)\n(?:(?!^## ).*\n)*?```ts\n([\s\S]*?)```/gm,
)
const blocks = [...recipes].map(([, title = '', code = '']) => ({ title, code }))

const olderNodes = execFileSync(join(ROOT, 'tools', 'node-versions', 'run'), { encoding: 'utf8' })
  .trim()
  .split('\n')

before(() => {
  const pack = (source: string) => {
    const target = mkdtempSync(join(folder, 'pack-'))
    execFileSync('npm', ['pack', source, '--ignore-scripts', '--silent', '--pack-destination', target], {
      cwd: ROOT,
    })
    return join(target, readdirSync(target)[0] ?? '')
  }
  const tarballs = ['./sdk', './node_modules/openapi-fetch', './node_modules/openapi-typescript-helpers'].map(
    pack,
  )
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  // An empty cache and no network: everything must be in the tarballs.
  const offline = ['--offline', '--cache', join(folder, 'cache'), '--silent', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...offline, ...tarballs], { cwd: app, stdio: 'inherit' })
})

describe('the package', () => {
  it('has what it needs, and neither sources nor tests', () => {
    const names = readdirSync(installed).sort()
    assert.deepEqual(names, ['LICENSE', 'README.md', 'dist', 'package.json'])
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    assert.deepEqual(Object.keys(dependencies), ['openapi-fetch'])
    assert.deepEqual(
      readdirSync(join(installed, 'dist')).filter(name => !/\.(js|d\.ts)$/.test(name)),
      [],
    )
  })

  it('has at most 12 KiB in a page, minified and compressed, and imports nothing of Node there', async () => {
    const esbuild = join(ROOT, 'tools', 'sdk', 'node_modules', '.bin', 'esbuild')
    // All that a page can use. Receivers of webhooks are servers: a page has no secret to verify a delivery with.
    const { webhooks, ...values } = await import(join(installed, 'dist', 'index.js'))
    assert.ok(webhooks)
    writeFileSync(join(app, 'page.js'), `export { ${Object.keys(values).join(', ')} } from '@caseport/sdk'`)
    // For browsers, an import of a module of Node is an error.
    const args = ['--bundle', '--minify', '--format=esm', '--platform=browser', 'page.js']
    const { stdout } = await run(esbuild, args, { cwd: app, maxBuffer: 10_000_000 })
    const bytes = gzipSync(stdout, { level: 9 }).length
    assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`)
    assert.match(stdout, /admin\/v1\/overview/)
    assert.doesNotMatch(stdout, /(?:from|import\(?)\s*["']node:/)
  })
})

describe('the recipes of the README', () => {
  it('are ten', () => assert.equal(blocks.length, RECIPES, blocks.map(({ title }) => title).join(', ')))

  it('have right types', async () => {
    writeFileSync(join(app, 'recipes.ts'), blocks.map(({ code }) => code).join('\n'))
    mkdirSync(join(app, 'node_modules', '@types'), { recursive: true })
    for (const name of ['@types/node', 'undici-types'])
      symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name))
    // Declarations of the package are checked too.
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node']
    await run('tsc', [...options, 'recipes.ts'], { cwd: app }).catch(error => assert.fail(error.stdout))
  })

  for (const node of [...olderNodes, process.execPath]) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    it(`run on Node ${version}`, async t => {
      const cwd = mkdtempSync(join(app, 'run-'))
      t.after(() => rmSync(cwd, { recursive: true, force: true }))
      writeFileSync(join(cwd, 'recipes.mjs'), blocks.map(({ code }) => code).join('\n'))
      const env = {
        CASEPORT_URL: BASE_URL,
        CASEPORT_CLIENT_ID: CLIENT_ID,
        CASEPORT_CLIENT_SECRET: CLIENT_SECRET,
        RECEIVER_URL: `http://127.0.0.1:${await freePort()}/`,
      }
      const { stdout, stderr } = await run(node, ['recipes.mjs'], { cwd, env, timeout: 120_000 })
      const lines = stdout.trim().split('\n')
      for (const expected of [
        /^\d+ companies$/,
        /^saved Anna with 1 dependent$/,
        /^changed: true$/,
        /^case is open$/,
        /^\d+ cases are overdue, [1-9]\d* are unassigned$/,
        /^the latest entry is a (note|change)$/,
        /^page of \d+, next: null$/,
        /^completed today: true$/,
        /^found true$/,
        /^sent 17 of 17$/,
        /^stored permit\.pdf, 17 bytes$/,
        /^application\/pdf, 17 bytes$/,
        /^copied 17 bytes$/,
        /^\/primaryApplicant\/dateOfBirth: \S/,
        /^note in the case: true$/,
        /^steps: true$/,
      ])
        assert.ok(
          lines.some(line => expected.test(line)),
          `${expected} in:\n${stdout}`,
        )
      assert.equal(stderr, '')
      assert.deepEqual(readFileSync(join(cwd, 'copy.pdf')), readFileSync(join(cwd, 'permit.pdf')))
    })
  }
})
