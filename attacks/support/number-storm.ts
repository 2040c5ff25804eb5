// Many concurrent writers on a few employee numbers: upserts, merges, creations, number changes, swaps, and dependents that
// claim numbers in use. Whatever the responses are, the invariants of the database must hold.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import type postgres from 'postgres'
import type { Context, Outcome } from '../attack.ts'
import { type Call, type Client, createClient } from './client.ts'
import { embeddedSql } from './postgres-processes.ts'
import { CLIENT, launch, tokenOf } from './service.ts'

const WRITERS = 16
const OPERATIONS = 12
const NUMBERS = 16

const identity = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }
const pick = (round: number) => `S-${round}-${randomInt(NUMBERS)}`
const byNumber = (number: string) => `/v2/applicant/employeenumber/${number}`

/** A random request; `ids` are the applicants that this round has created so far. */
function operation(round: number, ids: string[]): Call {
  const [number, other] = [pick(round), pick(round)]
  const id = ids[randomInt(ids.length || 1)]
  const child = { ...identity, relationship: 'Child', employeeNumber: other }
  const choices: Call[] = [
    { method: 'PUT', path: byNumber(number), body: { primaryApplicant: identity } },
    { method: 'PUT', path: byNumber(number), body: { primaryApplicant: identity, dependents: [child] } },
    { method: 'PATCH', path: byNumber(number), body: { primaryApplicant: { jobTitle: other } } },
    { method: 'PATCH', path: byNumber(number), body: { primaryApplicant: { employeeNumber: other } } },
    {
      method: 'POST',
      path: '/v2/applicant',
      body: { primaryApplicant: { ...identity, employeeNumber: number } },
    },
  ]
  // Rare, because it retires a number for good.
  if (randomInt(4) === 0)
    choices.push({
      method: 'POST',
      path: `${byNumber(number)}/${other}-${randomInt(4)}`,
      body: identity,
      headers: { 'x-api-key': CLIENT.apiKey },
    })
  if (id) {
    // Two of these concurrently try to swap two numbers.
    const record = { ...identity, employeeNumber: number }
    const swap: Call = { method: 'PUT', path: `/v2/applicant/${id}`, body: { primaryApplicant: record } }
    choices.push(swap, swap, {
      method: 'POST',
      path: `/v2/applicant/${id}/dependent`,
      body: { ...child, employeeNumber: number },
    })
  }
  return choices[randomInt(choices.length)] as Call
}

async function runRound(client: Client, round: number, findings: string[]): Promise<number> {
  const ids: string[] = []
  let accepted = 0
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (let left = OPERATIONS; left > 0; left--) {
        const call = operation(round, ids)
        const { status, missing, body, text } = await client.call(call)
        if (missing || status >= 500)
          findings.push(`${call.method} ${call.path}: ${missing ?? status} ${text.slice(0, 200)}`)
        if (status < 300) accepted += 1
        if (status === 201 && body?.primaryApplicant) ids.push(body.primaryApplicant.applicantId)
      }
    }),
  )
  return accepted
}

/** Violated invariants, read directly from the database. */
async function violatedInvariants(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ rule: string; id: string }[]>`
    select 'two owners of one number' as rule, employee_number as id from applicants
    where archived_at is null and employee_number is not null group by employee_number having count(*) > 1
    union all
    select 'a number that is retired and in use', r.employee_number from retired_employee_numbers r
    join applicants a on a.employee_number = r.employee_number and a.archived_at is null
    union all
    select 'the number in the record differs from the column', applicant_id from applicants
    where archived_at is null and record->>'employeeNumber' is distinct from employee_number
    union all
    select 'a dependent without a live primary', a.applicant_id from applicants a
    left join applicants p on p.applicant_id = a.primary_id
    where a.primary_id is not null and a.archived_at is null
      and (p.applicant_id is null or p.archived_at is not null or p.primary_id is not null)
    union all
    select 'a document without an applicant', d.document_id from documents d
    left join applicants a using (applicant_id) where a.applicant_id is null
    union all
    select 'a retired number without an applicant', r.employee_number from retired_employee_numbers r
    left join applicants a using (applicant_id) where a.applicant_id is null`
  return rows.map(({ rule, id }) => `${rule}: ${id}`)
}

export async function storm(context: Context, rounds: number): Promise<Outcome> {
  const { broken, folder, progress, after } = context
  const dataDir = join(folder, 'data')
  const service = await launch({ DATA_DIR: dataDir })
  after(() => service.kill())
  await service.ready()
  const client = createClient(() => service.url, { token: await tokenOf(service.url) })
  after(client.close)
  const sql = embeddedSql(dataDir)
  if (broken === 'unique-numbers') await sql`drop index applicants_employee_number`
  const findings: string[] = []
  let accepted = 0
  for (let round = 1; round <= rounds; round++) {
    accepted += await runRound(client, round, findings)
    progress(round, rounds, 'rounds of the storm')
  }
  const violations = await violatedInvariants(sql)
  await sql.end()
  return {
    figures: `a storm of ${rounds * WRITERS * OPERATIONS} requests at ${NUMBERS} numbers a round, ${accepted} accepted: ${violations.length} duplicate numbers or dangling references`,
    findings: [...findings, ...violations],
  }
}
