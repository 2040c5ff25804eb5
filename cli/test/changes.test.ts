// The change feed by the command line: export, tail and listen.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { linkSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { webhooks } from '@caseport/sdk'
import { freePort } from '../../scripts/free-port.ts'
import {
  ANNA,
  caseport,
  folderFor,
  newCase,
  newName,
  recordsIn,
  sdk,
  start,
  until,
} from './support/caseport.ts'

const folder = folderFor('changes')

const savePerson = async () => {
  const number = newName('F')
  await sdk.applicants.replaceByNumber(number, { primaryApplicant: ANNA })
  return number
}

describe('people export', () => {
  it('writes all people, and changes tail goes on from its cursor', async () => {
    const before = await savePerson()
    const [path, cursor] = [join(folder, 'people.ndjson'), join(folder, 'cursor')]
    const old = join(folder, 'old-cursor')
    writeFileSync(cursor, 'old')
    linkSync(cursor, old)
    const exported = await caseport(['people', 'export', path, '--cursor-file', cursor])
    assert.equal(exported.code, 0, exported.stderr)
    assert.equal(exported.stdout, '')
    // The file was replaced, and not written in place.
    assert.equal(readFileSync(old, 'utf8'), 'old')
    const families = readFileSync(path, 'utf8').trimEnd().split('\n').length
    assert.equal(exported.stderr, `${path} has ${families} ${families === 1 ? 'family' : 'families'}.\n`)
    const numbersIn = (content: string) =>
      content
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).primaryApplicant.employeeNumber)
    assert.ok(numbersIn(readFileSync(path, 'utf8')).includes(before))

    const after = await savePerson()
    const tail = ['changes', 'tail', '--cursor-file', cursor, '--once', '--types', 'applicant.created']
    const first = await caseport(tail)
    assert.equal(first.code, 0, first.stderr)
    const numbers = recordsIn(first).map(({ employeeNumber }) => employeeNumber)
    assert.ok(numbers.includes(after))
    // The cursor was stored.
    assert.ok(!recordsIn(await caseport(tail)).some(({ employeeNumber }) => employeeNumber === after))

    const piped = await caseport(['people', 'export'])
    assert.equal(piped.code, 0, piped.stderr)
    assert.ok(numbersIn(piped.stdout).includes(after))
    assert.match(piped.stderr, /^Changes since then: caseport changes tail --after \S+\n$/)
    // What was exported can be imported, and changes nothing.
    const lines = piped.stdout.split('\n').filter(line => line.includes(after))
    writeFileSync(join(folder, 'again.ndjson'), `${lines.join('\n')}\n`)
    const again = await caseport(['people', 'import', join(folder, 'again.ndjson'), '--rows', 'all'])
    assert.deepEqual(
      recordsIn(again).map(({ outcome }) => outcome),
      ['unchanged'],
    )
  })
})

describe('changes tail', () => {
  it('prints changes as they happen, and ends with 0 by SIGINT', async () => {
    const cursor = join(folder, 'tail-cursor')
    const { child, output, ended } = start(['changes', 'tail', '--cursor-file', cursor])
    // The cursor is there as soon as the position is known.
    await until(() => fileHas(cursor), 'the first cursor')
    const number = await savePerson()
    await until(() => output.stdout.includes(number), 'the change')
    assert.equal(output.stdout.trim().split('\n').every(isJson), true)
    child.kill('SIGINT')
    const { code, stderr } = await ended
    assert.equal(code, 0, stderr)
    assert.equal(stderr, '')
  })

  it('rejects a type that does not exist, and a cursor that is none', async () => {
    const type = await caseport(['changes', 'tail', '--once', '--types', 'case.creatd'])
    assert.equal(type.code, 1)
    assert.match(type.stderr, /Did you mean case\.created/)
    const cursor = await caseport(['changes', 'tail', '--once', '--after', 'nonsense'])
    assert.equal(cursor.code, 1)
    assert.match(cursor.stderr, /invalid-cursor/)
  })
})

interface Delivery {
  headers: IncomingHttpHeaders
  body: string
}

async function receiver(t: TestContext, status = 204, path = '/hooks') {
  const deliveries: Delivery[] = []
  const server = createServer(async (request, response) => {
    deliveries.push({ headers: request.headers, body: await text(request) })
    response.writeHead(request.url === path ? status : 404).end()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return { deliveries, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}` }
}

describe('listen', () => {
  it('forwards events as a webhook would get them, signed with a secret that it prints', async t => {
    const { deliveries, url } = await receiver(t)
    const { child, output, ended } = start(['listen', '--forward-to', url, '--types', 'case.note_added'])
    await until(() => output.stderr.includes('whsec_'), 'the secret')
    const [secret = ''] = /whsec_\S+/.exec(output.stderr) ?? []
    const { caseId } = await newCase()
    await sdk.cases.notes.add(caseId, { content: 'Received.', author: 'R. Okafor' })
    await until(() => deliveries.length > 0, 'a delivery')
    const [{ headers, body }] = deliveries as [Delivery]
    const event = await webhooks.unwrap(body, headers, secret)
    assert.equal(event.type, 'case.note_added')
    assert.equal(event.data.caseId, caseId)
    await assert.rejects(webhooks.unwrap(`${body} `, headers, secret))

    await until(() => output.stdout.includes('\n'), 'the result')
    const [line] = output.stdout.split('\n')
    const { status, type, id } = JSON.parse(line ?? '')
    assert.deepEqual([status, type, id], [204, 'case.note_added', headers['webhook-id']])
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  })

  it('delivers the same event as a webhook of the service', async t => {
    const [byService, byListen] = [await receiver(t), await receiver(t)]
    const webhook = await sdk.webhooks.create({ url: byService.url, eventTypes: ['case.created'] })
    t.after(() => sdk.webhooks.delete(webhook.webhookId))
    const args = ['listen', '--forward-to', byListen.url, '--types', 'case.created']
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const { child, output, ended } = start([...args, '--secret', secret])
    await until(() => output.stderr.includes('Forwarding'), 'the start')
    assert.ok(!output.stderr.includes(secret))
    const { caseId } = await newCase()
    const of = ({ deliveries }: typeof byService) => deliveries.find(({ body }) => body.includes(caseId))
    await until(() => of(byService) !== undefined && of(byListen) !== undefined, 'both deliveries')
    assert.deepEqual(JSON.parse(of(byListen)?.body ?? ''), JSON.parse(of(byService)?.body ?? ''))
    assert.equal(of(byListen)?.headers['webhook-id'], of(byService)?.headers['webhook-id'])
    await webhooks.unwrap(of(byListen)?.body ?? '', of(byListen)?.headers ?? {}, secret)
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  })

  it('ends with 141 when the reader of its output ends', async t => {
    const { url } = await receiver(t)
    const { child, output, ended } = start(['listen', '--forward-to', url, '--types', 'applicant.created'])
    await until(() => output.stderr.includes('Forwarding'), 'the start')
    child.stdout.destroy()
    await savePerson()
    const { code, stderr } = await ended
    assert.equal(code, 141)
    assert.match(stderr, /^Forwarding [^\n]+\n$/)
  })

  it('forwards to the address as it was given', async t => {
    const { url } = await receiver(t, 204, '/hooks/')
    const { child, output, ended } = start(['listen', '--forward-to', url, '--types', 'applicant.created'])
    await until(() => output.stderr.includes('Forwarding'), 'the start')
    await savePerson()
    await until(() => output.stdout.includes('\n'), 'the result')
    assert.equal(JSON.parse(output.stdout.split('\n')[0] ?? '').status, 204)
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  })

  it('reports a receiver that fails, and goes on', async t => {
    const url = `http://127.0.0.1:${await freePort()}/`
    const failing = await receiver(t, 500)
    for (const [target, status, error] of [
      [url, null, /ECONNREFUSED/],
      [failing.url, 500, /did not accept/],
    ] as const) {
      const { child, output, ended } = start([
        'listen',
        '--forward-to',
        target,
        '--types',
        'applicant.created',
      ])
      await until(() => output.stderr.includes('Forwarding'), 'the start')
      await savePerson()
      await savePerson()
      await until(() => output.stdout.split('\n').length > 2, 'two results')
      const result = JSON.parse(output.stdout.split('\n')[0] ?? '')
      assert.equal(result.status, status)
      assert.match(result.error, error)
      child.kill('SIGTERM')
      assert.equal((await ended).code, 0)
    }
  })
})

function fileHas(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').length > 1
  } catch {
    return false
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
