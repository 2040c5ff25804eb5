// Checklists of processes and cases.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { adminCase, company, dayFromNow, newCase, newName, processAt, UNKNOWN_ID } from './case-factories.ts'
import { call } from './client.ts'
import { limitedTo, pdf } from './company-factories.ts'
import {
  expectInvalid,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  patch,
  post,
  put,
} from './people.ts'

const processListAt = (name: string) => `${processAt(name)}/checklist`
const listAt = (caseId: string) => `${adminCase(caseId)}/checklist`

const ITEMS = [
  { name: 'Passport copy', type: 'passport', required: true },
  { name: 'Marriage certificate', type: null, required: false },
]

let processName = ''
before(async () => {
  processName = newName('Process')
  await expectOk(put(processAt(processName), { steps: ['Collect documents'] }))
  await expectOk(put(processListAt(processName), { items: ITEMS }))
})

async function upload(path: string, parts: Record<string, string>): Promise<Fields> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ countryCode: 'DE', ...parts })) form.append(name, value)
  form.append('document', new Blob([new Uint8Array(pdf('x'))]), 'scan.pdf')
  return expectOk(post(path, form))
}
const uploadTo = (caseId: string, parts: Record<string, string>) =>
  upload('/v2/document', { caseId, ...parts })

const states = async (caseId: string) => {
  const { items } = await expectOk(get(listAt(caseId)))
  return (items as Fields[]).map(({ state, documentId }) => [state, documentId])
}

describe('PUT /admin/v1/processes/{name}/checklist', () => {
  it('stores what cases need, in order, and changes nothing when repeated', async () => {
    const read = await expectOk(get(processListAt(processName)))
    assert.deepEqual(read, { items: ITEMS })
    const again = await expectOk(
      put(processListAt(processName), {
        items: [
          { name: 'Passport copy', type: 'passport' },
          { name: 'Marriage certificate', required: false },
        ],
      }),
    )
    assert.deepEqual(again, read)
  })

  it('is kept when the process is replaced, and is empty at first', async () => {
    const name = newName('Process')
    await expectOk(put(processAt(name), { steps: ['A'] }))
    assert.deepEqual(await expectOk(get(processListAt(name))), { items: [] })
    await expectOk(put(processListAt(name), { items: ITEMS }))
    await expectOk(put(processAt(name), { steps: ['A', 'B'] }))
    assert.deepEqual(await expectOk(get(processListAt(name))), { items: ITEMS })
  })

  it('rejects invalid items, and names each', async () => {
    const items = [{ name: ' ' }, { name: 'A', required: 'yes' }, { type: 'x' }, { name: 'B', other: 1 }]
    await expectInvalid(
      put(processListAt(processName), { items }),
      '/items/0/name',
      '/items/1/required',
      '/items/2/name',
      '/items/3/other',
    )
    await expectInvalid(
      put(processListAt(processName), { items: [{ name: 'A' }, { name: ' a' }] }),
      '/items/1/name',
    )
  })

  it('rejects a process that does not exist, and limited callers', async () => {
    const unknown = processListAt(newName('Process'))
    await expectProblem(get(unknown), 404, 'process-not-found')
    await expectProblem(put(unknown, { items: [] }), 404, 'process-not-found')
    const { token } = await limitedTo(await company())
    const limited = put(processListAt(processName), { items: [] }, { token })
    await expectProblem(limited, 403, 'all-companies-required')
    assert.deepEqual(await expectOk(get(processListAt(processName), { token })), { items: ITEMS })
  })
})

describe('GET /admin/v1/cases/{caseId}/checklist', () => {
  it('has the items of the process, each with the document that fills it', async () => {
    const { caseId, applicantId } = await newCase({ processName })
    const first = await expectOk(get(listAt(caseId)))
    assert.deepEqual(first, {
      caseId,
      source: 'process',
      complete: false,
      items: ITEMS.map(item => ({
        ...item,
        state: 'missing',
        documentId: null,
        chosen: false,
        acceptedAt: null,
        acceptedBy: null,
        document: null,
      })),
    })
    const passport = await uploadTo(caseId, { type: 'Passport', expiryDate: dayFromNow(400) })
    const certificate = await upload(`/admin/v1/applicants/${applicantId}/documents`, {
      name: 'Marriage certificate',
    })
    const { complete, items } = await expectOk(get(listAt(caseId)))
    assert.equal(complete, true)
    assert.deepEqual(
      items.map(({ state, documentId, chosen }: Fields) => [state, documentId, chosen]),
      [
        ['received', passport['documentId'], false],
        ['received', certificate['documentId'], false],
      ],
    )
    assert.deepEqual(items[0].document, {
      name: 'scan.pdf',
      type: 'Passport',
      expiryDate: passport['expiryDate'],
      hasFile: true,
      caseId,
    })
  })

  it('is filled by the type that a document has without one', async () => {
    const name = newName('Process')
    await expectOk(put(processAt(name), { steps: ['A'] }))
    const items = ['Case document', 'applicant document'].map(type => ({ name: `Any ${type}`, type }))
    await expectOk(put(processListAt(name), { items }))
    const { caseId, applicantId } = await newCase({ processName: name })
    await uploadTo(caseId, {})
    await upload(`/admin/v1/applicants/${applicantId}/documents`, {})
    const filled = (await expectOk(get(listAt(caseId))))['items'] as Fields[]
    assert.deepEqual(
      filled.map(({ state, document }) => [state, document.type]),
      [
        ['received', 'Case document'],
        ['received', 'Applicant document'],
      ],
    )
  })

  it('is expired when the document has expired, and missing when it is removed', async () => {
    const { caseId } = await newCase({ processName })
    const { documentId } = await uploadTo(caseId, { type: 'passport', expiryDate: dayFromNow(-1) })
    assert.deepEqual((await states(caseId))[0], ['expired', documentId])
    const path = `/admin/v1/documents/${encodeURIComponent(documentId)}`
    await expectOk(patch(path, { expiryDate: dayFromNow(0) }))
    assert.deepEqual((await states(caseId))[0], ['received', documentId])
    await expectOk(call({ method: 'DELETE', path, body: { reason: 'Unreadable' } }))
    assert.deepEqual((await states(caseId))[0], ['missing', null])
  })

  it('is empty for a case whose process has none, follows the process, and returns 304', async () => {
    const name = newName('Process')
    await expectOk(put(processAt(name), { steps: ['A'] }))
    const { caseId } = await newCase({ processName: name })
    const empty = await get(listAt(caseId))
    assert.deepEqual([empty.body.items, empty.body.complete], [[], true])
    const etag = empty.headers.get('etag') ?? ''
    assert.equal((await get(listAt(caseId), { headers: { 'if-none-match': etag } })).status, 304)
    await expectOk(put(processListAt(name), { items: ITEMS }))
    assert.equal((await get(listAt(caseId), { headers: { 'if-none-match': etag } })).body.items.length, 2)
  })

  it('rejects an unknown case, and one of another company', async () => {
    await expectProblem(get(listAt(UNKNOWN_ID)), 404, 'case-not-found')
    const { caseId } = await newCase({ processName })
    const { token } = await limitedTo(await company())
    await expectProblem(get(listAt(caseId), { token }), 404, 'case-not-found')
    await expectProblem(put(listAt(caseId), { items: [] }, { token }), 404, 'case-not-found')
  })
})

describe('PUT /admin/v1/cases/{caseId}/checklist', () => {
  it('accepts the document that is chosen, until its file is replaced', async () => {
    const { caseId } = await newCase({ processName })
    const { documentId } = await uploadTo(caseId, { name: 'Scan 7' })
    const items = [{ name: 'Passport copy', type: 'passport', documentId, accepted: true }]
    const saved = await expectOk(put(listAt(caseId), { items }))
    assert.deepEqual([saved['source'], saved['complete']], ['case', true])
    const [item] = saved['items']
    assert.deepEqual([item.state, item.documentId, item.chosen], ['accepted', documentId, true])
    assert.ok(item.acceptedAt && item.acceptedBy)
    const form = new FormData()
    form.append('document', new Blob([new Uint8Array(pdf('page 2'))]), 'scan.pdf')
    await expectOk(put(`/admin/v1/documents/${encodeURIComponent(documentId)}/file`, form))
    assert.deepEqual(await states(caseId), [['received', documentId]])
  })

  it('changes nothing when repeated, and keeps an acceptance when other items change', async () => {
    const { caseId } = await newCase({ processName })
    const { documentId } = await uploadTo(caseId, {})
    const items: Fields[] = [{ name: 'Passport copy', documentId, accepted: true }]
    const first = await put(listAt(caseId), { items })
    const again = await put(listAt(caseId), { items })
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers.get('etag'), first.headers.get('etag'))
    const more = await expectOk(put(listAt(caseId), { items: [{ name: 'Letter' }, ...items] }))
    assert.equal(more['items'][1].acceptedAt, first.body.items[0].acceptedAt)
    const query = `recordId=${encodeURIComponent(caseId)}&action=case.checklist_write`
    const range = `startDate=${dayFromNow(-1)}&endDate=${dayFromNow(1)}`
    const { records } = await expectOk(get(`/admin/v1/audit?${query}&${range}`))
    assert.equal(records.length, 2)
    assert.ok(JSON.stringify(records[0].changes).includes(documentId))
  })

  it('does not follow the process any more once it is saved', async () => {
    const { caseId } = await newCase({ processName })
    await expectOk(put(listAt(caseId), { items: [] }))
    const saved = await expectOk(get(listAt(caseId)))
    assert.deepEqual([saved['source'], saved['items']], ['case', []])
  })

  it('writes only over the state that If-Match names, documents included', async () => {
    const { caseId } = await newCase({ processName })
    const etag = (await get(listAt(caseId))).headers.get('etag') ?? ''
    await uploadTo(caseId, { type: 'passport' })
    const late = put(listAt(caseId), { items: [] }, { headers: { 'if-match': etag } })
    await expectProblem(late, 412, 'version-mismatch')
    const now = (await get(listAt(caseId))).headers.get('etag') ?? ''
    await expectOk(put(listAt(caseId), { items: [] }, { headers: { 'if-match': now } }))
  })

  it('rejects documents of others, an acceptance without a document, and a name twice', async () => {
    const { caseId } = await newCase({ processName })
    const other = await newCase({ processName })
    const { documentId } = await uploadTo(other.caseId, {})
    const { id } = await family()
    const foreign = await upload(`/admin/v1/applicants/${id}/documents`, {})
    for (const unknown of [documentId, foreign['documentId'], UNKNOWN_ID]) {
      const response = put(listAt(caseId), { items: [{ name: 'A' }, { name: 'B', documentId: unknown }] })
      const { errors } = await expectProblem(response, 422, 'unknown-reference')
      assert.deepEqual(
        errors.map(({ pointer }: Fields) => pointer),
        ['/items/1/documentId'],
      )
    }
    await expectInvalid(put(listAt(caseId), { items: [{ name: 'A', accepted: true }] }), '/items/0/accepted')
    await expectInvalid(put(listAt(caseId), { items: [{ name: 'A' }, { name: 'A' }] }), '/items/1/name')
    await expectInvalid(put(listAt(caseId), { items: [{ name: 'A', state: 'missing' }] }), '/items/0/state')
    await expectProblem(put(listAt(UNKNOWN_ID), { items: [] }), 404, 'case-not-found')
  })

  it('keeps what another company of the case has accepted, and does not tell its id', async () => {
    const [sender, host] = [await company(), await company()]
    const { caseId, applicantId } = await newCase({
      processName,
      sendingCompany: sender.name,
      hostCompany: host.name,
    })
    const { documentId } = await upload(`/admin/v1/applicants/${applicantId}/documents`, { name: 'Scan' })
    const accepted = { name: 'Passport copy', documentId, accepted: true }
    const before = await expectOk(put(listAt(caseId), { items: [accepted, { name: 'Letter' }] }))
    const { token } = await limitedTo(host)
    const seen = await expectOk(get(listAt(caseId), { token }))
    assert.deepEqual([seen['items'][0].state, seen['items'][0].documentId], ['missing', null])
    // An item is known by its name, in capitals or not.
    const items = [{ name: 'passport copy' }, { name: 'Letter', required: false }]
    await expectOk(put(listAt(caseId), { items }, { token }))
    await expectOk(put(listAt(caseId), { items: [{ name: 'Passport copy' }, ...items.slice(1)] }, { token }))
    const { items: kept } = await expectOk(get(listAt(caseId)))
    assert.deepEqual(kept[0], before['items'][0])
    assert.equal(kept[1].required, false)
    // It may remove the item, which is then in the audit as it was.
    await expectOk(put(listAt(caseId), { items: [{ name: 'Letter' }] }, { token }))
    const range = `startDate=${dayFromNow(-1)}&endDate=${dayFromNow(1)}`
    const paths = [
      `/admin/v1/audit?recordId=${encodeURIComponent(caseId)}&${range}`,
      `/admin/v1/audit/export?from=${dayFromNow(-1)}&to=${dayFromNow(1)}`,
      `${adminCase(caseId)}/timeline`,
    ]
    for (const path of paths) {
      const told = (await get(path, { token })).bytes.toString()
      assert.ok(told.includes('Passport copy') && !told.includes(documentId), path)
      assert.ok((await get(path)).bytes.toString().includes(documentId), path)
    }
  })

  it('returns identifiers to a caller that may not read cases', async () => {
    const { caseId } = await newCase({ processName })
    const body = await expectOk(put(listAt(caseId), { items: [] }, { scopes: ['desk:write'] }))
    assert.deepEqual(body, { caseId })
  })
})
