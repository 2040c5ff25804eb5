// One record of every kind that belongs to one company. All text has the mark of the company, and all ids are known, so that
// they can be found wherever they appear.
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAuthenticator } from '../../scripts/software-authenticator.ts'
import type { Json } from '../support/samples.ts'
import type { Target } from '../support/target.ts'
import { type Caller, createClientOf, createPersonOf } from './callers.ts'
import type { Exchange } from './exchange.ts'

/** Keys are names of path parameters, and of what bodies and queries name. */
export type Ids = Record<string, string>

export interface Company {
  companyId: string
  name: string
  code: string
  mark: string
}

export interface Records {
  company: Company
  ids: Ids
  /** Ids and texts that must not reach callers of other companies. */
  canaries: Set<string>
  /** With every scope, limited to the company. */
  client: Caller
  person: Caller
}

const DAY_MS = 86_400_000
export const dayFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
const newMark = (letter: string) => `${letter}${randomBytes(5).toString('hex')}`

export async function createCompany({ call }: Target, letter: string): Promise<Company> {
  const mark = newMark(letter)
  const fields = { name: `${mark} Holding`, code: `${mark}-code` }
  const { status, body } = await call('POST', '/admin/v1/companies', fields)
  if (status !== 201) throw new Error(`No company: ${status} ${JSON.stringify(body)}`)
  return { companyId: body.companyId, ...fields, mark }
}

interface Setup {
  target: Target
  exchange: Exchange
  /** Where the webhook of the company's client delivers to. */
  hook: string
}

/** Each call makes further records, with a mark of their own. */
export async function createRecords({ target, exchange, hook }: Setup, company: Company): Promise<Records> {
  const mark = newMark(company.mark.slice(0, 1))
  const canaries = new Set([company.companyId, company.name, company.code])
  const create = creator(target, { mark, canaries })
  const { companyId } = company
  const grant = { role: 'admin', companies: [companyId], mark }
  const client = await createClientOf(target, grant)
  const person = await createPersonOf(target, grant)
  canaries.add(client.ownId).add(person.ownId).add(`${mark} admin`)
  const webhook = await create(
    'POST',
    '/admin/v1/webhooks',
    { url: hook, description: `${mark}hook` },
    client,
  )
  const view = await create(
    'POST',
    '/admin/v1/views',
    { screen: 'applicants', name: `${mark}view`, query: { q: mark }, shared: true },
    client,
  )
  const people = await createPeople(create, { company, mark })
  const matters = await createMatters(create, { company, mark, employeeNumber: `${mark}-E1` })
  const importId = await createImport(exchange, { client, mark })
  const { body: stored } = await target.call('GET', `/admin/v1/clients/${client.ownId}`)
  const { body: sessions } = await exchange({
    method: 'GET',
    path: '/auth/v1/sessions',
    headers: person.headers,
  })
  const ids: Ids = {
    ...people,
    ...matters,
    companyId,
    importId,
    clientId: client.ownId,
    keyId: stored.apiKeys[0].keyId,
    viewId: view.viewId,
    token: `${mark}calendar`,
    webhookId: webhook.webhookId,
    deliveryId: await firstDelivery(target, webhook.webhookId),
    userId: person.ownId,
    sessionId: sessions[0].sessionId,
    passkeyId: await addPasskey(exchange, { person, mark, origin: target.service.url }),
    email: `${mark}@example.com`,
    userEmail: (person as Caller & { email: string }).email,
    passportNumber: `${mark}P1`,
    companyName: company.name,
    lastName: `${mark}last`,
    firstName: `${mark}first`,
    dependentFirstName: `${mark}child`,
  }
  for (const id of Object.values(ids)) canaries.add(id)
  await duplicateOf(target, ids)
  return { company, ids, canaries, client, person }
}

type Create = (method: string, path: string, body: unknown, as?: Caller) => Promise<Json>

/** Calls as the operator, and notes the ids and marked texts of the responses. */
function creator({ call }: Target, { mark, canaries }: { mark: string; canaries: Set<string> }): Create {
  const note = (value: Json, key = '') => {
    if (typeof value === 'string' && (value.includes(mark) || (/Id$/.test(key) && value.length > 16)))
      canaries.add(value)
    if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) note(member, Array.isArray(value) ? key : name)
  }
  return async (method, path, body, as) => {
    const token = as?.headers['authorization']?.slice('Bearer '.length)
    const response = await call(method, path, body, token)
    if (response.status > 299)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`)
    note(response.body)
    return response.body
  }
}

/** A dry run, which can be released. */
async function createImport(
  exchange: Exchange,
  { client, mark }: { client: Caller; mark: string },
): Promise<string> {
  const row = {
    primaryApplicant: { employeeNumber: `${mark}-I1`, firstName: `${mark}first`, lastName: 'Row' },
  }
  const { status, body } = await exchange({
    method: 'POST',
    path: '/v2/imports?dryRun=true',
    headers: { ...client.headers, 'content-type': 'application/x-ndjson', prefer: 'wait=20' },
    body: Buffer.from(`${JSON.stringify(row)}\n`),
  })
  if (status !== 202) throw new Error(`No import: ${status} ${JSON.stringify(body)}`)
  return body.importId
}

const BORN = '1990-05-31'
const CHILD_BORN = '2018-09-12'

async function createPeople(
  create: Create,
  { company, mark }: { company: Company; mark: string },
): Promise<Ids> {
  const child = (number: string, firstName: string) => ({
    employeeNumber: `${mark}-${number}`,
    firstName,
    lastName: `${mark}last`,
    relationship: 'Child',
    dateOfBirth: CHILD_BORN,
  })
  const primaryApplicant = {
    firstName: `${mark}first`,
    lastName: `${mark}last`,
    email: `${mark}@example.com`,
    jobTitle: `${mark}job`,
    dateOfBirth: BORN,
    sendingCompany: company.name,
    passports: [{ passportNumber: `${mark}P1`, country: 'DE' }],
    documents: [{ name: `${mark}card`, referenceNumber: `${mark}R1` }],
    metaData: [{ tagName: `${mark}tag`, value: `${mark}value` }],
  }
  const number = `${mark}-E1`
  const dependents = [child('D1', `${mark}child`), child('D2', `${mark}gone`)]
  const family = await create('POST', '/v2/applicant', {
    primaryApplicant: { ...primaryApplicant, employeeNumber: number },
    dependents,
  })
  // The second dependent is archived, because this list lacks it.
  await create('PUT', `/v2/applicant/employeenumber/${number}`, {
    primaryApplicant,
    dependents: dependents.slice(0, 1),
  })
  const [first, second] = family.dependents
  // Two records of the same person, and one that was made of two.
  const single = async (twin: string) =>
    (
      await create('POST', '/v2/applicant', {
        primaryApplicant: { ...primaryApplicant, employeeNumber: twin },
      })
    ).primaryApplicant.applicantId as string
  const [twinId, mergedId, absorbedId] = [
    await single(`${mark}-E2`),
    await single(`${mark}-E3`),
    await single(`${mark}-E4`),
  ]
  const { mergeId } = await create('POST', `/admin/v1/applicants/${mergedId}/merge`, { from: absorbedId })
  return {
    twinId,
    mergedId,
    absorbedId,
    mergeId,
    applicantId: family.primaryApplicant.applicantId,
    dependentId: first.applicantId,
    archivedId: second.applicantId,
    employeeNumber: number,
    dependentEmployeeNumber: `${mark}-D1`,
    recordDocumentId: family.primaryApplicant.documents[0].documentId,
  }
}

/** A case of this company about a person of another one, who must not see it. */
export async function createMattersAbout(
  target: Target,
  company: Company,
  { ids, canaries: known }: Records,
): Promise<{ ids: Ids; canaries: Set<string> }> {
  const mark = newMark(company.mark.slice(0, 1))
  const canaries = new Set<string>()
  const create = creator(target, { mark, canaries })
  const matters = await createMatters(create, { company, mark, employeeNumber: ids['employeeNumber'] ?? '' })
  return { ids: matters, canaries: canaries.difference(known) }
}

interface Matter {
  company: Company
  mark: string
  employeeNumber: string
}

async function createMatters(
  create: Create,
  { company: { companyId }, mark, employeeNumber }: Matter,
): Promise<Ids> {
  const record = await create('POST', '/v2/case', {
    caseType: 'Work Permit',
    hostCompany: companyId,
    sendingCompany: companyId,
    billingCompany: companyId,
    assignmentId: `${mark}assignment`,
    department: `${mark}department`,
    applicant: { employeeNumber, firstName: `${mark}first`, lastName: `${mark}last` },
    metadata: [{ tagName: `${mark}tag`, value: `${mark}value` }],
  })
  const note = await create('POST', `/admin/v1/cases/${record.caseId}/notes`, {
    content: `${mark}note`,
    author: `${mark}author`,
  })
  const form = new FormData()
  form.set('caseId', record.caseId)
  form.set('countryCode', 'DE')
  form.set('document', new Blob([`%PDF-1.7 ${mark}bytes`]), `${mark}permit.pdf`)
  const file = await create('POST', '/v2/document', form)
  // Due at once, so that a notification is recorded.
  await create('PATCH', `/v2/document/${file.documentId}/expiry`, {
    ExpiryDate: dayFromNow(5),
    RemindAboutRenewal: true,
  })
  const removed = await create('POST', '/v2/document', form)
  await create('DELETE', `/admin/v1/documents/${removed.documentId}`, { reason: `${mark}reason` })
  return {
    removedDocumentId: removed.documentId,
    caseId: record.caseId,
    stepId: record.steps[0].stepId,
    noteId: note.noteId,
    documentId: file.documentId,
  }
}

/** The webhook was created before the records, so that their events reach it. */
async function firstDelivery({ call }: Target, webhookId: string): Promise<string> {
  const range = `startDate=${dayFromNow(-1)}&endDate=${dayFromNow(1)}`
  for (let waited = 0; waited < 100; waited++) {
    const { body } = await call('GET', `/admin/v1/webhooks/${webhookId}/deliveries?${range}`)
    if (body.records?.[0]) return body.records[0].deliveryId
    await sleep(100)
  }
  throw new Error('No event reached the webhook of a company.')
}

/** A worker finds the pair after its second record was created. */
async function duplicateOf({ call }: Target, { applicantId = '', twinId }: Ids): Promise<void> {
  for (let waited = 0; waited < 200; waited++) {
    const { body } = await call('GET', `/admin/v1/duplicates?applicantId=${encodeURIComponent(applicantId)}`)
    if (JSON.stringify(body).includes(JSON.stringify(twinId))) return
    await sleep(100)
  }
  throw new Error('Two records of the same person are no duplicates.')
}

async function addPasskey(
  exchange: Exchange,
  { person, mark, origin }: { person: Caller; mark: string; origin: string },
): Promise<string> {
  const post = (path: string, body?: object) =>
    exchange({
      method: 'POST',
      path,
      headers: { ...person.headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: Buffer.from(JSON.stringify(body)) }),
    })
  const { body } = await post('/auth/v1/passkeys/options')
  const response = createAuthenticator(origin).create(body.options)
  const added = await post('/auth/v1/passkeys', { challenge: body.challenge, name: `${mark}key`, response })
  if (added.status !== 201) throw new Error(`No passkey: ${added.status} ${added.text}`)
  return added.body.passkeyId
}

/** An id of the same shape that no record has: the responses are compared byte by byte, so its length must be the same. */
function guess(id: string): string {
  if (/^[\w-]{23}=$/.test(id)) return `${randomBytes(17).toString('base64url')}=`
  if (/^[\w-]{23}$/.test(id)) return randomBytes(17).toString('base64url')
  if (id.startsWith('dlv_')) return `dlv_${randomUUID()}`
  const [local = '', host] = id.split('@')
  const hex = randomBytes(local.length).toString('hex')
  let at = 0
  // The first letter, spaces and hyphens stay.
  const other = local.replace(/(?<=.)[a-z\d]/gi, () => hex[at++] ?? '0')
  return host === undefined ? other : `${other}@${host}`
}

/** The same ids as if no record had them. `ownCompanyId` is that of the attacker, and stays. */
export const unknownLike = (ids: Ids): Ids =>
  Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [name, name === 'ownCompanyId' ? id : guess(id)]),
  )
