// The calendar of a person: its address, and what it contains.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { adminCase, adminStep, dayFromNow, newCase } from './case-factories.ts'
import { call } from './client.ts'
import { expectOk, expectProblem, get, patch } from './people.ts'
import { createPerson, userAt } from './visitors.ts'

const CALENDAR = '/admin/v1/me/calendar'

/** The path of an address that the service has made. */
const pathOf = (url: string) => new URL(url).pathname
const read = (url: string, headers: Record<string, string> = {}) =>
  call({ path: pathOf(url), scopes: null, headers })

async function subscriber(fields: object = {}) {
  const one = await createPerson({ roles: ['case-manager'], ...fields })
  const made = await one.post(CALENDAR)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { ...one, url: made.body.url as string }
}

describe('POST /admin/v1/me/calendar', () => {
  it('makes an address that needs no cookie, and returns it once', async () => {
    const { get: visit, url } = await subscriber()
    assert.match(pathOf(url), /\/calendar\/[\w-]{43}\.ics$/)
    const response = await read(url)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^text\/calendar; charset=utf-8/)
    const lines = response.bytes.toString().split('\r\n')
    assert.deepEqual([lines[0], lines.at(-2), lines.at(-1)], ['BEGIN:VCALENDAR', 'END:VCALENDAR', ''])
    const known = await visit(CALENDAR)
    assert.deepEqual(Object.keys(known.body), ['createdAt'])
  })

  it('ends the former address', async () => {
    const { post, url } = await subscriber()
    const renewed = await post(CALENDAR)
    await expectProblem(read(url), 404, 'calendar-not-found')
    assert.equal((await read(renewed.body.url)).status, 200)
  })

  it('keeps the address for the same Idempotency-Key', async () => {
    const { send } = await subscriber()
    const headers = { 'idempotency-key': randomUUID() }
    const renew = () => expectOk(send({ method: 'POST', path: CALENDAR, headers }))
    const renewed = await renew()
    assert.deepEqual(await renew(), renewed)
    assert.equal((await read(renewed.url)).status, 200)
  })

  it('takes no Idempotency-Key that the person sent for something else', async () => {
    const { send } = await subscriber()
    const headers = { 'idempotency-key': randomUUID() }
    const view = { screen: 'cases', name: 'Mine', query: { assignee: 'me' } }
    await expectOk(send({ method: 'POST', path: '/admin/v1/views', body: view, headers }))
    await expectProblem(send({ method: 'POST', path: CALENDAR, headers }), 422, 'idempotency-key-reused')
  })

  it('is for people', async () => {
    await expectProblem(call({ method: 'POST', path: CALENDAR }), 422, 'person-required')
    await expectProblem(get(CALENDAR), 422, 'person-required')
    await expectProblem(call({ method: 'DELETE', path: CALENDAR }), 422, 'person-required')
  })
})

describe('DELETE /admin/v1/me/calendar', () => {
  it('ends the calendar', async () => {
    const { delete: remove, get: visit, url } = await subscriber()
    assert.equal((await remove(CALENDAR)).status, 204)
    await expectProblem(read(url), 404, 'calendar-not-found')
    await expectProblem(remove(CALENDAR), 404, 'calendar-not-found')
    await expectProblem(visit(CALENDAR), 404, 'calendar-not-found')
  })
})

describe('GET /calendar/{token}', () => {
  it('has what is assigned to the person and due, with initials only', async () => {
    const { user, url } = await subscriber()
    const passports = [{ passportNumber: 'ZX-98765', country: 'DE', expirationDate: dayFromNow(40) }]
    const { caseId, steps } = await newCase({}, { firstName: 'Zoë', lastName: 'Okonkwo', passports })
    await expectOk(patch(adminCase(caseId), { assigneeId: user.userId, dueDate: dayFromNow(20) }))
    await expectOk(patch(adminStep(caseId, steps[0]?.['stepId']), { dueDate: dayFromNow(5) }))
    const text = (await read(url)).bytes.toString().replaceAll('\r\n ', '')
    const days = [...text.matchAll(/DTSTART;VALUE=DATE:(\d+)\r\nSUMMARY:([^\r]+)/g)].map(
      ([, day, summary]) => `${day} ${summary}`,
    )
    const on = (day: string) => day.replaceAll('-', '')
    assert.deepEqual(days.sort(), [
      `${on(dayFromNow(5))} Step due: ${steps[0]?.['name']} (Z. O.)`,
      `${on(dayFromNow(20))} Case due (Z. O.)`,
      `${on(dayFromNow(40))} Passport expires (Z. O.)`,
    ])
    assert.doesNotMatch(text, /Zoë|Okonkwo|ZX-98765/)
    await expectOk(patch(adminCase(caseId), { assigneeId: null }))
    assert.doesNotMatch((await read(url)).bytes.toString(), /BEGIN:VEVENT/)
  })

  it('returns 304 for a known state', async () => {
    const { url } = await subscriber()
    const etag = (await read(url)).headers.get('etag') ?? ''
    assert.equal((await read(url, { 'if-none-match': etag })).status, 304)
  })

  it('ends when the person is disabled, and stays ended', async () => {
    const { user, url } = await subscriber()
    await expectOk(patch(userAt(user.userId), { active: false }))
    await expectProblem(read(url), 404, 'calendar-not-found')
    await expectOk(patch(userAt(user.userId), { active: true }))
    await expectProblem(read(url), 404, 'calendar-not-found')
  })

  it('ends when the person is reset', async () => {
    const { user, url } = await subscriber()
    await expectOk(call({ method: 'POST', path: `${userAt(user.userId)}/reset` }))
    await expectProblem(read(url), 404, 'calendar-not-found')
  })

  it('is unknown with any other token', async () => {
    await expectProblem(call({ path: '/calendar/nothing.ics', scopes: null }), 404, 'calendar-not-found')
  })

  it('is in the audit as a read by its person', async () => {
    const { user, url } = await subscriber()
    await read(url)
    const day = new Date().toISOString().slice(0, 10)
    const query = `userId=${encodeURIComponent(user.userId)}&action=calendar.feed&startDate=${day}&endDate=${day}`
    const { records } = await expectOk(get(`/admin/v1/audit?${query}`))
    assert.equal(records.length, 1)
    assert.equal(records[0].operationId, 'readCalendar')
  })
})
