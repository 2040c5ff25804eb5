import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { inflateSync } from 'node:zlib'
import { createTestApp } from '../support/harness.ts'

const app = await createTestApp()

// biome-ignore lint/suspicious/noExplicitAny: a test looks at any response.
type Row = any

const list = async (url: string): Promise<Row[]> => {
  const { status, body } = await app.call({ url: `${url}${url.includes('?') ? '&' : '?'}maxRecords=1000` })
  assert.equal(status, 200, JSON.stringify(body))
  return body.records
}

const download = async ({ documentId }: { documentId: string }) => {
  const headers = { authorization: `Bearer ${await app.token()}` }
  const response = await app.app.inject({ url: `/v2/document/${documentId}/file`, headers })
  assert.equal(response.statusCode, 200)
  return { type: response.headers['content-type'], bytes: response.rawPayload }
}

describe('the demo dataset', () => {
  it('is loaded once', async () => {
    assert.equal(await app.loadDemo(), true)
    assert.equal(await app.loadDemo(), false)
  })

  it('has three companies and five colleagues: one for each role, and the HR contact of a company', async () => {
    const { body: companies } = await app.call({ url: '/admin/v1/companies' })
    assert.deepEqual(companies.map(({ code }: Row) => code).sort(), ['BRIGHT', 'HALDEN', 'SOLENNE'])
    const { body: users } = await app.call({ url: '/admin/v1/users' })
    const halden = companies.find(({ code }: Row) => code === 'HALDEN')
    assert.deepEqual(
      users.map(({ email, roles, companies }: Row) => [email.split('@')[0], roles.join(), companies]).sort(),
      [
        ['admin', 'admin', null],
        ['auditor', 'auditor', null],
        ['case-manager', 'case-manager', null],
        ['hr', 'case-manager', [halden.companyId]],
        ['viewer', 'viewer', null],
      ],
    )
    const stored = JSON.parse(readFileSync(join(app.config.dataDir, 'credentials.json'), 'utf8'))
    assert.deepEqual(
      stored.users.map(({ email }: Row) => email).sort(),
      users.map(({ email }: Row) => email).sort(),
    )
  })

  it('has sixty families, with dependents and many nationalities', async () => {
    const people = await list('/admin/v1/applicants')
    const primary = people.filter(({ employeeNumber }) => /^D-\d+$/.test(employeeNumber ?? ''))
    assert.equal(primary.length, 60)
    assert.ok(new Set(primary.map(({ lastName }) => lastName)).size === 60)
    assert.ok(new Set(primary.map(({ nationality }) => nationality)).size >= 40)
    const { body: dependents } = await app.call({ url: '/v2/applicant/employeenumber/D-1001/dependents' })
    assert.deepEqual(dependents.map(({ relationship }: Row) => relationship).sort(), [
      'Child',
      'Child',
      'Spouse',
    ])
  })

  it('has cases in all states, with steps that are overdue, due this week and later, assigned and not', async () => {
    const cases = await list('/admin/v1/cases')
    assert.equal(cases.length, 60)
    assert.deepEqual([...new Set(cases.map(({ status }) => status))].sort(), ['closed', 'open', 'pending'])
    const { body: overview } = await app.call({ url: '/admin/v1/overview' })
    const { open, pending, overdue, dueThisWeek, unassigned } = overview.cases
    assert.ok(open > 20 && pending > 3, JSON.stringify(overview))
    assert.ok(overdue > 5 && overdue < open / 2, `${overdue} overdue`)
    assert.ok(dueThisWeek > 5, `${dueThisWeek} due`)
    assert.ok(unassigned > 3, `${unassigned} unassigned`)
    for (const email of ['case-manager', 'admin', 'hr']) {
      const { body: users } = await app.call({ url: '/admin/v1/users' })
      const { userId } = users.find((user: Row) => user.email.startsWith(`${email}@`))
      assert.ok((await list(`/admin/v1/cases?assignee=${userId}`)).length > 2, email)
    }
    assert.ok((await list('/admin/v1/cases?vip=true')).length > 2)
  })

  it('has passports and permits that have expired, that expire soon, and that are good for years', async () => {
    const { body: overview } = await app.call({ url: '/admin/v1/overview' })
    for (const [name, count] of Object.entries(overview.expiring)) assert.ok((count as number) > 0, name)
    for (const kind of ['passport', 'document'])
      assert.ok((await list(`/admin/v1/expiring?within=90&kind=${kind}`)).length > 2, kind)
  })

  it('has notes of colleagues, for the team and for everyone, and a timeline with people in it', async () => {
    const [first] = await list('/admin/v1/cases?assignee=none')
    const cases = await list('/admin/v1/cases')
    const visibilities = new Set<string>()
    for (const { caseId } of cases.slice(0, 20)) {
      const { body } = await app.call({ url: `/v2/case/${caseId}/notes` })
      for (const { visibility, author } of body) {
        visibilities.add(visibility)
        assert.match(author, /Okafor|Brandt|Voss/)
      }
    }
    assert.deepEqual([...visibilities].sort(), ['everyone', 'team'])
    assert.ok((await list(`/admin/v1/cases/${first.caseId}/timeline`)).length > 2)
  })

  it('has files that programs can show: PDF and PNG', async () => {
    const documents = await list('/admin/v1/documents?hasFile=true')
    assert.ok(documents.length >= 60, `${documents.length}`)
    const pdf = await download(documents.find(({ contentType }) => contentType === 'application/pdf'))
    assert.equal(pdf.type, 'application/pdf')
    assert.match(pdf.bytes.toString('latin1'), /^%PDF-1\.7[\s\S]*specimen[\s\S]*%%EOF\n$/)
    const png = await download(documents.find(({ contentType }) => contentType === 'image/png'))
    assert.equal(png.type, 'image/png')
    const [width, height] = [png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)]
    const length = png.bytes.readUInt32BE(33)
    assert.equal(inflateSync(png.bytes.subarray(41, 41 + length)).length, (width * 3 + 1) * height)
  })

  it('has processes with checklists, which cases have filled in part', async () => {
    const { body: processes } = await app.call({ url: '/admin/v1/processes' })
    const names = processes.map(({ name }: Row) => name)
    for (const name of ['Work permit', 'Business visa', 'Renewal of residence', 'Dependent permit'])
      assert.ok(names.includes(name), name)
    const states = new Set<string>()
    for (const { caseId } of await list('/admin/v1/cases')) {
      const { body } = await app.call({ url: `/admin/v1/cases/${caseId}/checklist` })
      assert.ok(body.items.length > 2)
      for (const { state } of body.items) states.add(state)
    }
    assert.deepEqual([...states].sort(), ['accepted', 'missing', 'received'])
  })

  it('has saved views, a pair of duplicates, and a webhook that does not get through', async () => {
    const { body: views } = await app.call({ url: '/admin/v1/views' })
    assert.ok(views.length >= 3, 'those that are shared')
    const { body: webhooks } = await app.call({ url: '/admin/v1/webhooks' })
    assert.deepEqual(
      webhooks.map(({ url }: Row) => new URL(url).hostname.split('.').at(-1)),
      ['invalid'],
    )
    const found = await list('/admin/v1/applicants?name=wojcik')
    const twice = found.filter(({ firstName }) => /^[LŁ]ukasz$/.test(firstName))
    assert.deepEqual(twice.map(({ employeeNumber }) => employeeNumber).sort(), ['D-1007', 'X-2077'])
  })

  it('has dates as the API returns them for people who were sent by a client', async () => {
    const { body } = await app.call({ url: '/v2/applicant/employeenumber/D-1001' })
    assert.match(body.dateOfBirth, /^\d{4}-\d{2}-\d{2}T00:00:00$/)
    assert.match(body.passports[0].expiryDate, /^\d{4}-\d{2}-\d{2}T00:00:00$/)
  })

  it('has an import that the guard stops, because it takes the telephone number of sixty people', async () => {
    const [sent] = await list('/v2/imports')
    // The response waits until the background job has checked the rows.
    const { body } = await app.call({
      url: `/v2/imports/${sent.importId}`,
      headers: { prefer: 'wait=30' },
    })
    assert.equal(body.status, 'held')
    assert.deepEqual(body.counts, {
      total: 60,
      created: 0,
      updated: 60,
      unchanged: 0,
      rejected: 0,
      missing: 0,
    })
    assert.equal(body.held.people, 60)
    assert.deepEqual(body.held.reasons[0].samples[0].changed, ['/primaryApplicant/telephone'])
  })
})
