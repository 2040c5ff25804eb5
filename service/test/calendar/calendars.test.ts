// What is in the calendar of a person: what is assigned, within the companies and scopes of the person, without names.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createTestApp, testClock } from '../support/harness.ts'
import { createPerson } from '../support/people.ts'

const clock = testClock(new Date('2026-11-16T10:00:00Z'))
const app = await createTestApp({ clock })
const { sql } = app.db

const good = async (method: 'POST' | 'PATCH' | 'PUT', url: string, body: object) => {
  const response = await app.call({ method, url, body })
  assert.ok(response.status < 300, response.text)
  return response.body
}

/** The summaries by day, of lines that are unfolded. */
const entriesOf = (text: string) =>
  [...text.replaceAll('\r\n ', '').matchAll(/DTSTART;VALUE=DATE:(\d+)\r\nSUMMARY:([^\r]*)/g)]
    .map(([, day, summary]) => `${day} ${summary}`)
    .sort()

const read = (url: string) => app.app.inject({ url: new URL(url).pathname })

async function subscriber(fields: object = {}) {
  const { user, visitor } = await createPerson(app, { roles: ['case-manager'], ...fields })
  const { body, status } = await visitor.post('/admin/v1/me/calendar')
  assert.equal(status, 201)
  return { userId: user.userId, url: body.url as string }
}

const names = { hostCompany: 'Acme', sendingCompany: 'Acme', billingCompany: 'Acme' }
let acme = ''
let other = ''
before(async () => {
  acme = (await good('POST', '/admin/v1/companies', { name: 'Acme' })).companyId
  other = (await good('POST', '/admin/v1/companies', { name: 'Other' })).companyId
})

/** A family with a case; the child has a document, the applicant a passport and a document. */
async function familyWithCase(number: string, companies: object = names) {
  const sendingCompany = (companies as typeof names).sendingCompany
  const family = await good('PUT', `/v2/applicant/employeenumber/${number}`, {
    primaryApplicant: {
      firstName: 'Anna',
      lastName: 'Schmidt',
      sendingCompany,
      passports: [
        { passportNumber: `P${number}`, country: 'DE', expiryDate: '2027-02-01' },
        { passportNumber: `O${number}`, country: 'DE', expiryDate: '2026-12-01' },
        { passportNumber: `Q${number}`, country: 'FR', expiryDate: '2037-02-01' },
      ],
      documents: [{ name: 'Secret permit', expiryDate: '2027-03-01' }],
    },
    dependents: [
      {
        firstName: 'Ben',
        lastName: 'Ødegård',
        relationship: 'Child',
        documents: [{ name: 'Card', expiryDate: '2026-11-01' }],
      },
    ],
  })
  const made = await good('POST', '/v2/case', {
    caseType: 'Visa',
    ...companies,
    applicant: { employeeNumber: number, firstName: 'Anna', lastName: 'Schmidt' },
  })
  return { family, caseId: made.caseId as string, steps: made.steps as { stepId: string; name: string }[] }
}

const assignCase = (caseId: string, userId: string, dueDate: string | null = null) =>
  sql`update cases set assignee_id = ${userId}, due_date = ${dueDate} where case_id = ${caseId}`
const assignStep = (stepId: string | undefined, userId: string | null, dueDate: string) =>
  sql`update case_steps set assignee_id = ${userId}, due_date = ${dueDate} where step_id = ${stepId ?? ''}`

describe('the calendar of a person', () => {
  it('has what is assigned and due, and what expires in these families, with initials only', async () => {
    const me = await subscriber()
    const { caseId, steps } = await familyWithCase('E-1')
    await assignCase(caseId, me.userId, '2026-12-24')
    await assignStep(steps[0]?.stepId, null, '2026-11-20')
    await assignStep(steps[1]?.stepId, me.userId, '2026-11-10')
    const response = await read(me.url)
    assert.equal(response.statusCode, 200)
    assert.deepEqual(entriesOf(response.body), [
      '20261101 Document expires (B. Ø.)',
      `20261110 Step due: ${steps[1]?.name} (A. S.)`,
      `20261120 Step due: ${steps[0]?.name} (A. S.)`,
      '20261224 Case due (A. S.)',
      '20270201 Passport expires (A. S.)',
      '20270301 Document expires (A. S.)',
    ])
    assert.doesNotMatch(response.body, /Anna|Schmidt|Ødegård|E-1\b|Secret|PE-1/)
  })

  it('has what expires in the family of a dependent whose case it is', async () => {
    const me = await subscriber()
    await good('PUT', '/v2/applicant/employeenumber/E-11', {
      primaryApplicant: {
        firstName: 'Anna',
        lastName: 'Schmidt',
        sendingCompany: 'Acme',
        passports: [{ passportNumber: 'P-11', country: 'DE', expiryDate: '2027-02-01' }],
      },
      dependents: [
        { employeeNumber: 'E-12', firstName: 'Ben', lastName: 'Ødegård', relationship: 'Child' },
        {
          firstName: 'Cleo',
          lastName: 'Schmidt',
          relationship: 'Child',
          documents: [{ name: 'Card', expiryDate: '2026-11-01' }],
        },
      ],
    })
    const { caseId } = await good('POST', '/v2/case', {
      caseType: 'Visa',
      ...names,
      applicant: { employeeNumber: 'E-12', firstName: 'Ben', lastName: 'Ødegård' },
    })
    await assignCase(caseId, me.userId)
    assert.deepEqual(entriesOf((await read(me.url)).body), [
      '20261101 Document expires (C. S.)',
      '20270201 Passport expires (A. S.)',
    ])
  })

  it('leaves out what is assigned to others, finished, closed, removed or far away', async () => {
    const [me, colleague] = [await subscriber(), await subscriber()]
    const { caseId, steps, family } = await familyWithCase('E-2')
    await assignCase(caseId, colleague.userId, '2026-12-24')
    assert.deepEqual(entriesOf((await read(me.url)).body), [])
    await assignStep(steps[0]?.stepId, me.userId, '2026-11-20')
    await assignStep(steps[1]?.stepId, me.userId, '2028-11-20')
    const { documentId } = family.primaryApplicant.documents[0]
    const removed = await app.call({
      method: 'DELETE',
      url: `/admin/v1/documents/${documentId}`,
      body: { reason: 'Wrong' },
    })
    assert.equal(removed.status, 200, removed.text)
    assert.deepEqual(entriesOf((await read(me.url)).body), [
      '20261101 Document expires (B. Ø.)',
      `20261120 Step due: ${steps[0]?.name} (A. S.)`,
      '20270201 Passport expires (A. S.)',
    ])
    await sql`update case_steps set status = 'completed' where step_id = ${steps[0]?.stepId ?? ''}`
    await sql`update case_steps set status = 'waived' where step_id = ${steps[1]?.stepId ?? ''}`
    assert.deepEqual(entriesOf((await read(me.url)).body), [])
    assert.equal(entriesOf((await read(colleague.url)).body).length, 3)
    await sql`update cases set status = 'closed' where case_id = ${caseId}`
    assert.deepEqual(entriesOf((await read(colleague.url)).body), [])
  })

  it('is limited to the companies that the person has now', async () => {
    const me = await subscriber({ companies: [acme, other] })
    const others = { hostCompany: 'Other', sendingCompany: 'Other', billingCompany: 'Other' }
    for (const [number, companies] of [
      ['E-3', names],
      ['E-4', others],
    ] as const) {
      const { caseId, steps } = await familyWithCase(number, companies)
      await assignCase(caseId, me.userId, '2026-12-24')
      await assignStep(steps[0]?.stepId, null, '2026-11-20')
    }
    assert.equal(entriesOf((await read(me.url)).body).length, 10)
    await good('PATCH', `/admin/v1/users/${me.userId}`, { companies: [other] })
    assert.equal(entriesOf((await read(me.url)).body).length, 5)
    await good('PATCH', `/admin/v1/users/${me.userId}`, { companies: [] })
    assert.equal(entriesOf((await read(me.url)).body).length, 0)
  })

  it('shows a case of the company with a person of another one, without the papers of the person', async () => {
    const me = await subscriber({ companies: [other] })
    const { caseId, steps } = await familyWithCase('E-5', { ...names, hostCompany: 'Other' })
    await assignCase(caseId, me.userId)
    await assignStep(steps[0]?.stepId, null, '2026-11-20')
    assert.deepEqual(entriesOf((await read(me.url)).body), [`20261120 Step due: ${steps[0]?.name} (A. S.)`])
  })

  it('stays the same while nothing changes, with stable ids', async () => {
    const me = await subscriber()
    const { caseId } = await familyWithCase('E-6')
    await assignCase(caseId, me.userId, '2026-12-24')
    const first = await read(me.url)
    clock.advance(60)
    const again = await read(me.url)
    assert.equal(again.body, first.body)
    assert.equal(again.headers.etag, first.headers.etag)
    assert.match(first.body.replaceAll('\r\n ', ''), new RegExp(`UID:case-${caseId}@caseport`))
  })

  it('is stored as a hash, and is read 60 times in five minutes at most', async () => {
    const me = await subscriber()
    const token = /calendar\/(.+)\.ics/.exec(me.url)?.[1] ?? ''
    const [row] = await sql<{ hash: Buffer }[]>`
      select token_hash as hash from calendar_feeds where user_id = ${me.userId}`
    assert.equal(row?.hash.length, 32)
    assert.ok(!row?.hash.toString('latin1').includes(token))
    for (let n = 0; n < 60; n++) assert.equal((await read(me.url)).statusCode, 200)
    const blocked = await read(me.url)
    assert.equal(blocked.statusCode, 429)
    assert.ok(Number(blocked.headers['retry-after']) > 0)
    clock.advance(301)
    assert.equal((await read(me.url)).statusCode, 200)
  })
})
