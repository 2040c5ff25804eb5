// The list of records that may be the same person, and dismissing pairs of it.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { company, UNKNOWN_ID } from './case-factories.ts'
import { limitedTo } from './company-factories.ts'
import {
  byId,
  expectInvalid,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newNumber,
  patch,
  person,
  post,
} from './people.ts'

const path = '/admin/v1/duplicates'
const of = (id: string, more = '') => `${path}?applicantId=${encodeURIComponent(id)}${more}`
const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`
const newLastName = () => `Doppel${randomBytes(6).toString('hex')}`
const alone = (fields: Fields = {}) => family(person({ lastName: newLastName(), ...fields }))
const otherIds = (page: Fields, id: string): string[] =>
  page['records'].flatMap((pair: Fields) =>
    pair['applicants'].map((one: Fields) => one['applicantId']).filter((one: string) => one !== id),
  )

/** The pairs of a record, once there are this many. Records are compared within seconds. */
async function pairsOf(id: string, count: number): Promise<Fields> {
  for (let attempt = 0; ; attempt++) {
    const page = await expectOk(get(of(id)))
    if (page['records'].length === count) return page
    assert.ok(attempt < 100, JSON.stringify(page))
    await sleep(200)
  }
}

const dismiss = (applicantIds: string[], more: Fields = {}, headers = {}) =>
  post(`${path}/dismiss`, { applicantIds, ...more }, { headers })

describe(`GET ${path}`, () => {
  it('lists pairs with their reasons, the highest score first', async () => {
    const [email, lastName, number] = [newEmail(), newLastName(), newLastName()]
    const passports = [{ passportNumber: number, country: 'DE' }]
    const one = await alone({ lastName, email, passports })
    const twin = await alone({ lastName: lastName.toUpperCase(), passports: [{ passportNumber: ` ${number.toLowerCase()}`, country: 'DEU' }] }) // biome-ignore format: short
    const colleague = await alone({ email: email.toUpperCase() })
    const page = await pairsOf(one.id, 2)
    assert.deepEqual(
      page['records'].map((pair: Fields) => [pair['score'], pair['reasons']]),
      [
        [100, ['passport', 'nameAndBirthDate']],
        [20, ['email']],
      ],
    )
    assert.deepEqual(otherIds(page, one.id), [twin.id, colleague.id])
    assert.equal(page['total'], 2)
    const [pair] = page['records']
    const shown = pair.applicants.find((record: Fields) => record['applicantId'] === one.id)
    assert.deepEqual(
      [shown.employeeNumber, shown.lastName, shown.email, shown.primaryApplicantId],
      [one.number, lastName, email, null],
    )
    const high = await expectOk(get(of(one.id, '&minScore=50')))
    assert.deepEqual(otherIds(high, one.id), [twin.id])
  })

  it('has pages in both directions', async () => {
    const email = newEmail()
    const people = [
      await alone({ email }),
      await alone({ email }),
      await alone({ email }),
      await alone({ email }),
    ]
    const { id } = people[0] as { id: string }
    const whole = await pairsOf(id, 3)
    const first = await expectOk(get(of(id, '&maxRecords=2')))
    const second = await expectOk(get(of(id, `&maxRecords=2&nextCursor=${first['nextCursor']}`)))
    assert.deepEqual([...first['records'], ...second['records']], whole['records'])
    assert.deepEqual([first['prevCursor'], second['nextCursor']], [null, null])
    const back = await expectOk(get(of(id, `&maxRecords=2&prevCursor=${second['prevCursor']}`)))
    assert.deepEqual(back['records'], first['records'])
    await expectProblem(get(of(id, '&nextCursor=tampered')), 400, 'invalid-cursor')
    await expectInvalid(get(`${path}?minScore=0`), '/minScore')
    const all = await expectOk(get(`${path}?maxRecords=1`))
    assert.equal(all['records'].length, 1)
  })

  it('shows a limited caller the pairs whose records it both sees', async () => {
    const [own, foreign] = [await company(), await company()]
    const email = newEmail()
    const one = await alone({ email, sendingCompany: own.name })
    const same = await alone({ email, sendingCompany: own.code })
    const other = await alone({ email, sendingCompany: foreign.name })
    await pairsOf(one.id, 2)
    const as = { token: (await limitedTo(own)).token }
    const both = { token: (await limitedTo(own, foreign)).token }
    for (const query of [of(one.id), `${path}?maxRecords=1000`]) {
      assert.deepEqual(otherIds(await expectOk(get(query, as)), one.id), [same.id])
      const seen = otherIds(await expectOk(get(query, both)), one.id)
      assert.ok(seen.includes(other.id) && seen.includes(same.id))
    }
    assert.deepEqual((await expectOk(get(of(other.id), as)))['records'], [])
    const pair = { applicantIds: [one.id, other.id] }
    await expectProblem(post(`${path}/dismiss`, pair, as), 404, 'duplicate-not-found')
    await expectOk(post(`${path}/dismiss`, pair, both))
  })
})

describe(`POST ${path}/dismiss`, () => {
  it('keeps a pair out of the list until the records change in what they share', async () => {
    const [first, second] = [newEmail(), newEmail()]
    const [one, other] = [await alone({ email: first }), await alone({ email: first })]
    await pairsOf(one.id, 1)
    const done = await expectOk(dismiss([other.id, one.id], { reason: 'Cousins' }))
    assert.deepEqual(done['applicantIds'].toSorted(), [one.id, other.id].toSorted())
    assert.deepEqual([done['reasons'], done['reason']], [['email'], 'Cousins'])
    await pairsOf(one.id, 0)
    assert.deepEqual(await expectOk(dismiss([one.id, other.id])), done)
    for (const { id } of [one, other])
      await expectOk(patch(byId(id), { primaryApplicant: { email: second } }))
    await pairsOf(one.id, 1)
  })

  it('rejects two records that are no pair', async () => {
    const [one, other] = [await alone(), await alone()]
    await expectProblem(dismiss([one.id, other.id]), 404, 'duplicate-not-found')
    await expectProblem(dismiss([one.id, UNKNOWN_ID]), 404, 'duplicate-not-found')
    await expectInvalid(dismiss([one.id, one.id]), '/applicantIds/1')
    await expectInvalid(dismiss([one.id]), '/applicantIds')
  })

  it('runs once for an Idempotency-Key', async () => {
    const email = newEmail()
    const [one, other] = [await alone({ email }), await alone({ email })]
    await pairsOf(one.id, 1)
    const headers = { 'idempotency-key': newNumber('dismiss') }
    const first = await expectOk(dismiss([one.id, other.id], {}, headers))
    assert.deepEqual(await expectOk(dismiss([one.id, other.id], {}, headers)), first)
    await expectProblem(dismiss([other.id, one.id], {}, headers), 422, 'idempotency-key-reused')
  })
})
