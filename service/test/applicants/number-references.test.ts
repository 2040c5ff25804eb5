import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestApp, testClock } from '../support/harness.ts'

const DAY = 86_400

describe('a change of employee number', async () => {
  const clock = testClock(new Date('2026-03-02T10:00:00.000Z'))
  const { call, client, db } = await createTestApp({ clock, config: { tokenTtl: 60 * DAY } })
  const good = async (request: Parameters<typeof call>[0]) => {
    const response = await call(request)
    assert.ok(response.status < 300, response.text)
    return response
  }
  const today = () => clock.now().toISOString().slice(0, 10)
  await good({ method: 'POST', url: '/admin/v1/companies', body: { name: 'Acme' } })
  let count = 0
  const caseBody = (applicant: object) => ({
    caseType: 'Visa',
    hostCompany: 'Acme',
    sendingCompany: 'Acme',
    billingCompany: 'Acme',
    applicant,
  })

  /** A family of two; each has a case with a step and a note, and a document. */
  async function fixture() {
    const [number, dependentNumber] = [`E-${++count}`, `C-${count}`]
    const documents = [{ name: 'Visa', expiryDate: '2030-01-01', remindAboutRenewal: true }]
    const anna = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }
    const ben = { firstName: 'Ben', lastName: 'Schmidt', dateOfBirth: '2018-09-12' }
    const { body } = await good({
      method: 'POST',
      url: '/v2/applicant',
      body: {
        primaryApplicant: { ...anna, employeeNumber: number, documents },
        dependents: [{ ...ben, relationship: 'Child', employeeNumber: dependentNumber, documents }],
      },
    })
    const caseOf = async (employeeNumber: string) => {
      const made = await good({
        method: 'POST',
        url: '/v2/case',
        body: caseBody({ ...anna, employeeNumber }),
      })
      const { caseId } = made.body
      await good({ method: 'POST', url: `/admin/v1/cases/${caseId}/notes`, body: { content: 'Hello' } })
      return caseId as string
    }
    return {
      number,
      dependentNumber,
      anna,
      ben,
      id: body.primaryApplicant.applicantId as string,
      dependentId: body.dependents[0].applicantId as string,
      caseId: await caseOf(number),
      dependentCaseId: await caseOf(dependentNumber),
    }
  }

  /** What a client that polls by date sees of this person today, by list. */
  async function polled(applicantId: string) {
    const range = `startDate=${today()}&endDate=${today()}&maxRecords=1000`
    const lists = {
      steps: `/v2/cases/applicants/steps?${range}&offset=`,
      notes: `/v2/cases/applicants/notes?${range}&offset=&type=updated`,
      documents: `/v2/documents?${range}`,
    }
    const found: Record<string, (string | null)[]> = {}
    for (const [name, url] of Object.entries(lists)) {
      const { body } = await good({ url })
      const own = body.records.filter((record: { applicantId: string }) => record.applicantId === applicantId)
      found[name] = own.map((record: { employeeNumber: string }) => record.employeeNumber)
    }
    return found
  }

  it('marks the cases, steps, notes and documents of a primary applicant as updated', async () => {
    const { number, anna, id, dependentId, caseId } = await fixture()
    clock.advance(3 * DAY)
    assert.deepEqual(await polled(id), { steps: [], notes: [], documents: [] })
    const before = await good({ url: `/v2/case/${caseId}` })
    const to = `${number}-new`
    const changed = await good({
      method: 'POST',
      url: `/v2/applicant/employeenumber/${number}/${to}`,
      headers: { 'x-api-key': client.apiKey },
      body: anna,
    })
    assert.deepEqual([changed.body.casesUpdated, changed.body.documentsUpdated], [1, 1])
    const after = await good({ url: `/v2/case/${caseId}` })
    assert.equal(after.body.updatedAt, clock.now().toISOString())
    assert.notEqual(after.headers['etag'], before.headers['etag'])
    const steps = after.body.steps.map(() => to)
    assert.ok(steps.length > 0)
    assert.deepEqual(await polled(id), { steps, notes: [to], documents: [to] })
    // The dependent keeps its number, so none of its records has changed.
    assert.deepEqual(await polled(dependentId), { steps: [], notes: [], documents: [] })
  })

  it('marks those of a dependent as updated', async () => {
    const { number, dependentNumber, ben, id, dependentId, dependentCaseId } = await fixture()
    clock.advance(3 * DAY)
    const { body } = await good({
      method: 'POST',
      url: `/v2/applicant/employeenumber/${number}/dependents/${dependentNumber}`,
      body: { firstName: ben.firstName, dateOfBirth: ben.dateOfBirth },
    })
    const to = body.employeeNumber
    const read = await good({ url: `/v2/case/${dependentCaseId}` })
    assert.equal(read.body.updatedAt, clock.now().toISOString())
    const steps = read.body.steps.map(() => to)
    assert.ok(steps.length > 0)
    assert.deepEqual(await polled(dependentId), { steps, notes: [to], documents: [to] })
    assert.deepEqual(await polled(id), { steps: [], notes: [], documents: [] })
  })

  it('marks them where a PUT or PATCH sets the first number, and not where nothing changes', async () => {
    const anna = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }
    for (const method of ['PUT', 'PATCH'] as const) {
      const to = `first-${++count}`
      const made = await good({ method: 'POST', url: '/v2/case', body: caseBody(anna) })
      const { applicantId, caseId } = made.body
      const documents = [{ name: 'Visa' }]
      const url = `/v2/applicant/${applicantId}`
      const give = (fields: object) =>
        good({ method, url, body: { primaryApplicant: { ...anna, documents, ...fields } } })
      await give({})
      await good({ method: 'POST', url: `/admin/v1/cases/${caseId}/notes`, body: { content: 'Hello' } })
      clock.advance(3 * DAY)
      await give({})
      assert.deepEqual(await polled(applicantId), { steps: [], notes: [], documents: [] })
      await give({ employeeNumber: to })
      const steps = made.body.steps.map(() => to)
      assert.ok(steps.length > 0)
      assert.deepEqual(await polled(applicantId), { steps, notes: [to], documents: [to] })
      clock.advance(3 * DAY)
      await give({ employeeNumber: to })
      assert.deepEqual(await polled(applicantId), { steps: [], notes: [], documents: [] })
    }
  })

  it('marks those of a dependent that gets its first number, with its family or alone', async () => {
    const { number, anna, ben, dependentId } = await fixture()
    const restore = { method: 'POST', url: `/admin/v1/applicants/${dependentId}/restore` } as const
    const family = `/v2/applicant/employeenumber/${number}`
    const givers = [
      (employeeNumber: string) =>
        good({
          method: 'PUT',
          url: family,
          body: {
            primaryApplicant: anna,
            dependents: [{ ...ben, relationship: 'Child', documents: [{ name: 'Visa' }], employeeNumber }],
          },
        }),
      (employeeNumber: string) =>
        good({ method: 'PATCH', url: `${family}/dependents/${dependentId}`, body: { employeeNumber } }),
    ]
    for (const give of givers) {
      await good({ method: 'PUT', url: family, body: { primaryApplicant: anna, dependents: [] } })
      await good({ ...restore, body: { withoutEmployeeNumber: true } })
      clock.advance(3 * DAY)
      const to = `first-${++count}`
      await give(to)
      const { steps, notes, documents } = await polled(dependentId)
      assert.ok((steps?.length ?? 0) > 0 && steps?.every(shown => shown === to))
      assert.deepEqual([notes, documents], [[to], [to]])
    }
  })

  it('marks those of a dependent that is restored without its number, and not of one that keeps it', async () => {
    const { number, dependentNumber, anna, dependentId } = await fixture()
    const restore = async (body: object) => {
      await good({
        method: 'PUT',
        url: `/v2/applicant/employeenumber/${number}`,
        body: { primaryApplicant: anna, dependents: [] },
      })
      clock.advance(3 * DAY)
      await good({ method: 'POST', url: `/admin/v1/applicants/${dependentId}/restore`, body })
      return polled(dependentId)
    }
    assert.equal((await good({ url: `/v2/cases/applicant/id/${dependentId}` })).body.length, 1)
    assert.deepEqual(await restore({}), { steps: [], notes: [], documents: [] })
    assert.equal(
      (await good({ url: `/v2/applicant/employeenumber/${number}/dependents/${dependentNumber}` })).status,
      200,
    )
    const { steps, notes, documents } = await restore({ withoutEmployeeNumber: true })
    assert.ok((steps?.length ?? 0) > 0 && steps?.every(shown => shown === null))
    assert.deepEqual([notes, documents], [[null], [null]])
  })

  it('causes no reminder, and no event but its own', async () => {
    const { number, anna, id } = await fixture()
    const [{ seq: last }] = await db.sql<[{ seq: string }]>`select max(seq) as seq from events`
    const checks = () => db.sql`
      select c.* from renewal_checks c join documents d using (document_id) where d.applicant_id = ${id}`
    const due = await checks()
    clock.advance(DAY)
    await good({
      method: 'POST',
      url: `/v2/applicant/employeenumber/${number}/${number}-new`,
      headers: { 'x-api-key': client.apiKey },
      body: anna,
    })
    const events = await db.sql`select type from events where seq > ${last}`
    assert.deepEqual(
      events.map(({ type }) => type),
      ['applicant.number_changed'],
    )
    assert.deepEqual([...(await checks())], [...due])
  })

  it('runs concurrently with writes of the same family, its cases and documents without a deadlock', async () => {
    const { number, dependentNumber, anna, ben, id, dependentId, caseId, dependentCaseId } = await fixture()
    const { body: steps } = await good({ url: `/v2/case/${dependentCaseId}/steps` })
    const { body: dependent } = await good({ url: `/v2/applicant/${id}/dependent/${dependentId}` })
    const [{ documentId }] = dependent.documents
    let current = number
    for (let round = 0; round < 20; round++) {
      const next = `${number}-${round}`
      const family = `/v2/applicant/employeenumber/${current}`
      await Promise.all([
        good({
          method: 'POST',
          url: `/v2/applicant/${id}/dependent`,
          body: { ...ben, relationship: 'Child' },
        }),
        good({
          method: 'PATCH',
          url: `/v2/document/${documentId}/expiry`,
          body: { ExpiryDate: `2031-01-${10 + round}` },
        }),
        good({
          method: 'PATCH',
          url: `/admin/v1/cases/${dependentCaseId}/steps/${steps[1].stepId}`,
          body: { name: `Round ${round}` },
        }),
        good({ method: 'POST', url: `/admin/v1/cases/${caseId}/notes`, body: { content: 'Hello' } }),
        good({
          method: 'POST',
          url: `${family}/dependents/${dependentId}`,
          body: {
            firstName: ben.firstName,
            dateOfBirth: ben.dateOfBirth,
            newEmployeeNumber: `${dependentNumber}-${round}`,
          },
        }),
      ])
      const changing = good({
        method: 'POST',
        url: `${family}/${next}`,
        headers: { 'x-api-key': client.apiKey },
        body: anna,
      })
      await Promise.all([
        changing,
        good({
          method: 'PATCH',
          url: `/v2/applicant/${id}`,
          body: { primaryApplicant: { jobTitle: `${round}` } },
        }),
        good({ method: 'POST', url: `/admin/v1/cases/${caseId}/notes`, body: { content: 'Again' } }),
        good({ method: 'POST', url: `/admin/v1/cases/${caseId}/steps`, body: { name: 'More', sequence: 1 } }),
      ])
      current = next
    }
    const [{ deadlocks }] = await db.sql<[{ deadlocks: string }]>`
      select deadlocks from pg_stat_database where datname = current_database()`
    assert.equal(Number(deadlocks), 0)
  })

  it('waits for a case of a dependent that is being created, and marks it', async () => {
    const { number, dependentNumber, ben, dependentCaseId } = await fixture()
    clock.advance(DAY)
    const { promise: insert, resolve: commit } = Promise.withResolvers<void>()
    let inserted = false
    const creating = db.transaction(async tx => {
      await tx`
        insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id,
          details, applicant, created_at, updated_at)
        select 'being-created', applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
          applicant, created_at, updated_at
        from cases where case_id = ${dependentCaseId}`
      inserted = true
      await insert
    })
    while (!inserted) await sleep(5)
    const changing = good({
      method: 'POST',
      url: `/v2/applicant/employeenumber/${number}/dependents/${dependentNumber}`,
      body: { firstName: ben.firstName, dateOfBirth: ben.dateOfBirth },
    })
    await sleep(300)
    commit()
    await creating
    assert.equal((await changing).body.casesUpdated, 2)
  })
})
