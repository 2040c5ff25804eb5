// Access that must be denied: every operation with every scope but its own, idempotency keys and cursors of other clients,
// guessed ids and ids of other records.
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
  other: { token: string; apiKey: string }
  tried: { scopes: number; keys: number; cursors: number; ids: number }
}

export const scopes: Attack = {
  name: 'scopes',
  title: 'every operation × every scope',
  must: '0 leaks',
  breaks: ['scope-check', 'key-owner'],

  async run(context) {
    const target = await startTarget(context)
    const dataset = await createDataset(target, '-K')
    const tried = { scopes: 0, keys: 0, cursors: 0, ids: 0 }
    const fixture: Fixture = { target, dataset, findings: [], other: await createOtherClient(target), tried }
    context.progress(0, 4)
    await everyScope(fixture)
    context.progress(1, 4)
    await otherKeys(fixture)
    context.progress(2, 4)
    await otherCursors(fixture)
    context.progress(3, 4)
    await otherIds(fixture, context.quick ? 20 : 200)
    return {
      figures: `${tried.scopes} calls with a wrong scope, a foreign key or no credentials, ${tried.keys} idempotency keys and ${tried.cursors} cursors of another client, ${tried.ids} guessed or foreign ids; ${fixture.findings.length} leaks`,
      findings: fixture.findings.slice(0, 50),
    }
  },
}

async function createOtherClient({ call, document, service }: Target) {
  const all = Object.keys(document.components.securitySchemes.oauth2.flows.clientCredentials.scopes)
  const { body: client } = await call('POST', '/admin/v1/clients', { name: 'Other', scopes: all })
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
  const all = Object.keys(target.document.components.securitySchemes.oauth2.flows.clientCredentials.scopes)
  const tokens = new Map(
    await Promise.all(all.map(async scope => [scope, await tokenOf(url, scope)] as const)),
  )
  const restOf = (needed: string) => all.filter(scope => scope !== needed)
  const allBut = new Map(
    await Promise.all(all.map(async scope => [scope, await tokenOf(url, restOf(scope).join(' '))] as const)),
  )
  for (const operation of operationsOf(target.document).filter(({ secured }) => secured)) {
    const [{ oauth2, apiKey: needsKey }] =
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
