// Access that must be denied: every operation with every scope but its own, records in the responses of callers that may
// only write, grants of scopes that the caller lacks, webhooks, idempotency keys and cursors of other clients, guessed ids
// and ids of other records.
import { randomBytes } from 'node:crypto'
import type { Attack } from './attack.ts'
import { createDataset, type Dataset } from './support/dataset.ts'
import { createRandom } from './support/random.ts'
import { type Operation, operationsOf, validRequest } from './support/requests.ts'
import type { Json } from './support/samples.ts'
import { CLIENT, tokenOf } from './support/service.ts'
import { startTarget, type Target } from './support/target.ts'

const NAMES = /Anna|Okafor|A note\.|permit\.pdf/

interface Fixture {
  target: Target
  dataset: Dataset
  findings: string[]
  /** Another client, with every scope and an API key of its own. */
  other: OtherClient
  /** A client with every scope but admin. */
  limited: OtherClient
  tried: { scopes: number; writes: number; grants: number; keys: number; cursors: number; ids: number }
}

interface OtherClient {
  token: string
  apiKey: string
}

export const scopes: Attack = {
  name: 'scopes',
  title: 'every operation × every scope',
  must: '0 leaks',
  breaks: ['scope-check', 'key-owner', 'identifiers', 'grant-check', 'webhook-owner'],

  async run(context) {
    const target = await startTarget(context)
    const dataset = await createDataset(target, '-K')
    const tried = { scopes: 0, writes: 0, grants: 0, keys: 0, cursors: 0, ids: 0 }
    const other = await createOtherClient(target, scopesOf(target))
    const limited = await createOtherClient(target, withoutAdmin(target))
    const fixture: Fixture = { target, dataset, findings: [], other, limited, tried }
    const phases = [everyScope, writesWithoutRead, grants, otherKeys, otherCursors]
    for (const [done, phase] of phases.entries()) {
      context.progress(done, phases.length + 1)
      await phase(fixture)
    }
    context.progress(phases.length, phases.length + 1)
    await otherIds(fixture, context.quick ? 20 : 200)
    return {
      figures: `${tried.scopes} calls with a wrong scope, a foreign key or no credentials, ${tried.writes} writes without the scope to read, ${tried.grants} uses of more scopes than the caller has or of webhooks of another client, ${tried.keys} idempotency keys and ${tried.cursors} cursors of another client, ${tried.ids} guessed or foreign ids; ${fixture.findings.length} leaks`,
      findings: fixture.findings.slice(0, 50),
    }
  },
}

const scopesOf = ({ document }: Target) =>
  Object.keys(document.components.securitySchemes.oauth2.flows.clientCredentials.scopes)
/** `admin` contains all others. */
const withoutAdmin = (target: Target) => scopesOf(target).filter(scope => scope !== 'admin')

async function createOtherClient({ call, service }: Target, scopes: string[]): Promise<OtherClient> {
  const { body: client } = await call('POST', '/admin/v1/clients', { name: 'Other', scopes })
  const { body: key } = await call('POST', `/admin/v1/clients/${client.clientId}/api-keys`, { name: 'key' })
  const response = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return { token: ((await response.json()) as Json).access_token as string, apiKey: key.apiKey as string }
}

interface Sent {
  operation: Operation
  method?: string
  token?: string
  apiKey?: string
  key?: string
  query?: string
  path?: string
  body?: Json
}

async function send(
  { target, dataset }: Fixture,
  { operation, method = operation.method, token, apiKey, key, query, path, body }: Sent,
) {
  const request = validRequest(operation, { target, dataset, random: createRandom(1) })
  const search = query ?? request.query.map(([name, value]) => `${name}=${value}`).join('&')
  const type = request.headers.find(([name]) => name === 'Content-Type')
  const response = await fetch(`${target.service.url}${path ?? request.path}${search ? `?${search}` : ''}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(apiKey && { 'x-api-key': apiKey }),
      ...(key && { 'idempotency-key': key }),
      ...(type && { 'content-type': type[1] }),
    },
    ...(type && {
      body: new Uint8Array(body === undefined ? request.body : Buffer.from(JSON.stringify(body))),
    }),
  })
  const text = await response.text()
  const json = /json/.test(response.headers.get('content-type') ?? '') && text ? JSON.parse(text) : {}
  return { status: response.status, headers: response.headers, text, body: json as Json }
}

async function everyScope(fixture: Fixture): Promise<void> {
  const { target, findings, other, tried } = fixture
  const { url } = target.service
  const all = withoutAdmin(target)
  const tokens = new Map(
    await Promise.all(all.map(async scope => [scope, await tokenOf(url, scope)] as const)),
  )
  const restOf = (needed: string) => all.filter(scope => scope !== needed)
  const allBut = new Map(
    await Promise.all(all.map(async scope => [scope, await tokenOf(url, restOf(scope).join(' '))] as const)),
  )
  for (const operation of operationsOf(target.document).filter(({ secured }) => secured)) {
    const [{ oauth2 = [], apiKey: needsKey, session: forPeople }] =
      target.document.paths[operation.template][operation.method.toLowerCase()].security
    const [needed] = oauth2
    const methods = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]
    const expect = async (sent: Omit<Sent, 'operation'>, status: number, what: string) => {
      tried.scopes += 1
      const response = await send(fixture, { operation, ...sent })
      if (response.status !== status)
        findings.push(`${operation.operationId} ${what}: ${response.status} instead of ${status}`)
      if (NAMES.test(response.text))
        findings.push(`${operation.operationId} ${what}: the error response contains personal data`)
    }
    for (const method of methods) {
      await expect({ method }, 401, 'without a token')
      await expect({ method, token: CLIENT.secret }, 401, 'with a client secret as token')
      if (forPeople) await expect({ method, token: target.token }, 401, 'with a token instead of a session')
      if (!needed) continue
      for (const scope of restOf(needed))
        await expect({ method, token: tokens.get(scope) ?? '', apiKey: CLIENT.apiKey }, 403, `with ${scope}`)
      const token = allBut.get(needed) ?? ''
      await expect({ method, token, apiKey: CLIENT.apiKey }, 403, 'with every scope but its own')
    }
    if (needsKey === undefined) continue
    await expect({ token: target.token }, 401, 'without an API key')
    await expect({ token: target.token, apiKey: other.apiKey }, 401, "with another client's API key")
  }
}

/** What identifies records, and what contains it. Written down here, so that a change of the service is noticed. */
const IDENTIFIERS = new Set([
  ...['primaryApplicant', 'dependents', 'metaData', 'passports', 'documents', 'previousNames', 'steps'],
  ...['step', 'nextStep'],
  ...[
    'applicantId',
    'employeeNumber',
    'caseId',
    'stepId',
    'noteId',
    'documentId',
    'passportId',
    'previousNameId',
  ],
  ...['previousEmployeeNumber', 'casesUpdated', 'documentsUpdated'],
  ...['warnings', 'pointer', 'code', 'detail'],
])

/** An import is the caller's own: its state and its counts, and nothing of the people in it but their numbers. */
const OF_IMPORTS = new Set([
  ...['importId', 'status', 'mode', 'dryRun', 'complete', 'format', 'problem', 'counts', 'progress', 'held'],
  ...['total', 'created', 'updated', 'unchanged', 'rejected', 'missing', 'checked', 'applied', 'toApply'],
  ...['createdBy', 'createdByName', 'createdAt', 'updatedAt', 'releasedAt', 'finishedAt'],
])
const mayReturn = (operationId: string, name: string) =>
  IDENTIFIERS.has(name) || (/^\w+Import$/.test(operationId) && OF_IMPORTS.has(name))

function* keysIn(value: Json): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(value)) yield key
    yield* keysIn(member as Json)
  }
}

/** Writes with a write scope alone: fresh, repeated with the same key, and after a caller that may read. */
async function writesWithoutRead(fixture: Fixture): Promise<void> {
  const { target, findings, tried } = fixture
  const written = { ...fixture, dataset: await createDataset(target, '-W') }
  const writes = operationsOf(target.document).filter(({ method, secured }) => method !== 'GET' && secured)
  let succeeded = 0
  for (const operation of writes) {
    const [{ oauth2 }] = target.document.paths[operation.template][operation.method.toLowerCase()].security
    const [needed] = oauth2 ?? []
    if (!/^(applicants|cases|documents|desk):write$/.test(needed)) continue
    const token = await tokenOf(target.service.url, needed)
    for (const storedBefore of [true, false]) {
      tried.writes += 1
      const body = freshExample(operation, written.dataset, tried.writes)
      const sent = { operation, apiKey: CLIENT.apiKey, key: `written-${tried.writes}`, ...(body && { body }) }
      if (storedBefore) await send(written, { ...sent, token: target.token })
      const response = await send(written, { ...sent, token })
      const isSuccess = response.status < 300
      if (isSuccess) succeeded += 1
      const keys = isSuccess ? [...new Set(keysIn(response.body))] : []
      const extra = keys.filter(name => !mayReturn(operation.operationId, name))
      if (extra.length > 0) findings.push(`${operation.operationId} returns ${extra.join(', ')} to ${needed}`)
      if (NAMES.test(response.text))
        findings.push(`${operation.operationId} returns personal data to ${needed}`)
      if (response.status >= 500) findings.push(`${operation.operationId}: ${response.status} for ${needed}`)
    }
  }
  if (succeeded < tried.writes / 2) findings.push(`only ${succeeded} of ${tried.writes} writes succeeded`)
}

/** The example with a number that is free and companies that exist. */
function freshExample({ example }: Operation, dataset: Dataset, mark: number): Json | undefined {
  if (example === undefined) return undefined
  const text = JSON.stringify(example)
    .replaceAll('E-10042', `W-${mark}`)
    .replaceAll(/"Acme [^"]*"/g, JSON.stringify(dataset['companyId']))
  return JSON.parse(text)
}

/** Callers that try to get more than they have: through clients, and through webhooks. */
async function grants(fixture: Fixture): Promise<void> {
  const { target, dataset, findings, limited, tried } = fixture
  const expect = async (
    expected: { status: number; code: string },
    request: [string, string, Json?],
    token: string,
  ) => {
    tried.grants += 1
    const [method, path, body] = request
    const response = await target.call(method, path, body, token)
    if (response.status !== expected.status || response.body.code !== expected.code)
      findings.push(`${method} ${path}: ${response.status} ${response.body.code} instead of ${expected.code}`)
  }
  const cannotGrant = { status: 403, code: 'cannot-grant' }
  const strong = await target.call('POST', '/admin/v1/clients', { name: 'Strong', scopes: ['admin'] })
  const at = `/admin/v1/clients/${strong.body.clientId}`
  const key = await target.call('POST', `${at}/api-keys`, { name: 'key' })
  await expect(cannotGrant, ['POST', '/admin/v1/clients', { name: 'x', scopes: ['admin'] }], limited.token)
  for (const [method, path, body] of [
    ['POST', `${at}/rotate-secret`, {}],
    ['POST', `${at}/api-keys`, { name: 'x' }],
    ['DELETE', `${at}/api-keys/${key.body.keyId}`],
    ['POST', `${at}/disable`],
    ['POST', `${at}/enable`],
  ] as [string, string, Json?][])
    await expect(cannotGrant, [method, path, body], limited.token)
  const narrow = await tokenOf(target.service.url, 'access:write')
  for (const scope of scopesOf(target).filter(one => one !== 'access:write'))
    await expect(cannotGrant, ['POST', '/admin/v1/clients', { name: 'x', scopes: [scope] }], narrow)

  const blind = await tokenOf(target.service.url, 'webhooks:write')
  const types = Object.keys(target.document.webhooks).filter(type => type !== 'webhook.test')
  for (const eventTypes of [[], ...types.map(type => [type])]) {
    const webhook = { url: 'https://hooks.invalid/', eventTypes, active: false }
    await expect(cannotGrant, ['POST', '/admin/v1/webhooks', webhook], blind)
  }
  const webhook = `/admin/v1/webhooks/${dataset['webhookId']}`
  for (const [method, path, body] of [
    ['GET', webhook],
    ['PATCH', webhook, { url: 'https://elsewhere.invalid/' }],
    ['POST', `${webhook}/rotate-secret`, {}],
    ['POST', `${webhook}/test`],
    ['GET', `${webhook}/deliveries?startDate=2026-01-01&endDate=2026-01-02`],
    ['POST', `${webhook}/replay`, { startDate: '2026-01-01', endDate: '2026-01-02' }],
    ['DELETE', webhook],
  ] as [string, string, Json?][])
    await expect({ status: 404, code: 'webhook-not-found' }, [method, path, body], limited.token)
  const listed = await target.call('GET', '/admin/v1/webhooks', undefined, limited.token)
  if (listed.body.length !== 0) findings.push('listWebhooks returns webhooks of another client')
}

async function otherKeys(fixture: Fixture): Promise<void> {
  const { target, findings, other, tried } = fixture
  const takesKey = ({ parameters }: Operation) => parameters.some(({ name }) => name === 'Idempotency-Key')
  for (const operation of operationsOf(target.document).filter(takesKey)) {
    for (const body of [operation.example, {}]) {
      tried.keys += 1
      const key = `key-${tried.keys}`
      const ownRequest = {
        operation,
        key,
        body: operation.example,
        token: target.token,
        apiKey: CLIENT.apiKey,
      }
      const { status } = await send(fixture, ownRequest)
      const again = await send(fixture, ownRequest)
      const foreign = await send(fixture, { operation, key, body, ...other })
      if (status !== 400 && !again.headers.has('idempotent-replayed'))
        findings.push(
          `${operation.operationId}: a repeated key was not replayed (${status}, ${again.status})`,
        )
      if (foreign.headers.has('idempotent-replayed'))
        findings.push(`${operation.operationId}: another client got the stored response`)
      if (foreign.body.code === 'idempotency-key-reused')
        findings.push(`${operation.operationId}: another client can detect the key`)
    }
  }
}

async function otherCursors(fixture: Fixture): Promise<void> {
  const { target, dataset, findings, other, tried } = fixture
  for (let count = 0; count < 3; count++)
    await target.call('POST', `/admin/v1/cases/${dataset['caseId']}/notes`, { content: `A note. ${count}` })
  const today = new Date().toISOString().slice(0, 10)
  const range = `startDate=2026-01-01&endDate=${today > '2026-01-01' ? today : '2099-01-01'}&maxRecords=1`
  const isList = ({ parameters }: Operation) => parameters.some(({ name }) => name === 'nextCursor')
  const cursors: string[] = []
  for (const operation of operationsOf(target.document).filter(isList)) {
    const ownResponse = await send(fixture, { operation, query: range, token: target.token })
    const cursor = ownResponse.body.nextCursor as string | null
    if (!cursor) continue
    cursors.push(cursor)
    const next = await send(fixture, {
      operation,
      query: `${range}&nextCursor=${cursor}`,
      token: target.token,
    })
    if (next.status !== 200) findings.push(`${operation.operationId}: its own cursor returns ${next.status}`)
    for (const [token, query] of [
      [other.token, `${range}&nextCursor=${cursor}`],
      [other.token, `${range}&prevCursor=${cursor}`],
      [target.token, `${range.replace('2026-01-01', '2026-01-02')}&nextCursor=${cursor}`],
      ...cursors.slice(0, -1).map(foreign => [target.token, `${range}&nextCursor=${foreign}`] as const),
      [target.token, `${range}&nextCursor=${cursor.slice(0, -2)}AA`],
    ] as const) {
      tried.cursors += 1
      const response = await send(fixture, { operation, query, token })
      if (response.body.code !== 'invalid-cursor')
        findings.push(`${operation.operationId}: a foreign cursor returns ${response.status}`)
    }
  }
}

async function otherIds(fixture: Fixture, rounds: number): Promise<void> {
  const { target, dataset, findings, tried } = fixture
  const otherDataset = await createDataset(target, '-L')
  const reads = operationsOf(target.document).filter(
    ({ method, template }) => method === 'GET' && template.includes('{'),
  )
  const guesses = [
    ...Array.from({ length: rounds }, () => `${randomBytes(17).toString('base64url')}=`),
    ...Object.values(dataset),
    ...Object.values(otherDataset),
  ]
  for (const operation of reads) {
    const names = [...operation.template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
    const last = names.at(-1) as string
    const right = new Set([
      dataset[last],
      otherDataset[last],
      dataset['dependentId'],
      otherDataset['dependentId'],
      dataset['dependentEmployeeNumber'],
      otherDataset['dependentEmployeeNumber'],
    ])
    for (const guess of guesses.filter(one => !right.has(one))) {
      tried.ids += 1
      const path = operation.template.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(name === last ? guess : (dataset[name] ?? '')),
      )
      const response = await send(fixture, { operation, path, token: target.token })
      if (response.status !== 404)
        findings.push(`${operation.operationId}: a guessed id returns ${response.status}`)
    }
  }
  // A child of one record must not be found under another record.
  const { applicantId = '', employeeNumber = '', caseId = '', clientId = '' } = otherDataset
  const foreignChildren: [string, string, Json?][] = [
    ['GET', `/v2/applicant/${applicantId}/dependent/${dataset['dependentId']}`],
    [
      'GET',
      `/v2/applicant/employeenumber/${employeeNumber}/dependents/${dataset['dependentEmployeeNumber']}`,
    ],
    ['PATCH', `/admin/v1/cases/${caseId}/steps/${dataset['stepId']}`, { status: 'waived' }],
    ['PATCH', `/admin/v1/cases/${caseId}/notes/${dataset['noteId']}`, { content: 'x' }],
    ['DELETE', `/admin/v1/clients/${clientId}/api-keys/${dataset['keyId']}`],
  ]
  for (const [method, path, body] of foreignChildren) {
    tried.ids += 1
    const { status } = await target.call(method, path, body)
    if (status !== 404) findings.push(`${method} ${path}: ${status} for a child of another record`)
  }
}
