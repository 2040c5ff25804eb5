// Lists, counts, totals, cursors and links of limited callers must stay as they are, byte for byte, while others write.
import type { Caller } from './callers.ts'
import { differenceOf, type Received } from './exchange.ts'
import type { Fixture } from './fixture.ts'
import { type Attacked, refusalOf, requestOf } from './operations.ts'

const ATTEMPTS = 3

export async function unchangedLists(fixture: Fixture): Promise<string> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const own = await followOwnChanges(fixture)
    const before = await readLists(fixture)
    await writeAsOthers(fixture)
    const after = await readLists(fixture)
    // Reminders of the callers' own records come due at any time, and change what is read after them.
    if ((await own()) > 0) continue
    for (const [name, response] of before) {
      const difference = differenceOf([response, after.get(name) as Received], [[], []])
      if (difference) fixture.findings.push(`${name}: changed when others wrote: ${difference}`)
    }
    return `${before.size} lists compared before and after writes of others`
  }
  fixture.findings.push(`records of the own company changed in each of ${ATTEMPTS} comparisons of lists`)
  return 'no lists compared'
}

async function writeAsOthers(fixture: Fixture): Promise<void> {
  const { foreign, target } = fixture
  const more = await fixture.createMore(foreign.company)
  await target.call('PATCH', `/v2/applicant/${foreign.ids['applicantId']}`, {
    primaryApplicant: { jobTitle: `${foreign.company.mark}changed` },
  })
  await target.call('PATCH', `/admin/v1/cases/${more.ids['caseId']}`, { status: 'pending' })
  await target.call('POST', `/admin/v1/cases/${foreign.ids['caseId']}/notes`, {
    content: `${foreign.company.mark}more`,
  })
  fixture.spare.foreign = more
}

/** Returns how to count the changes of the callers' company since now. */
async function followOwnChanges({
  attacked,
  callers,
  exchange,
  own,
}: Fixture): Promise<() => Promise<number>> {
  const feed = attacked.find(({ operation }) => operation.operationId === 'listChanges') as Attacked
  const caller = callers.find(({ role, kind }) => role === 'admin' && kind === 'client') as Caller
  const read = async (after: string) => {
    const { status, body } = await exchange(requestOf(feed, own.ids, { query: { after }, as: caller }))
    if (status !== 200) throw new Error(`The change feed responded with ${status}.`)
    return body as { records: unknown[]; nextCursor: string }
  }
  const { nextCursor } = await read('now')
  return async () => (await read(nextCursor)).records.length
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
