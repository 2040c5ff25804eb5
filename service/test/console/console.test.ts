import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { encodingOf, screenAssets } from '../../src/console/console-files.ts'
import { createTestApp } from '../support/harness.ts'
import { createPerson } from '../support/people.ts'

const folder = mkdtempSync(join(tmpdir(), 'caseport-console-'))
const test = await createTestApp({ config: { consoleDir: folder } })
const { app } = test
after(() => rmSync(folder, { recursive: true }))

const SCRIPT = 'export const answer = 42\n'

function build(): void {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(
    join(folder, 'index.html'),
    '<meta name="base" content="{{BASE}}"><meta content="{{SIGNED_IN}}"><meta content="scopes:{{SCOPES}}"><script nonce="{{NONCE}}" src="./assets/main-1.js"></script></head>',
  )
  const screens = [{ path: '/people/$applicantId', assets: ['assets/kit-1.js', 'assets/kit-1.css'] }]
  writeFileSync(join(folder, 'screens.json'), JSON.stringify(screens))
  writeFileSync(join(folder, 'assets', 'main-1.js'), SCRIPT)
  writeFileSync(join(folder, 'assets', 'main-1.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, 'assets', 'main-1.js.gz'), gzipSync(SCRIPT))
}

describe('GET /console', () => {
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

  it('says what to do while there is no build, and finds one that is made later', async () => {
    const missing = await get('/console')
    assert.equal(missing.statusCode, 503)
    assert.match(missing.body, /npm run console:build/)
    build()
    assert.equal((await get('/console')).statusCode, 200)
  })

  it('has a nonce of its own in every page, and a policy without inline code', async () => {
    const pages = await Promise.all([get('/console'), get('/console/people?q=a')])
    const nonces = pages.map(({ body, headers }) => {
      const nonce = /nonce="([^"]+)"/.exec(body)?.[1] ?? ''
      const policy = String(headers['content-security-policy'])
      assert.ok(policy.includes(`script-src 'nonce-${nonce}' 'strict-dynamic';`), policy)
      assert.doesNotMatch(policy, /unsafe/)
      assert.equal(headers['cache-control'], 'no-store')
      return nonce
    })
    assert.ok(nonces[0]?.length === 24 && nonces[0] !== nonces[1])
  })

  it('is the same page for every screen, and names assets below the address of the service', async () => {
    const { body, headers } = await get('/console/people/abc')
    assert.match(String(headers['content-type']), /^text\/html/)
    assert.match(body, /src="\/console\/assets\/main-1\.js"/)
    assert.match(body, /content="no"/)
    assert.match(body, /content="scopes:"/)
    assert.doesNotMatch(body, /kit-1/, 'a person who has to sign in gets another screen')
  })

  it('names the assets of the screen for a person who is signed in', async () => {
    const { visitor } = await createPerson(test)
    const nonceOf = (body: string) => /nonce="([^"]+)"/.exec(body)?.[1]
    const { text: body } = await visitor.call({ url: '/console/people/abc' })
    const nonce = nonceOf(body)
    assert.ok(
      body.includes(
        `<link rel="modulepreload" crossorigin href="/console/assets/kit-1.js" nonce="${nonce}">`,
      ),
      body,
    )
    assert.ok(
      body.includes(`<link rel="stylesheet" crossorigin href="/console/assets/kit-1.css" nonce="${nonce}">`),
      body,
    )
    assert.match(body, /content="scopes:[^"]*\bapplicants:read\b/)
    assert.doesNotMatch((await visitor.call({ url: '/console/people' })).text, /kit-1/)
  })

  it('sends assets compressed and for good', async () => {
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', undefined],
    ] as const) {
      const { headers, rawPayload } = await get('/console/assets/main-1.js', { 'accept-encoding': accepted })
      assert.equal(headers['content-encoding'], encoding)
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(headers['vary'], 'accept-encoding')
      if (!encoding) assert.equal(rawPayload.toString(), SCRIPT)
    }
  })

  it('is 404 for an asset that the build does not have', async () => {
    for (const path of [
      'assets/main-2.js',
      'assets/../index.html',
      'assets/%2e%2e%2findex.html',
      'assets/main-1.js.br',
    ]) {
      const { statusCode, body } = await get(`/console/${path}`)
      assert.ok(statusCode === 404 || !body.includes('{{'), `${path}: ${statusCode}`)
    }
    assert.equal((await get('/console/assets/main-2.js')).json().code, 'route-not-found')
  })
})

describe('GET /', () => {
  it('leads browsers to the console, and is 404 for programs', async () => {
    const page = await app.inject({ url: '/', headers: { accept: 'text/html,*/*;q=0.8' } })
    assert.deepEqual([page.statusCode, page.headers['location']], [302, 'console'])
    const api = await app.inject({ url: '/', headers: { accept: 'application/json' } })
    assert.deepEqual([api.statusCode, api.json().code], [404, 'route-not-found'])
  })
})

describe('screenAssets', () => {
  const screens = [
    { path: '/', assets: ['today'] },
    { path: '/cases/new', assets: ['new'] },
    { path: '/cases/$caseId', assets: ['case'] },
  ]
  it('finds the screen of a path, a fixed name before a parameter', () => {
    assert.deepEqual(screenAssets({ screens }, ''), ['today'])
    assert.deepEqual(screenAssets({ screens }, 'cases/new'), ['new'])
    assert.deepEqual(screenAssets({ screens }, 'cases/abc/'), ['case'])
    assert.deepEqual(screenAssets({ screens }, 'cases/abc/def'), [])
  })
})

describe('encodingOf', () => {
  const asset = { type: 'text/css', plain: Buffer.from(''), compressed: { gzip: Buffer.from('') } }
  it('is an encoding that the asset has', () => {
    assert.equal(encodingOf(asset, 'br, gzip'), 'gzip')
    assert.equal(encodingOf(asset, '*'), 'gzip')
    assert.equal(encodingOf(asset, undefined), undefined)
  })
})
