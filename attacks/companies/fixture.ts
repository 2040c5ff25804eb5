// What the parts of this attack share: two companies with their records, the callers of one of them, and the report.
import type { Context } from '../attack.ts'
import { createDataset, NO_ID } from '../support/dataset.ts'
import { startTarget, type Target } from '../support/target.ts'
import { type Caller, createCallers } from './callers.ts'
import { canariesIn, createExchange, type Exchange, type Received, type Sent } from './exchange.ts'
import { type Attacked, attackedOperations } from './operations.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import {
  type Company,
  createCompany,
  createMattersAbout,
  createRecords,
  type Ids,
  type Records,
} from './records.ts'

export interface Fixture {
  context: Context
  target: Target
  /** A request as it is, without any check. */
  exchange: Exchange
  /** A request of a limited caller: what it must not get is a finding. */
  attempt(what: string, sent: Sent): Promise<Received>
  attacked: Attacked[]
  receiver: Receiver
  /** The company of the callers, with its records. */
  own: Records
  /** The company of others. */
  foreign: Records
  /** A case of others about a person of the callers' company. */
  crossed: Ids
  /** Records that belong to no company. */
  nobodys: Ids
  callers: Caller[]
  /** Everything that no caller of `own` may see. It grows. */
  canaries: Set<string>
  findings: string[]
  /** Responses by status. */
  statuses: Map<number, number>
  /** Further records that one part has made, and another may change. */
  spare: { own?: Records; foreign?: Records }
  /** Makes further records. They are canaries, if they are not those of the callers' company. */
  createMore(company: Company): Promise<Records>
}

const NOBODYS = [
  'applicantId',
  'dependentId',
  'caseId',
  'documentId',
  'companyId',
  'webhookId',
  'userId',
  'keyId',
]

export async function createFixture(context: Context): Promise<Fixture> {
  const target = await startTarget(context, { WEBHOOK_ALLOW_PRIVATE: 'on' })
  const { exchange, close } = createExchange(target.service.url)
  context.after(close)
  const receiver = await startReceiver(context)
  const setup = { target, exchange, hook: `${receiver.url}/company` }
  const [ownCompany, foreignCompany] = [await createCompany(target, 'h'), await createCompany(target, 'g')]
  const [own, foreign, dataset, callers] = await Promise.all([
    createRecords(setup, ownCompany),
    createRecords(setup, foreignCompany),
    createDataset(target, '-K'),
    createCallers(target, ownCompany.companyId, ownCompany.mark),
  ])
  const crossed = await createMattersAbout(target, foreignCompany, own)
  const findings: string[] = []
  const canaries = foreign.canaries.union(crossed.canaries)
  const statuses = new Map<number, number>()
  const { attacked, missing } = attackedOperations(target.document)
  findings.push(...missing)
  const withOwnCompany = (ids: Ids): Ids => ({
    ...ids,
    blockId: dataset['blockId'] ?? '',
    ownCompanyId: ownCompany.companyId,
  })
  own.ids = withOwnCompany(own.ids)
  foreign.ids = withOwnCompany(foreign.ids)
  // Ids that this dataset lacks are taken from the other company.
  const nobodys = { ...foreign.ids, ...withoutPlaceholders(dataset) }
  for (const name of NOBODYS) {
    const id = nobodys[name]
    if (!id) throw new Error(`The dataset has no ${name}.`)
    canaries.add(id)
  }

  return {
    context,
    target,
    exchange,
    attacked,
    receiver,
    own,
    foreign,
    crossed: { ...foreign.ids, ...crossed.ids },
    nobodys,
    callers,
    spare: {},
    canaries,
    findings,
    statuses,
    async attempt(what, sent) {
      const received = await exchange(sent)
      statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1)
      const leaked = canariesIn(received, sent, canaries)
      if (leaked.length > 0)
        findings.push(
          `${what}: the response contains ${leaked.length} values of others, such as ${leaked[0]}`,
        )
      if (received.status >= 500) findings.push(`${what}: ${received.status} ${received.text.slice(0, 200)}`)
      return received
    },
    async createMore(company) {
      const records = await createRecords(setup, company)
      records.ids = withOwnCompany(records.ids)
      if (company !== ownCompany) for (const canary of records.canaries) canaries.add(canary)
      return records
    },
  }
}

/** The dataset of all attacks has an id of no record for some kinds. */
const withoutPlaceholders = (dataset: Ids): Ids =>
  Object.fromEntries(Object.entries(dataset).filter(([, id]) => id !== NO_ID))
