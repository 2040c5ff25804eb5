import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { EVENT_TYPES } from '../../src/lib/event-types.ts'
import { createTestApp } from '../support/harness.ts'

describe('docs/events.md', () => {
  it('describes every type of event, and no other', () => {
    const text = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8')
    const described = [...text.matchAll(/^\| `([a-z]+\.[a-z_]+)` \|/gm)].map(([, type]) => type)
    assert.deepEqual(described.sort(), [...EVENT_TYPES].sort())
  })
})

describe('an event', async () => {
  const { call, client, db } = await createTestApp()
  const good = async (request: Parameters<typeof call>[0]) => {
    const response = await call(request)
    assert.ok(response.status < 300, response.text)
    return response.body
  }
  const post = (url: string, body: object, headers = {}) => good({ method: 'POST', url, body, headers })
  await post('/admin/v1/companies', { name: 'Acme' })
  const person = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }
  const child = { firstName: 'Ben', lastName: 'Schmidt', dateOfBirth: '2018-09-12', relationship: 'Child' }
  const caseBody = (applicant: object) => ({
    caseType: 'Visa',
    hostCompany: 'Acme',
    sendingCompany: 'Acme',
    billingCompany: 'Acme',
    applicant,
  })

  /** The events that this work emits, in order. */
  async function eventsOf(work: () => Promise<unknown>) {
    const [{ last }] = await db.sql<[{ last: string }]>`select coalesce(max(seq), 0) as last from events`
    await work()
    const rows = await db.sql<{ type: string; data: Record<string, string | null> }[]>`
      select type, data from events where seq > ${last} order by seq`
    return rows.map(({ type, data }) => ({ type, data }))
  }

  it('of a case, a step or a note contains the current employee number', async () => {
    const made = await post('/v2/applicant', { primaryApplicant: { ...person, employeeNumber: 'E-1' } })
    const { applicantId } = made.primaryApplicant
    let caseId = ''
    let stepId = ''
    let noteId = ''
    const created = await eventsOf(async () => {
      const body = await post('/v2/case', caseBody({ ...person, employeeNumber: 'E-1' }))
      caseId = body.caseId
      stepId = body.steps[0].stepId
    })
    const ids = { caseId, applicantId, employeeNumber: 'E-1' }
    assert.deepEqual(created, [{ type: 'case.created', data: ids }])
    const moved = await eventsOf(async () => {
      const url = `/admin/v1/cases/${caseId}`
      await good({ method: 'PATCH', url: `${url}/steps/${stepId}`, body: { status: 'completed' } })
      noteId = (await post(`${url}/notes`, { content: 'Hello' })).noteId
      await good({ method: 'PATCH', url, body: { status: 'pending' } })
    })
    assert.deepEqual(moved, [
      { type: 'case.step_changed', data: { ...ids, stepId } },
      { type: 'case.note_added', data: { ...ids, noteId } },
      { type: 'case.status_changed', data: { ...ids, from: 'open', to: 'pending' } },
    ])
    const url = `/admin/v1/cases/${caseId}`
    const edited = await eventsOf(async () => {
      await good({ method: 'PATCH', url, body: { hostCity: 'Bonn', status: 'open' } })
      await good({ method: 'PATCH', url, body: { hostCity: 'Bonn', status: 'open' } })
      await good({ method: 'PATCH', url, body: { dueDate: '2030-01-31' } })
    })
    assert.deepEqual(edited, [
      { type: 'case.updated', data: ids },
      { type: 'case.status_changed', data: { ...ids, from: 'pending', to: 'open' } },
      { type: 'case.updated', data: ids },
    ])
    const forTeam = await eventsOf(async () => {
      noteId = (await post(`${url}/notes`, { content: 'For the team', visibility: 'team' })).noteId
      await good({ method: 'PATCH', url: `${url}/notes/${noteId}`, body: { content: 'Still' } })
    })
    assert.deepEqual(forTeam, [])
    const shown = await eventsOf(async () => {
      await good({ method: 'PATCH', url: `${url}/notes/${noteId}`, body: { visibility: 'everyone' } })
      await good({ method: 'PATCH', url: `${url}/notes/${noteId}`, body: { content: 'Corrected' } })
      await good({ method: 'PATCH', url: `${url}/notes/${noteId}`, body: { content: 'Corrected' } })
      await good({ method: 'PATCH', url: `${url}/notes/${noteId}`, body: { visibility: 'team' } })
      await good({ method: 'PATCH', url: `${url}/notes/${noteId}`, body: { content: 'For the team' } })
    })
    assert.deepEqual(shown, [
      { type: 'case.note_added', data: { ...ids, noteId } },
      { type: 'case.note_changed', data: { ...ids, noteId } },
      { type: 'case.note_changed', data: { ...ids, noteId } },
    ])
    const next = await eventsOf(() => post(`${url}/steps/${stepId}/complete`, {}))
    assert.deepEqual(next, [])
    const renumbered = await eventsOf(() =>
      post('/v2/applicant/employeenumber/E-1/E-2', person, { 'x-api-key': client.apiKey }),
    )
    const number = { previousEmployeeNumber: 'E-1', employeeNumber: 'E-2' }
    assert.deepEqual(renumbered, [{ type: 'applicant.number_changed', data: { applicantId, ...number } }])
    const closed = await eventsOf(() =>
      good({ method: 'PATCH', url: `/admin/v1/cases/${caseId}`, body: { status: 'closed' } }),
    )
    assert.deepEqual(
      closed.map(({ data }) => data['employeeNumber']),
      ['E-2'],
    )
  })

  it('of a person without a number contains null; of one created with a case, the number of the case', async () => {
    const events = await eventsOf(async () => {
      await post('/v2/case', caseBody(person))
      await post('/v2/case', caseBody({ ...person, employeeNumber: 'E-3' }))
    })
    assert.deepEqual(
      events.map(({ type, data }) => [type, data['employeeNumber']]),
      [
        ['applicant.created', null],
        ['case.created', null],
        ['applicant.created', 'E-3'],
        ['case.created', 'E-3'],
      ],
    )
  })

  it('of a dependent is number_changed with the previous number, archived, or restored', async () => {
    const family = await post('/v2/applicant', {
      primaryApplicant: { ...person, employeeNumber: 'E-4' },
      dependents: [child],
    })
    const { applicantId: primaryApplicantId } = family.primaryApplicant
    const { applicantId } = family.dependents[0]
    const ids = { applicantId, primaryApplicantId }
    const url = `/v2/applicant/employeenumber/E-4/dependents/${applicantId}`
    const identity = { firstName: 'Ben', dateOfBirth: '2018-09-12' }
    const changed = await eventsOf(() => post(url, identity))
    const number = { previousEmployeeNumber: null, employeeNumber: 'E-4-D1' }
    assert.deepEqual(changed, [{ type: 'dependent.number_changed', data: { ...ids, ...number } }])
    const remove = () =>
      good({
        method: 'PUT',
        url: '/v2/applicant/employeenumber/E-4',
        body: { primaryApplicant: person, dependents: [] },
      })
    const archived = (await eventsOf(remove)).filter(({ type }) => type.startsWith('dependent.'))
    assert.deepEqual(archived, [{ type: 'dependent.archived', data: { ...ids, employeeNumber: 'E-4-D1' } }])
    const restore = (body: object) => post(`/admin/v1/applicants/${applicantId}/restore`, body)
    const restored = { type: 'dependent.restored', data: { ...ids, employeeNumber: 'E-4-D1' } }
    assert.deepEqual(await eventsOf(() => restore({})), [restored])
    await remove()
    const without = { type: 'dependent.restored', data: { ...ids, employeeNumber: null } }
    assert.deepEqual(await eventsOf(() => restore({ withoutEmployeeNumber: true })), [without])
  })

  it('of a document in an applicant record has no case', async () => {
    const family = (documents: object[]) =>
      good({
        method: 'PUT',
        url: '/v2/applicant/employeenumber/E-5',
        body: { primaryApplicant: { ...person, documents } },
      })
    const events = [
      ...(await eventsOf(() => family([{ name: 'Visa' }]))),
      ...(await eventsOf(() => family([]))),
    ].filter(({ type }) => type.startsWith('document.'))
    assert.deepEqual(
      events.map(({ type, data }) => [type, data['caseId'], data['employeeNumber']]),
      [
        ['document.created', null, 'E-5'],
        ['document.removed', null, 'E-5'],
      ],
    )
  })
})
