// Callers who are limited to a company, in every role, as people and as clients: no response, header, count, time, webhook,
// audit entry or replay may tell anything of another company, not even whether a record exists.
import type { Attack } from '../attack.ts'
import { auditLog } from './audit-log.ts'
import { conditionalRequests } from './conditions.ts'
import { createFixture, type Fixture } from './fixture.ts'
import { unchangedLists } from './lists.ts'
import { control, everyOperation } from './matrix.ts'
import { notifications } from './notifications.ts'
import { replays } from './replays.ts'
import { timings } from './timings.ts'
import { webhooks } from './webhooks.ts'

const MAX_FINDINGS = 50

export const companies: Attack = {
  name: 'companies',
  title: 'every operation × every role × a record of another company, of no company, an unknown id',
  must: '0 leaks in bodies, headers, counts, errors, times, webhooks, audit and replays',
  breaks: [
    'company-boundary',
    'scope-check',
    'role-scopes',
    'applicants-view',
    'cases-view',
    'documents-view',
    'audit-view',
    'cache-bypass',
    'webhook-companies',
    'replay-companies',
    'key-owner',
    'taken-id',
    'even-times',
  ],

  async run(context) {
    const fixture = await createFixture(context)
    const { findings, statuses } = fixture
    await heat(fixture)
    const figures: string[] = []
    const run = async (...parts: ((fixture: Fixture) => Promise<string>)[]) => {
      // With a guard broken on purpose, the first part that reports it is enough.
      for (const part of parts)
        if (!context.broken || findings.length === 0) figures.push(await part(fixture))
    }
    const before = await snapshot(fixture)
    await run(everyOperation, conditionalRequests, timings)
    if ((await snapshot(fixture)) !== before) findings.push('A record of another company was changed.')
    await run(unchangedLists, auditLog, replays, webhooks)
    if (!context.quick) await run(notifications)
    await run(control)
    const shown = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
    return {
      figures: `${figures.join('; ')}; responses: ${shown.join(', ')}; ${findings.length} leaks`,
      findings: findings.slice(0, MAX_FINDINGS),
    }
  },
}

/** Others read their records, so that these are cached. */
async function heat({ target, foreign }: Fixture): Promise<void> {
  for (let count = 0; count < 4; count++)
    for (const path of pathsOf(foreign.ids)) await target.call('GET', path)
}

const pathsOf = ({
  applicantId,
  employeeNumber,
  caseId,
  documentId,
  companyId,
  clientId,
  webhookId,
  userId,
}: Record<string, string>) => [
  `/v2/applicant/${applicantId}`,
  `/v2/applicant/${applicantId}/dependents`,
  `/v2/applicant/employeenumber/${employeeNumber}`,
  `/v2/case/${caseId}`,
  `/v2/case/${caseId}/notes`,
  `/v2/document/${documentId}`,
  `/v2/document/${documentId}/file`,
  `/admin/v1/companies/${companyId}`,
  `/admin/v1/clients/${clientId}`,
  `/admin/v1/webhooks/${webhookId}`,
  `/admin/v1/users/${userId}`,
]

/** Everything that the operator reads of records that this attack must not change. */
async function snapshot({ target, foreign, nobodys }: Fixture): Promise<string> {
  const bodies: string[] = []
  for (const path of [...pathsOf(foreign.ids), ...pathsOf(nobodys), '/admin/v1/processes']) {
    const { status, body } = await target.call('GET', path)
    bodies.push(`${status} ${JSON.stringify(body)}`)
  }
  return bodies.join('\n')
}
