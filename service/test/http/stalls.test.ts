// Bodies that once blocked all other requests for seconds. The measure is CPU time, because the machine may be busy.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'

const test = await createTestApp()
const headers = { authorization: `Bearer ${await test.token()}`, 'content-type': 'application/json' }

/** The response, and the CPU time in milliseconds. */
async function put(payload: string) {
  const began = process.cpuUsage()
  const response = await test.app.inject({
    method: 'PUT',
    url: '/v2/applicant/employeenumber/E-1',
    headers,
    payload,
  })
  const { user, system } = process.cpuUsage(began)
  return { status: response.statusCode, body: response.json(), cpu: (user + system) / 1_000 }
}

const times = (count: number, part: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => part(n)).join(',')
const person = (members: string) => `{"primaryApplicant":{"firstName":"A","lastName":"B",${members}}}`
const HOSTILE: Record<string, { payload: string; status: number }> = {
  'with 45,000 unknown members': { payload: person(times(45_000, n => `"unknown-${n}":1`)), status: 400 },
  'with 90,000 wrong items': { payload: person(`"passports":[${times(90_000, () => '1')}]`), status: 400 },
  'with half a million wrong items': {
    payload: person(`"passports":[${times(500_000, () => '1')}]`),
    status: 413,
  },
  'with 45,000 empty dependents': {
    payload: `{"primaryApplicant":{},"dependents":[${times(45_000, () => '{}')}]}`,
    status: 400,
  },
  'with an escape before half a million items': {
    payload: person(`"x":["\\u0041",${times(500_000, () => '1')}]`),
    status: 413,
  },
  'with a schedule of half a million days': {
    payload: person(`"documents":[{"name":"x","expiryReminder":"${times(500_000, () => '1')}"}]`),
    status: 400,
  },
}

describe('a body', () => {
  for (const [what, { payload, status }] of Object.entries(HOSTILE))
    it(`${what} is rejected quickly, with at most a hundred errors`, async () => {
      // The first request compiles the schema.
      await put('{}')
      const runs = [await put(payload), await put(payload)]
      for (const { status: got, body } of runs) {
        assert.equal(got, status, JSON.stringify(body).slice(0, 200))
        assert.ok((body.errors ?? []).length <= 100)
      }
      const best = Math.min(...runs.map(({ cpu }) => cpu))
      assert.ok(best < 250, `${best} ms`)
    })
})
