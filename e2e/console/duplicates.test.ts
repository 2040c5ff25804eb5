import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { CONSOLE, callAs, checkEveryLook, expectStatus, openAs } from './console.ts'

/** Two records of one person, found as a pair. */
async function createPair(page: Page, firstName = 'Doppel'): Promise<[string, string]> {
  const key = Date.now().toString(36)
  const create = async (jobTitle: string) => {
    const { primaryApplicant } = await callAs(page, 'POST', '/v2/applicant', {
      primaryApplicant: {
        firstName,
        lastName: `Gänger ${key}`,
        dateOfBirth: '1985-04-12',
        jobTitle,
        countryOfBirth: jobTitle === 'Baker' ? 'PL' : 'CZ',
        employeeNumber: `DUP-${key}-${jobTitle}`,
        passports: [{ passportNumber: `P${key}`, country: 'DE' }],
      },
    })
    return primaryApplicant.applicantId as string
  }
  const ids: [string, string] = [await create('Baker'), await create('Brewer')]
  for (let tries = 0; tries < 240; tries++) {
    const path = `/admin/v1/duplicates?applicantId=${encodeURIComponent(ids[0])}`
    if ((await callAs(page, 'GET', path)).records.length > 0) return ids
    await page.waitForTimeout(250)
  }
  throw new Error('The pair was not found within a minute.')
}

it('Duplicates: a pair is compared, merged with a choice, and the merge undone, by keyboard', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const [one] = await createPair(page)
  await page.goto(`${CONSOLE}/duplicates?applicantId=${encodeURIComponent(one)}`)
  const row = page.locator('.body-row').first()
  await row.getByText('Same passport').waitFor()
  await row.focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary', { name: 'Compare' })
  const baker = panel.getByRole('radio', { name: 'Job title: Baker' })
  const brewer = panel.getByRole('radio', { name: 'Job title: Brewer' })
  await baker.waitFor()
  await panel.getByRole('radio', { name: 'Country of birth: Poland' }).waitFor()
  await panel.getByRole('radio', { name: 'Country of birth: Czechia' }).waitFor()
  const chosen = (await baker.isChecked()) ? brewer : baker
  const jobTitle = (await baker.isChecked()) ? 'Brewer' : 'Baker'
  await chosen.focus()
  await page.keyboard.press('Space')
  await page.locator('aside[aria-busy=false]').waitFor()
  await panel.getByText(/is retired\.$/).waitFor()
  const stays = await panel.getByRole('columnheader').nth(1).getByRole('link').getAttribute('href')
  await panel.getByRole('button', { name: 'Merge' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText(/^Merged into/).waitFor()
  const target = stays?.split('/').at(-1) ?? ''
  assert.equal((await callAs(page, 'GET', `/v2/applicant/${target}`)).jobTitle, jobTitle)
  await row.waitFor({ state: 'hidden' })
  await page.locator('main:focus').waitFor()
  await page.keyboard.press('z')
  await page.getByText('The merge was undone').waitFor()
  assert.notEqual((await callAs(page, 'GET', `/v2/applicant/${target}`)).jobTitle, jobTitle)
})

it('Duplicates: a name that turns its direction turns nothing beside it', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const [one] = await createPair(page, '\u202eDoppel')
  await page.goto(`${CONSOLE}/duplicates?applicantId=${encodeURIComponent(one)}`)
  const name = page.locator('.body-row bdi').first()
  await name.waitFor()
  const [end, numberStart] = await name.evaluate(element => {
    const range = element.ownerDocument.createRange()
    if (element.nextSibling) range.selectNode(element.nextSibling)
    return [element.getBoundingClientRect().right, range.getBoundingClientRect().left]
  })
  assert.ok(
    numberStart !== undefined && end !== undefined && numberStart >= end - 1,
    `${numberStart}, ${end}`,
  )
})

it('Duplicates: a record that was changed during the comparison is not merged', async t => {
  const page = await openAs(t, 'case-manager', '/')
  expectStatus(page, 412)
  const [one] = await createPair(page)
  await page.goto(`${CONSOLE}/duplicates?applicantId=${encodeURIComponent(one)}`)
  await page.locator('.body-row').first().click()
  const panel = page.getByRole('complementary', { name: 'Compare' })
  await panel.getByRole('button', { name: 'Merge' }).waitFor()
  await callAs(page, 'PATCH', `/v2/applicant/${encodeURIComponent(one)}`, {
    primaryApplicant: { gender: 'F' },
  })
  await panel.getByRole('button', { name: 'Merge' }).click()
  await panel.getByText('Nothing was merged.').waitFor()
  await panel.getByRole('button', { name: 'Compare again' }).click()
  await panel.getByRole('radio', { name: 'Gender: F' }).waitFor()
})

it('Duplicates: a merge keeps the only employee number, whichever record has it', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const create = async (fields: object) => {
    const body = { primaryApplicant: { firstName: 'Nina', lastName: 'Numbered', ...fields } }
    return (await callAs(page, 'POST', '/v2/applicant', body)).primaryApplicant.applicantId as string
  }
  const employeeNumber = `ONLY-${Date.now().toString(36)}`
  const [target, source] = [await create({}), await create({ employeeNumber })]
  await page.goto(`${CONSOLE}/duplicates?pair=${encodeURIComponent(`${target}~${source}`)}`)
  const panel = page.getByRole('complementary', { name: 'Compare' })
  const kept = panel.getByRole('radio', { name: `Employee number: ${employeeNumber}` })
  await kept.waitFor()
  assert.equal(await kept.isChecked(), true)
  assert.equal(await panel.getByRole('radio', { name: 'Employee number: Empty' }).isDisabled(), true)
  assert.equal(await panel.getByText(/is retired\.$/).count(), 0)
  await panel.getByRole('button', { name: 'Merge' }).click()
  await page.getByText(/^Merged into/).waitFor()
  const merged = await callAs(page, 'GET', `/v2/applicant/${encodeURIComponent(target)}`)
  assert.equal(merged.employeeNumber, employeeNumber)
})

it('Duplicates: a pair that cannot be merged this way round can be merged the other way round', async t => {
  const page = await openAs(t, 'case-manager', '/')
  expectStatus(page, 409, 500)
  const { primaryApplicant, dependents } = await callAs(page, 'POST', '/v2/applicant', {
    primaryApplicant: { firstName: 'Rosa', lastName: 'Round' },
    dependents: [{ firstName: 'Rosa', lastName: 'Round', relationship: 'spouse' }],
  })
  const pair = [dependents[0].applicantId, primaryApplicant.applicantId].join('~')
  await page.goto(`${CONSOLE}/duplicates?pair=${encodeURIComponent(pair)}`)
  const panel = page.getByRole('complementary', { name: 'Compare' })
  await panel.getByText(/Merge the other way round/).waitFor()
  const merge = panel.getByRole('button', { name: 'Merge', exact: true })
  assert.equal(await merge.isDisabled(), true)
  await page.route('**/merge', route => route.fulfill({ status: 500 }))
  await panel.getByRole('button', { name: 'Keep the other record' }).click()
  const again = panel.getByRole('button', { name: 'Try again' })
  await again.waitFor()
  await page.unroute('**/merge')
  await again.click()
  await panel.getByText('What the merge does').waitFor()
  assert.equal(await merge.isEnabled(), true)
})

it('Duplicates: different people are not proposed again', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const [one] = await createPair(page)
  await page.goto(`${CONSOLE}/duplicates?applicantId=${encodeURIComponent(one)}`)
  await page.locator('.body-row').first().click()
  await page.getByRole('complementary').getByRole('button', { name: 'Different people' }).click()
  await page
    .getByRole('dialog', { name: 'Different people' })
    .getByRole('button', { name: 'Different people' })
    .click()
  await page.getByText('The pair is not shown again').waitFor()
  await page.getByText('Nothing matches').waitFor()
})

it('Duplicates: merges are listed, and undone with a reason', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const [target, from] = await createPair(page)
  const { retiredEmployeeNumber } = await callAs(
    page,
    'POST',
    `/admin/v1/applicants/${encodeURIComponent(target)}/merge`,
    { from },
  )
  await page.goto(`${CONSOLE}/duplicates?show=merges`)
  await page.getByRole('button', { name: `Undo the merge of ${retiredEmployeeNumber}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Undo the merge' })
  await dialog.getByLabel(/^Reason/).fill('Two people after all')
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The merge was undone').waitFor()
})

for (const role of ['viewer', 'auditor'] as const)
  it(`Duplicates: a ${role} sees pairs, and is offered no merge`, async t => {
    const manager = await openAs(t, 'case-manager', '/')
    const [one] = await createPair(manager)
    const page = await openAs(t, role, `/duplicates?applicantId=${encodeURIComponent(one)}`)
    await page.locator('.body-row').first().click()
    const panel = page.getByRole('complementary', { name: 'Compare' })
    await panel.getByRole('link').first().waitFor()
    assert.equal(await panel.getByRole('button', { name: /^(?:Merge|Different people)$/ }).count(), 0)
  })

it('Duplicates: in every look', async t => {
  const manager = await openAs(t, 'case-manager', '/')
  const [one] = await createPair(manager)
  const path = `/duplicates?applicantId=${encodeURIComponent(one)}`
  await checkEveryLook(t, 'case-manager', path, async page => {
    await page.locator('.body-row').first().click()
    await page.getByRole('complementary').getByRole('button', { name: 'Merge' }).waitFor()
  })
})

it('Duplicates: merges in every look', t =>
  checkEveryLook(t, 'case-manager', '/duplicates?show=merges', page =>
    page.getByRole('heading', { name: 'Duplicates' }).waitFor(),
  ))
