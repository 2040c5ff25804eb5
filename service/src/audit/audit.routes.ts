import { Readable } from 'node:stream'
import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import { auditRead } from '../http/responses.ts'
import { invalid } from '../lib/problem.ts'
import * as schema from './audit.schema.ts'
import { toWire } from './audit.schema.ts'
import type { Audit } from './audit.service.ts'

/** In seconds; the client sets the pace. */
const EXPORT_TIME_LIMIT = 6 * 3_600

export function auditRoutes(app: App, { audit, pagination }: { audit: Audit; pagination: Pagination }): void {
  const path = '/admin/v1/audit'
  const scope = 'audit:read'

  app.get(path, { schema: schema.listAudit, scope }, async (req, reply) => {
    const page = await audit.list(
      pagination.window({ request: req, defaultOffset: 0, defaultType: 'at' }),
      req.query,
    )
    auditRead(req, 'audit.list', [])
    return pagination.send(req, reply, {
      ...page,
      records: page.records.map(entry => JSON.stringify(toWire(entry))),
    })
  })

  app.get(
    `${path}/export`,
    { schema: schema.exportAudit, scope, timeLimit: EXPORT_TIME_LIMIT },
    async (req, reply) => {
      const [from, to] = [new Date(req.query.from), new Date(req.query.to)]
      if (to < from) throw invalid([{ pointer: '/to', detail: 'Must not be before from.' }])
      const pages = audit.export({ from, to })
      // An error of the first page is a problem document; a later one breaks the response off.
      const first = await pages.next()
      auditRead(req, 'audit.export', [])
      const lines = linesOf(first, pages)
      return reply
        .header('content-type', 'application/x-ndjson; charset=utf-8')
        .send(Readable.from(lines, { objectMode: true, highWaterMark: 1 }) as never) as never
    },
  )
}

type Pages = ReturnType<Audit['export']>

/** One text a page, made when the client has taken the page before. */
async function* linesOf(first: Awaited<ReturnType<Pages['next']>>, rest: Pages): AsyncGenerator<string> {
  const text = (page: Parameters<typeof toWire>[0][]) =>
    page.map(entry => `${JSON.stringify(toWire(entry))}\n`).join('')
  if (first.done) return
  yield text(first.value)
  for await (const page of rest) yield text(page)
}
