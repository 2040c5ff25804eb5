// Uploads of imports that end early or are too large: nothing of them is kept.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createTestApp } from '../support/harness.ts'

const MAX_BYTES = 20_000
const app = await createTestApp({ config: { maxImportBytes: MAX_BYTES } })
const { sql } = app.db
const line = (number: string) =>
  `${JSON.stringify({ primaryApplicant: { employeeNumber: number, firstName: 'Anna', lastName: 'Schmidt' } })}\n`
const headers = { 'content-type': 'application/x-ndjson' }

const send = (body: string | Buffer, more: Record<string, string> = {}) =>
  app.call({ method: 'POST', url: '/v2/imports', body, headers: { ...headers, ...more } })

const latest = async () => {
  const [row] = await sql`select status, problem ->> 'code' as code from imports order by seq desc limit 1`
  return [row?.['status'], row?.['code']]
}

describe('an upload', () => {
  it('of more bytes than the limit is 413, packed or unpacked', async () => {
    const large = line('E-1').repeat(400)
    for (const [body, more, listed] of [
      // Rejected by its Content-Length, before anything is received.
      [large, {}, []],
      [gzipSync(large), { 'content-encoding': 'gzip' }, ['failed', 'payload-too-large']],
    ] as const) {
      const response = await send(body, more)
      assert.deepEqual([response.status, response.body.code], [413, 'payload-too-large'], response.text)
      assert.match(response.body.detail, new RegExp(String(MAX_BYTES)))
      assert.deepEqual((await latest()).filter(Boolean), listed)
    }
    assert.equal((await sql`select from applicants`).length, 0)
  })

  it('that is cut off fails, and nothing of it is applied', async () => {
    const url = await app.app.listen({ port: 0, host: '127.0.0.1' })
    const token = await app.token()
    const upload = request(`${url}/v2/imports`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}`, 'content-length': '10000' },
    })
    upload.on('error', () => {})
    upload.write(line('E-2'))
    for (let attempt = 0; attempt < 200 && (await latest())[0] !== 'receiving'; attempt++) await sleep(20)
    upload.destroy()
    await new Promise(resolve => upload.once('close', resolve))
    for (let attempt = 0; attempt < 200 && (await latest())[0] === 'receiving'; attempt++) await sleep(20)
    assert.deepEqual(await latest(), ['failed', 'invalid-request'])
    assert.equal((await sql`select from applicants`).length, 0)
  })

  it('with an Idempotency-Key that was used leaves no second import', async () => {
    const count = async () => (await sql`select from imports`).length
    const key = { 'idempotency-key': 'the-file-of-today' }
    const first = await send(line('E-3'), key)
    assert.equal(first.status, 202)
    const before = await count()
    const second = await send(line('E-3'), key)
    assert.equal(second.body.importId, first.body.importId)
    const other = await send(line('E-4'), key)
    assert.equal(other.body.code, 'idempotency-key-reused')
    assert.equal(await count(), before)
    const staged =
      await sql`select distinct import_id from import_rows where employee_number in ('E-3', 'E-4')`
    assert.ok(staged.every(({ import_id }) => import_id === first.body.importId))
  })
})
