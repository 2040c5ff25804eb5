import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { adminOf, casePath, newCase, newProcess } from './case-data.ts'
import { callAs, openAs } from './console.ts'

const timelineOf = async (page: Page): Promise<string> => {
  const list = page.getByRole('list', { name: /^(Timeline|Verlauf)$/ })
  await list.waitFor()
  // What is for screen readers alone is in the text too.
  return (await list.innerText()).replaceAll(/\s+/g, ' ')
}

it('Timeline: names people, steps, companies and countries in the language of the person', async t => {
  const admin = await adminOf(t)
  const { caseId, steps, applicant } = await newCase(admin, await newProcess(admin), { hostCountry: 'PL' })
  const [step] = steps
  const path = `/admin/v1/cases/${encodeURIComponent(caseId)}`
  const colleagues = await callAs(admin, 'GET', '/admin/v1/colleagues')
  const ruth = colleagues.find(({ name }: { name: string }) => name === 'Ruth Okafor')
  await callAs(admin, 'PATCH', path, { assigneeId: ruth.userId })
  await callAs(admin, 'PATCH', path, { assigneeId: null })
  await callAs(admin, 'PATCH', `${path}/steps/${encodeURIComponent(step.stepId)}`, { status: 'waived' })
  await callAs(admin, 'PATCH', `/v2/applicant/${encodeURIComponent(applicant.applicantId)}`, {
    primaryApplicant: { dateOfBirth: '1976-07-09' },
  })
  const companies = await callAs(admin, 'GET', '/admin/v1/companies')
  const company = companies.find(({ active }: { active: boolean }) => active).name

  const page = await openAs(t, 'case-manager', casePath(caseId))
  const texts = await timelineOf(page)
  assert.match(texts, /changed the case Assignee after: Ruth Okafor/)
  assert.match(texts, /Assignee before: Ruth Okafor → after: Unassigned/)
  assert.match(texts, new RegExp(`changed a step: ${step.name} Status before: In progress → after: Waived`))
  await page.getByRole('button', { name: /^Show \d+ more field/ }).click()
  const whole = await timelineOf(page)
  assert.match(whole, /created the case Status after: Open/)
  assert.match(whole, /Host country after: Poland/)
  assert.ok(whole.includes(`Sending company after: ${company}`), whole)
  assert.ok(!whole.includes('Company after:'), whole)

  const person = await openAs(t, 'case-manager', `/people/${encodeURIComponent(applicant.applicantId)}`)
  const ofPerson = await timelineOf(person)
  assert.match(ofPerson, new RegExp(`changed a step: ${step.name} Open the case`))
  assert.match(ofPerson, /Date of birth after: 9 Jul 1976/)

  const german = await openAs(t, 'case-manager', casePath(caseId), { locale: 'de-DE' })
  const inGerman = await timelineOf(german)
  assert.match(
    inGerman,
    new RegExp(`änderte einen Schritt: ${step.name} Status vorher: In Arbeit → nachher: Entfällt`),
  )
})
