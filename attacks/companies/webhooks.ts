// Webhooks of limited callers: of a client, of a person, and of a client without `admin`. They receive nothing of others, at
// once or when events are sent again, and neither do their deliveries show it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, tokenOf } from './callers.ts'
import { canariesIn, type Sent } from './exchange.ts'
import type { Fixture } from './fixture.ts'
import { dayFromNow, type Records } from './records.ts'

interface Hook {
  caller: Caller
  webhookId: string
  path: string
}

export async function webhooks(fixture: Fixture): Promise<string> {
  const { target, receiver, findings, own, foreign, callers } = fixture
  const admins = callers.filter(({ role }) => role === 'admin')
  const hooks: Hook[] = []
  for (const caller of [...admins, await webhookClient(fixture)])
    hooks.push(await createHook(fixture, caller, `/limited-${hooks.length}`))
  const control = await target.call('POST', '/admin/v1/webhooks', { url: `${receiver.url}/all` })
  if (control.status !== 201) findings.push(`createWebhook of the operator: ${control.status}`)

  const theirs = await fixture.createMore(foreign.company)
  await target.call('POST', '/v2/applicant', {
    primaryApplicant: {
      firstName: 'Anna',
      lastName: 'Nobody',
      employeeNumber: `${theirs.company.mark}-nobody`,
    },
  })
  fixture.canaries.add(`${theirs.company.mark}-nobody`)
  const mine = await fixture.createMore(own.company)
  fixture.spare.own = mine
  await settled(fixture, { theirs, mine, hooks })
  checkReceived(fixture, { hooks, when: 'at once' })

  const range = { startDate: dayFromNow(-1), endDate: dayFromNow(1) }
  const before = hooks.map(({ path }) => receiver.received(path).length)
  for (const { caller, webhookId } of hooks) {
    const path = `/admin/v1/webhooks/${encodeURIComponent(webhookId)}/replay`
    await post(fixture, { path, body: range, caller })
    const { status } = await target.call('POST', path, range)
    if (status > 299) findings.push(`replayWebhookEvents: ${status}`)
  }
  for (let waited = 0; waited < 100; waited++) {
    if (hooks.every(({ path }, index) => receiver.received(path).length > (before[index] ?? 0))) break
    await sleep(100)
  }
  await sleep(1_500)
  const received = checkReceived(fixture, { hooks, when: 'when sent again' })
  await checkDeliveries(fixture, hooks)
  // Later parts need no deliveries.
  for (const { webhookId } of hooks) await target.call('DELETE', `/admin/v1/webhooks/${webhookId}`)
  await target.call('DELETE', `/admin/v1/webhooks/${control.body.webhookId}`)
  return `${received} events to ${hooks.length} webhooks`
}

/** A client that has the scope for its own webhooks, and not `admin`. */
async function webhookClient({ target, own }: Fixture): Promise<Caller> {
  const scopes = ['applicants:read', 'cases:read', 'documents:read', 'webhooks:write']
  const { body } = await target.call('POST', '/admin/v1/clients', {
    name: 'Webhooks',
    scopes,
    companies: [own.company.companyId],
  })
  const { clientId, clientSecret } = body
  const token = await tokenOf(target.service.url, clientId, clientSecret)
  return {
    name: 'client with webhooks:write',
    role: 'webhooks',
    kind: 'client',
    scopes,
    clientId,
    ownId: clientId,
    headers: { authorization: `Bearer ${token}` },
  }
}

function post({ attempt }: Fixture, { path, body, caller }: { path: string; body: object; caller: Caller }) {
  const sent: Sent = {
    method: 'POST',
    path,
    headers: { ...caller.headers, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  }
  return attempt(`POST ${path} as ${caller.name}`, sent)
}

async function createHook(fixture: Fixture, caller: Caller, path: string): Promise<Hook> {
  const url = `${fixture.receiver.url}${path}`
  const created = await post(fixture, { path: '/admin/v1/webhooks', body: { url }, caller })
  if (created.status !== 201)
    fixture.findings.push(`createWebhook as ${caller.name}: ${created.status} ${created.text.slice(0, 200)}`)
  return { caller, webhookId: created.body.webhookId, path }
}

interface Written {
  theirs: Records
  mine: Records
  hooks: Hook[]
}

/** Events are dispatched in order: when the last ones have arrived, the earlier ones were dispatched. */
async function settled({ receiver, findings }: Fixture, { theirs, mine, hooks }: Written): Promise<void> {
  const has = (path: string, id: string | undefined) =>
    receiver.received(path).some(text => text.includes(id ?? '-'))
  const documentOf = ({ ids }: Records) => ids['documentId']
  for (let waited = 0; waited < 150; waited++) {
    const isDone =
      has('/all', documentOf(theirs)) &&
      has('/all', documentOf(mine)) &&
      hooks.every(({ path }) => has(path, documentOf(mine)))
    if (isDone) return void (await sleep(1_500))
    await sleep(100)
  }
  if (!has('/all', documentOf(theirs))) findings.push('the webhook of the operator missed an event of others')
  for (const { path, caller } of hooks)
    if (!has(path, documentOf(mine)))
      findings.push(`the webhook of ${caller.name} missed an event of its own`)
}

/** Returns the number of events. */
function checkReceived(
  { receiver, canaries, findings }: Fixture,
  { hooks, when }: { hooks: Hook[]; when: string },
): number {
  let count = 0
  for (const { path, caller } of hooks) {
    const texts = receiver.received(path)
    count += texts.length
    const leaked = texts.filter(text => canariesIn(asReceived(text), NOTHING, canaries).length > 0)
    if (leaked.length > 0)
      findings.push(
        `the webhook of ${caller.name} received ${leaked.length} events of others ${when}: ${leaked[0]?.slice(0, 200)}`,
      )
  }
  return count
}

const NOTHING: Sent = { method: '', path: '' }
const asReceived = (text: string) => ({ status: 0, headers: [], text, body: {}, milliseconds: 0 })

async function checkDeliveries({ attempt, target, findings }: Fixture, hooks: Hook[]): Promise<void> {
  const query = `startDate=${dayFromNow(-1)}&endDate=${dayFromNow(1)}&maxRecords=1000`
  for (const { caller, webhookId } of hooks) {
    const path = `/admin/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries?${query}`
    const { status, body } = await attempt(`listWebhookDeliveries as ${caller.name}`, {
      method: 'GET',
      path,
      headers: caller.headers,
    })
    const { body: all } = await target.call('GET', path)
    if (status !== 200 || body.records.length === 0)
      findings.push(`listWebhookDeliveries as ${caller.name}: ${status}, no delivery`)
    if (body.records?.length !== all.records?.length)
      findings.push(
        `the webhook of ${caller.name} has ${all.records?.length} deliveries, of which it sees ${body.records?.length}`,
      )
  }
}
