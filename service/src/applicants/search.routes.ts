import { type Answers, actorOf } from '../http/answers.ts'
import type { App } from '../http/app-types.ts'
import * as schema from './search.schema.ts'
import { toWire } from './search.schema.ts'
import type { ApplicantSearch } from './search.service.ts'
import { show } from './stored.ts'

interface Options {
  answers: Answers
  search: ApplicantSearch
}

export function applicantSearchRoutes(app: App, { answers, search }: Options): void {
  const path = '/admin/v1/applicants'

  app.get(path, { schema: schema.searchApplicants, scope: 'admin' }, async req => {
    const found = await search.find(req.query)
    answers.seen(
      actorOf(req),
      'applicant.search',
      found.map(({ applicantId }) => applicantId),
    )
    return found.map(toWire)
  })

  app.post(
    `${path}/:applicantId/restore`,
    { schema: schema.restoreApplicant, scope: 'admin' },
    (req, reply) =>
      answers.write(req, reply, async unit => {
        const { json, etag } = show(await search.restore(unit, req.params.applicantId, req.body))
        return { status: 200, json, headers: { etag } }
      }),
  )
}
