// Imports, the change feed and exports.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createCaseport } from '../src/caseport.ts'
import { createChanges, createExport } from '../src/changes.ts'
import { isCaseportError } from '../src/errors.ts'
import { createImports, type Import } from '../src/imports.ts'
import { requestPath } from '../src/node.ts'
import { startProxy } from './support/faulty-proxy.ts'
import { ANNA, connect, newName } from './support/service.ts'

const caseport = connect()
const imports = createImports(caseport)
const changes = createChanges(caseport)

const ndjson = (numbers: string[], more: object = {}) =>
  Buffer.from(
    numbers
      .map(employeeNumber => JSON.stringify({ primaryApplicant: { ...ANNA, employeeNumber, ...more } }))
      .join('\n'),
  )
const file = (content: Buffer) => ({ file: content, contentType: 'application/x-ndjson' }) as const

describe('imports', () => {
  it('send a file with progress, wait for its end, and read its rows', async () => {
    const numbers = [newName('S'), newName('S'), newName('S')]
    const bytes: number[] = []
    const created = await imports.create(
      { ...file(ndjson(numbers)), mode: 'replace', complete: true },
      { onProgress: ({ loaded }) => bytes.push(loaded) },
    )
    assert.equal(bytes.at(-1), ndjson(numbers).length)
    const states: Import[] = []
    const ended = await imports.finish(created.importId, { onProgress: state => states.push(state) })
    assert.equal(ended.status, 'completed')
    assert.equal(ended.counts.created, 3)
    assert.ok(ended.counts.missing >= 0)
    assert.deepEqual(states.at(-1), ended)
    const rows = await imports.rows(created.importId, { outcome: 'created', maxRecords: 2 }).toArray()
    assert.deepEqual(
      rows.map(({ employeeNumber }) => employeeNumber),
      numbers,
    )
    const streamed = await Array.fromAsync(imports.allRows(created.importId, { outcome: 'created' }))
    assert.deepEqual(streamed, rows)
    const { records, total } = await imports.list({ maxRecords: 1 }).first()
    assert.equal(records.length, 1)
    assert.ok(total >= 1)
  })

  it('send no option that is not set', async () => {
    const unset = { mode: undefined, dryRun: undefined } as object
    const { importId } = await imports.create({ ...file(ndjson([newName('S')])), ...unset })
    await imports.finish(importId)
    const outcome = { outcome: undefined } as object
    assert.equal((await Array.fromAsync(imports.allRows(importId, outcome))).length, 1)
  })

  it('with the same key are one', async () => {
    const content = ndjson([newName('S')])
    const idempotencyKey = newName('key')
    const first = await imports.create(file(content), { idempotencyKey })
    const second = await imports.create(file(content), { idempotencyKey })
    assert.equal(second.importId, first.importId)
  })

  it('as a dry run change nothing until they are released', async () => {
    const number = newName('S')
    const content = { ...file(gzipSync(ndjson([number]))), gzip: true, dryRun: true }
    const { importId } = await imports.create(content)
    assert.equal((await imports.finish(importId)).counts.created, 1)
    await assert.rejects(caseport.applicants.getByNumber(number), error =>
      isCaseportError(error, 'applicant-not-found'),
    )
    await imports.release(importId)
    assert.equal((await imports.finish(importId)).status, 'completed')
    assert.equal((await caseport.applicants.getByNumber(number)).firstName, 'Anna')
    await assert.rejects(imports.cancel(importId), error => isCaseportError(error, 'import-ended'))
  })

  it('are waited for while the service restarts', async () => {
    const proxy = await startProxy()
    const client = connect({ baseUrl: proxy.url, retries: 0 })
    const throughProxy = createImports(client)
    const { importId } = await throughProxy.create(file(ndjson([newName('S')])))
    proxy.plan('/v2/imports/', { kind: 'drop' }, { kind: 'respond', status: 503 }, { kind: 'drop' })
    assert.equal((await throughProxy.finish(importId)).status, 'completed')
    proxy.plan('/v2/imports/', { kind: 'drop' })
    await assert.rejects(throughProxy.finish(importId, { retries: 0 }), { code: 'network-error' })
  })

  it('stop waiting with a signal', async () => {
    const { importId } = await imports.create(file(ndjson([newName('S')])))
    const reason = new Error('enough')
    await assert.rejects(imports.finish(importId, { signal: AbortSignal.abort(reason) }), reason)
  })
})

describe('changes', () => {
  it('follow every change once, in order, from now on', async () => {
    const numbers = [newName('F'), newName('F'), newName('F')]
    const saveAll = async () => {
      for (const number of numbers)
        await caseport.applicants.replaceByNumber(number, { primaryApplicant: ANNA })
    }
    const stop = new AbortController()
    const seen: (string | null)[] = []
    let saving: Promise<void> | undefined
    const feed = changes.follow({ after: 'now', types: ['applicant.created'] }, { signal: stop.signal })
    const reading = (async () => {
      for await (const { records } of feed.pages()) {
        // The first page is the position: what is saved after it must arrive.
        saving ??= saveAll()
        for (const { employeeNumber } of records) seen.push(employeeNumber)
        if (seen.includes(numbers[2] ?? '')) stop.abort()
      }
    })()
    await assert.rejects(reading, error => error === stop.signal.reason)
    await saving
    assert.deepEqual(
      seen.filter(number => numbers.includes(number ?? '')),
      numbers,
    )
  })

  it('follow through an outage in which a token falls due', async () => {
    const proxy = await startProxy()
    proxy.plan('/oauth/token', ...Array.from({ length: 6 }, () => ({ kind: 'drop' }) as const))
    const feed = createChanges(connect({ baseUrl: proxy.url })).follow({ after: 'now' })
    const { value } = await feed.pages().next()
    assert.ok(value?.nextCursor)
  })

  it('stream every change once, in order, in one request that ends with its signal', async () => {
    const numbers = [newName('F'), newName('F'), newName('F')]
    const stop = new AbortController()
    const seen: (string | null)[] = []
    const cursors: string[] = []
    let saving: Promise<void> | undefined
    const saveAll = async () => {
      for (const number of numbers)
        await caseport.applicants.replaceByNumber(number, { primaryApplicant: ANNA })
    }
    const reading = (async () => {
      const query = { after: 'now', types: ['applicant.created' as const], maxRecords: 2 }
      for await (const { records, nextCursor } of changes.stream(query, { signal: stop.signal })) {
        saving ??= saveAll()
        cursors.push(nextCursor)
        for (const { employeeNumber } of records) seen.push(employeeNumber)
        if (seen.includes(numbers[2] ?? '')) stop.abort()
      }
    })()
    await assert.rejects(reading, error => error === stop.signal.reason)
    await saving
    const own = (all: (string | null)[]) => all.filter(number => numbers.includes(number ?? ''))
    assert.deepEqual(own(seen), numbers)

    // Another stream goes on after the first position.
    const again: (string | null)[] = []
    for await (const { records } of changes.stream({ after: cursors[0] ?? '' })) {
      for (const { employeeNumber } of records) again.push(employeeNumber)
      if (again.includes(numbers[2] ?? '')) break
    }
    assert.deepEqual(own(again), numbers)
  })

  it('end a stream with the response, and fail where it breaks off', async t => {
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'text/event-stream')
      response.write(
        'retry: 2000\nid: c1\r\ndata: {"type":"case.created",\ndata: "caseId":"é\u2028"}\n\nid: ',
      )
      setTimeout(() => {
        response.write('c2\n\nid: c3\ndata: {"cut":')
        if (request.url?.includes('after=whole')) response.end()
        else setTimeout(() => response.destroy(), 100)
      }, 50)
    }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = createChanges(
      createCaseport({ baseUrl: `http://127.0.0.1:${port}`, auth: { kind: 'cookie' } }),
    )
    const expected = [{ records: [{ type: 'case.created', caseId: 'é\u2028' }], nextCursor: 'c2' }]
    assert.deepEqual(await Array.fromAsync(client.stream({ after: 'whole' })), expected)
    const found: unknown[] = []
    await assert.rejects(
      async () => {
        for await (const batch of client.stream({ after: 'broken' })) found.push(batch)
      },
      { code: 'network-error' },
    )
    assert.deepEqual(found, expected)
  })

  it('go on after an export, which has the rest', async () => {
    const [before, after] = [newName('F'), newName('F')]
    await caseport.applicants.replaceByNumber(before, { primaryApplicant: ANNA })
    const people = createExport<{ primaryApplicant: { employeeNumber: string } }>(caseport, 'applicants')
    const exported: string[] = []
    for await (const { primaryApplicant } of people) exported.push(primaryApplicant.employeeNumber)
    assert.ok(exported.includes(before))
    await caseport.applicants.replaceByNumber(after, { primaryApplicant: ANNA })
    const numbers: (string | null)[] = []
    for await (const { employeeNumber } of changes.list({ after: people.cursor, maxRecords: 1 }))
      numbers.push(employeeNumber)
    assert.ok(numbers.includes(after))
  })

  it('fail when an export breaks off', async t => {
    const server = createServer((request, response) => {
      response.write('{"caseId":"1"}\n')
      if (request.url?.includes('cases')) response.end()
      else setTimeout(() => response.destroy(), 100)
    }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = createCaseport({ baseUrl, auth: { kind: 'token', token: 'token' } })
    await assert.rejects(Array.fromAsync(createExport(client, 'cases')), error =>
      isCaseportError(error, 'invalid-response'),
    )
    await assert.rejects(Array.fromAsync(createExport(client, 'documents')), error =>
      isCaseportError(error, 'network-error'),
    )
  })
})

describe('entry points beside the client', () => {
  it('need the client that createCaseport returned', () => {
    assert.throws(
      () => createImports({ ...caseport }),
      error => isCaseportError(error, 'invalid-argument'),
    )
  })

  it('request any path with the same authentication and errors', async () => {
    const response = await requestPath(caseport, '/admin/v1/me')
    assert.equal(response.status, 200)
    await assert.rejects(requestPath(caseport, '/v2/nosuch'), error =>
      isCaseportError(error, 'route-not-found'),
    )
  })
})
