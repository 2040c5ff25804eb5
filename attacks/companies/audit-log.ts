// The audit as limited auditors and administrators read it: nothing of what others did, were refused, or failed at, by
// list, filter or export. Callers of the other company mark their requests by X-Request-Id.
import { type Caller, createPersonOf, signIn, tokenOf } from './callers.ts'
import { canariesIn, type Sent } from './exchange.ts'
import type { Fixture } from './fixture.ts'
import { refusalOf, requestOf } from './operations.ts'
import { dayFromNow } from './records.ts'

export async function auditLog(fixture: Fixture): Promise<string> {
  const { attacked, callers, findings, context } = fixture
  const mark = await activityOfOthers(fixture)
  const one = attacked.find(({ operation }) => operation.operationId === 'listAudit')
  if (!one) return 'no audit'
  let entries = 0
  const readers = callers.filter(each => !refusalOf(one, each))
  // The short form: an auditor by token, and an administrator by cookie.
  for (const caller of context.quick ? [readers[0], readers.at(-1)] : readers) {
    if (!caller) continue
    const listed = await walk(fixture, caller, {})
    entries += check(fixture, { caller, entries: listed, how: 'list' })
    if (!listed.some(({ clientId }) => clientId === caller.clientId))
      findings.push(`the audit of ${caller.name} lacks its own calls`)
    for (const filter of context.quick ? filtersOf(fixture).slice(0, 4) : filtersOf(fixture))
      entries += check(fixture, {
        caller,
        entries: await walk(fixture, caller, filter),
        how: `filter ${Object.keys(filter)[0]}`,
      })
    entries += check(fixture, { caller, entries: await exported(fixture, caller), how: 'export' })
  }
  await requireNoted(fixture, mark)
  return `${entries} audit entries`
}

interface AuditEntry {
  clientId: string
  action: string
  requestId: string
  recordIds: string[]
}

/** What others do, each kind of entry once. Returns the mark of their request ids. */
async function activityOfOthers({ attacked, exchange, target, foreign, canaries }: Fixture): Promise<string> {
  const { client, person, ids } = foreign
  const mark = `${foreign.company.mark}-request`
  canaries.add(mark)
  const headers = { 'x-request-id': mark }
  for (const one of attacked.filter(({ operation }) => operation.method === 'GET')) {
    if (one.entry.kind === 'public') continue
    for (const as of [client, person]) await exchange(requestOf(one, ids, { as, headers }))
    // Expired credentials, with the ids of their records in the path.
    const expired = { ...client, headers: { authorization: 'Bearer e30.e30.e30' } }
    await exchange(requestOf(one, ids, { as: expired, headers }))
  }
  const { url } = target.service
  await tokenOf(url, client.ownId, 'the secret is wrong', headers)
  const rotated = await target.call('POST', `/admin/v1/clients/${client.ownId}/rotate-secret`, {
    graceSeconds: 3600,
  })
  await tokenOf(url, client.ownId, rotated.body.clientSecret, headers)
  await exchange({
    method: 'POST',
    path: '/auth/v1/session',
    headers: { ...headers, origin: url, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ email: ids['userEmail'], password: 'the password is wrong' })),
  })
  const { companyId, mark: companyMark } = foreign.company
  const colleague = await createPersonOf(target, {
    role: 'viewer',
    companies: [companyId],
    mark: companyMark,
  })
  canaries.add(colleague.ownId)
  await signIn(exchange, colleague, headers)
  return mark
}

const filtersOf = ({ foreign, target }: Fixture): Record<string, string>[] => [
  { recordId: foreign.ids['applicantId'] ?? '' },
  { recordId: foreign.ids['caseId'] ?? '' },
  { recordId: foreign.ids['documentId'] ?? '' },
  { clientId: foreign.client.clientId },
  { userId: foreign.person.ownId },
  { action: 'token.issue' },
  { action: 'session.created' },
  { address: new URL(target.service.url).hostname },
]

async function walk(
  { exchange, findings }: Fixture,
  { headers, name }: Caller,
  filter: Record<string, string>,
): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  const range = { startDate: dayFromNow(-1), endDate: dayFromNow(1), maxRecords: '1000', ...filter }
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ ...range, ...(cursor && { nextCursor: cursor }) })
    const page = await exchange({ method: 'GET', path: `/admin/v1/audit?${query}`, headers })
    if (page.status !== 200) {
      findings.push(`listAudit as ${name}: ${page.status} ${page.text.slice(0, 200)}`)
      return entries
    }
    entries.push(...(page.body.records as AuditEntry[]))
    cursor = page.body.nextCursor as string | null
  }
  return entries
}

async function exported({ exchange, findings }: Fixture, { headers, name }: Caller): Promise<AuditEntry[]> {
  const path = `/admin/v1/audit/export?from=${dayFromNow(-1)}&to=${dayFromNow(1)}`
  const { status, text } = await exchange({ method: 'GET', path, headers })
  if (status !== 200) findings.push(`exportAudit as ${name}: ${status} ${text.slice(0, 200)}`)
  return status === 200
    ? text
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as AuditEntry)
    : []
}

const NOTHING: Sent = { method: '', path: '' }

interface Checked {
  caller: Caller
  entries: AuditEntry[]
  how: string
}

/** Returns the number of entries. An attempt of the company's own callers names the ids that they were sent. */
function check({ canaries, callers, findings, own }: Fixture, { caller, entries, how }: Checked): number {
  const ownCallers = new Set([...callers, own.client, own.person].map(({ clientId }) => clientId))
  const others = entries.filter(({ clientId }) => !ownCallers.has(clientId))
  const hasCanary = (text: string) =>
    canariesIn({ status: 0, headers: [], text, body: {}, milliseconds: 0 }, NOTHING, canaries).length > 0
  // One search in all of them, because most have none.
  if (!hasCanary(JSON.stringify(others))) return entries.length
  const leaked = others.filter(entry => hasCanary(JSON.stringify(entry)))
  const kinds = [...new Set(leaked.map(({ action }) => action))]
  findings.push(
    `the audit of ${caller.name} (${how}) has ${leaked.length} entries of others: ${kinds.join(', ')}; such as ${JSON.stringify(leaked[0]).slice(0, 300)}`,
  )
  return entries.length
}

/** The entries that must be invisible do exist: the operator sees them. */
async function requireNoted({ target, findings }: Fixture, mark: string): Promise<void> {
  const query = `startDate=${dayFromNow(-1)}&endDate=${dayFromNow(1)}&maxRecords=1000`
  for (const action of ['token.issue', 'session.created', 'applicant.read', 'request.reject']) {
    let cursor = ''
    let isFound = false
    do {
      const more = cursor && `&nextCursor=${cursor}`
      const { body } = await target.call('GET', `/admin/v1/audit?${query}&action=${action}${more}`)
      isFound ||= body.records.some(({ requestId }: AuditEntry) => requestId === mark)
      cursor = body.nextCursor ?? ''
    } while (cursor && !isFound)
    if (!isFound) findings.push(`the operator sees no ${action} of another company: nothing was tested`)
  }
}
