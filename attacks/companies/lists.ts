// Lists, counts, totals, cursors and links of limited callers must stay as they are, byte for byte, while others write.
import { differenceOf, type Received } from './exchange.ts'
import type { Fixture } from './fixture.ts'
import { refusalOf, requestOf } from './operations.ts'

export async function unchangedLists(fixture: Fixture): Promise<string> {
  const { findings, foreign, target } = fixture
  const before = await readLists(fixture)
  const more = await fixture.createMore(foreign.company)
  await target.call('PATCH', `/v2/applicant/${foreign.ids['applicantId']}`, {
    primaryApplicant: { jobTitle: `${foreign.company.mark}changed` },
  })
  await target.call('PATCH', `/admin/v1/cases/${more.ids['caseId']}`, { status: 'pending' })
  await target.call('POST', `/admin/v1/cases/${foreign.ids['caseId']}/notes`, {
    content: `${foreign.company.mark}more`,
  })
  fixture.spare.foreign = more
  const after = await readLists(fixture)
  for (const [name, response] of before) {
    const difference = differenceOf([response, after.get(name) as Received], [[], []])
    if (difference) findings.push(`${name}: changed when others wrote: ${difference}`)
  }
  return `${before.size} lists compared before and after writes of others`
}

async function readLists({ attacked, callers, attempt, own }: Fixture): Promise<Map<string, Received>> {
  const responses = new Map<string, Received>()
  for (const one of attacked.filter(({ entry }) => entry.kind === 'list'))
    for (const caller of callers.filter(each => !refusalOf(one, each)))
      for (const query of one.entry.queries?.(own.ids) ?? [{}]) {
        const name = `${one.operation.operationId} as ${caller.name} with ${JSON.stringify(query)}`
        const headers = { 'x-request-id': 'list' }
        responses.set(name, await attempt(name, requestOf(one, own.ids, { query, headers, as: caller })))
      }
  return responses
}
