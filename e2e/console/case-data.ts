// Cases of their own for tests, made through the API, so that no test depends on what another has changed.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { CONSOLE, callAs, openConsole, signInAs, userOf } from './console.ts'

let made = 0
const run = Date.now().toString(36)

// biome-ignore lint/suspicious/noExplicitAny: records of the API
export type Fields = Record<string, any>

/** A page of the administrator, for calls. */
export async function adminOf(t: TestContext): Promise<Page> {
  const { page } = await openConsole(t)
  await signInAs(page, userOf('admin'))
  return page
}

/** A process with three steps and a checklist, which no other test changes. */
export async function newProcess(admin: Page): Promise<string> {
  const name = `Test process ${run}-${++made}`
  await callAs(admin, 'PUT', `/admin/v1/processes/${encodeURIComponent(name)}`, {
    caseType: `Test type ${run}-${made}`,
    steps: [`Collect ${made}`, `File ${made}`, `Decide ${made}`],
  })
  await callAs(admin, 'PUT', `/admin/v1/processes/${encodeURIComponent(name)}/checklist`, {
    items: [
      { name: 'Passport copy', type: 'Passport' },
      { name: 'Signed contract', required: false },
    ],
  })
  return name
}

export async function newCase(admin: Page, processName: string, fields: Fields = {}): Promise<Fields> {
  const [company] = (await callAs(admin, 'GET', '/admin/v1/companies')).filter((one: Fields) => one['active'])
  made += 1
  return callAs(admin, 'POST', '/v2/case', {
    caseType: 'Work Permit',
    processName,
    hostCountry: 'DE',
    hostCompany: company.companyId,
    sendingCompany: company.companyId,
    billingCompany: company.companyId,
    applicant: { firstName: `Nadia${made}`, lastName: `Test${run}` },
    ...fields,
  })
}

export const caseUrl = (caseId: string) => `${CONSOLE}/cases/${encodeURIComponent(caseId)}`
export const casePath = (caseId: string) => `/cases/${encodeURIComponent(caseId)}`
export const fullName = ({ applicant }: Fields) => `${applicant.firstName} ${applicant.lastName}`
export const daysFromNow = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Reads until the value is the expected one: the screens show changes before they are saved. */
export async function eventually<T>(read: () => Promise<T>, expected: T): Promise<void> {
  const until = Date.now() + 20_000
  for (;;) {
    const value = await read()
    if (value === expected) return
    assert.ok(Date.now() < until, `${value} instead of ${expected}`)
    await sleep(200)
  }
}

export const stepsOf = (page: Page, caseId: string): Promise<Fields[]> =>
  callAs(page, 'GET', `/v2/case/${encodeURIComponent(caseId)}/steps`)
export const caseOf = (page: Page, caseId: string): Promise<Fields> =>
  callAs(page, 'GET', `/v2/case/${encodeURIComponent(caseId)}`)
export const notesOf = (page: Page, caseId: string): Promise<Fields[]> =>
  callAs(page, 'GET', `/v2/case/${encodeURIComponent(caseId)}/notes`)
export const records = async (page: Page, path: string): Promise<Fields[]> =>
  (await callAs(page, 'GET', path)).records
export const nameOf = ({ firstName, lastName }: Fields) => `${firstName} ${lastName}`
