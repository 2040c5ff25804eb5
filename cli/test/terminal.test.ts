// The commands at a real terminal: questions, tables and progress bars.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import {
  ANNA,
  BASE_URL,
  BIN,
  CLIENT_ID,
  CLIENT_SECRET,
  CREDENTIALS,
  folderFor,
  newCase,
  newName,
  sdk,
  until,
} from './support/caseport.ts'
import { missingTmux, openTerminal } from './support/tmux.ts'

const skip = missingTmux()
const folder = folderFor('terminal')

interface Options {
  env?: Record<string, string>
  columns?: number
}

function open(t: TestContext, args: string[], { env = CREDENTIALS, columns }: Options = {}) {
  const command = [process.execPath, BIN, ...args]
  const home = { HOME: folder, XDG_CONFIG_HOME: '' }
  const terminal = openTerminal(command, { env: { ...home, ...env }, ...(columns && { columns }) })
  t.after(terminal.close)
  return terminal
}

describe('at a terminal', { skip }, () => {
  it('docs download refuses to print a file that is no text', async t => {
    const { caseId } = await newCase()
    const file = new File([Buffer.from('%PDF-1.7 \0 a permit')], 'permit.pdf')
    const { documentId } = await sdk.documents.upload({ caseId, countryCode: 'DE', file })
    const terminal = open(t, ['docs', 'download', documentId, '-'])
    assert.equal(await terminal.ended(), 2)
    assert.match(terminal.screen(), /^caseport: The response is a file\. Redirect it: … > file\.$/m)
  })

  it('login asks for the address, the client and its secret, which it does not show', async t => {
    const home = folderFor('asked')
    const terminal = open(t, ['login'], { env: { XDG_CONFIG_HOME: home } })
    await terminal.sees('Address of the service')
    terminal.type(BASE_URL)
    terminal.keys('Enter')
    await terminal.sees('Sign in with')
    terminal.keys('Enter')
    await terminal.sees(/Client id\s*\n/)
    terminal.type(CLIENT_ID)
    terminal.keys('Enter')
    await terminal.sees('Client secret')
    terminal.type(CLIENT_SECRET)
    terminal.keys('Enter')
    assert.equal(await terminal.ended(), 0, terminal.screen())
    assert.ok(!terminal.screen().includes(CLIENT_SECRET))
    assert.match(terminal.screen(), /Signed in as/)
    const path = join(home, 'caseport', 'credentials.json')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).clientSecret, CLIENT_SECRET)
  })

  it('login stores nothing when it is left with Ctrl-C', async t => {
    const home = folderFor('left')
    const terminal = open(t, ['login'], { env: { XDG_CONFIG_HOME: home } })
    await terminal.sees('Address of the service')
    terminal.keys('C-c')
    assert.equal(await terminal.ended(), 130)
    assert.match(terminal.screen(), /Nothing was stored/)
    assert.throws(() => statSync(join(home, 'caseport', 'credentials.json')))
  })

  it('Ctrl-C ends a command that reads standard input', async t => {
    const login = ['login', '--url', BASE_URL, '--client-id', CLIENT_ID, '--secret-stdin']
    for (const args of [['people', 'put', newName('E')], ['cases', 'note', 'x', '-'], login]) {
      const terminal = open(t, args)
      await terminal.sees('Reading standard input')
      terminal.keys('C-c')
      assert.equal(await terminal.ended(), 130, terminal.screen())
      assert.doesNotMatch(terminal.screen(), /caseport: /)
    }
  })

  it('lists are tables that fit the terminal, whatever the names contain', async t => {
    const company = newName('Tables')
    await sdk.companies.create({ name: company })
    const names = ['Łukasz', '山田', 'a\u001b[31mred', `${'very '.repeat(30)}long`]
    for (const lastName of names)
      await sdk.cases.create({
        caseType: 'Work Permit',
        hostCompany: company,
        sendingCompany: company,
        billingCompany: company,
        applicant: { firstName: 'Anna', lastName },
      })
    const terminal = open(t, ['cases', 'list', '--company', company], { columns: 100 })
    assert.equal(await terminal.ended(), 0, terminal.screen())
    const lines = terminal
      .screen()
      .split('\n')
      .slice(0, 1 + names.length)
    assert.match(lines[0] ?? '', /^CASE +STATUS +TYPE +APPLICANT +NUMBER +STEP +DUE +ASSIGNEE$/)
    const column = lines[0]?.indexOf('STATUS') ?? 0
    for (const line of lines.slice(1)) assert.match(line.slice(column), /^open +Work/)
    assert.match(lines.join('\n'), /a \[31mred/)
    assert.match(lines.join('\n'), /very very.*…/)
  })

  it('api --paginate is a table of the fields that fit', async t => {
    const company = newName('Fields')
    await sdk.companies.create({ name: company })
    const { caseId } = await sdk.cases.create({
      caseType: 'Work Permit',
      hostCompany: company,
      sendingCompany: company,
      billingCompany: company,
      applicant: { firstName: 'Anna', lastName: 'Schmidt' },
    })
    const path = `/admin/v1/cases?company=${encodeURIComponent(company)}`
    const terminal = open(t, ['api', 'GET', path, '--paginate'], { columns: 100 })
    assert.equal(await terminal.ended(), 0, terminal.screen())
    const [titles = '', record = ''] = terminal.screen().split('\n')
    assert.match(titles, /^caseId +\S/)
    assert.ok(record.startsWith(caseId.slice(0, 10)), record)
    assert.match(terminal.screen(), /--json prints all fields/)
  })

  it('records are lines of name and value, and JSON with --json', async t => {
    const number = newName('T')
    const passports = [{ passportNumber: 'C01X00T47', country: 'DE' }]
    await sdk.applicants.replaceByNumber(number, { primaryApplicant: { ...ANNA, passports } })
    const terminal = open(t, ['people', 'get', number])
    assert.equal(await terminal.ended(), 0)
    assert.match(terminal.screen(), /^lastName +Schmidt$/m)
    assert.match(
      terminal.screen(),
      /^passports\n {2}- passportId +\S+\n {4}passportNumber +C01X00T47\n {4}country +DE\n/m,
    )
    const json = open(t, ['whoami', '--json'])
    assert.equal(await json.ended(), 0)
    assert.match(json.screen(), /^\{"url":/)
  })

  it('api and --json escape what would control the terminal', async t => {
    const number = newName('T')
    const lastName = 'a\u009b31mred\u202e'
    await sdk.applicants.replaceByNumber(number, { primaryApplicant: { ...ANNA, lastName } })
    const path = `/v2/applicant/employeenumber/${number}`
    for (const args of [
      ['api', 'GET', path],
      ['api', 'GET', path, '--json'],
      ['people', 'get', number, '--json'],
    ]) {
      const terminal = open(t, args)
      assert.equal(await terminal.ended(), 0)
      assert.match(terminal.screen(), /"lastName": ?"a\\u009b31mred\\u202e"/)
    }
  })

  it('a dry run of an import is a table of what would change', async t => {
    const [first, second] = [newName('T'), newName('T')]
    await sdk.applicants.replaceByNumber(first, { primaryApplicant: ANNA })
    const path = join(folder, 'people.csv')
    const lines = [
      'employeeNumber,firstName,lastName,dateOfBirth,jobTitle',
      `${first},Anna,Schmidt,1990-05-31,Engineer`,
      `${second},Ida,Meier,1990-02-30,`,
    ]
    writeFileSync(path, lines.join('\n'))
    const terminal = open(t, ['people', 'import', path, '--dry-run'])
    assert.equal(await terminal.ended(), 3, terminal.screen())
    assert.match(terminal.screen(), /^ROW +NUMBER +OUTCOME +CHANGES$/m)
    assert.match(terminal.screen(), new RegExp(`^1 +${first} +updated +/primaryApplicant/jobTitle$`, 'm'))
    assert.match(
      terminal.screen(),
      new RegExp(`^2 +${second} +rejected +/primaryApplicant/dateOfBirth: `, 'm'),
    )
    assert.equal((await sdk.applicants.getByNumber(first)).jobTitle, null)
  })

  it('an import shows a progress bar, and leaves none behind', async t => {
    const path = join(folder, 'many.ndjson')
    const people = Array.from({ length: 3_000 }, (_, index) => ({
      primaryApplicant: { ...ANNA, employeeNumber: `${newName('B')}-${index}` },
    }))
    writeFileSync(path, people.map(person => JSON.stringify(person)).join('\n'))
    const terminal = open(t, ['people', 'import', path])
    await terminal.sees(/(checking|applying) [█░]{24} +\d+% [\d,]+ of [\d,]+/)
    assert.equal(await terminal.ended(), 0, terminal.screen())
    assert.match(terminal.screen(), /3000 rows, 3000 created, 0 updated/)
    assert.doesNotMatch(terminal.screen(), /[█░]/)
  })

  it('uploads and downloads show progress bars', async t => {
    const { caseId } = await newCase()
    const path = join(folder, 'large.pdf')
    writeFileSync(path, Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(48 * 2 ** 20)]))
    const upload = open(t, ['docs', 'upload', path, '--case', caseId, '--country', 'DE'])
    await upload.sees(/large\.pdf [█░]{24} +\d+% [\d.]+ \w+ of 48\.0 MiB/)
    assert.equal(await upload.ended(), 0, upload.screen())
    assert.doesNotMatch(upload.screen(), /[█░]/)
    const [document] = await sdk.documents.search({ caseId }).toArray()
    const copy = join(folder, 'copy.pdf')
    const download = open(t, ['docs', 'download', document?.documentId ?? '', copy])
    await download.sees(/copy\.pdf [█░]{24} +\d+% [\d.]+ \w+ of 48\.0 MiB/)
    assert.equal(await download.ended(), 0, download.screen())
    assert.deepEqual(readFileSync(copy), readFileSync(path))
  })

  it('bars are for the terminal only: standard error in a file has none', async t => {
    const { caseId } = await newCase()
    const [path, log] = [join(folder, 'small.txt'), join(folder, 'stderr.txt')]
    writeFileSync(path, 'a note')
    const line = `"${process.execPath}" "${BIN}" docs upload "${path}" --case ${caseId} --country DE 2> "${log}"`
    const terminal = openTerminal(['sh', '-c', line], { env: CREDENTIALS })
    t.after(terminal.close)
    assert.equal(await terminal.ended(), 0, terminal.screen())
    assert.equal(readFileSync(log, 'utf8'), '')
  })

  it('Ctrl-C during an import says how to go on', async t => {
    const path = join(folder, 'interrupted.ndjson')
    const people = Array.from({ length: 20_000 }, (_, index) => ({
      primaryApplicant: { ...ANNA, employeeNumber: `${newName('K')}-${index}` },
    }))
    writeFileSync(path, people.map(person => JSON.stringify(person)).join('\n'))
    const terminal = open(t, ['people', 'import', path])
    await terminal.sees(/(checking|applying) [█░]{24}/)
    terminal.keys('C-c')
    assert.equal(await terminal.ended(), 130, terminal.screen())
    const [, importId = ''] =
      /caseport imports\s+cancel (\S+?)"/.exec(terminal.screen().replaceAll('\n', ' ')) ?? []
    const cancel = open(t, ['imports', 'cancel', importId])
    assert.equal(await cancel.ended(), 0, cancel.screen())
    await until(() => /is cancelled/.test(cancel.screen()), 'the summary')
  })
})
