import type { Registry } from 'prom-client'
import { databaseUnavailable } from '../db/sqlstate.ts'
import { Type } from '../lib/json-schema.ts'
import { declareProblem } from '../lib/problem.ts'
import type { Scope } from '../lib/scopes.ts'
import type { App, Operation } from './app-types.ts'

const notReady = declareProblem({
  code: 'not-ready',
  status: 503,
  title: 'The service cannot handle requests at the moment.',
  remedy: 'Retry after the seconds in Retry-After.',
})

const TIMEOUT_MS = 2_000
const Health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health' })
const tags = ['Service'] as [string]

const getLiveness = {
  operationId: 'getLiveness',
  tags,
  summary: 'Check liveness',
  description:
    'Returns 200 while the process runs. It does not check the database, so use it to decide about a restart. It needs no token.',
  response: { 200: Health },
} satisfies Operation

const getReadiness = {
  operationId: 'getReadiness',
  tags,
  summary: 'Check readiness',
  description:
    'Checks the database and the file repositories. Returns 503 while one of them does not respond, and while the service shuts down. Load balancers use it to decide where to send requests.',
  response: { 200: Health },
  errors: [notReady],
} satisfies Operation

const getMetrics = {
  operationId: 'getMetrics',
  tags,
  summary: 'Get metrics for Prometheus',
  description:
    'Returns counters and histograms in the text format of Prometheus. Labels have route templates and never personal data. It needs no token; restrict access to it in the network.',
  produces: 'text/plain',
  response: { 200: Type.String() },
} satisfies Operation

type Check = () => Promise<unknown>

interface Options {
  /** Each must resolve for the service to be ready. */
  checks: { database: Check } & Record<string, Check>
  metrics: Pick<Registry, 'contentType' | 'metrics'>
}

export function healthRoutes(app: App, { checks, metrics }: Options): void {
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })

  app.get('/healthz', { schema: getLiveness, scope: 'public' }, async () => ({ status: 'ok' as const }))

  app.get('/readyz', { schema: getReadiness, scope: 'public' }, async () => {
    const failed = stopping ? ['stopping'] : await failing(checks)
    if (failed.length) throw notReady(`Not ready: ${failed.join(', ')}.`, { headers: { 'retry-after': '2' } })
    return { status: 'ok' as const }
  })

  app.get('/metrics', { schema: getMetrics, scope: 'public' }, async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.metrics()),
  )

  const { database } = checks
  apiHealth(app, { api: 'Applicant', path: '/v2/applicant/health', scope: 'applicants:read', database })
  apiHealth(app, { api: 'Case', path: '/v2/case/health', scope: 'cases:read', database })
  apiHealth(app, { api: 'Document', path: '/v2/document/health', scope: 'documents:read', database })
}

interface ApiHealth {
  api: string
  path: string
  scope: Scope
  database: Check
}

function apiHealth(app: App, { api, path, scope, database }: ApiHealth): void {
  const schema = {
    operationId: `get${api}Health`,
    tags: [`${api}s`] as [string],
    summary: 'Health check',
    description: `Returns 200 if the ${api} API is running and its database responds, and 503 otherwise, within three seconds. Unlike /healthz and /readyz it needs a token, so that it also checks the credentials of the client.`,
    response: { 200: Health },
  } satisfies Operation
  // It discloses nothing, and is called all the time.
  app.get(path, { schema, scope, audit: 'refusals' }, async () => {
    if (!(await passes(database))) throw databaseUnavailable(undefined, { headers: { 'retry-after': '2' } })
    return { status: 'ok' as const }
  })
}

async function failing(checks: Options['checks']): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ((await passes(check)) ? [] : [name])),
  )
  return results.flat()
}

/** Whether the check succeeds in time. */
async function passes(check: Check): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, TIMEOUT_MS, false)
  })
  const succeeds = check().then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([succeeds, late])
  } finally {
    clearTimeout(timer)
  }
}
