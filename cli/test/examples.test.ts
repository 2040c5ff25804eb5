// The programs of docs/examples, as docs/integration.md describes them.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { createImports } from '@caseport/sdk/imports'
import { freePort } from '../../scripts/free-port.ts'
import { startProxy } from '../../sdk/test/support/faulty-proxy.ts'
import { ANNA, CREDENTIALS, folderFor, newCase, newName, sdk, until } from './support/caseport.ts'

const EXAMPLES = join(import.meta.dirname, '..', '..', 'docs', 'examples')
const folder = folderFor('examples')

const commandOf = (name: string) => ['--conditions=@caseport/source', join(EXAMPLES, name)]

const example = (name: string, ...args: string[]) => exampleAt(CREDENTIALS.CASEPORT_URL, name, ...args)

/** With another address of the service. */
function exampleAt(
  url: string,
  name: string,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve =>
    execFile(
      process.execPath,
      [...commandOf(name), ...args],
      { env: { ...CREDENTIALS, CASEPORT_URL: url, TZ: 'UTC' } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  )
}

describe('nightly-sync.ts', () => {
  const path = join(folder, 'people.csv')

  it('stores the people of a file, and a second run of the night is the same import', async () => {
    const number = newName('X')
    writeFileSync(path, `employeeNumber,firstName,lastName\n${number},Anna,Schmidt\n`)
    const first = await example('nightly-sync.ts', path)
    assert.equal(first.code, 0, first.stderr)
    assert.match(first.stdout, /is completed: .*"created":1/)
    assert.equal((await sdk.applicants.getByNumber(number)).lastName, 'Schmidt')
    const second = await example('nightly-sync.ts', path)
    assert.equal(second.stdout, first.stdout)
  })

  it('writes the rows that are rejected to a file', async () => {
    const number = newName('X')
    writeFileSync(path, `employeeNumber,firstName,lastName,dateOfBirth\n${number},Anna,Schmidt,1990-02-30\n`)
    const { code, stderr } = await example('nightly-sync.ts', path)
    assert.equal(code, 3, stderr)
    const [row] = readFileSync(`${path}.rejected.ndjson`, 'utf8').trim().split('\n')
    assert.equal(JSON.parse(row ?? '').employeeNumber, number)
  })

  it('reports an import that is held', async () => {
    const numbers = Array.from({ length: 26 }, () => newName('X'))
    const rows = (value: string) => numbers.map(number => `${number},Anna,Schmidt${value}`).join('\n')
    writeFileSync(path, `employeeNumber,firstName,lastName,jobTitle\n${rows(',Engineer')}\n`)
    assert.equal((await example('nightly-sync.ts', path)).code, 0)
    writeFileSync(path, `employeeNumber,firstName,lastName\n${rows('')}\n`)
    const { code, stdout } = await example('nightly-sync.ts', path)
    assert.equal(code, 1)
    assert.match(stdout, /is held: .*\n.*would take a value or an item from 26 of the 26 people/)
    assert.match(stdout, /\n0 rows were applied\n$/)

    // Once a person has cancelled it, the same file is sent again.
    const idIn = (output: string) => /^import (\S+) was made at/m.exec(output)?.[1] ?? ''
    assert.equal(idIn((await example('nightly-sync.ts', path)).stdout), idIn(stdout))
    await createImports(sdk).cancel(idIn(stdout))
    const again = await example('nightly-sync.ts', path)
    assert.equal(again.code, 1)
    assert.match(again.stdout, /is held/)
    assert.notEqual(idIn(again.stdout), idIn(stdout))
    await createImports(sdk).cancel(idIn(again.stdout))
    const third = await example('nightly-sync.ts', path)
    assert.ok(![idIn(stdout), idIn(again.stdout)].includes(idIn(third.stdout)))
  })
})

describe('mirror.ts', () => {
  it('is the same as the service after all kinds of changes', async () => {
    const path = join(folder, 'copy.db')
    const number = newName('M')
    const child = { firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child', dateOfBirth: '2018-09-12' }
    await sdk.applicants.replaceByNumber(number, { primaryApplicant: ANNA, dependents: [child] })
    const { caseId, steps } = await newCase()
    const first = await example('mirror.ts', path, '--once')
    assert.equal(first.code, 0, first.stderr)
    assert.match(first.stdout, /exported \d+ applicants\nexported \d+ cases\nexported \d+ documents\n/)

    // A document of a dependent, another job, a step, a file, a new family, one dependent less.
    const documents = [{ name: 'Permit', referenceNumber: 'R-1', expiryDate: '2031-02-28' }]
    await sdk.applicants.replaceByNumber(number, {
      primaryApplicant: { ...ANNA, jobTitle: 'Engineer' },
      dependents: [{ ...child, documents }],
    })
    const [dependent] = await sdk.applicants.dependents.listByNumber(number)
    const documentId = dependent?.documents[0]?.documentId ?? ''
    await sdk.documents.setExpiry(documentId, { ExpiryDate: '2032-02-28' })
    await sdk.cases.steps.complete(caseId, steps[0]?.stepId ?? '')
    const file = new File(['%PDF-1.7 a permit'], 'permit.pdf')
    const uploaded = await sdk.documents.upload({ caseId, countryCode: 'DE', file })
    const other = newName('M')
    await sdk.applicants.replaceByNumber(other, { primaryApplicant: ANNA, dependents: [child] })
    await sdk.applicants.replaceByNumber(other, { primaryApplicant: ANNA, dependents: [] })
    // Two records of one person: the cases and documents of one move to the other.
    const twin = await sdk.cases.get(caseId)
    const target = await sdk.applicants.getByNumber(number)
    await sdk.applicants.absorb(target.applicantId, { from: twin.applicantId })

    const second = await example('mirror.ts', path, '--once')
    assert.equal(second.code, 0, second.stderr)
    assert.doesNotMatch(second.stdout, /exported/)
    assert.match(second.stdout, /applied \d+ changes/)

    const db = new DatabaseSync(path, { readOnly: true })
    const copy = (kind: string, id: string) => {
      const row = db.prepare('select json from records where kind = ? and id = ?').get(kind, id)
      return row && JSON.parse(String(row['json']))
    }
    const { applicantId } = target
    const { applicants } = sdk
    assert.deepEqual(copy('applicants', applicantId), {
      primaryApplicant: await applicants.get(applicantId),
      dependents: await applicants.dependents.list(applicantId),
    })
    assert.equal(copy('applicants', twin.applicantId), undefined)
    assert.deepEqual(copy('applicants', (await applicants.getByNumber(other)).applicantId).dependents, [])
    assert.deepEqual(copy('cases', caseId), await sdk.cases.get(caseId))
    for (const id of [documentId, uploaded.documentId])
      assert.deepEqual(copy('documents', id), await sdk.documents.get(id))
  })

  it('is the same as the service after dependents came into other families, and a first number', async () => {
    const path = join(folder, 'families.db')
    const newFamily = async (firstName: string) => {
      const dependents = [{ firstName, lastName: 'Schmidt', relationship: 'Child' }]
      const saved = await sdk.applicants.replaceByNumber(newName('M'), { primaryApplicant: ANNA, dependents })
      return { id: saved.primaryApplicant.applicantId, child: saved.dependents[0]?.applicantId ?? '' }
    }
    const [one, two, three, four, five] = await Promise.all([
      newFamily('Ben'),
      newFamily('Ida'),
      newFamily('Kim'),
      newFamily('Leo'),
      newFamily('Mia'),
    ])
    const company = newName('CO')
    await sdk.companies.create({ name: company })
    const { caseId, applicantId } = await sdk.cases.create({
      caseType: 'Visa',
      hostCompany: company,
      sendingCompany: company,
      billingCompany: company,
      applicant: { firstName: 'Anna', lastName: 'Schmidt' },
    })
    const before = await sdk.applicants.absorb(four.child, { from: five.child })
    assert.equal((await example('mirror.ts', path, '--once')).code, 0)

    const assertSame = async (exported: boolean) => {
      const { code, stdout, stderr } = await example('mirror.ts', path, '--once')
      assert.equal(code, 0, stderr)
      assert.equal(stdout.includes('exported'), exported)
      const db = new DatabaseSync(path, { readOnly: true })
      const copy = (kind: string, id: string) => {
        const row = db.prepare('select json from records where kind = ? and id = ?').get(kind, id)
        return row && JSON.parse(String(row['json']))
      }
      for (const { id } of [one, two, three, four, five])
        assert.deepEqual(copy('applicants', id), {
          primaryApplicant: await sdk.applicants.get(id),
          dependents: await sdk.applicants.dependents.list(id),
        })
      assert.deepEqual(copy('cases', caseId), await sdk.cases.get(caseId))
      db.close()
    }
    await sdk.applicants.merge(two.id, { dependents: [{ applicantId: one.child }] })
    await sdk.applicants.merge(applicantId, { primaryApplicant: { employeeNumber: newName('M') } })
    const merge = await sdk.applicants.absorb(two.child, { from: three.child })
    await assertSame(false)
    await sdk.merges.undo(merge.mergeId ?? '')
    await assertSame(false)
    // This copy has never seen in which family the restored dependent is.
    await sdk.merges.undo(before.mergeId ?? '')
    await assertSame(true)
  })

  it('keeps a record for which a proxy responds with 404', async () => {
    const path = join(folder, 'proxy.db')
    const proxy = await startProxy()
    const { primaryApplicant } = await sdk.applicants.replaceByNumber(newName('M'), {
      primaryApplicant: ANNA,
    })
    assert.equal((await exampleAt(proxy.url, 'mirror.ts', path, '--once')).code, 0)
    const { applicantId } = primaryApplicant
    await sdk.applicants.merge(applicantId, { primaryApplicant: { jobTitle: 'Engineer' } })
    const address = `/v2/applicant/${encodeURIComponent(applicantId)}`
    proxy.plan(address, { kind: 'respond', status: 404, body: '<html>' })
    assert.equal((await exampleAt(proxy.url, 'mirror.ts', path, '--once')).code, 1)
    const again = await exampleAt(proxy.url, 'mirror.ts', path, '--once')
    assert.equal(again.code, 0, again.stderr)
    const db = new DatabaseSync(path, { readOnly: true })
    const row = db.prepare('select json from records where id = ?').get(applicantId)
    assert.equal(JSON.parse(String(row?.['json'])).primaryApplicant.jobTitle, 'Engineer')
  })

  it('follows changes as they happen', async t => {
    const path = join(folder, 'followed.db')
    assert.equal((await example('mirror.ts', path, '--once')).code, 0)
    const mirror = spawn(process.execPath, [...commandOf('mirror.ts'), path], { env: CREDENTIALS })
    t.after(() => mirror.kill())
    let output = ''
    mirror.stdout.setEncoding('utf8').on('data', chunk => {
      output += chunk
    })
    const number = newName('M')
    const { primaryApplicant } = await sdk.applicants.replaceByNumber(number, { primaryApplicant: ANNA })
    await until(() => /applied/.test(output), 'a change')
    const db = new DatabaseSync(path, { readOnly: true })
    const row = () => db.prepare('select json from records where id = ?').get(primaryApplicant.applicantId)
    await until(() => row() !== undefined, 'the person')
  })
})

describe('webhook-receiver.ts', () => {
  it('handles each event once, and rejects what is not signed', async t => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    const { caseId } = await newCase()
    const { webhookId, secret } = await sdk.webhooks.create({ url, eventTypes: ['case.status_changed'] })
    t.after(() => sdk.webhooks.delete(webhookId))
    const args = [...commandOf('webhook-receiver.ts'), String(port)]
    const receiver = spawn(process.execPath, args, { env: { WEBHOOK_SECRET: secret } })
    t.after(() => receiver.kill())
    let output = ''
    receiver.stdout.setEncoding('utf8').on('data', chunk => {
      output += chunk
    })
    let forged: number | undefined
    await until(() => {
      void fetch(url, { method: 'POST', body: '{}' }).then(
        ({ status }) => {
          forged = status
        },
        () => {},
      )
      return forged !== undefined
    }, 'the receiver')
    assert.equal(forged, 400)
    await sdk.cases.update(caseId, { status: 'pending' })
    await until(() => output.includes(`case ${caseId} is pending, it was open`), 'the event')
    const today = new Date().toISOString().slice(0, 10)
    const range = { startDate: today, endDate: today }
    const [delivery] = await sdk.webhooks.deliveries(webhookId, range).toArray()
    await sdk.webhooks.replayDelivery(webhookId, delivery?.deliveryId ?? '')
    let isRepeated = false
    await until(() => {
      void sdk.webhooks
        .deliveries(webhookId, range)
        .toArray()
        .then(all => {
          isRepeated = all.every(({ state }) => state === 'delivered') && attemptsOf(all) > 1
        })
      return isRepeated
    }, 'the repetition')
    assert.equal(output.split('\n').filter(line => line.includes(caseId)).length, 1)
  })
})

describe('documents-by-country.ts', () => {
  it('skips what is no document, reports unknown people, and files the rest', async () => {
    const number = newName('D')
    const dependents = [{ ...ANNA, relationship: 'Child', employeeNumber: number }]
    await sdk.applicants.replaceByNumber(newName('P'), { primaryApplicant: ANNA, dependents })
    const source = join(folder, 'odd-documents')
    for (const path of [number, 'A-nobody', join(number, 'older')])
      mkdirSync(join(source, 'DE', path), { recursive: true })
    mkdirSync(join(source, 'notes'))
    for (const path of [
      '.DS_Store',
      'DE/.DS_Store',
      `DE/${number}/.DS_Store`,
      `DE/${number}/permit.pdf`,
      'notes/x.pdf',
    ])
      writeFileSync(join(source, path), '%PDF-1.7 odd')
    const { code, stdout, stderr } = await example('documents-by-country.ts', source)
    assert.equal(code, 3, stderr)
    assert.equal(
      stdout,
      [
        'skipped .DS_Store',
        'skipped notes',
        'skipped DE/.DS_Store',
        'nobody has the number A-nobody',
        `skipped DE/${number}/.DS_Store`,
        `skipped DE/${number}/older`,
        `filed permit.pdf of ${number} in DE`,
        `DE has 1 documents of ${number}`,
        '',
      ].join('\n'),
    )
  })

  it('files documents in the repositories of their countries, once', async () => {
    const number = newName('D')
    const { primaryApplicant } = await sdk.applicants.replaceByNumber(number, { primaryApplicant: ANNA })
    const source = join(folder, 'documents')
    for (const country of ['DE', 'UK']) {
      mkdirSync(join(source, country, number), { recursive: true })
      writeFileSync(join(source, country, number, 'permit.pdf'), `%PDF-1.7 of ${country}`)
    }
    writeFileSync(join(source, 'UK', number, 'tool.exe'), Buffer.from('MZ\0\0 a program'))
    const first = await example('documents-by-country.ts', source)
    assert.equal(first.code, 3, first.stderr)
    assert.match(
      first.stdout,
      new RegExp(`filed permit.pdf of ${number} in DE\nDE has 1 documents of ${number}`),
    )
    assert.match(first.stdout, /rejected tool\.exe/)
    const second = await example('documents-by-country.ts', source)
    assert.doesNotMatch(second.stdout, /filed/)
    const { applicantId } = primaryApplicant
    for (const countryCode of ['DE', 'UK'] as const) {
      const [document, ...more] = await sdk.documents.search({ applicantId, countryCode }).toArray()
      assert.deepEqual(more, [])
      const download = await sdk.documents.download(document?.documentId ?? '')
      assert.equal(Buffer.from(await download.bytes()).toString(), `%PDF-1.7 of ${countryCode}`)
    }
  })
})

const attemptsOf = (deliveries: { attempts: number }[]) =>
  deliveries.reduce((sum, { attempts }) => sum + attempts, 0)
