// Renewal notifications of others: recorded once a minute, so only the long form waits for them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fixture } from './fixture.ts'
import { refusalOf, requestOf } from './operations.ts'
import { dayFromNow } from './records.ts'

const MOST_SECONDS = 90

export async function notifications({
  attacked,
  target,
  callers,
  attempt,
  findings,
  foreign,
  own,
}: Fixture): Promise<string> {
  const path = `/admin/v1/notifications?startDate=${dayFromNow(-1)}&endDate=${dayFromNow(1)}&maxRecords=1000`
  const listed = async (id: string | undefined) =>
    JSON.stringify((await target.call('GET', path)).body).includes(id ?? '-')
  for (let seconds = 0; seconds < MOST_SECONDS && !(await listed(foreign.ids['documentId'])); seconds++)
    await sleep(1_000)
  if (!(await listed(foreign.ids['documentId'])))
    findings.push('no notification of another company was recorded: nothing was tested')
  const one = attacked.find(({ operation }) => operation.operationId === 'listNotifications')
  let read = 0
  for (const caller of callers) {
    if (!one || refusalOf(one, caller)) continue
    read += 1
    const response = await attempt(
      `listNotifications as ${caller.name}`,
      requestOf(one, own.ids, {
        as: caller,
        query: { startDate: dayFromNow(-1), endDate: dayFromNow(1), maxRecords: '1000' },
      }),
    )
    if (!response.text.includes(own.ids['documentId'] ?? '-'))
      findings.push(`listNotifications as ${caller.name} lacks its own`)
  }
  return `notifications read by ${read} callers`
}
