import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { baseUrl } from './client.ts'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
  dependentById,
  dependentByNumber,
  everyField,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newNumber,
  patch,
  person,
  put,
} from './people.ts'

const UNKNOWN_ID = 'bm9ib2R5IGhhcyB0aGlzIGlk'

describe('the six reads', () => {
  let one: Awaited<ReturnType<typeof createFamilyWithDependent>>
  before(async () => {
    one = await createFamilyWithDependent(everyField(), everyField({ relationship: 'Spouse' }))
  })

  it('return the same by id and by employee number, byte for byte', async () => {
    const { id, number, dependentId, dependentNumber } = one
    const pairs = [
      [byId(id), byNumber(number)],
      [`${byId(id)}/dependents`, `${byNumber(number)}/dependents`],
      [dependentById(id, dependentId), dependentByNumber(number, dependentNumber)],
    ] as const
    for (const [first, second] of pairs) {
      const [a, b] = await Promise.all([get(first), get(second)])
      assert.deepEqual([a.status, b.status], [200, 200])
      assert.equal(a.bytes.toString(), b.bytes.toString())
      assert.equal(a.headers.get('etag'), b.headers.get('etag'))
      assert.match(a.headers.get('content-type') ?? '', /^application\/json/)
    }
  })

  it('return what the write returned', async () => {
    assert.deepEqual((await get(byId(one.id))).body, one.primary)
    assert.deepEqual((await get(`${byId(one.id)}/dependents`)).body, [one.dependent])
    assert.deepEqual((await get(dependentById(one.id, one.dependentId))).body, one.dependent)
  })

  it('return a primary applicant without its dependents, and dependents without their primary', async () => {
    assert.equal('dependents' in (await get(byNumber(one.number))).body, false)
    const { body } = await get(`${byNumber(one.number)}/dependents`)
    assert.deepEqual(
      body.map(({ applicantId }: Fields) => applicantId),
      [one.dependentId],
    )
  })

  it('accept the encoded id of a dependent in a path by employee number, too', async () => {
    assert.deepEqual((await get(dependentByNumber(one.number, one.dependentId))).body, one.dependent)
  })

  it('require only the read scope', async () => {
    for (const path of [byId(one.id), `${byNumber(one.number)}/dependents`])
      assert.equal((await get(path, { scopes: ['applicants:read'] })).status, 200)
  })

  it('return an empty array if there are no dependents', async () => {
    const { id, number } = await family()
    for (const path of [`${byId(id)}/dependents`, `${byNumber(number)}/dependents`]) {
      const { status, body } = await get(path)
      assert.deepEqual([status, body], [200, []])
    }
  })

  it('return dependents without an employee number', async () => {
    const { id, dependentId, dependent } = await createFamilyWithDependent(
      person(),
      child({ employeeNumber: null }),
    )
    assert.equal(dependent['employeeNumber'], null)
    assert.deepEqual((await get(dependentById(id, dependentId))).body, dependent)
  })
})

describe('a read that finds nothing', () => {
  it('is a 404 for a primary applicant that does not exist', async () => {
    for (const path of [byId(UNKNOWN_ID), byNumber(newNumber())])
      for (const read of [path, `${path}/dependents`])
        await expectProblem(get(read), 404, 'applicant-not-found')
  })

  it('is a 404 for a dependent that does not exist, or whose primary applicant does not', async () => {
    const { id, number } = await family()
    const paths = [
      dependentById(id, UNKNOWN_ID),
      dependentById(UNKNOWN_ID, UNKNOWN_ID),
      dependentByNumber(number, newNumber()),
      dependentByNumber(newNumber(), newNumber()),
    ]
    for (const path of paths) await expectProblem(get(path), 404, 'dependent-not-found')
  })

  it('is a 404 for a dependent of another primary applicant', async () => {
    const other = await createFamilyWithDependent()
    const { id, number } = await family()
    await expectProblem(get(dependentById(id, other.dependentId)), 404, 'dependent-not-found')
    await expectProblem(get(dependentByNumber(number, other.dependentNumber)), 404, 'dependent-not-found')
  })

  it('is a 404 for a dependent in place of a primary applicant, and the reverse', async () => {
    const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent()
    for (const path of [byId(dependentId), byNumber(dependentNumber)])
      for (const read of [path, `${path}/dependents`])
        await expectProblem(get(read), 404, 'applicant-not-found')
    await expectProblem(get(dependentById(id, id)), 404, 'dependent-not-found')
    await expectProblem(get(dependentByNumber(number, number)), 404, 'dependent-not-found')
  })

  it('is a 404 for a malformed id', async () => {
    for (const id of [
      'x',
      'nul\0',
      'a b c d',
      'a/b/c/d',
      '====',
      'ünïcödé',
      `${'x'.repeat(200)}`,
      '%',
      "' or 1=1 --",
    ]) {
      await expectProblem(get(byId(id)), 404, 'applicant-not-found')
      await expectProblem(get(`${byId(id)}/dependents`), 404, 'applicant-not-found')
      await expectProblem(get(dependentById(id, id)), 404, 'dependent-not-found')
    }
  })

  it('does not affect concurrent reads of other records', async () => {
    const { id, number } = await family()
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const [known, unknown] =
          index % 4 > 1 ? [byId(id), byId('nul\0')] : [byNumber(number), byNumber('nul\0')]
        return get(index % 2 ? known : unknown)
      }),
    )
    for (const [index, { status }] of responses.entries()) assert.equal(status, index % 2 ? 200 : 404)
  })

  it('is a 404 for an employee number in place of an id, and for an id in another case', async () => {
    const { id, number } = await family(person({ employeeNumber: newNumber('MixedCase') }))
    await expectProblem(get(byId(number)), 404, 'applicant-not-found')
    await expectProblem(get(byNumber(id)), 404, 'applicant-not-found')
    await expectProblem(get(byNumber(number.toLowerCase())), 404, 'applicant-not-found')
    await expectProblem(get(byNumber(number.slice(0, -1))), 404, 'applicant-not-found')
  })

  it('is reported in a problem document without stored data', async () => {
    const { headers, body } = await get(byNumber(newNumber()), {
      headers: { 'x-request-id': 'my-request-1' },
    })
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/)
    assert.equal(headers.get('x-request-id'), 'my-request-1')
    assert.equal(body.requestId, 'my-request-1')
    assert.equal(body.status, 404)
    for (const member of ['type', 'title', 'detail', 'instance']) assert.equal(typeof body[member], 'string')
  })
})

describe('a path parameter', () => {
  it('may be percent-encoded: the = of an id, and every character of it', async () => {
    const { id, primary, dependentId } = await createFamilyWithDependent()
    assert.match(id, /=$/)
    const everyByte = [...Buffer.from(id)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
    for (const path of [`/v2/applicant/${id}`, byId(id), `/v2/applicant/${everyByte}`])
      assert.deepEqual((await get(path)).body, primary)
    for (const path of [`/v2/applicant/${id}/dependent/${dependentId}`, dependentById(id, dependentId)])
      assert.equal((await get(path)).status, 200)
  })

  it('may be an employee number with any printable character', async () => {
    const odd = [
      'a/b',
      'a b',
      'a%b',
      '100%',
      '%2F',
      'a+b',
      'a?b=c&d',
      'a#b',
      'ä漢字🚢',
      'a\\b',
      '"a"',
      "a';--",
      'a:b;c,d@e',
      '~._-!',
    ]
    for (const prefix of odd) {
      const made = await createFamilyWithDependent(
        person({ employeeNumber: newNumber(prefix) }),
        child({ employeeNumber: newNumber(prefix) }),
      )
      assert.equal((await get(byNumber(made.number))).body.applicantId, made.id, made.number)
      const path = dependentByNumber(made.number, made.dependentNumber)
      assert.equal((await get(path)).body.applicantId, made.dependentId)
      const merged = await expectOk(patch(path, { jobTitle: 'Pupil' }))
      assert.equal(merged['jobTitle'], 'Pupil')
      const { status } = await put(byNumber(made.number), {
        primaryApplicant: { firstName: 'A', lastName: 'B' },
      })
      assert.equal(status, 200)
    }
  })

  it('is rejected if an escape sequence is malformed', async () => {
    const { status } = await fetch(`${baseUrl}/v2/applicant/%E0%A4%A`)
    assert.equal(status, 400)
  })
})

describe('a dependent that a replace omits', () => {
  it('is returned by no read', async () => {
    const { id, number, dependentId, dependentNumber } = await createFamilyWithDependent()
    await expectOk(put(byId(id), { primaryApplicant: person({ employeeNumber: number }), dependents: [] }))
    for (const path of [`${byId(id)}/dependents`, `${byNumber(number)}/dependents`])
      assert.deepEqual((await get(path)).body, [])
    for (const path of [
      dependentById(id, dependentId),
      dependentByNumber(number, dependentId),
      dependentByNumber(number, dependentNumber),
    ])
      await expectProblem(get(path), 404, 'dependent-not-found')
    await expectProblem(get(byId(dependentId)), 404, 'applicant-not-found')
    await expectProblem(get(byNumber(dependentNumber)), 404, 'applicant-not-found')
  })
})
