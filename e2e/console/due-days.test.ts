// How late something is follows the day of the person, east and west of UTC.
import { it } from 'node:test'
import { adminOf, caseUrl, daysFromNow, fullName, newCase, newProcess, stepsOf } from './case-data.ts'
import { CONSOLE, callAs, openConsole, signInAs, userOf } from './console.ts'

const utcDay = daysFromNow(0)

for (const { timezoneId, now, due, text, today } of [
  // It is tomorrow there.
  {
    timezoneId: 'Pacific/Auckland',
    now: `${utcDay}T20:00:00Z`,
    due: utcDay,
    text: /1 day late$/,
    today: /^Overdue, /,
  },
  // It is yesterday there.
  {
    timezoneId: 'America/Los_Angeles',
    now: `${utcDay}T02:00:00Z`,
    due: daysFromNow(-1),
    text: /^Due today$/,
    today: /^\d/,
  },
])
  it(`Due dates follow the day of the person: ${timezoneId}`, async t => {
    const admin = await adminOf(t)
    const caseType = `Zone ${Date.now()}`
    const created = await newCase(admin, await newProcess(admin), { caseType })
    const path = `/admin/v1/cases/${encodeURIComponent(created['caseId'])}`
    const [step] = await stepsOf(admin, created['caseId'])
    await callAs(admin, 'PATCH', path, { dueDate: due })
    await callAs(admin, 'PATCH', `${path}/steps/${encodeURIComponent(step?.['stepId'])}`, { dueDate: due })
    const { page } = await openConsole(t, { timezoneId })
    await page.clock.setFixedTime(now)
    await signInAs(page, userOf('case-manager'))
    const list = `${CONSOLE}/cases?caseType=${encodeURIComponent(caseType)}`
    await page.goto(list)
    await page.getByRole('table').getByText(text).waitFor()
    await page.goto(`${list}&show=board`)
    await page.locator('.board-card').getByText(text).waitFor()
    await page.goto(caseUrl(created['caseId']))
    await page.locator('.details').getByText(text).waitFor()
    await page.locator('.step').getByText(text).waitFor()
    // Today has the first cases only.
    await page.route(/\/admin\/v1\/cases\?/, async route => {
      const url = new URL(route.request().url())
      url.searchParams.set('caseType', caseType)
      await route.continue({ url: url.href })
    })
    await page.goto(`${CONSOLE}/`)
    const lines = page.getByRole('region', { name: 'Due next' }).getByRole('listitem')
    await lines
      .filter({ hasText: fullName(created) })
      .getByText(today)
      .waitFor()
  })
