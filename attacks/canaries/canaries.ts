// Sends unique words, the canaries, as personal data in every field. They may appear only in responses that contain the
// record: not in logs at level trace, errors, metrics, webhooks or the audit of rejected calls.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { createDataset, type Dataset } from '../support/dataset.ts'
import { embeddedSql } from '../support/postgres-processes.ts'
import { createRandom, type Random } from '../support/random.ts'
import { type Operation, operationsOf } from '../support/requests.ts'
import { runConcurrently } from '../support/run-concurrently.ts'
import { type Json, sample } from '../support/samples.ts'
import { CLIENT } from '../support/service.ts'
import { startTarget, type Target } from '../support/target.ts'
import { startSmtpServer, startWebhookSink } from './receivers.ts'

const CANARY = /cnry\d+q/i

interface Fixture {
  target: Target
  dataset: Dataset
  random: Random
  /** A unique word. */
  canary(): string
  send(operation: Operation, sent?: Sent): Promise<void>
}

interface Sent {
  body?: string | FormData
  type?: string
  path?: string
  query?: string
  headers?: Record<string, string>
}

export const canaries: Attack = {
  name: 'canaries',
  title: 'canaries in every field',
  must: '0 found in logs, errors, metrics, webhooks and the audit of rejected calls',
  breaks: ['silent-log'],

  async run(context) {
    const findings = new Set<string>()
    const smtp = await startSmtpServer(context)
    const sink = await startWebhookSink(context)
    const target = await startTarget(context, {
      LOG_LEVEL: 'trace',
      SMTP_URL: smtp.url,
      SMTP_TLS: 'off',
      MAIL_FROM: 'caseport@example.com',
      WEBHOOK_ALLOW_PRIVATE: 'on',
    })
    const dataset = await createDataset(target)
    await target.call('POST', '/admin/v1/webhooks', { url: sink.url })
    const random = createRandom()
    let planted = 0
    let errors = 0
    let stored = 0
    let serverErrors = 0
    const fixture: Fixture = {
      target,
      dataset,
      random,
      canary: () => `cnry${++planted}q`,
      async send(operation, { body, type, path, query = '', headers } = {}) {
        const filled =
          path ??
          operation.template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(dataset[name] ?? ''))
        const response = await fetch(`${target.service.url}${filled}${query}`, {
          method: operation.method,
          headers: {
            authorization: `Bearer ${target.token}`,
            'x-api-key': CLIENT.apiKey,
            ...(body !== undefined &&
              !(body instanceof FormData) && { 'content-type': type ?? 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body }),
        })
        const text = await response.text()
        if (response.status < 300 && operation.method !== 'GET') stored += 1
        if (response.status < 400) return
        errors += 1
        if (response.status >= 500) serverErrors += 1
        const leak = [text, ...[...response.headers].filter(([name]) => name !== 'x-request-id').flat()].find(
          part => CANARY.test(part),
        )
        if (leak) findings.add(`${operation.operationId} ${response.status} leaks: ${leak.slice(0, 400)}`)
      },
    }
    const operations = operationsOf(target.document)
    await runConcurrently({
      total: operations.length,
      concurrency: 8,
      progress: context.progress,
      more: () => `${planted} planted`,
      async each(index) {
        const operation = operations[index] as Operation
        await sendCanaries(fixture, operation, context.quick ? 2 : 60)
        await sendMisplacedCanaries(fixture, operation)
      },
    })
    await uploadCanaries(fixture)
    await breakDatabase(fixture, join(context.folder, 'data'), operations)
    await sendFailingReminder(fixture, smtp, context.quick ? 1 : 90)

    const logs = {
      service: target.service.output(),
      PostgreSQL: readFileSync(join(context.folder, 'data', 'postgres.log'), 'utf8'),
    }
    const metrics = await (await fetch(`${target.service.url}/metrics`)).text()
    for (const [name, text] of Object.entries({
      ...logs,
      metrics,
      'audit of rejected calls': await rejectedEntries(join(context.folder, 'data')),
      webhooks: withoutNumbers(sink.received()),
    }))
      for (const line of text.split('\n'))
        if (CANARY.test(line)) findings.add(`${name}: ${line.slice(0, 250)}`)
    return {
      figures: `seed ${random.seed}: ${planted} canaries through ${operations.length} operations, ${stored} writes accepted; ${errors} errors (${serverErrors} with 5xx, caused in the database), ${logs.service.split('\n').length} log lines at level trace, ${logs.PostgreSQL.split('\n').length} of PostgreSQL, metrics, the audit of rejected calls, ${sink.count()} webhooks and ${smtp.count()} rejected mails searched; ${findings.size} found`,
      findings: [...findings].slice(0, 50),
    }
  },
}

/** The audit entries of calls that were refused or failed, a line each. */
async function rejectedEntries(dataDir: string): Promise<string> {
  const sql = embeddedSql(dataDir)
  const rows = await sql<{ text: string }[]>`select a::text as text from audit a where outcome <> 'ok'`
  await sql.end()
  return rows.map(({ text }) => text).join('\n')
}

/** Webhooks contain employee numbers beside ids; a canary in one of them is no finding. */
const withoutNumbers = (text: string) => text.replace(/"(previousE|e)mployeeNumber":"[^"]*"/g, '')

/** A valid body with a canary in every text field. */
function fullBody({ target, random, canary }: Fixture, schema: Json): Json {
  const fit = (pattern: string) =>
    pattern.includes('@')
      ? `${canary()}@example.com`
      : pattern.includes('\\S(.*\\S)') || pattern.includes('!-9')
        ? canary()
        : undefined
  return sample({ document: target.document, random, optionalFields: 1, text: canary, fit }, schema)
}

function fieldsOf(value: Json): [parent: Json, name: string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap(name => [[value, name] as [Json, string], ...fieldsOf(value[name])])
}

async function sendCanaries(fixture: Fixture, operation: Operation, most: number): Promise<void> {
  const { canary, random, send } = fixture
  if (operation.media !== 'application/json') return
  const validBody = () => {
    const body = fullBody(fixture, operation.schema)
    // The company must exist, or the case would be rejected.
    if (operation.operationId === 'createCase')
      for (const name of ['hostCompany', 'sendingCompany', 'billingCompany'])
        body[name] = fixture.dataset['companyId']
    return body
  }
  await send(operation, { body: JSON.stringify(validBody()) })
  await send(operation, {
    body: JSON.stringify(fullBody(fixture, operation.schema)),
    headers: { 'idempotency-key': canary() },
  })
  const canaryPath = operation.template.replace(/\{(\w+)\}/g, (_, name) =>
    /umber$/.test(name) ? canary() : encodeURIComponent(fixture.dataset[name] ?? ''),
  )
  await send(operation, { body: JSON.stringify(validBody()), path: canaryPath })
  const count = fieldsOf(validBody()).length
  for (let index = 0; index < Math.min(most, count); index++) {
    for (const wrong of [() => ({ x: canary() }), () => canary().repeat(3_000), () => [canary()], canary]) {
      const body = validBody()
      const found = fieldsOf(body)
      const [parent, name] = found[most < count ? random.below(found.length) : index % found.length] as [
        Json,
        string,
      ]
      parent[name] = wrong()
      await send(operation, { body: JSON.stringify(body) })
    }
  }
}

/** Sends canaries in unexpected positions: paths, queries, headers and unparsable bodies. */
async function sendMisplacedCanaries({ canary, send }: Fixture, operation: Operation): Promise<void> {
  const inPath = (more: string) => operation.template.replace(/\{\w+\}/g, () => canary() + more)
  const json = operation.media === 'application/json'
  const body = json ? { body: '{}' } : {}
  if (operation.template.includes('{'))
    for (const more of ['', '%00', '%zz', '%ff', 'x'.repeat(600)])
      await send(operation, { ...body, path: inPath(more) })
  await send(operation, { ...body, path: `${operation.template.replaceAll(/[{}]/g, '')}/${canary()}` })
  for (const { name } of operation.parameters.filter(parameter => parameter.in === 'query'))
    await send(operation, { query: `?${name}=${canary()}` })
  await send(operation, { ...body, query: `?unknown=${canary()}` })
  for (const name of [
    'if-match',
    'if-none-match',
    'idempotency-key',
    'range',
    'x-api-key',
    'authorization',
    'cookie',
    'user-agent',
    'referer',
    'traceparent',
    'accept',
    'x-forwarded-for',
  ])
    await send(operation, { ...body, headers: { [name]: `${canary()} ${canary()}` } })
  if (!operation.media) return
  await send(operation, { body: canary(), type: `application/${canary()}` })
  for (const text of [
    `{"firstName": ${canary()}`,
    `{"firstName": "${canary()}`,
    `"${canary()}"`,
    `{"a":"${canary()}\\u0000"}`,
    `{"a":"${canary()}\\ud800"}`,
    `{"__proto__":"${canary()}"}`,
    `[${canary()}]`,
  ])
    await send(operation, { body: text })
  if (operation.operationId === 'issueToken')
    for (const field of ['client_id', 'client_secret', 'grant_type', 'scope'])
      await send(operation, {
        body: `client_id=a&client_secret=b&${field}=${canary()}`,
        type: operation.media,
        headers: { authorization: '' },
      })
}

async function uploadCanaries({ target, dataset, canary, send }: Fixture): Promise<void> {
  const operation = operationsOf(target.document).find(
    ({ operationId }) => operationId === 'uploadDocument',
  ) as Operation
  for (const content of ['%PDF-1.7 ', '<html>', '', 'MZ'])
    for (const broken of [false, true]) {
      const form = new FormData()
      form.set('caseId', broken ? canary() : (dataset['caseId'] ?? ''))
      form.set('countryCode', broken ? canary() : 'DE')
      for (const name of ['name', 'type', 'description', 'referenceNumber']) form.set(name, canary())
      if (broken) for (const name of ['expiryDate', 'country', 'other']) form.set(name, canary())
      form.set('document', new Blob([content && content + canary()]), `${canary()}.pdf`)
      await send(operation, { body: form })
    }
}

/** Makes every write fail with an error of PostgreSQL that quotes the row. */
async function breakDatabase(fixture: Fixture, dataDir: string, operations: Operation[]): Promise<void> {
  const tables = [
    'applicants',
    'cases',
    'case_checklists',
    'documents',
    'case_notes',
    'case_note_versions',
    'companies',
    'blocked_callers',
    'users',
    'saved_views',
    'merges',
    'duplicate_dismissals',
    'imports',
    'import_rows',
  ]
  const sql = embeddedSql(dataDir)
  const existing = await sql<
    { name: string }[]
  >`select tablename as name from pg_tables where schemaname = 'public' and tablename = any(${tables})`
  for (const { name } of existing)
    await sql.unsafe(`alter table ${name} add constraint attack check (false) not valid`)
  for (const operation of operations.filter(
    ({ media, method }) => media === 'application/json' && method !== 'GET',
  ))
    await sendCanaries(fixture, operation, 0)
  for (const { name } of existing) await sql.unsafe(`alter table ${name} drop constraint attack`)
  await sql.end()
}

/** Sends a reminder to a recipient that the SMTP server rejects with an error that repeats the address. */
async function sendFailingReminder(
  { target, canary }: Fixture,
  smtp: { count(): number },
  seconds: number,
): Promise<void> {
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  const { body } = await target.call('POST', '/v2/applicant', {
    primaryApplicant: {
      firstName: canary(),
      lastName: canary(),
      email: `${canary()}@example.com`,
      documents: [{ name: canary(), expiryDate: soon, remindAboutRenewal: true }],
    },
  })
  const [document] = body.primaryApplicant.documents
  await target.call('PATCH', `/v2/document/${document.documentId}/expiry`, {
    ExpiryDate: soon,
    RemindAboutRenewal: true,
  })
  for (let waited = 0; waited < seconds && smtp.count() === 0; waited++) await sleep(1_000)
}
