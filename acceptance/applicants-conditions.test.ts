import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { credentials, type TestResponse } from './client.ts'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
  dependentById,
  dependentByNumber,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newCaller,
  newNumber,
  ownId,
  patch,
  person,
  post,
  put,
} from './people.ts'

const named = (fields: Fields = {}) => ({ firstName: 'Anna', lastName: 'Schmidt', ...fields })
const tagOf = ({ headers }: TestResponse): string => headers.get('etag') ?? ''

describe('an ETag', () => {
  it('is returned by every read and write of one record, and is stable until the record changes', async () => {
    const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent()
    const primary = [byId(id), byNumber(number)]
    const dependent = [
      dependentById(id, dependentId),
      dependentByNumber(number, dependentNumber),
      dependentByNumber(number, dependentId),
    ]
    const writes = [
      [primary, () => put(byId(id), { primaryApplicant: named({ employeeNumber: number }) })],
      [primary, () => patch(byNumber(number), { primaryApplicant: { jobTitle: 'x' } })],
      [
        dependent,
        () => put(dependentByNumber(number, dependentId), child({ employeeNumber: dependentNumber })),
      ],
      [dependent, () => patch(dependentByNumber(number, dependentNumber), { jobTitle: 'x' })],
    ] as const
    for (const [paths, write] of writes) {
      const tag = tagOf(await write())
      assert.match(tag, /^"[^"]+"$/)
      for (const path of [...paths, ...paths]) assert.equal(tagOf(await get(path)), tag)
    }
  })

  it('differs between people who had the same number at different times', async () => {
    const first = await createFamilyWithDependent()
    const path = (number: string) => dependentByNumber(number, first.dependentNumber)
    const tag = tagOf(await get(path(first.number)))
    await expectOk(put(byId(first.id), { primaryApplicant: named(), dependents: [] }))
    const second = await createFamilyWithDependent(person(), child({ employeeNumber: first.dependentNumber }))
    const response = await get(path(second.number), { headers: { 'if-none-match': tag } })
    assert.deepEqual([response.status, response.body?.applicantId], [200, second.dependentId])
  })

  it('changes with the record, and with its lists', async () => {
    const { id } = await family()
    const seen = new Set([tagOf(await get(byId(id)))])
    const lists = { metaData: [{ tagName: 'a' }], documents: [{ name: 'D' }] }
    for (const primaryApplicant of [{ jobTitle: 'x' }, { jobTitle: 'y' }, lists, { documents: null }]) {
      await expectOk(patch(byId(id), { primaryApplicant }))
      seen.add(tagOf(await get(byId(id))))
    }
    assert.equal(seen.size, 5)
  })
})

describe('If-None-Match', () => {
  it('makes a read of an unchanged record respond with 304 and no body', async () => {
    const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent()
    for (const path of [
      byId(id),
      byNumber(number),
      dependentById(id, dependentId),
      dependentByNumber(number, dependentNumber),
    ]) {
      const tag = tagOf(await get(path))
      for (const header of [tag, `"other", ${tag}`, '*']) {
        const response = await get(path, { headers: { 'if-none-match': header } })
        assert.deepEqual([response.status, response.bytes.length], [304, 0])
        assert.equal(tagOf(response), tag)
      }
      const other = await get(path, { headers: { 'if-none-match': '"other"' } })
      assert.equal(other.status, 200)
    }
  })

  it('returns the record again once it has changed', async () => {
    const { id } = await family()
    const tag = tagOf(await get(byId(id)))
    await expectOk(patch(byId(id), { primaryApplicant: { jobTitle: 'x' } }))
    assert.equal((await get(byId(id), { headers: { 'if-none-match': tag } })).status, 200)
  })

  it('with * allows a PUT to create, and rejects a replace', async () => {
    const onlyNew = { headers: { 'if-none-match': '*' } }
    for (const path of [byId(ownId()), byNumber(newNumber())]) {
      assert.equal((await put(path, { primaryApplicant: named() }, onlyNew)).status, 201)
      await expectProblem(
        put(path, { primaryApplicant: named({ jobTitle: 'x' }) }, onlyNew),
        412,
        'version-mismatch',
      )
      assert.equal((await get(path)).body.jobTitle, null)
    }
  })
})

describe('If-Match', () => {
  it('accepts a write only for the current version of the record', async () => {
    const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent()
    const writes = [
      [byId(id), put, byId(id), { primaryApplicant: named({ employeeNumber: number, jobTitle: '1' }) }],
      [byId(id), patch, byId(id), { primaryApplicant: { jobTitle: '2' } }],
      [byId(id), put, byNumber(number), { primaryApplicant: named({ jobTitle: '3' }) }],
      [byId(id), patch, byNumber(number), { primaryApplicant: { jobTitle: '4' } }],
      [
        dependentById(id, dependentId),
        put,
        dependentByNumber(number, dependentId),
        child({ employeeNumber: dependentNumber, jobTitle: '5' }),
      ],
      [dependentById(id, dependentId), patch, dependentByNumber(number, dependentNumber), { jobTitle: '6' }],
    ] as const
    for (const [read, write, path, body] of writes) {
      const before = await get(read)
      await expectProblem(write(path, body, { headers: { 'if-match': '"other"' } }), 412, 'version-mismatch')
      assert.equal((await get(read)).bytes.toString(), before.bytes.toString())
      const response = await write(path, body, { headers: { 'if-match': `"other", ${tagOf(before)}` } })
      assert.equal(response.status, 200)
      await expectProblem(
        write(path, body, { headers: { 'if-match': tagOf(before) } }),
        412,
        'version-mismatch',
      )
      assert.equal((await write(path, body, { headers: { 'if-match': tagOf(response) } })).status, 200)
    }
  })

  it('with * allows a PUT to replace, and rejects a create', async () => {
    const { id, number } = await family()
    const onlyKnown = { headers: { 'if-match': '*' } }
    const body = { primaryApplicant: named({ employeeNumber: number }) }
    for (const path of [byId(id), byNumber(number)])
      assert.equal((await put(path, body, onlyKnown)).status, 200)
    for (const path of [byId(ownId()), byNumber(newNumber())]) {
      await expectProblem(put(path, { primaryApplicant: named() }, onlyKnown), 412, 'version-mismatch')
      assert.equal((await get(path)).status, 404)
    }
  })

  it('accepts one of many concurrent writes that are based on the same version', async () => {
    const { id } = await family()
    const headers = { 'if-match': tagOf(await get(byId(id))) }
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        patch(byId(id), { primaryApplicant: { jobTitle: `Job ${index}` } }, { headers }),
      ),
    )
    const won = responses.filter(({ status }) => status === 200)
    assert.equal(won.length, 1)
    assert.equal((await get(byId(id))).body.jobTitle, won[0]?.body.primaryApplicant.jobTitle)
  })
})

describe('Idempotency-Key', () => {
  const ANNA = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }

  /** Each POST that can be repeated: its path, its body, and another valid body. */
  async function posts(): Promise<[string, Fields, Fields][]> {
    const one = await createFamilyWithDependent()
    const two = await family()
    const ben = { firstName: 'Ben', dateOfBirth: '2018-09-12' }
    return [
      ['/v2/applicant', { primaryApplicant: person() }, { primaryApplicant: person() }],
      [`${byId(one.id)}/dependent`, child(), child()],
      [`${byNumber(two.number)}/${newNumber()}`, ANNA, { ...ANNA, firstName: 'ANNA' }],
      [dependentByNumber(one.number, one.dependentId), ben, { ...ben, newEmployeeNumber: newNumber() }],
    ]
  }

  it('repeats the first response without a second effect, on each POST', async () => {
    for (const [path, body] of await posts()) {
      const rest = { headers: { 'idempotency-key': randomUUID() }, apiKey: credentials.apiKey }
      const first = await post(path, body, rest)
      assert.ok(first.status < 300, path)
      for (const again of [await post(path, body, rest), await post(path, body, rest)]) {
        assert.equal(again.status, first.status)
        assert.equal(again.bytes.toString(), first.bytes.toString())
        for (const header of ['location', 'etag', 'content-type'])
          assert.equal(again.headers.get(header), first.headers.get(header))
      }
    }
  })

  it('is rejected with another body, on each POST', async () => {
    for (const [path, body, other] of await posts()) {
      const rest = { headers: { 'idempotency-key': randomUUID() }, apiKey: credentials.apiKey }
      await expectOk(post(path, body, rest))
      await expectProblem(post(path, other, rest), 422, 'idempotency-key-reused')
    }
  })

  it('is rejected with the same body for another path', async () => {
    const rest = { headers: { 'idempotency-key': randomUUID() } }
    const [one, two] = [await family(), await family()]
    const body = child({ employeeNumber: null })
    await expectOk(post(`${byId(one.id)}/dependent`, body, rest))
    await expectProblem(post(`${byId(two.id)}/dependent`, body, rest), 422, 'idempotency-key-reused')
  })

  it('repeats an error response, too', async () => {
    const rest = { headers: { 'idempotency-key': randomUUID() } }
    const { id, number } = await family()
    const body = { primaryApplicant: person({ employeeNumber: number }) }
    const first = await post('/v2/applicant', body, rest)
    assert.equal(first.status, 409)
    await expectOk(put(byId(id), { primaryApplicant: named() }))
    const again = await post('/v2/applicant', body, rest)
    assert.deepEqual([again.status, again.bytes.toString()], [409, first.bytes.toString()])
  })

  it('is scoped to the client', async () => {
    const { token } = await newCaller()
    const headers = { 'idempotency-key': randomUUID() }
    const body = { primaryApplicant: named() }
    const mine = await expectOk(post('/v2/applicant', body, { headers }))
    const theirs = await expectOk(post('/v2/applicant', body, { headers, token }))
    assert.notEqual(theirs['primaryApplicant'].applicantId, mine['primaryApplicant'].applicantId)
    const other = { primaryApplicant: named({ jobTitle: 'x' }) }
    await expectProblem(post('/v2/applicant', other, { headers, token }), 422, 'idempotency-key-reused')
  })

  it('creates one record for many concurrent requests', async () => {
    const rest = { headers: { 'idempotency-key': randomUUID() } }
    const body = { primaryApplicant: named() }
    const responses = await Promise.all(Array.from({ length: 20 }, () => post('/v2/applicant', body, rest)))
    const made = responses.filter(({ status }) => status === 201)
    assert.ok(made.length >= 1)
    assert.equal(new Set(made.map(response => response.body.primaryApplicant.applicantId)).size, 1)
    for (const { status, body, headers } of responses)
      if (status !== 201) {
        assert.deepEqual([status, body.code], [409, 'idempotency-key-in-progress'])
        assert.ok(Number(headers.get('retry-after')) > 0)
      }
  })
})
