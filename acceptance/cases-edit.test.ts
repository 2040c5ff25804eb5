// Changing the fields, the assignee and the due date of a case.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  adminCase,
  adminStep,
  caseAt,
  company,
  everyCaseField,
  newCase,
  notesAt,
  stepsAt,
  UNKNOWN_ID,
} from './case-factories.ts'
import { limitedTo } from './company-factories.ts'
import { expectInvalid, expectOk, expectProblem, type Fields, get, patch, post } from './people.ts'
import { inviteUser, userAt } from './visitors.ts'

const edit = (caseId: string, body: Fields, rest = {}) => patch(adminCase(caseId), body, rest)

/** The audit entries of changes of this case. */
async function changesOf(caseId: string): Promise<Fields[]> {
  const today = new Date().toISOString().slice(0, 10)
  const query = new URLSearchParams({
    startDate: today,
    endDate: today,
    recordId: caseId,
    action: 'case.write',
  })
  return (await expectOk(get(`/admin/v1/audit?${query}`)))['records']
}

describe('PATCH /admin/v1/cases/{caseId}', () => {
  it('changes every field of a case but the applicant', async () => {
    const { applicant: _applicant, ...created } = await everyCaseField()
    const { body } = await newCase(created)
    const other = await company()
    const changed: Fields = { metadata: [{ tagName: 'wave', value: '2' }] }
    for (const field of Object.keys(created).filter(name => name !== 'metadata'))
      changed[field] = /Company$/.test(field) ? other.code : /Country$/.test(field) ? 'FR' : `New ${field}`
    const response = await edit(body['caseId'], changed)
    assert.equal(response.status, 200, JSON.stringify(response.body))
    const { updatedAt, ...rest } = response.body
    const { updatedAt: before, warnings: _warnings, ...was } = body
    const ids = {
      hostCompanyId: other.companyId,
      sendingCompanyId: other.companyId,
      billingCompanyId: other.companyId,
    }
    assert.deepEqual(rest, { ...was, ...changed, ...ids })
    assert.ok(updatedAt > before)
    const read = await get(caseAt(body['caseId']))
    assert.deepEqual(read.body, response.body)
    assert.equal(read.headers.get('etag'), response.headers.get('etag'))
  })

  it('keeps fields that are not sent, and clears those that are null', async () => {
    const { body } = await newCase({
      hostCity: 'Köln',
      salary: '1',
      hostCountry: 'DE',
      metadata: [{ tagName: 'a', value: 'b' }],
    })
    const changed = await expectOk(edit(body['caseId'], { hostCity: null, hostCountry: '', metadata: null }))
    assert.deepEqual(
      [changed['hostCity'], changed['hostCountry'], changed['metadata'], changed['salary']],
      [null, null, [], '1'],
    )
  })

  it('has the fields before and after in the audit, and no entry of fields that stay', async () => {
    const { caseId } = await newCase({ hostCity: 'Köln' })
    await expectOk(edit(caseId, { hostCity: 'Bonn', dueDate: '2030-01-31', status: 'pending', salary: null }))
    const [entry] = await changesOf(caseId)
    assert.deepEqual(
      entry?.['changes'].toSorted((a: Fields, b: Fields) => (a['pointer'] < b['pointer'] ? -1 : 1)),
      [
        { pointer: '/dueDate', before: null, after: '2030-01-31' },
        { pointer: '/hostCity', before: 'Köln', after: 'Bonn' },
        { pointer: '/status', before: 'open', after: 'pending' },
      ],
    )
  })

  it('is a no-op for what is stored', async () => {
    const { caseId, body } = await newCase({ hostCity: 'Köln', hostCountry: 'DE' })
    await expectOk(edit(caseId, { dueDate: '2030-01-31' }))
    const before = await get(caseAt(caseId))
    const same = {
      hostCity: 'Köln',
      hostCompany: body['hostCompany'],
      metadata: [],
      dueDate: '2030-01-31',
      assigneeId: null,
    }
    assert.equal((await edit(caseId, same)).status, 200)
    const after = await get(caseAt(caseId))
    assert.equal(after.bytes.toString(), before.bytes.toString())
    assert.equal(after.headers.get('etag'), before.headers.get('etag'))
  })

  it('keeps the closing time when a closed case is edited', async () => {
    const { caseId } = await newCase()
    const { closedAt } = await expectOk(edit(caseId, { status: 'closed' }))
    assert.equal((await expectOk(edit(caseId, { hostCity: 'Bonn' })))['closedAt'], closedAt)
  })

  it('changes nothing where one field is invalid', async () => {
    const { caseId } = await newCase()
    const before = await get(caseAt(caseId))
    await expectInvalid(
      edit(caseId, { caseType: null, hostCompany: '', hostCity: 'x' }),
      '/caseType',
      '/hostCompany',
    )
    await expectInvalid(
      edit(caseId, { dueDate: '2030-02-30', hostCountry: 'Germany' }),
      '/dueDate',
      '/hostCountry',
    )
    await expectInvalid(edit(caseId, { applicant: { firstName: 'x' } }), '/applicant')
    await expectProblem(
      edit(caseId, { status: 'pending', hostCompany: 'No such company' }),
      422,
      'unknown-company',
    )
    assert.equal((await get(caseAt(caseId))).bytes.toString(), before.bytes.toString())
    await expectProblem(edit(UNKNOWN_ID, { hostCity: 'x' }), 404, 'case-not-found')
  })

  it('is accepted only for the version that If-Match names', async () => {
    const { caseId } = await newCase()
    const etag = (await get(caseAt(caseId))).headers.get('etag') ?? ''
    const headers = { 'if-match': etag }
    assert.equal((await edit(caseId, { hostCity: 'Bonn' }, { headers })).status, 200)
    await expectProblem(edit(caseId, { hostCity: 'Köln' }, { headers }), 412, 'version-mismatch')
  })

  it('returns identifiers to a caller without cases:read', async () => {
    const { caseId, applicantId, steps } = await newCase()
    const { body } = await edit(caseId, { hostCity: 'Bonn' }, { scopes: ['desk:write'] })
    const ids = steps.map(({ stepId }) => ({ stepId, caseId }))
    assert.deepEqual(body, { caseId, applicantId, steps: ids })
  })
})

describe('the companies of a case that is edited', () => {
  it('decide who sees the case with its steps, notes and earlier versions of notes', async () => {
    const [from, to] = [await company(), await company()]
    const all = (name: string) => ({ hostCompany: name, sendingCompany: name, billingCompany: name })
    const { caseId } = await newCase(all(from.name))
    const { noteId } = await expectOk(post(`${adminCase(caseId)}/notes`, { content: 'One' }))
    await expectOk(patch(`${adminCase(caseId)}/notes/${noteId}`, { content: 'Two' }))
    const [before, after] = [await limitedTo(from), await limitedTo(to)]
    const versions = `${adminCase(caseId)}/notes/${noteId}/versions`
    const paths = [
      caseAt(caseId),
      stepsAt(caseId),
      notesAt(caseId),
      versions,
      `${adminCase(caseId)}/timeline`,
    ]
    const seen = async (token: string) =>
      Promise.all(paths.map(async path => (await get(path, { token })).status))
    assert.deepEqual(await seen(before.token), [200, 200, 200, 200, 200])
    assert.deepEqual(await seen(after.token), [404, 404, 404, 404, 404])
    await expectOk(edit(caseId, all(to.name)))
    assert.deepEqual(await seen(before.token), [404, 404, 404, 404, 404])
    assert.deepEqual(await seen(after.token), [200, 200, 200, 200, 200])
    assert.equal((await get(versions, { token: after.token })).body.length, 2)
    await expectProblem(edit(caseId, { hostCity: 'x' }, { token: before.token }), 404, 'case-not-found')
  })

  const pointersOf = async (caseId: string, body: Fields, token: string) => {
    const { errors } = await expectProblem(edit(caseId, body, { token }), 422, 'unknown-company')
    return errors.map(({ pointer }: Fields) => pointer)
  }

  it('are changed by limited callers who have its sending company, and stay with one of theirs', async () => {
    const [own, second, other] = [await company(), await company(), await company()]
    const { caseId } = await newCase({
      hostCompany: other.name,
      sendingCompany: own.name,
      billingCompany: own.name,
    })
    const { token } = await limitedTo(own, second)
    assert.deepEqual(await pointersOf(caseId, { sendingCompany: other.name }, token), ['/sendingCompany'])
    const body = { sendingCompany: second.code, hostCompany: own.code, billingCompany: other.name }
    const changed = await expectOk(edit(caseId, body, { token }))
    assert.deepEqual(
      [changed['sendingCompanyId'], changed['hostCompanyId'], changed['billingCompanyId']],
      [second.companyId, own.companyId, other.companyId],
    )
  })

  it('are not changed by its host or billing company, which send them back as they are', async () => {
    const [own, host, billing] = [await company(), await company(), await company()]
    const companies = { hostCompany: host.name, sendingCompany: own.name, billingCompany: billing.name }
    const { caseId } = await newCase(companies)
    for (const [field, other] of [
      ['hostCompany', host],
      ['billingCompany', billing],
    ] as const) {
      const { token } = await limitedTo(other)
      for (const name of ['sendingCompany', 'hostCompany', 'billingCompany'])
        assert.deepEqual(await pointersOf(caseId, { [name]: other.code }, token), [`/${name}`])
      const all = { hostCompany: other.code, sendingCompany: other.code, billingCompany: other.code }
      assert.deepEqual(await pointersOf(caseId, all, token), [
        '/hostCompany',
        '/sendingCompany',
        '/billingCompany',
      ])
      const same = await expectOk(edit(caseId, { ...companies, hostCity: field }, { token }))
      assert.deepEqual(
        [same['hostCity'], same['sendingCompanyId'], same['hostCompanyId'], same['billingCompanyId']],
        [field, own.companyId, host.companyId, billing.companyId],
      )
    }
    assert.equal((await get(caseAt(caseId), { token: (await limitedTo(own)).token })).status, 200)
  })
})

describe('the assignee of a case or a step', () => {
  it('is returned with its name by every read of the case, and can be removed', async () => {
    const { user } = await inviteUser({ name: 'Ruth Okafor', roles: ['case-manager'] })
    const { caseId, steps } = await newCase()
    const stepId = steps[1]?.['stepId']
    const assignee = { userId: user.userId, name: 'Ruth Okafor' }
    assert.deepEqual((await expectOk(edit(caseId, { assigneeId: user.userId })))['assignee'], assignee)
    const step = await expectOk(patch(adminStep(caseId, stepId), { assigneeId: user.userId }))
    assert.deepEqual(step['assignee'], assignee)
    const read = await get(caseAt(caseId))
    assert.deepEqual(
      [read.body.assignee, read.body.steps[1], read.body.steps[0].assignee],
      [assignee, step, null],
    )
    assert.deepEqual((await get(stepsAt(caseId))).body[1], step)
    await expectOk(edit(caseId, { assigneeId: null }))
    await expectOk(patch(adminStep(caseId, stepId), { assigneeId: null }))
    const { body } = await get(caseAt(caseId))
    assert.deepEqual([body.assignee, body.steps[1].assignee], [null, null])
  })

  it('is named by its present name, which changes the ETag', async () => {
    const { user } = await inviteUser({ name: 'Ruth Okafor' })
    const { caseId, steps } = await newCase()
    await expectOk(patch(adminStep(caseId, steps[0]?.['stepId']), { assigneeId: user.userId }))
    // Twice: the second read comes from the cache.
    const [, before] = [await get(caseAt(caseId)), await get(caseAt(caseId))]
    const etag = before.headers.get('etag') ?? ''
    assert.equal((await get(caseAt(caseId), { headers: { 'if-none-match': etag } })).status, 304)
    await expectOk(patch(userAt(user.userId), { name: 'Ruth Adeyemi' }))
    const after = await get(caseAt(caseId), { headers: { 'if-none-match': etag } })
    assert.equal(after.status, 200)
    assert.equal(after.body.steps[0].assignee.name, 'Ruth Adeyemi')
    await expectProblem(
      edit(caseId, { hostCity: 'x' }, { headers: { 'if-match': etag } }),
      412,
      'version-mismatch',
    )
  })

  it('is an active user who sees a company of the case', async () => {
    const [own, other] = [await company(), await company()]
    const { caseId, steps } = await newCase({ hostCompany: own.name })
    const limited = async (companyId: string) => (await inviteUser({ companies: [companyId] })).user.userId
    const disabled = (await inviteUser()).user.userId
    await expectOk(patch(userAt(disabled), { active: false }))
    for (const assigneeId of [UNKNOWN_ID, 'x', '', disabled, await limited(other.companyId)]) {
      const { errors } = await expectProblem(edit(caseId, { assigneeId }), 422, 'unknown-reference')
      assert.deepEqual(
        errors.map(({ pointer }: Fields) => pointer),
        ['/assigneeId'],
      )
      const at = adminStep(caseId, steps[0]?.['stepId'])
      await expectProblem(patch(at, { assigneeId }), 422, 'unknown-reference')
      await expectProblem(
        post(`${adminCase(caseId)}/steps`, { name: 'x', assigneeId }),
        422,
        'unknown-reference',
      )
    }
    await expectOk(edit(caseId, { assigneeId: await limited(own.companyId) }))
  })

  it('is shown to a limited caller, who assigns only users that it sees', async () => {
    const own = await company()
    const { caseId } = await newCase({ sendingCompany: own.name })
    const { token } = await limitedTo(own)
    const everywhere = (await inviteUser({ name: 'Sees all' })).user.userId
    await expectProblem(edit(caseId, { assigneeId: everywhere }, { token }), 422, 'unknown-reference')
    await expectOk(edit(caseId, { assigneeId: everywhere }))
    const read = await get(caseAt(caseId), { token })
    assert.deepEqual(read.body.assignee, { userId: everywhere, name: 'Sees all' })
    assert.equal((await edit(caseId, { assigneeId: everywhere, hostCity: 'Bonn' }, { token })).status, 200)
  })
})
