// Saved views of the desk.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { company, newName, ownToken, UNKNOWN_ID } from './case-factories.ts'
import { type Call, call } from './client.ts'
import { clientAt, limitedTo, tokenOf } from './company-factories.ts'
import { expectInvalid, expectOk, expectProblem, type Fields, get, patch, post } from './people.ts'
import { createPerson, userAt } from './visitors.ts'

const VIEWS = '/admin/v1/views'
const at = (viewId: string) => `${VIEWS}/${encodeURIComponent(viewId)}`
const body = (fields: Fields = {}) => ({
  screen: 'cases',
  name: newName('View'),
  query: { assignee: 'me', due: 'overdue', sort: '-updatedAt' },
  ...fields,
})
const remove = (viewId: string, rest: Partial<Call> = {}) =>
  call({ method: 'DELETE', path: at(viewId), ...rest })

describe('saved views', () => {
  let mine: Partial<Call>
  let colleague: Partial<Call>
  let viewer: Partial<Call>

  before(async () => {
    mine = { token: (await ownToken(['desk:read', 'desk:write'])).token }
    colleague = { token: (await ownToken(['desk:read', 'desk:write'])).token }
    viewer = { token: (await ownToken(['desk:read'])).token }
  })

  const idsOf = async (rest: Partial<Call>, query = '') =>
    (await get(`${VIEWS}${query}`, rest)).body.map((view: Fields) => view['viewId'])

  it('are created with 201, a Location and an ETag, and read back', async () => {
    const sent = body()
    const response = await post(VIEWS, sent, mine)
    assert.equal(response.status, 201)
    const { viewId, createdAt, updatedAt, ...rest } = response.body
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(rest, { ...sent, shared: false, own: true })
    const read = await get(response.headers.get('location') ?? '', mine)
    assert.deepEqual(read.body, response.body)
    const etag = read.headers.get('etag') ?? ''
    assert.equal(etag, response.headers.get('etag'))
    assert.equal((await get(at(viewId), { ...mine, headers: { 'if-none-match': etag } })).status, 304)
    assert.deepEqual(await idsOf(mine), [viewId])
    assert.deepEqual(await idsOf(mine, '?screen=cases'), [viewId])
    assert.deepEqual(await idsOf(mine, '?screen=expiring'), [])
  })

  it('of cases keep whether they are a table or a board; those of other screens do not', async () => {
    const query = { due: '7', show: 'board' }
    assert.deepEqual((await expectOk(post(VIEWS, body({ query }), mine)))['query'], query)
    await expectInvalid(
      post(VIEWS, body({ screen: 'applicants', query: { show: 'board' } }), mine),
      '/query/show',
    )
  })

  it('belong to one caller until they are shared', async () => {
    const { viewId } = await expectOk(post(VIEWS, body(), mine))
    await expectProblem(get(at(viewId), colleague), 404, 'view-not-found')
    await expectProblem(patch(at(viewId), { name: 'x' }, colleague), 404, 'view-not-found')
    await expectProblem(remove(viewId, colleague), 404, 'view-not-found')
    assert.ok(!(await idsOf(colleague)).includes(viewId))
    await expectOk(patch(at(viewId), { shared: true }, mine))
    const seen = await expectOk(get(at(viewId), colleague))
    assert.deepEqual([seen['own'], seen['shared']], [false, true])
    assert.ok((await idsOf(viewer)).includes(viewId))
    await expectProblem(patch(at(viewId), { name: 'x' }, colleague), 403, 'view-of-another-caller')
    await expectProblem(remove(viewId, colleague), 403, 'view-of-another-caller')
    await expectOk(patch(at(viewId), { shared: false }, mine))
    await expectProblem(get(at(viewId), colleague), 404, 'view-not-found')
    assert.equal((await remove(viewId, mine)).status, 204)
    await expectProblem(get(at(viewId), mine), 404, 'view-not-found')
    await expectProblem(remove(viewId, mine), 404, 'view-not-found')
    await expectProblem(get(at(UNKNOWN_ID), mine), 404, 'view-not-found')
  })

  it('are shared by callers who may write at the desk', async () => {
    await expectProblem(post(VIEWS, body({ shared: true }), viewer), 403, 'sharing-not-allowed')
    const { viewId } = await expectOk(post(VIEWS, body(), viewer))
    await expectProblem(patch(at(viewId), { shared: true }, viewer), 403, 'sharing-not-allowed')
    await expectOk(patch(at(viewId), { name: newName('View') }, viewer))
  })

  it('are not changed for the team by an owner who may no longer share', async () => {
    const { clientId, clientSecret } = await expectOk(
      post('/admin/v1/clients', { name: 'Acceptance tests', scopes: ['desk:read', 'desk:write'] }),
    )
    const writing = { token: await tokenOf(clientId, clientSecret) }
    const { viewId } = await expectOk(post(VIEWS, body({ shared: true }), writing))
    await expectOk(patch(clientAt(clientId), { scopes: ['desk:read'] }))
    const token = await tokenOf(clientId, clientSecret)
    await expectProblem(patch(at(viewId), { query: {} }, { token }), 403, 'sharing-not-allowed')
    await expectOk(patch(at(viewId), { shared: false }, { token }))
  })

  it('that are shared can be removed by an administrator, others do not exist for one', async () => {
    const shared = await expectOk(post(VIEWS, body({ shared: true }), mine))
    const own = await expectOk(post(VIEWS, body(), mine))
    await expectProblem(patch(at(shared['viewId']), { name: 'x' }), 403, 'view-of-another-caller')
    assert.equal((await remove(shared['viewId'])).status, 204)
    await expectProblem(get(at(shared['viewId']), mine), 404, 'view-not-found')
    await expectProblem(remove(own['viewId']), 404, 'view-not-found')
  })

  it('have a name that is unique for the caller and the screen', async () => {
    const name = newName('Größe')
    const first = await expectOk(post(VIEWS, body({ name }), mine))
    await expectProblem(post(VIEWS, body({ name: name.toUpperCase() }), mine), 409, 'view-name-in-use')
    await expectOk(post(VIEWS, body({ name, screen: 'documents', query: { status: 'expired' } }), mine))
    await expectOk(post(VIEWS, body({ name }), colleague))
    const other = await expectOk(post(VIEWS, body(), mine))
    await expectProblem(patch(at(other['viewId']), { name }, mine), 409, 'view-name-in-use')
    await expectOk(patch(at(first['viewId']), { name: name.toLowerCase() }, mine))
  })

  it('keep their version where nothing changes, and reject an older one', async () => {
    const made = await post(VIEWS, body(), mine)
    const { viewId, name } = made.body
    const etag = made.headers.get('etag') ?? ''
    const same = await patch(at(viewId), { name }, mine)
    assert.deepEqual([same.headers.get('etag'), same.body.updatedAt], [etag, made.body.updatedAt])
    const changed = await patch(
      at(viewId),
      { query: { status: 'open' } },
      { ...mine, headers: { 'if-match': etag } },
    )
    assert.deepEqual([changed.status, changed.body.query], [200, { status: 'open' }])
    await expectProblem(
      patch(at(viewId), { query: {} }, { ...mine, headers: { 'if-match': etag } }),
      412,
      'version-mismatch',
    )
  })

  it('are created once for a repeated Idempotency-Key', async () => {
    const headers = { 'idempotency-key': newName('key').replaceAll(' ', '-') }
    const sent = body()
    const first = await post(VIEWS, sent, { ...mine, headers })
    assert.deepEqual((await post(VIEWS, sent, { ...mine, headers })).body, first.body)
    await expectProblem(post(VIEWS, body(), { ...mine, headers }), 422, 'idempotency-key-reused')
  })

  it('accept the filters of their screen only', async () => {
    const problem = await expectInvalid(
      post(VIEWS, body({ query: { due: '7', colour: 'red', maxRecords: '10' } }), mine),
      '/query/colour',
      '/query/maxRecords',
    )
    assert.match(problem['errors'][0].detail, /assignee/)
    const { viewId } = await expectOk(post(VIEWS, body(), mine))
    await expectInvalid(patch(at(viewId), { query: { kind: 'passport' } }, mine), '/query/kind')
    await expectInvalid(
      post(VIEWS, { screen: 'people', name: ' ', query: { q: 1 }, shared: 'no' }, mine),
      '/screen',
      '/name',
      '/query/q',
      '/shared',
    )
  })

  it('that are shared are seen by callers whose companies include those of the owner', async () => {
    const [one, two] = [await company(), await company()]
    const owner = await limitedTo(one)
    const both = await limitedTo(one, two)
    const stranger = await limitedTo(two)
    const { viewId } = await expectOk(post(VIEWS, body({ shared: true }), owner))
    assert.ok((await idsOf(both)).includes(viewId))
    assert.ok(!(await idsOf(stranger)).includes(viewId))
    await expectProblem(get(at(viewId), stranger), 404, 'view-not-found')
    const unlimited = await expectOk(post(VIEWS, body({ shared: true })))
    assert.ok(!(await idsOf(owner)).includes(unlimited['viewId']))
    assert.ok((await idsOf(mine)).includes(unlimited['viewId']))
  })

  it('stay with a person who loses companies', async () => {
    const [one, two] = [await company(), await company()]
    const { user, headers } = await createPerson({ roles: ['case-manager'] })
    const person = { scopes: null, headers: headers() }
    const { viewId, name } = await expectOk(post(VIEWS, body(), person))
    for (const companies of [[one.companyId, two.companyId], [two.companyId]]) {
      await expectOk(patch(userAt(user.userId), { companies }))
      const own = (await get(VIEWS, person)).body.filter((view: Fields) => view['own'])
      assert.deepEqual(
        own.map((view: Fields) => view['viewId']),
        [viewId],
      )
      await expectProblem(post(VIEWS, body({ name }), person), 409, 'view-name-in-use')
    }
    await remove(viewId, person)
  })

  it('are at most 200 for a caller', async () => {
    const many = { token: (await ownToken(['desk:read'])).token }
    for (let count = 0; count < 200; count++) await expectOk(post(VIEWS, body(), many))
    await expectProblem(post(VIEWS, body(), many), 409, 'too-many-views')
    const [viewId] = await idsOf(many)
    await remove(viewId, many)
    await expectOk(post(VIEWS, body(), many))
  })
})
