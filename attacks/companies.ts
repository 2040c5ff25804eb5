// Every operation by a client that is limited to a company, with the ids of records of another company and of no company:
// the responses must be those of ids that do not exist, and must contain nothing of these records.
import type { Attack } from './attack.ts'
import { createDataset, type Dataset } from './support/dataset.ts'
import { createRandom } from './support/random.ts'
import { type Operation, operationsOf, validRequest } from './support/requests.ts'
import type { Json } from './support/samples.ts'
import { startTarget, type Target } from './support/target.ts'

const NAMES = /Anna|Okafor|A note\.|permit\.pdf/
/** Operations that create a record where the path names none. */
const CREATES: Record<string, { status: number; code: string }> = {
  updateApplicant: { status: 404, code: 'applicant-not-found' },
  saveApplicantByEmployeeNumber: { status: 409, code: 'employee-number-in-use' },
}
/** Its parameter names no record of a company. */
const SHARED = /\/processes\/\{name\}$/
const MISSING = 'bm90aGluZyBoYXMgdGhpcyA='

interface Limited {
  token: string
  apiKey: string
}

interface Fixture {
  target: Target
  dataset: Dataset
  limited: Limited
  findings: string[]
}

export const companies: Attack = {
  name: 'companies',
  title: 'every operation × a record of another company',
  must: '0 leaks',
  breaks: ['company-boundary'],

  async run(context) {
    const target = await startTarget(context)
    const dataset = await createDataset(target, '-K')
    const fixture = { target, dataset, limited: await createLimitedClient(target), findings: [] as string[] }
    const before = await snapshot(fixture)
    const operations = operationsOf(target.document).filter(({ secured }) => secured)
    let calls = 0
    for (const [index, operation] of operations.entries()) {
      calls += await attack(fixture, operation)
      context.progress(index + 1, operations.length)
    }
    if ((await snapshot(fixture)) !== before)
      fixture.findings.push('A record of another company was changed.')
    return {
      figures: `${operations.length} operations, ${calls} calls of a limited client; ${fixture.findings.length} leaks`,
      findings: fixture.findings.slice(0, 50),
    }
  },
}

async function createLimitedClient({ call, document, service }: Target): Promise<Limited> {
  const { body: company } = await call('POST', '/admin/v1/companies', { name: 'Attacker', code: 'ATT' })
  const scopes = Object.keys(document.components.securitySchemes.oauth2.flows.clientCredentials.scopes)
  const { body: client } = await call('POST', '/admin/v1/clients', {
    name: 'Limited',
    scopes,
    companies: [company.companyId],
  })
  const { body: key } = await call('POST', `/admin/v1/clients/${client.clientId}/api-keys`, { name: 'key' })
  const response = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return { token: ((await response.json()) as Json).access_token, apiKey: key.apiKey }
}

/** Returns the number of calls. */
async function attack(fixture: Fixture, operation: Operation): Promise<number> {
  const { dataset, findings } = fixture
  const { operationId, template } = operation
  const response = await send(fixture, operation, dataset)
  const sent = response.sent
  // Processes belong to no company: everybody sees them.
  const { name: _process, ...records } = dataset
  const leaked = Object.values(records).filter(id => response.text.includes(id) && !sent.includes(id))
  if (leaked.length > 0) findings.push(`${operationId}: the response contains ${leaked.join(' ')}`)
  if (NAMES.test(response.text) && !NAMES.test(sent)) findings.push(`${operationId}: contains personal data`)
  if (!template.includes('{') || SHARED.test(template)) return 1
  const expected = CREATES[operationId]
  if (expected) {
    if (response.status !== expected.status || response.body.code !== expected.code)
      findings.push(`${operationId}: ${response.status} ${response.body.code} for a foreign record`)
    return 1
  }
  const nothing = {
    ...Object.fromEntries(Object.keys(dataset).map(name => [name, MISSING])),
    newEmployeeNumber: 'D-new',
  }
  const missing = await send(fixture, operation, nothing)
  if (response.status !== missing.status || response.body.code !== missing.body.code)
    findings.push(
      `${operationId}: ${response.status} ${response.body.code} for a foreign record, ${missing.status} ${missing.body.code} for none`,
    )
  if (response.status < 400) findings.push(`${operationId}: ${response.status} for a foreign record`)
  return 2
}

async function send({ target, limited }: Fixture, operation: Operation, dataset: Dataset) {
  const request = validRequest(operation, { target, dataset, random: createRandom(1) })
  const today = new Date().toISOString().slice(0, 10)
  const query = request.query
    .filter(([name]) => operation.parameters.some(one => one.name === name && one.required))
    .map(([name, value]) => `${name}=${/Date$/.test(name) ? today : value}`)
    .join('&')
  const type = request.headers.find(([name]) => name === 'Content-Type')
  const isJson = operation.media === 'application/json'
  const body = isJson ? Buffer.from(JSON.stringify(operation.example)) : request.body
  const path = `${request.path}${query ? `?${query}` : ''}`
  const response = await fetch(target.service.url + path, {
    method: operation.method,
    headers: {
      authorization: `Bearer ${limited.token}`,
      'x-api-key': limited.apiKey,
      ...(type && { 'content-type': type[1] }),
    },
    ...(type && { body: new Uint8Array(body) }),
  })
  const text = await response.text()
  const json = /json/.test(response.headers.get('content-type') ?? '') && text ? JSON.parse(text) : {}
  return {
    status: response.status,
    text,
    body: json as Json,
    sent: `${decodeURIComponent(path)} ${body.toString()}`,
  }
}

/** Everything that an operator reads of the records. */
async function snapshot({ target, dataset }: Fixture): Promise<string> {
  const paths = [
    `/v2/applicant/${dataset['applicantId']}`,
    `/v2/applicant/${dataset['applicantId']}/dependents`,
    `/v2/case/${dataset['caseId']}`,
    `/v2/case/${dataset['caseId']}/notes`,
    `/v2/document/${dataset['documentId']}`,
    `/admin/v1/companies/${dataset['companyId']}`,
    `/admin/v1/clients/${dataset['clientId']}`,
    `/admin/v1/webhooks/${dataset['webhookId']}`,
    '/admin/v1/processes',
  ]
  const bodies: string[] = []
  for (const path of paths) {
    const { status, body } = await target.call('GET', path)
    bodies.push(`${status} ${JSON.stringify(body)}`)
  }
  return bodies.join('\n')
}
