// What goes wrong is one line on standard error and an exit code.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { BIN, CREDENTIALS, caseport, type Ended, folderFor, start, until } from './support/caseport.ts'

const folder = folderFor('failures')
const file = (name: string, content: string | Buffer) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function assertFails(ended: Ended, code: number, expected: RegExp): void {
  const { stdout, stderr } = ended
  assert.equal(ended.code, code, stderr)
  assert.equal(stdout, '')
  assert.match(stderr, /^caseport: [^\n]+\n$/, 'one line')
  assert.match(stderr, expected)
}

describe('credentials', () => {
  it('exit with 4 when there are none', async () =>
    assertFails(await caseport(['whoami'], { env: {} }), 4, /not signed in. Run "caseport login"/))

  it('exit with 4 when the secret is wrong', async () => {
    const env = { ...CREDENTIALS, CASEPORT_CLIENT_SECRET: 'a wrong secret' }
    assertFails(await caseport(['whoami'], { env }), 4, /invalid_client: .*wrong secret/)
  })

  it('exit with 4 when a token is wrong', async () => {
    const env = { CASEPORT_URL: CREDENTIALS.CASEPORT_URL, CASEPORT_TOKEN: 'no-token' }
    assertFails(await caseport(['whoami'], { env }), 4, /invalid-token/)
  })

  it('exit with 4 when the environment has a part of them, although a login is stored', async () => {
    const home = folderFor('partial')
    mkdirSync(join(home, 'caseport'))
    const stored = { url: 'http://127.0.0.1:9', clientId: 'a', clientSecret: 'b' }
    writeFileSync(join(home, 'caseport', 'credentials.json'), JSON.stringify(stored))
    const env = { XDG_CONFIG_HOME: home, CASEPORT_URL: CREDENTIALS.CASEPORT_URL }
    assertFails(await caseport(['whoami'], { env }), 4, /no CASEPORT_CLIENT_ID and no CASEPORT_CLIENT_SECRET/)
  })

  it('exit with 4 when the stored file is damaged', async () => {
    const home = folderFor('damaged')
    mkdirSync(join(home, 'caseport'))
    writeFileSync(join(home, 'caseport', 'credentials.json'), '{ "url": ')
    assertFails(await caseport(['whoami'], { env: { XDG_CONFIG_HOME: home } }), 4, /has no credentials/)
  })

  it('exit with 2 when a folder is in the place of the stored file', async () => {
    const home = folderFor('folder')
    const path = join(home, 'caseport', 'credentials.json')
    mkdirSync(path, { recursive: true })
    const ended = await caseport(['whoami'], { env: { XDG_CONFIG_HOME: home } })
    assertFails(ended, 2, /It is a folder; a file is needed/)
    assert.ok(ended.stderr.startsWith(`caseport: ${path}: `))
  })

  it('of a login that the service rejects are not stored', async () => {
    const home = folderFor('rejected')
    const args = ['login', '--url', CREDENTIALS.CASEPORT_URL, '--client-id', 'nobody', '--secret-stdin']
    const env = { XDG_CONFIG_HOME: home }
    assertFails(await caseport(args, { env, input: 'wrong\n' }), 4, /invalid_client/)
    assertFails(await caseport(['whoami'], { env }), 4, /not signed in/)
  })
})

describe('the address', () => {
  it('exits with 1 when nothing listens there', async () => {
    const env = { ...CREDENTIALS, CASEPORT_URL: `http://127.0.0.1:${await freePort()}` }
    assertFails(await caseport(['whoami'], { env }), 1, /cannot be reached: .*ECONNREFUSED/)
  })

  it('exits with 1 when the host does not exist', async () => {
    const env = { ...CREDENTIALS, CASEPORT_URL: 'http://caseport.invalid' }
    assertFails(await caseport(['whoami'], { env }), 1, /cannot be reached: .*caseport\.invalid/)
  })

  it('exits with 1 when it is another service', async t => {
    const server = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const env = { ...CREDENTIALS, CASEPORT_URL: `http://127.0.0.1:${port}` }
    assertFails(await caseport(['whoami'], { env }), 1, /invalid-response/)
  })

  it('exits with 2 when it is none', async () =>
    assertFails(await caseport(['whoami'], { env: { ...CREDENTIALS, CASEPORT_URL: 'x' } }), 2, /no address/))

  it('exits with 2 when it is more than an address, and a password in it is not printed', async () => {
    const login = (url: string) => ['login', '--url', url, '--client-id', 'a', '--secret-stdin']
    const listen = (url: string) => ['listen', '--forward-to', url]
    const whoami = () => ['whoami']
    for (const [url, commands, expected] of [
      ['http://anna:hunter2@127.0.0.1:9', [whoami, login, listen], /no user and no password/],
      ['http://anna@127.0.0.1:9', [whoami, login, listen], /no user and no password/],
      ['htp://anna:hunter2@127.0.0.1:9', [whoami, login, listen], /no address/],
      ['anna:hunter2@127.0.0.1:9', [whoami, login, listen], /no address/],
      ['http://127.0.0.1:9/?tenant=1', [whoami, login], /no query and no fragment/],
      ['http://127.0.0.1:9/#top', [whoami, login], /no query and no fragment/],
    ] as const)
      for (const command of commands) {
        const env = { ...CREDENTIALS, CASEPORT_URL: url }
        const ended = await caseport(command(url), { env, input: 'secret' })
        assertFails(ended, 2, expected)
        assert.doesNotMatch(ended.stderr, /hunter2/)
      }
  })

  it('exits with 4 when the stored one has a password, which is not printed', async () => {
    const home = folderFor('password')
    mkdirSync(join(home, 'caseport'))
    const stored = { url: 'http://anna:hunter2@127.0.0.1:9', clientId: 'a', clientSecret: 'b' }
    writeFileSync(join(home, 'caseport', 'credentials.json'), JSON.stringify(stored))
    const ended = await caseport(['doctor'], { env: { XDG_CONFIG_HOME: home } })
    assertFails(ended, 4, /has no credentials/)
    assert.doesNotMatch(ended.stderr, /hunter2/)
  })
})

describe('wrong usage exits with 2', () => {
  for (const [args, expected] of [
    [['nosuch'], /unknown command 'nosuch'/],
    [['cases', 'lst'], /Did you mean list/],
    [['cases', 'list', '--nosuch'], /unknown option '--nosuch'/],
    [['cases', 'list', '--limit', '0'], /whole number from 1/],
    [['cases', 'list', '--due', 'soon'], /Allowed choices are overdue, 7, 30/],
    [['docs', 'list', '--expiring', '3 months'], /such as 90d or 12w/],
    [['docs', 'upload', 'x.pdf', '--case', 'x'], /'--country <code>' not specified/],
    [['docs', 'upload', 'x.pdf', '--country', 'DE'], /either --case or --person/],
    [['api', 'FETCH', '/readyz'], /GET, HEAD, POST/],
    [['api', 'GET', 'readyz'], /must begin with \//],
    [['api', 'POST', '/v2/case', '--data', '{'], /--data is no JSON/],
    [['api', 'GET', '/v2/case', '--data', '{}'], /GET has no body\. Leave out --data/],
    [['api', 'HEAD', '/v2/case', '--data', '{}'], /HEAD has no body/],
    [['api', 'GET', '/v2/case', '-H', 'X-Name: Łukasz'], /only characters of Latin-1/],
    [['people', 'get'], /missing required argument/],
    [['listen'], /--forward-to/],
    [['listen', '--forward-to', 'localhost'], /no address/],
    [['listen', '--forward-to', 'http://localhost', '--secret', 'short'], /whsec_/],
    [['login'], /no terminal to ask at/],
  ] as const)
    it(`for caseport ${args.join(' ')}`, async () => assertFails(await caseport([...args]), 2, expected))
})

it('an API key that no header can have exits with 2', async () => {
  const env = { ...CREDENTIALS, CASEPORT_API_KEY: 'schlüssel–1' }
  assertFails(await caseport(['api', 'GET', '/readyz'], { env }), 2, /CASEPORT_API_KEY must have only/)
})

describe('a bad file', () => {
  it('that does not exist exits with 2', async () => {
    assertFails(await caseport(['people', 'import', 'none.csv']), 2, /none\.csv: There is no such file/)
    assertFails(await caseport(['people', 'put', 'E-1', 'none.json']), 2, /none\.json: There is no such file/)
  })

  it('that is a folder exits with 2', async () => {
    assertFails(await caseport(['people', 'import', folder, '--format', 'csv']), 2, /no file/)
    for (const args of [
      ['people', 'put', 'E-1', folder],
      ['cases', 'create', folder],
      ['api', 'POST', '/v2/case', '--data', `@${folder}`],
      ['docs', 'upload', folder, '--case', 'x', '--country', 'DE'],
      ['docs', 'upload', folder, '--case', 'x', '--country', 'DE', '--dry-run'],
      ['changes', 'tail', '--once', '--cursor-file', folder],
    ]) {
      const ended = await caseport(args)
      assertFails(ended, 2, /It is a folder; a file is needed/)
      assert.ok(ended.stderr.startsWith(`caseport: ${folder}: `), ended.stderr)
    }
  })

  it('that cannot be written exits with 2, and is named as it was given', async () => {
    const nowhere = join(folder, 'nowhere', 'x')
    const tail = ['changes', 'tail', '--once', '--cursor-file']
    for (const args of [
      ['people', 'export', nowhere],
      [...tail, nowhere],
    ]) {
      const ended = await caseport(args)
      assertFails(ended, 2, /There is no such file or folder/)
      assert.ok(ended.stderr.startsWith(`caseport: ${nowhere}: `), ended.stderr)
    }
    const existing = await caseport(['people', 'export', folder])
    assertFails(existing, 2, /It is a folder; a file is needed/)
    assert.ok(existing.stderr.startsWith(`caseport: ${folder}: `))
    assert.ok(!existsSync(`${folder}.part`))
  })

  it('of a cursor, that is empty, exits with 2 and stays', async () => {
    const path = file('cursor', '\n')
    const tail = await caseport(['changes', 'tail', '--once', '--cursor-file', path])
    assertFails(tail, 2, /cursor: The file has no cursor\. Remove it/)
    assert.equal(readFileSync(path, 'utf8'), '\n')
  })

  it('that is empty exits with 2', async () =>
    assertFails(await caseport(['people', 'import', file('empty.csv', '')]), 2, /The file is empty/))

  it('of an unknown kind exits with 2', async () =>
    assertFails(await caseport(['people', 'import', file('people.xlsx', 'PK')]), 2, /--format csv/))

  it('that is not UTF-8 exits with 2', async () => {
    const path = file('latin.csv', Buffer.from('employeeNumber,Stra\xdfe\nE-1,x\n', 'latin1'))
    assertFails(await caseport(['people', 'import', path]), 2, /not UTF-8/)
  })

  it('without employee numbers exits with 2', async () => {
    const path = file('numbers.csv', 'Personalnummer,lastName\n1,Meier\n')
    assertFails(await caseport(['people', 'import', path]), 2, /no column employeeNumber.*--map/)
  })

  it('with a column to rename that it lacks exits with 2', async () => {
    const path = file('columns.csv', 'employeeNumber,lastName\n1,Meier\n')
    const args = ['people', 'import', path, '--map', 'Surname=lastName']
    assertFails(await caseport(args), 2, /no column Surname. The columns are employeeNumber, lastName/)
  })

  it('with a column that the service does not know exits with 1', async () => {
    const path = file('unknown.csv', 'employeeNumber,lastNmae\n1,Meier\n')
    assertFails(await caseport(['people', 'import', path]), 1, /lastNmae.*Did you mean lastName/)
  })

  it('that is no JSON exits with 2', async () =>
    assertFails(await caseport(['people', 'put', 'E-1', file('bad.json', '{')]), 2, /bad\.json is no JSON/))

  it('that is cut off exits with 1', async () => {
    const path = file('cut.ndjson', '{"primaryApplicant":{"employeeNumber":"X-1","fir')
    assertFails(await caseport(['people', 'import', path]), 1, /cut off/)
  })
})

describe('the service', () => {
  it('rejects, and the command exits with 1', async () => {
    assertFails(await caseport(['people', 'get', 'no-such-number']), 1, /applicant-not-found/)
    assertFails(await caseport(['cases', 'step', 'no-such-case']), 1, /case-not-found/)
    assertFails(await caseport(['docs', 'download', 'no-such-document']), 1, /document-not-found/)
    assertFails(await caseport(['api', 'GET', '/v2/nosuch']), 1, /route-not-found/)
  })

  it('names each invalid field', async () => {
    const path = file('person.json', '{ "firstName": "A", "lastName": "B", "dateOfBirth": "1990-02-30" }')
    assertFails(await caseport(['people', 'put', 'E-9', path]), 1, /\/primaryApplicant\/dateOfBirth: /)
    assertFails(await caseport(['people', 'put', 'E-9', path, '--dry-run']), 1, /dateOfBirth: /)
  })
})

/** A service that responds to these paths, and to no other one. */
async function startSilent(t: TestContext, bodies: Record<string, object>) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const { url = '' } = request
    seen.push(url)
    const body = bodies[url]
    if (body) response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  return { seen, env: { CASEPORT_URL: `http://127.0.0.1:${port}`, CASEPORT_TOKEN: 'token' } }
}

/** A service that responds with this status and body. */
async function startService(
  t: TestContext,
  respond: (method: string, url: string) => [status: number, body: object, headers?: object],
) {
  const seen: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string })[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const [status, json, headers] = respond(request.method ?? '', request.url ?? '')
    seen.push({ method: request.method, url: request.url, headers: request.headers, body })
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  return { seen, env: { CASEPORT_URL: `http://127.0.0.1:${port}`, CASEPORT_TOKEN: 'token' } }
}

describe('an import', () => {
  const path = file('sent.csv', 'employeeNumber,lastName\nE-1,Meier\n')

  it('that cannot be followed any more is named', async t => {
    const { env } = await startService(t, method =>
      method === 'POST'
        ? [202, { importId: 'imp-1', status: 'checking' }]
        : [403, { code: 'insufficient-scope', title: 'T', detail: 'No scope.' }],
    )
    const { code, stderr } = await caseport(['people', 'import', path], { env })
    assert.equal(code, 1)
    assert.match(stderr, /^The service goes on .*"caseport imports wait imp-1"/)
    assert.match(stderr, /\ncaseport: insufficient-scope: No scope\.\n$/)
  })

  it('whose rows cannot be read is summed up', async t => {
    const counts = { total: 1, created: 0, updated: 0, unchanged: 0, rejected: 1, missing: 0 }
    const progress = { checked: 1, applied: 0, toApply: 0 }
    const state = { importId: 'imp-1', status: 'completed', counts, progress, dryRun: false }
    const { env } = await startService(t, (_method, url) =>
      url.includes('/rows') ? [403, { code: 'insufficient-scope', detail: 'No scope.' }] : [200, state],
    )
    const { code, stderr } = await caseport(['people', 'import', path], { env })
    assert.equal(code, 1)
    assert.match(stderr, /^Import imp-1 is completed: .* 1 rejected\.\ncaseport: insufficient-scope/)
  })

  it('is not waited for at an address where nothing listens', async () => {
    const env = { ...CREDENTIALS, CASEPORT_URL: `http://127.0.0.1:${await freePort()}` }
    assertFails(await caseport(['imports', 'wait', 'imp-1'], { env }), 1, /cannot be reached/)
  })
})

describe('output that cannot be written', () => {
  for (const args of [['people', 'export'], ['doctor'], ['--help']])
    it(`ends caseport ${args.join(' ')} with 1 and one line`, () => {
      const fullDisk = openSync('/dev/full', 'w')
      const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], {
        stdio: ['ignore', fullDisk, 'pipe'],
        encoding: 'utf8',
        env: CREDENTIALS,
      })
      closeSync(fullDisk)
      assert.match(stderr, /^caseport: Standard output cannot be written: ENOSPC[^\n]+\.\n$/)
      assert.equal(status, 1)
    })
})

describe('a signal', () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    it(`${signal} ends doctor with ${code}, and not with its findings`, async t => {
      for (const bodies of [{}, { '/healthz': { status: 'ok' } }]) {
        const { seen, env } = await startSilent(t, bodies)
        const { child, ended } = start(['doctor'], { env })
        await until(() => seen.length > Object.keys(bodies).length, 'the request that hangs')
        child.kill(signal)
        assert.deepEqual(await ended, { code, stdout: '', stderr: '' })
      }
    })

  it('alone ends a call with a body, which has no deadline', async t => {
    const error = { code: 'too-many-requests', title: 'T', detail: 'Later.' }
    const { seen, env } = await startService(t, () => [429, error, { 'retry-after': '61' }])
    const { ended: read } = start(['api', 'GET', '/v2/imports'], { env })
    assertFails(await read, 1, /too-many-requests/)
    const { child, ended } = start(['api', 'POST', '/v2/imports', '--data', '{}'], { env })
    await until(() => seen.length > 1, 'the request')
    await new Promise(resolve => setTimeout(resolve, 500))
    assert.equal(child.exitCode, null)
    child.kill('SIGINT')
    assert.deepEqual(await ended, { code: 130, stdout: '', stderr: '' })
  })

  it('ends an import that waits for standard input', async t => {
    const { seen, env } = await startSilent(t, {})
    const { child, ended } = start(['people', 'import', '-', '--format', 'ndjson'], { env })
    child.stdin.write('{')
    await until(() => seen.length > 0, 'the request')
    child.kill('SIGINT')
    assert.deepEqual(await ended, { code: 130, stdout: '', stderr: '' })
  })
})
