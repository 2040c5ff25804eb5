// Operations for operators on the companies that cases refer to.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COMPANIES, company, newName, UNKNOWN_ID } from './case-factories.ts'
import { expectInvalid, expectOk, expectProblem, type Fields, get, patch, post } from './people.ts'

const at = (companyId: string) => `${COMPANIES}/${encodeURIComponent(companyId)}`
const create = (body: unknown) => post(COMPANIES, body)

describe('POST /admin/v1/companies', () => {
  it('responds with 201, the company, and its Location', async () => {
    const body = { name: newName('Ærø Søfart'), code: newName('ÆS'), country: 'DK', active: false }
    const response = await create(body)
    assert.equal(response.status, 201)
    const { companyId, createdAt, updatedAt, ...rest } = response.body
    assert.deepEqual(rest, body)
    assert.match(companyId, /^[A-Za-z0-9_-]{23}=$/)
    assert.match(createdAt, /Z$/)
    assert.equal(updatedAt, createdAt)
    const read = await get(response.headers.get('location') ?? '')
    assert.deepEqual(read.body, response.body)
    assert.equal(read.headers.get('etag'), response.headers.get('etag'))
    assert.deepEqual((await get(at(companyId))).body, response.body)
  })

  it('requires only a name, and creates an active company', async () => {
    const made = await expectOk(create({ name: newName('Company') }))
    assert.deepEqual([made['code'], made['country'], made['active']], [null, null, true])
    const empty = await expectOk(create({ name: newName('Company'), code: '', country: '' }))
    assert.deepEqual([empty['code'], empty['country']], [null, null])
  })

  it('rejects a name or code in use, without regard to case', async () => {
    const one = await company({ name: newName('Größe AG') })
    for (const name of [one.name, one.name.toUpperCase(), one.name.toLowerCase()])
      await expectProblem(create({ name }), 409, 'company-name-in-use')
    for (const code of [one.code, one.code.toLowerCase()])
      await expectProblem(create({ name: newName('Company'), code }), 409, 'company-code-in-use')
  })

  it('creates one company for concurrent requests with the same name', async () => {
    const name = newName('Company')
    const responses = await Promise.all(Array.from({ length: 6 }, () => create({ name })))
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
  })

  it('rejects an invalid body, and reports its errors', async () => {
    await expectInvalid(create({}), '/name')
    await expectInvalid(
      create({ name: '', code: 1, country: 'Denmark', active: 'yes' }),
      '/name',
      '/code',
      '/country',
      '/active',
    )
    await expectInvalid(create({ name: newName('Company'), companyId: 'abcd' }), '/companyId')
  })
})

describe('GET /admin/v1/companies', () => {
  it('lists active and inactive companies', async () => {
    const [active, inactive] = [await company(), await company({ active: false })]
    const { body } = await get(COMPANIES)
    for (const { companyId } of [active, inactive])
      assert.deepEqual(
        body.find((one: Fields) => one['companyId'] === companyId),
        (await get(at(companyId))).body,
      )
  })

  it('responds with 304 for the current ETag, and 404 for an unknown company', async () => {
    const { companyId } = await company()
    const etag = (await get(at(companyId))).headers.get('etag') ?? ''
    assert.equal((await get(at(companyId), { headers: { 'if-none-match': etag } })).status, 304)
    await expectOk(patch(at(companyId), { country: 'FR' }))
    assert.equal((await get(at(companyId), { headers: { 'if-none-match': etag } })).status, 200)
    for (const id of [UNKNOWN_ID, 'x', '\0', 'a/b'])
      await expectProblem(get(at(id)), 404, 'company-not-found')
  })
})

describe('PATCH /admin/v1/companies/{companyId}', () => {
  it('changes only the fields in the body', async () => {
    const { companyId } = await company({ country: 'DE' })
    const before = (await get(at(companyId))).body
    const changes: Fields[] = [
      { name: newName('Renamed') },
      { code: newName('R') },
      { country: 'FRA' },
      { active: false },
    ]
    let expected = before
    for (const change of changes) {
      const changed = await patch(at(companyId), change)
      assert.equal(changed.status, 200)
      assert.ok(changed.body.updatedAt > expected.updatedAt)
      expected = { ...expected, ...change, updatedAt: changed.body.updatedAt }
      assert.deepEqual(changed.body, expected)
      assert.deepEqual((await get(at(companyId))).body, expected)
    }
    const cleared = await expectOk(patch(at(companyId), { code: null, country: '' }))
    assert.deepEqual([cleared['code'], cleared['country']], [null, null])
  })

  it('accepts another case of its own name', async () => {
    const { companyId, name, code } = await company()
    const loud = { name: name.toUpperCase(), code: code.toLowerCase() }
    const changed = await expectOk(patch(at(companyId), loud))
    assert.deepEqual([changed['name'], changed['code']], [loud.name, loud.code])
  })

  it('rejects the name and the code of another company', async () => {
    const [one, other] = [await company(), await company()]
    const before = await get(at(one.companyId))
    await expectProblem(
      patch(at(one.companyId), { name: other.name.toUpperCase() }),
      409,
      'company-name-in-use',
    )
    await expectProblem(
      patch(at(one.companyId), { code: other.code, country: 'FR' }),
      409,
      'company-code-in-use',
    )
    assert.equal((await get(at(one.companyId))).bytes.toString(), before.bytes.toString())
  })

  it('releases its previous name and code', async () => {
    const { companyId, name, code } = await company()
    await expectOk(patch(at(companyId), { name: newName('Renamed'), code: null }))
    assert.equal((await create({ name, code })).status, 201)
  })

  it('is accepted only for the version that If-Match names', async () => {
    const { companyId } = await company()
    const etag = (await get(at(companyId))).headers.get('etag') ?? ''
    const headers = { 'if-match': etag }
    const changed = await patch(at(companyId), { country: 'FR' }, { headers })
    assert.equal(changed.status, 200)
    await expectProblem(patch(at(companyId), { country: 'IT' }, { headers }), 412, 'version-mismatch')
    const now = { 'if-match': changed.headers.get('etag') ?? '' }
    assert.equal((await patch(at(companyId), { country: 'IT' }, { headers: now })).status, 200)
  })

  it('rejects an invalid body, and responds with 404 for an unknown company', async () => {
    const { companyId } = await company()
    const wrong = { name: ' ', code: {}, country: '?', active: null, companyId: UNKNOWN_ID }
    await expectInvalid(patch(at(companyId), wrong), '/name', '/code', '/country', '/active', '/companyId')
    for (const id of [UNKNOWN_ID, 'x'])
      await expectProblem(patch(at(id), { active: false }), 404, 'company-not-found')
  })
})
