// The commands in pipes: newline-delimited JSON on standard output, nothing else.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createChanges } from '@caseport/sdk/changes'
import { createImports } from '@caseport/sdk/imports'
import {
  ANNA,
  BASE_URL,
  CLIENT_ID,
  CLIENT_SECRET,
  CREDENTIALS,
  caseport,
  type Ended,
  folderFor,
  newCase,
  newCaseOfOwnClient,
  newName,
  recordsIn,
  sdk,
  start,
  until,
} from './support/caseport.ts'

const folder = folderFor('pipes')

function assertOk(ended: Ended): Record<string, unknown>[] {
  assert.equal(ended.code, 0, ended.stderr)
  return recordsIn(ended)
}

const only = (ended: Ended): Record<string, unknown> => {
  const records = assertOk(ended)
  assert.equal(records.length, 1, ended.stdout)
  return records[0] ?? {}
}

describe('login, whoami, logout', () => {
  it('store the credentials readable by their owner alone, and remove them', async () => {
    const env = { XDG_CONFIG_HOME: folderFor('login') }
    const path = join(env.XDG_CONFIG_HOME, 'caseport', 'credentials.json')
    const args = ['login', '--url', `${BASE_URL}/`, '--client-id', CLIENT_ID, '--secret-stdin']
    const dry = await caseport([...args, '--dry-run'], { env, input: CLIENT_SECRET })
    assert.equal(dry.code, 0, dry.stderr)
    assert.throws(() => statSync(path))

    const { code, stdout, stderr } = await caseport(args, { env, input: `${CLIENT_SECRET}\n` })
    assert.equal(code, 0, stderr)
    assert.equal(stdout, '')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(statSync(join(path, '..')).mode & 0o777, 0o700)
    assert.ok(!stderr.includes(CLIENT_SECRET))

    const me = only(await caseport(['whoami'], { env }))
    assert.equal(me['url'], BASE_URL)
    assert.equal(me['clientId'], CLIENT_ID)
    assert.ok((me['scopes'] as string[]).includes('admin'))

    assert.equal((await caseport(['logout'], { env })).code, 0)
    assert.throws(() => statSync(path))
    assert.equal((await caseport(['whoami'], { env })).code, 4)
  })

  it('accept a token', async () => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
    })
    const response = await fetch(`${BASE_URL}/oauth/token`, { method: 'POST', body })
    const { access_token: token } = (await response.json()) as { access_token: string }
    const env = { XDG_CONFIG_HOME: folderFor('token') }
    const login = await caseport(['login', '--url', BASE_URL, '--token-stdin'], { env, input: token })
    assert.equal(login.code, 0, login.stderr)
    assert.equal(only(await caseport(['whoami'], { env }))['clientId'], CLIENT_ID)
  })
})

describe('an id that begins with a hyphen', () => {
  const newHyphenId = () => `-${randomBytes(17).toString('base64url').slice(1)}=`

  it('is an argument, at any place', async () => {
    const id = newHyphenId()
    const number = newName('-')
    await sdk.applicants.replace(id, { primaryApplicant: { ...ANNA, employeeNumber: number } })
    for (const args of [
      ['--id', id],
      [id, '--id'],
      ['--id', '--', id],
    ])
      assert.equal(only(await caseport(['people', 'get', ...args]))['applicantId'], id)
    const byNumber = await caseport(['people', 'get', '--', number])
    assert.equal(only(byNumber)['applicantId'], id)

    // Its second character alone would be an option of the program.
    for (const start of ['-V', '-h', '--']) {
      const unknown = start + newHyphenId().slice(2)
      const ended = await caseport(['imports', 'release', unknown])
      assert.match(ended.stderr, /^caseport: import-not-found: /)
      assert.equal(ended.code, 1)
    }
  })

  it('is a value of an option', async () => {
    const id = newHyphenId()
    const args = ['cases', 'step', id, '1', '--assignee', id, '--dry-run']
    assert.match((await caseport(args)).stderr, /case-not-found/)
    assert.deepEqual(assertOk(await caseport(['docs', 'list', '--case', id])), [])
    const wrong = await caseport(['docs', 'list', '--limit', id])
    assert.ok(wrong.stderr.includes(`'${id}' is invalid`), wrong.stderr)
  })

  it('is told from other arguments with a hyphen, which need --', async () => {
    const ended = await caseport(['people', 'get', '-17x'])
    assert.equal(ended.code, 2)
    assert.match(ended.stderr, /unknown option '-17x'/)
  })
})

describe('people', () => {
  it('put saves a person of standard input, get reads it back, and a dry run changes nothing', async () => {
    const number = newName('P')
    const input = JSON.stringify(ANNA)
    const check = only(await caseport(['people', 'put', number, '--dry-run'], { input }))
    assert.deepEqual([check['outcome'], check['employeeNumber']], ['created', number])
    assert.equal((await caseport(['people', 'get', number])).code, 1)

    only(await caseport(['people', 'put', number], { input }))
    const family = await caseport(['people', 'get', number, '--family'])
    assert.equal((only(family)['primaryApplicant'] as { lastName: string }).lastName, 'Schmidt')

    // What was read can be sent back, and changes nothing.
    const again = await caseport(['people', 'put', number, '--dry-run'], { input: family.stdout })
    assert.equal(only(again)['outcome'], 'unchanged')

    const job = '{ "jobTitle": "Head of Research" }'
    const merge = await caseport(['people', 'put', number, '--merge', '--dry-run'], { input: job })
    assert.deepEqual(only(merge)['changed'], ['/primaryApplicant/jobTitle'])
    only(await caseport(['people', 'put', number, '--merge'], { input: job }))
    const { firstName, jobTitle } = await sdk.applicants.getByNumber(number)
    assert.deepEqual([firstName, jobTitle], ['Anna', 'Head of Research'])
  })

  it('put --dry-run checks the person of the argument, as the real run does', async () => {
    const [number, other] = [newName('P'), newName('P')]
    const input = (employeeNumber: string | null) => ({ input: JSON.stringify({ ...ANNA, employeeNumber }) })
    for (const args of [[], ['--dry-run']]) {
      const wrong = await caseport(['people', 'put', number, ...args], input(other))
      assert.equal(wrong.code, 1)
      assert.match(wrong.stderr, /invalid-request: .*\/primaryApplicant\/employeeNumber: Must be/)
    }
    const check = only(await caseport(['people', 'put', number, '--dry-run'], input(null)))
    assert.deepEqual([check['outcome'], check['employeeNumber']], ['created', number])
  })

  it('import reports the rows that are rejected, and exits with 3', async () => {
    const [first, second] = [newName('I'), newName('I')]
    const path = join(folder, 'people.csv')
    const lines = [
      '\ufeffPersonalnummer;lastName;firstName;dateOfBirth;"Straße; Nr."',
      `${first};Meier;Ida;1990-01-02;"Am Markt; 1"`,
      `${second};Bad;Date;1990-02-30;`,
    ]
    writeFileSync(path, lines.join('\r\n'))
    const map = ['--map', 'Personalnummer=employeeNumber', '--map', 'Straße; Nr.=addressLine1']
    const dry = await caseport(['people', 'import', path, ...map, '--dry-run'])
    assert.equal(dry.code, 3, dry.stderr)
    assert.deepEqual(
      recordsIn(dry).map(({ row, employeeNumber, outcome }) => [row, employeeNumber, outcome]),
      [
        [1, first, 'created'],
        [2, second, 'rejected'],
      ],
    )
    assert.match(dry.stderr, /^Dry run \S+ is completed: 2 rows, 1 created, .* 1 rejected.*release/)
    assert.equal((await caseport(['people', 'get', first])).code, 1)

    const real = await caseport(['people', 'import', path, ...map])
    assert.equal(real.code, 3, real.stderr)
    assert.deepEqual(
      recordsIn(real).map(({ employeeNumber }) => employeeNumber),
      [second],
    )
    assert.equal((await sdk.applicants.getByNumber(first)).addressLine1, 'Am Markt; 1')
  })

  it('import reads a header as the service does: after empty lines, with an end of line in a cell', async () => {
    const path = join(folder, 'header.csv')
    const names = ['employeeNumber', 'lastName', 'firstName']
    for (const end of ['\n', '\r\n', '\r']) {
      const [plain, renamed] = [newName('L'), newName('L')]
      const lines = (...cells: string[]) => `\ufeff${end}${end}${cells.join(',')}${end}`
      writeFileSync(path, `${lines('"metaData.cost\ncentre"', ...names)}7,${plain},Meier,Ida`)
      assertOk(await caseport(['people', 'import', path]))
      const { metaData } = await sdk.applicants.getByNumber(plain)
      assert.deepEqual(
        metaData.map(({ tagName, value }) => [tagName, value]),
        [['cost\ncentre', '7']],
      )
      writeFileSync(path, `${lines('"Personal-\nnummer"', 'lastName', 'firstName')}${renamed},Meier,Ida`)
      const map = ['--map', 'Personal-\nnummer=employeeNumber']
      assertOk(await caseport(['people', 'import', path, ...map]))
      assert.equal((await sdk.applicants.getByNumber(renamed)).lastName, 'Meier')
    }
  })

  it('import of the same file again changes nothing, also compressed and from standard input', async () => {
    const number = newName('N')
    const line = `${JSON.stringify({ primaryApplicant: { employeeNumber: number, ...ANNA } })}\n`
    const path = join(folder, 'people.ndjson.gz')
    writeFileSync(path, gzipSync(line))
    assert.deepEqual(assertOk(await caseport(['people', 'import', path])), [])
    const again = await caseport(['people', 'import', '-', '--format', 'ndjson', '--rows', 'all'], {
      input: line,
    })
    assert.equal(only(again)['outcome'], 'unchanged')
  })

  it('import that takes from many people is held until it is released', async () => {
    const numbers = Array.from({ length: 30 }, () => newName('H'))
    const rows = numbers.map(number => `${number},Meier,Ida,Engineer`)
    const path = join(folder, 'held.csv')
    writeFileSync(path, ['employeeNumber,lastName,firstName,jobTitle', ...rows].join('\n'))
    assertOk(await caseport(['people', 'import', path]))
    writeFileSync(
      path,
      ['employeeNumber,lastName,firstName', ...rows.map(row => row.replace(',Engineer', ''))].join('\n'),
    )

    const dry = await caseport(['people', 'import', path, '--dry-run', '--rows', 'none'])
    assert.equal(dry.code, 0, dry.stderr)
    assert.match(dry.stderr, /It would be held until it is released/)

    const held = await caseport(['people', 'import', path])
    assert.equal(held.code, 1)
    const [, importId = ''] = /caseport imports release (\S+?)"/.exec(held.stderr) ?? []
    assert.match(held.stderr, /would take a value or an item from 30 of the 30 people/)
    assert.match(held.stderr, /is held: 0 of 30 rows were applied\. The check found 0 created, 30 updated, /)
    const before = await sdk.applicants.getByNumber(numbers[0] ?? '')
    assert.equal(before.jobTitle, 'Engineer')

    only(await caseport(['imports', 'release', importId, '--dry-run']))
    assert.equal((await createImports(sdk).get(importId)).status, 'held')
    assertOk(await caseport(['imports', 'release', importId]))
    assert.equal((await sdk.applicants.getByNumber(numbers[0] ?? '')).jobTitle, null)

    const rowsOfIt = assertOk(
      await caseport(['imports', 'rows', importId, '--outcome', 'updated', '--limit', '7']),
    )
    assert.equal(rowsOfIt.length, 7)
    const listed = assertOk(await caseport(['imports', 'list', '--limit', '50']))
    assert.ok(listed.some(one => one['importId'] === importId && one['status'] === 'completed'))
  })

  it('import that is cancelled says what was applied, and what the check had found', async () => {
    const numbers = Array.from({ length: 30 }, () => newName('X'))
    const header = 'employeeNumber,lastName,firstName'
    const path = join(folder, 'cancelled.csv')
    const write = (jobTitle: string) =>
      writeFileSync(
        path,
        [`${header},jobTitle`, ...numbers.map(number => `${number},Meier,Ida,${jobTitle}`)].join('\n'),
      )
    write('Engineer')
    assertOk(await caseport(['people', 'import', path]))
    write('')
    const held = await caseport(['people', 'import', path])
    const [, importId = ''] = /caseport imports release (\S+?)"/.exec(held.stderr) ?? []
    const { stderr } = await caseport(['imports', 'cancel', importId])
    assert.equal(
      stderr,
      `Import ${importId} is cancelled: 0 of 30 rows were applied. The check found 0 created, 30 updated, 0 unchanged, 0 rejected.\n`,
    )
  })
})

describe('cases', () => {
  it('create opens a case for a person, and a dry run does not', async () => {
    const [number, company] = [newName('C'), newName('CO')]
    await sdk.applicants.replaceByNumber(number, { primaryApplicant: ANNA })
    await sdk.companies.create({ name: company })
    const args = ['cases', 'create', '--case-type', 'Visa', '--company', company, '--employee', number]
    const request = only(await caseport([...args, '--dry-run']))
    assert.deepEqual([request['method'], request['path']], ['POST', '/v2/case'])
    assert.deepEqual(await sdk.cases.listForNumber(number), [])

    const created = only(await caseport(args))
    assert.equal(created['employeeNumber'], number)
    const listed = assertOk(await caseport(['cases', 'list', '--company', company, '--status', 'open']))
    assert.deepEqual(
      listed.map(({ caseId }) => caseId),
      [created['caseId']],
    )
  })

  it('step lists, completes and waives steps by sequence or name', async () => {
    const { caseId, steps } = await newCase()
    const listed = assertOk(await caseport(['cases', 'step', caseId]))
    assert.equal(listed.length, steps.length)
    const dry = only(await caseport(['cases', 'step', caseId, '1', '--complete', '--dry-run']))
    assert.equal(dry['path'], `/admin/v1/cases/${caseId}/steps/${steps[0]?.stepId}/complete`)
    assert.equal((await sdk.cases.get(caseId)).steps[0]?.status, 'inProgress')

    only(await caseport(['cases', 'step', caseId, '1', '--complete']))
    only(await caseport(['cases', 'step', caseId, steps[2]?.name ?? '', '--status', 'waived']))
    const after = (await sdk.cases.get(caseId)).steps.map(({ status }) => status)
    assert.deepEqual(after.slice(0, 3), ['completed', 'inProgress', 'waived'])

    const unknown = await caseport(['cases', 'step', caseId, 'nosuch', '--complete'])
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /No step is "nosuch". The steps are: 1 /)
  })

  it('note adds a note and lists them', async () => {
    const { caseId } = await newCase()
    const args = ['cases', 'note', caseId, 'Passport copy received.', '--author', 'R. Okafor']
    only(await caseport([...args, '--dry-run']))
    assert.deepEqual(await sdk.cases.notes.listForCase(caseId), [])
    only(await caseport(args))
    only(
      await caseport(['cases', 'note', caseId, '-', '--team', '--author', 'R. Okafor'], {
        input: 'Second.\n',
      }),
    )
    const notes = assertOk(await caseport(['cases', 'note', caseId]))
    assert.deepEqual(
      notes.map(({ content }) => content),
      ['Passport copy received.', 'Second.'],
    )
  })
})

describe('docs', () => {
  it('upload, list and download return the same bytes', async () => {
    const { caseId, employeeNumber } = await newCase()
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(300_000)])
    const path = join(folder, 'permit.pdf')
    writeFileSync(path, bytes)
    const soon = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10)
    const args = ['docs', 'upload', path, '--case', caseId, '--country', 'DE', '--expires', soon]
    only(await caseport([...args, '--dry-run']))
    assert.deepEqual(assertOk(await caseport(['docs', 'list', '--case', caseId])), [])

    const document = only(await caseport(args))
    const documentId = String(document['documentId'])
    assert.equal(document['sha256'], createHash('sha256').update(bytes).digest('hex'))
    const listed = assertOk(await caseport(['docs', 'list', '--person', employeeNumber ?? '']))
    assert.deepEqual(
      listed.map(one => one['documentId']),
      [documentId],
    )
    const ids = async (...options: string[]) =>
      assertOk(await caseport(['docs', 'list', ...options])).map(one => one['documentId'])
    assert.ok((await ids('--expiring', '90d', '--kind', 'document')).includes(documentId))
    assert.ok(!(await ids('--expiring', '30d')).includes(documentId))
    assert.ok(!(await ids('--expired')).includes(documentId))

    const cwd = mkdtempSync(join(folder, 'download-'))
    assert.equal(only(await caseport(['docs', 'download', documentId], { cwd }))['path'], 'permit.pdf')
    assert.deepEqual(readFileSync(join(cwd, 'permit.pdf')), bytes)
    const second = await caseport(['docs', 'download', documentId], { cwd })
    assert.equal(second.code, 2)
    assert.match(second.stderr, /permit\.pdf: The file exists/)

    // Into a folder, under the name of the file.
    const into = mkdtempSync(join(folder, 'into-'))
    for (const options of [[], ['--force']]) {
      const saved = only(await caseport(['docs', 'download', documentId, into, ...options]))
      assert.equal(saved['path'], join(into, 'permit.pdf'))
      assert.deepEqual(readdirSync(into), ['permit.pdf'])
    }
    assert.match(
      (await caseport(['docs', 'download', documentId, into])).stderr,
      /permit\.pdf: The file exists/,
    )
    const named = mkdtempSync(join(folder, 'named-'))
    mkdirSync(join(named, 'permit.pdf'))
    const inTheWay = await caseport(['docs', 'download', documentId, named, '--force'])
    assert.equal(
      inTheWay.stderr,
      `caseport: ${join(named, 'permit.pdf')}: It is a folder; a file is needed.\n`,
    )
    const nowhere = await caseport(['docs', 'download', documentId, '/nowhere/permit.pdf'])
    assert.equal(nowhere.stderr, 'caseport: /nowhere/permit.pdf: There is no such file or folder.\n')
    assert.equal(nowhere.code, 2)

    const piped = start(['docs', 'download', documentId, '-'])
    const chunks: Buffer[] = []
    piped.child.stdout.setEncoding('latin1').on('data', chunk => chunks.push(Buffer.from(chunk, 'latin1')))
    assert.equal((await piped.ended).code, 0)
    assert.deepEqual(Buffer.concat(chunks), bytes)
  })

  it('upload and list take the number of a dependent, too', async () => {
    const [number, child] = [newName('D'), newName('K')]
    await sdk.applicants.replaceByNumber(number, {
      primaryApplicant: ANNA,
      dependents: [{ ...ANNA, firstName: 'Mia', relationship: 'Child', employeeNumber: child }],
    })
    const path = join(folder, 'child.txt')
    writeFileSync(path, 'a note')
    const { documentId } = only(
      await caseport(['docs', 'upload', path, '--person', child, '--country', 'DE']),
    )
    const [listed, ...others] = assertOk(await caseport(['docs', 'list', '--person', child]))
    assert.deepEqual([listed?.['documentId'], listed?.['employeeNumber'], others], [documentId, child, []])
    const nobody = await caseport(['docs', 'list', '--person', newName('nobody')])
    assert.equal(nobody.code, 1)
    assert.match(nobody.stderr, /applicant-not-found/)
  })

  it('upload of several files exits with 3 when one of them fails', async () => {
    const number = newName('D')
    await sdk.applicants.replaceByNumber(number, { primaryApplicant: ANNA })
    const good = join(folder, 'good.txt')
    writeFileSync(good, 'a note')
    const empty = join(folder, 'empty.pdf')
    writeFileSync(empty, '')
    const wrong = join(folder, 'wrong.pdf')
    writeFileSync(wrong, 'MZ')
    const files = [good, 'none.txt', empty, folder, wrong]
    const ended = await caseport(['docs', 'upload', ...files, '--person', number, '--country', 'UK'])
    assert.equal(ended.code, 3)
    assert.equal(recordsIn(ended).length, 1)
    const [missing, ofEmpty, ofFolder, rejected, ...rest] = ended.stderr.split('\n')
    assert.equal(missing, 'caseport: none.txt: There is no such file or folder.')
    assert.equal(ofEmpty, `caseport: ${empty}: The file is empty.`)
    assert.equal(ofFolder, `caseport: ${folder}: It is a folder; a file is needed.`)
    assert.ok(rejected?.startsWith(`caseport: ${wrong}: file-kind-refused: `), rejected)
    assert.deepEqual(rest, [''])
  })
})

describe('api', () => {
  it('calls any operation, with a body of a file, an argument or standard input', async () => {
    const name = newName('Company')
    const data = JSON.stringify({ name })
    const dry = only(await caseport(['api', 'POST', '/admin/v1/companies', '--data', data, '--dry-run']))
    assert.deepEqual(dry['body'], { name })
    const created = only(
      await caseport(['api', 'post', '/admin/v1/companies', '--data', '-'], { input: data }),
    )
    const path = `/admin/v1/companies/${created['companyId']}`
    const body = join(folder, 'company.json')
    writeFileSync(body, '{ "country": "DE" }')
    only(await caseport(['api', 'PATCH', path, '--data', `@${body}`]))
    assert.equal(only(await caseport(['api', 'GET', path]))['country'], 'DE')
    const stale = await caseport(['api', 'PATCH', path, '--data', '{"country":"FR"}', '-H', 'If-Match: "0"'])
    assert.match(stale.stderr, /version-mismatch/)
  })

  it('sends a body as it is with a Content-Type that is not JSON', async () => {
    const number = newName('T')
    const csv = `employeeNumber,lastName,firstName\n${number},Müller,Ida\n`
    const path = join(folder, 'body.csv')
    writeFileSync(path, csv)
    writeFileSync(`${path}.gz`, gzipSync(csv))
    const args = ['api', 'POST', '/v2/imports?dryRun=true', '-H', 'Prefer: wait=30']
    const type = ['-H', 'Content-Type: text/csv']
    const dry = only(await caseport([...args, ...type, '--data', `@${path}`, '--dry-run']))
    assert.equal(dry['body'], csv)
    const gzip = ['-H', 'Content-Encoding: gzip', '--data', `@${path}.gz`]
    for (const data of [['--data', `@${path}`], ['--data', csv], ['--data', '-'], gzip]) {
      const { format, counts } = only(await caseport([...args, ...type, ...data], { input: csv }))
      assert.deepEqual([format, (counts as { created: number }).created], ['csv', 1])
    }
    const patch = ['api', 'PATCH', '/v2/x', '-H', 'Content-Type: application/merge-patch+json', '--data', '{']
    assert.match((await caseport(patch)).stderr, /--data is no JSON/)
  })

  it('sends the API key of the environment, which changes of employee numbers need', async () => {
    const [from, to] = [newName('K'), newName('K')]
    await sdk.applicants.replaceByNumber(from, { primaryApplicant: ANNA })
    const path = `/v2/applicant/employeenumber/${from}/${to}`
    const args = ['api', 'POST', path, '--data', JSON.stringify(ANNA)]
    for (const env of [CREDENTIALS, { ...CREDENTIALS, CASEPORT_API_KEY: 'wrong' }]) {
      const { code, stderr } = await caseport(args, { env })
      assert.equal(code, 4)
      assert.match(
        stderr,
        /^caseport: api-key-required: .* Set CASEPORT_API_KEY to an API key of this client\.\n$/,
      )
    }
    const env = { ...CREDENTIALS, CASEPORT_API_KEY: process.env['API_KEY'] ?? '' }
    assert.equal(only(await caseport(args, { env }))['employeeNumber'], to)
  })

  it('prints a file while it arrives', async t => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/pdf' }).write('first ')
      server.once('go on', () => response.end('second'))
    }).listen(0, '127.0.0.1')
    t.after(() => server.close().closeAllConnections())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const env = { CASEPORT_URL: `http://127.0.0.1:${port}`, CASEPORT_TOKEN: 'token' }
    const { output, ended } = start(['api', 'GET', '/file'], { env })
    await until(() => output.stdout !== '', 'the first bytes', 10_000)
    assert.equal(output.stdout, 'first ')
    server.emit('go on')
    assert.deepEqual(await ended, { code: 0, stdout: 'first second', stderr: '' })
  })

  it('reads all pages of a list', async () => {
    const company = newName('Pages')
    await sdk.companies.create({ name: company })
    for (let index = 0; index < 3; index++)
      await sdk.cases.create({
        caseType: 'Visa',
        hostCompany: company,
        sendingCompany: company,
        billingCompany: company,
        applicant: { firstName: 'Anna', lastName: `Schmidt ${index}` },
      })
    const path = `/admin/v1/cases?company=${encodeURIComponent(company)}&maxRecords=1`
    assert.equal(assertOk(await caseport(['api', 'GET', path, '--paginate'])).length, 3)
  })

  it('reads the lists of steps and notes from their first record on', async () => {
    const { caseId, env } = await newCaseOfOwnClient()
    for (let count = 1; count <= 3; count++)
      await sdk.cases.notes.add(caseId, { content: `Note ${count}`, author: 'R. Okafor' })
    const steps = (await sdk.cases.get(caseId)).steps.map(({ stepId }) => stepId)
    const [from, to] = [-1, 1].map(days =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10),
    )
    const read = async (kind: string, query = '') => {
      const path = `/v2/cases/applicants/${kind}?startDate=${from}&endDate=${to}&maxRecords=2${query}`
      return assertOk(await caseport(['api', 'GET', path, '--paginate'], { env }))
    }
    assert.deepEqual((await read('steps')).map(({ stepId }) => stepId).sort(), steps.sort())
    assert.deepEqual(
      (await read('notes')).map(({ content }) => content),
      ['Note 1', 'Note 2', 'Note 3'],
    )
    // An offset that is given is sent.
    assert.equal((await read('notes', '&offset=1')).length, 2)
  })

  it('reads the change feed to its end', async () => {
    const { nextCursor } = await createChanges(sdk).page({ after: 'now' })
    const ids: string[] = []
    for (let index = 0; index < 3; index++) {
      const saved = await sdk.applicants.replaceByNumber(newName('F'), { primaryApplicant: ANNA })
      ids.push(saved.primaryApplicant.applicantId)
    }
    const path = `/v2/changes?after=${nextCursor}&types=applicant.created&maxRecords=1`
    const read = assertOk(await caseport(['api', 'GET', path, '--paginate']))
    // Other tests run beside this one.
    assert.deepEqual(
      read.map(change => change['applicantId']).filter(id => ids.includes(String(id))),
      ids,
    )
  })

  it('rejects --paginate for what is no list with pages', async () => {
    for (const path of ['/admin/v1/companies', '/v2/export?kind=cases', '/readyz', '/docs']) {
      const ended = await caseport(['api', 'GET', path, '--paginate'])
      assert.equal(ended.code, 2)
      assert.equal(ended.stderr, `caseport: ${path} is no list with pages. Leave out --paginate.\n`)
    }
  })
})

describe('doctor', () => {
  it('checks everything', async () => {
    const checks = assertOk(await caseport(['doctor']))
    assert.deepEqual(
      checks.map(({ check, result }) => [check, result]),
      [
        ['address', 'ok'],
        ['clock', 'ok'],
        ['token', 'ok'],
        ['scopes', 'ok'],
        ['database', 'ok'],
        ['repositories', 'ok'],
        ['webhooks', 'ok'],
      ],
    )
  })

  it('exits with 1 and names what is wrong', async () => {
    const env = { CASEPORT_URL: BASE_URL, CASEPORT_CLIENT_ID: CLIENT_ID, CASEPORT_CLIENT_SECRET: 'wrong' }
    const ended = await caseport(['doctor'], { env })
    assert.equal(ended.code, 1)
    const results = Object.fromEntries(recordsIn(ended).map(({ check, result }) => [check, result]))
    assert.deepEqual(
      [results['address'], results['token'], results['scopes'], results['webhooks']],
      ['ok', 'failed', 'skipped', 'skipped'],
    )
    // Neither needs credentials.
    assert.deepEqual([results['database'], results['repositories']], ['ok', 'ok'])
  })
})

describe('a reader that ends early', () => {
  it('ends the command without an error', async () => {
    const { child, ended } = start(['api', 'GET', '/openapi.json'])
    child.stdout.once('data', () => child.stdout.destroy())
    const { code, stderr } = await ended
    assert.equal(code, 0, stderr)
    assert.equal(stderr, '')
  })

  it('does not end an upload of several files', async () => {
    const { caseId } = await newCase()
    const files = ['one.txt', 'two.txt', 'three.txt'].map(name => join(folder, name))
    for (const path of files) writeFileSync(path, path)
    for (const streams of [['stdout'], ['stdout', 'stderr']] as const) {
      const before = (await sdk.documents.search({ caseId }).toArray()).length
      const args = ['docs', 'upload', ...files, join(folder, 'none.txt'), '--case', caseId, '--country', 'DE']
      const { child, ended } = start(args)
      for (const name of streams) child[name].destroy()
      const { code, stderr } = await ended
      assert.equal(code, 3, stderr)
      assert.equal((await sdk.documents.search({ caseId }).toArray()).length - before, 3)
    }
  })

  it('does not change the exit code of an import', async () => {
    const path = join(folder, 'rejected.csv')
    const rows = Array.from({ length: 2_000 }, () => `${newName('R')},Bad,Date,1990-02-30`)
    writeFileSync(path, ['employeeNumber,lastName,firstName,dateOfBirth', ...rows].join('\n'))
    const { child, ended } = start(['people', 'import', path])
    child.stdout.once('data', () => child.stdout.destroy())
    const { code, stderr } = await ended
    assert.equal(code, 3, stderr)
    assert.match(stderr, /^Import \S+ is completed: 2000 rows, .* 2000 rejected\.\n$/)
  })
})
