import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import {
  adminOf,
  caseOf,
  caseUrl,
  daysFromNow,
  type Fields,
  fullName,
  newCase,
  newProcess,
  notesOf,
  stepsOf,
} from './case-data.ts'
import {
  CONSOLE,
  callAs,
  checkEveryLook,
  expectNetworkErrors,
  expectStatus,
  openAs,
  openConsole,
  signInAs,
  userOf,
} from './console.ts'

const isLoaded = '[role=table][aria-busy=false]'

/** Reads lists of cases two at a time. `later` gets the requests for further pages first; true: it has responded. */
const smallPages = (page: Page, later: (route: Route) => Promise<unknown>) =>
  page.route(/\/admin\/v1\/cases\?/, async route => {
    const url = new URL(route.request().url())
    url.searchParams.set('maxRecords', '2')
    if (url.searchParams.has('nextCursor') && (await later(route)) === true) return
    await route.continue({ url: url.href })
  })

it('Cases: an overdue step is done by keyboard alone', async t => {
  const admin = await adminOf(t)
  const created = await newCase(admin, await newProcess(admin))
  const [first] = await stepsOf(admin, created['caseId'])
  const path = `/admin/v1/cases/${encodeURIComponent(created['caseId'])}/steps/${encodeURIComponent(first?.['stepId'])}`
  await callAs(admin, 'PATCH', path, { dueDate: daysFromNow(-5) })

  const page = await openAs(t, 'case-manager', '/')
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  // Today has a heading with that word, too.
  await page.getByRole('heading', { name: 'Cases', level: 1, exact: true }).waitFor()
  await page.keyboard.press('/')
  await page.locator('input[type=search]:focus').waitFor()
  await page.keyboard.type(fullName(created))
  await page.waitForURL(/q=Nadia/)
  await page.locator(isLoaded).getByText(fullName(created)).waitFor()
  await page.getByText('5 days late').waitFor()
  // From the search to the rows: the focus goes through filters and headings.
  for (let tries = 0; tries < 30; tries++) {
    if (await page.evaluate('document.activeElement?.matches("[data-index]") ?? false')) break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  await page.waitForURL(caseUrl(created['caseId']))
  await page.getByRole('heading', { name: 'Steps' }).waitFor()
  await page.keyboard.press('c')
  await page.getByText('1 of 3 done').waitFor()
  const after = await stepsOf(page, created['caseId'])
  assert.deepEqual(
    after.map(({ status }) => status),
    ['completed', 'inProgress', 'notStarted'],
  )

  await page.keyboard.press('z')
  await page.getByText('0 of 3 done').waitFor()
  const undone = await stepsOf(page, created['caseId'])
  assert.deepEqual(
    undone.map(({ status, startDate, completionDate }) => [status, startDate, completionDate]),
    (await stepsOf(admin, created['caseId'])).map(({ status, startDate, completionDate }) => [
      status,
      startDate,
      completionDate,
    ]),
  )
  assert.deepEqual(
    undone.map(({ status }) => status),
    ['inProgress', 'notStarted', 'notStarted'],
  )
})

it('Cases: filters are in the address, and cleared together', async t => {
  const page = await openAs(t, 'case-manager', '/cases')
  await page.locator(isLoaded).waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Closed', exact: true }).click()
  await page.waitForURL(/status=closed/)
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByRole('combobox', { name: 'Host country' }).fill('Germ')
  await page.getByRole('option', { name: 'Germany' }).click()
  await page.waitForURL(/hostCountry=DE/)
  await page.reload()
  assert.equal(await page.getByRole('combobox', { name: 'Host country' }).inputValue(), 'Germany')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL(url => !url.search.includes('status'))
})

it('Cases: the link back from a case leads to the filtered list', async t => {
  const admin = await adminOf(t)
  const created = await newCase(admin, await newProcess(admin))
  const page = await openAs(
    t,
    'case-manager',
    `/cases?q=${encodeURIComponent(fullName(created))}&sort=-updatedAt`,
  )
  await page.getByRole('link', { name: fullName(created) }).click()
  await page.waitForURL(caseUrl(created['caseId']))
  await page.reload()
  await page.getByRole('link', { name: 'All cases' }).click()
  await page.locator(isLoaded).waitFor()
  const { searchParams } = new URL(page.url())
  assert.deepEqual(Object.fromEntries(searchParams), { q: fullName(created), sort: '-updatedAt' })
})

it('Cases: a view is saved, used and deleted', async t => {
  const name = `Unassigned ${Date.now()}`
  const page = await openAs(t, 'case-manager', `/cases?due=30&assignee=none&q=${Date.now()}`)
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save this view' }).click()
  await page.getByLabel('Name of the view').fill(name)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name, exact: true }).waitFor()
  await page.goto(page.url().replace(/\?.*/, ''))
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name }).click()
  await page.waitForURL(/due=30/)
  assert.match(page.url(), /assignee=none/)
  await page.getByRole('button', { name, exact: true }).click()

  // The same name again replaces the view.
  await page.keyboard.press('Escape')
  await page.goto(`${CONSOLE}/cases?due=7`)
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save this view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  await dialog.getByLabel('Name of the view').fill(name.toUpperCase())
  assert.equal(await dialog.getByRole('checkbox').isChecked(), false)
  await dialog.getByText(`Replaces your view ${name}.`).waitFor()
  await dialog.getByRole('button', { name: 'Replace' }).click()
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('button', { name: `Delete the view ${name}` }).click()
  await page.getByText(`The view ${name} was deleted`).waitFor()
})

it('Cases: a view that was saved as a board opens as a board, and one of the table as a table', async t => {
  const [board, table] = [`Board ${Date.now()}`, `Table ${Date.now()}`]
  const page = await openAs(t, 'case-manager', '/account')
  const save = async (path: string, name: string) => {
    await page.goto(`${CONSOLE}${path}`)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view' }).click()
    await page.getByLabel('Name of the view').fill(name)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name, exact: true }).click()
  }
  await save('/cases?due=7&vip=false&show=board', board)
  await page.keyboard.press('Escape')
  await save('/cases?due=7&vip=false', table)
  await page.getByRole('menuitem', { name: board }).click()
  await page.waitForURL(/show=board/)
  await page.getByRole('button', { name: board, exact: true }).click()
  await page.getByRole('menuitem', { name: table }).click()
  await page.waitForURL(url => !url.searchParams.has('show'))
  for (const { viewId, name } of await callAs(page, 'GET', '/admin/v1/views?screen=cases'))
    if (name === board || name === table)
      await callAs(page, 'DELETE', `/admin/v1/views/${encodeURIComponent(viewId)}`)
})

it('Cases: bulk changes report each record, and are undone', async t => {
  const admin = await adminOf(t)
  const process = await newProcess(admin)
  const records = [
    await newCase(admin, process),
    await newCase(admin, process),
    await newCase(admin, process),
  ]
  const caseType = `Bulk ${Date.now()}`
  for (const { caseId } of records)
    await callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(caseId)}`, { caseType })
  // A closed case cannot become pending: one of the records fails.
  const failing = records[2]?.['caseId']
  const { page, incidents } = await openConsole(t)
  await signInAs(page, userOf('case-manager'))
  await page.goto(`${CONSOLE}/cases?caseType=${encodeURIComponent(caseType)}`)
  await page.getByText('3 records').waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).press('Space')
  await page.getByText('3 selected').waitFor()
  await page.getByRole('button', { name: 'Change status' }).click()
  // The list follows the changes of others, but not while a menu is open.
  await page.getByRole('menuitem', { name: 'Pending' }).waitFor()
  await callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(failing)}`, { status: 'closed' })
  await page.getByRole('menuitem', { name: 'Pending' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change status' })
  await dialog.getByText('2 succeeded').waitFor()
  await dialog.getByText('1 failed').waitFor()
  await dialog.getByText(fullName(records[2] ?? {})).waitFor()
  // Chromium itself logs responses with an error status.
  assert.match(incidents.splice(0).join(), /^console: Failed to load resource.*409/)
  await callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(failing)}`, { status: 'open' })
  await dialog.getByRole('button', { name: 'Retry the failed ones' }).click()
  await dialog.getByText('1 succeeded').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  for (const { caseId } of records) assert.equal((await caseOf(admin, caseId))['status'], 'pending')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('dialog', { name: 'Undo the changes' }).getByText('3 succeeded').waitFor()
  for (const { caseId } of records) assert.equal((await caseOf(admin, caseId))['status'], 'open')
  await page.keyboard.press('Enter')

  await page.getByRole('checkbox', { name: 'Select all' }).press('Space')
  await page.getByRole('button', { name: 'Write a note' }).click()
  await page.getByLabel('Note', { exact: true }).fill('Office closed on Friday.')
  await page.keyboard.press('Escape')
  await page
    .getByRole('dialog', { name: 'Discard your changes?' })
    .getByRole('button', { name: 'Cancel' })
    .click()
  await page.getByRole('button', { name: 'Write on 3 cases' }).click()
  await page.getByText('3 succeeded').waitFor()
  for (const { caseId } of records) {
    const [note] = await notesOf(admin, caseId)
    assert.deepEqual([note?.['content'], note?.['visibility']], ['Office closed on Friday.', 'team'])
  }
  await page.getByText('All of them succeeded.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('toolbar').waitFor({ state: 'hidden' })
  await page.locator('.body-row:focus').waitFor()
})

it('Cases: what no longer matches is not counted as selected, and other filters begin with nothing', async t => {
  const admin = await adminOf(t)
  const process = await newProcess(admin)
  const caseType = `Counted ${Date.now()}`
  const records = [await newCase(admin, process, { caseType }), await newCase(admin, process, { caseType })]
  const page = await openAs(t, 'case-manager', '/account')
  await page.goto(`${CONSOLE}/cases?caseType=${encodeURIComponent(caseType)}`)
  await page.getByText('2 records').waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).press('Space')
  await page.getByText('2 selected').waitFor()
  const gone = `/admin/v1/cases/${encodeURIComponent(records[0]?.['caseId'])}`
  await callAs(admin, 'PATCH', gone, { caseType: `${caseType} elsewhere` })
  await page.getByText('1 selected').waitFor()
  const search = page.getByRole('searchbox')
  await search.fill(fullName(records[1] as Fields))
  await page.waitForURL(/q=/)
  await page.getByText('1 selected').waitFor({ state: 'detached' })
  await search.fill('')
  await page.waitForURL(url => !url.searchParams.has('q'))
  await page.locator(isLoaded).waitFor()
  assert.equal(await page.getByRole('toolbar', { name: 'Actions on the selection' }).count(), 0)
})

it('Cases: a row that is unchecked after all that match were selected is left out', async t => {
  const admin = await adminOf(t)
  const process = await newProcess(admin)
  const records = []
  for (let at = 0; at < 4; at++) records.push(await newCase(admin, process))
  const caseType = `All but one ${Date.now()}`
  for (const { caseId } of records)
    await callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(caseId)}`, { caseType })
  const page = await openAs(t, 'case-manager', '/account')
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
  await smallPages(page, () => mayGoOn)
  await page.goto(`${CONSOLE}/cases?caseType=${encodeURIComponent(caseType)}&sort=createdAt`)
  await page.getByRole('checkbox', { name: 'Select all' }).press('Space')
  await page.getByRole('button', { name: 'Select all 4 that match' }).click()
  goOn()
  // A row that was not loaded when all were selected.
  const excluded = records[3] ?? {}
  await page.getByRole('checkbox', { name: `Select ${fullName(excluded)}` }).press('Space')
  await page.getByText('All that match but 1 are selected').waitFor()
  await page.getByRole('button', { name: 'Change status' }).click()
  await page.getByRole('menuitem', { name: 'Pending' }).click()
  await page.getByRole('dialog', { name: 'Change status' }).getByText('3 succeeded').waitFor()
  for (const { caseId } of records)
    assert.equal((await caseOf(admin, caseId))['status'], caseId === excluded['caseId'] ? 'open' : 'pending')
})

it('Cases: a page that cannot be read is asked for once, and again when the person wants it', async t => {
  const admin = await adminOf(t)
  const process = await newProcess(admin)
  const lastName = `Pages${Date.now()}`
  const records = []
  for (const firstName of ['Ada', 'Bea', 'Cleo'])
    records.push(await newCase(admin, process, { applicant: { firstName, lastName } }))
  const page = await openAs(t, 'case-manager', '/account')
  expectStatus(page, 400)
  let failures = 0
  let isBroken = true
  await smallPages(page, async route => {
    if (!isBroken) return false
    failures += 1
    await route.fulfill({
      status: 400,
      contentType: 'application/problem+json',
      json: {
        status: 400,
        code: 'invalid-cursor',
        title: 'Invalid cursor',
        detail: 'The cursor is not valid.',
      },
    })
    return true
  })
  for (const show of ['table', 'board']) {
    isBroken = true
    failures = 0
    await page.goto(`${CONSOLE}/cases?q=${lastName}&show=${show}`)
    await page.getByText('Further records could not be read. The cursor is not valid.').waitFor()
    await page.waitForTimeout(1_000)
    assert.equal(failures, 1)
    isBroken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    for (const record of records) await page.getByText(fullName(record)).waitFor()
    assert.equal(await page.getByText('Further records could not be read').count(), 0)
  }
})

it('Cases: assigns to a colleague', async t => {
  const admin = await adminOf(t)
  const created = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', `/cases?q=${encodeURIComponent(fullName(created))}`)
  await page.getByRole('checkbox', { name: `Select ${fullName(created)}` }).press('Space')
  await page.getByRole('button', { name: 'Assign' }).click()
  await page.getByRole('combobox', { name: 'Assignee' }).last().fill('Ada')
  await page.getByRole('option', { name: 'Ada Brandt' }).click()
  await page.getByRole('button', { name: 'Assign 1 case' }).click()
  await page.getByRole('dialog', { name: 'Assign' }).getByText('1 succeeded').waitFor()
  assert.equal((await caseOf(admin, created['caseId']))['assignee'].name, 'Ada Brandt')
})

it('Cases: exports the rows that match as a file', async t => {
  const admin = await adminOf(t)
  const process = await newProcess(admin)
  const created = await newCase(admin, process, {
    applicant: { firstName: '=HYPERLINK("x")', lastName: `Export ${Date.now()}` },
  })
  const page = await openAs(t, 'viewer', `/cases?q=${encodeURIComponent(created['caseId'])}`)
  await page.getByText('1 record').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const file = await readFile(await (await download).path(), 'utf8')
  await page.getByText(/^1 row saved as /).waitFor()
  const lines = file.trimEnd().split('\r\n')
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', /^\uFEFFPerson,Employee number,/)
  // Spreadsheets must not run it.
  assert.match(lines[1] ?? '', /^"'=HYPERLINK\(""x""\) Export/)
})

it('Cases: the board shows cases by step, and a key or a drag completes steps', async t => {
  const admin = await adminOf(t)
  const process = await newProcess(admin)
  const lastName = `Board${Date.now()}`
  const created = await newCase(admin, process, { applicant: { firstName: 'Nadia', lastName } })
  const [first, second, third] = (await stepsOf(admin, created['caseId'])).map(({ name }) => name as string)
  const page = await openAs(t, 'case-manager', `/cases?q=${encodeURIComponent(created['caseId'])}`)
  await page.locator(isLoaded).waitFor()
  await page.keyboard.press('b')
  await page.waitForURL(/show=board/)
  const card = page.getByRole('group', { name: new RegExp(fullName(created)) })
  const column = (name: string | undefined) => page.getByRole('region', { name: name ?? '' })
  await column(first).getByText(fullName(created)).waitFor()
  await card.focus()
  await page.keyboard.press('c')
  await column(second).getByText(fullName(created)).waitFor()
  await page.getByText(`${first} completed for ${fullName(created)}`).waitFor()
  await page.keyboard.press('z')
  await column(first).getByText(fullName(created)).waitFor()

  // A second case in the last step gives the board a column to drop on.
  const other = await newCase(admin, process, { applicant: { firstName: 'Zara', lastName } })
  for (const { stepId } of (await stepsOf(admin, other['caseId'])).slice(0, 2))
    await callAs(
      admin,
      'POST',
      `/admin/v1/cases/${encodeURIComponent(other['caseId'])}/steps/${encodeURIComponent(stepId)}/complete`,
      {},
    )
  await page.goto(page.url().replace(/q=[^&]*/, `q=${lastName}`))

  await column(third).getByText(fullName(other)).waitFor()
  await card.dragTo(column(third))
  await column(third).getByText(fullName(created)).waitFor()
  assert.deepEqual(
    (await stepsOf(admin, created['caseId'])).map(({ status }) => status),
    ['completed', 'completed', 'inProgress'],
  )
})

it('Cases: a narrow window sorts and selects all', async t => {
  const page = await openAs(t, 'case-manager', '/cases', { viewport: { width: 390, height: 900 } })
  await page.locator(isLoaded).waitFor()
  await page.getByRole('button', { name: 'Person' }).click()
  await page.waitForURL(/sort=name/)
  await page.locator(isLoaded).waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await page.getByText(/^\d+ selected$/).waitFor()
})

it('Cases: a move over several steps tells how far it got, and undoes that', async t => {
  const admin = await adminOf(t)
  const process = await newProcess(admin)
  const lastName = `Stuck${Date.now()}`
  const created = await newCase(admin, process, { applicant: { firstName: 'Nadia', lastName } })
  const other = await newCase(admin, process, { applicant: { firstName: 'Zara', lastName } })
  const [first, second, third] = await stepsOf(admin, created['caseId'])
  for (const { stepId } of (await stepsOf(admin, other['caseId'])).slice(0, 2))
    await callAs(
      admin,
      'POST',
      `/admin/v1/cases/${encodeURIComponent(other['caseId'])}/steps/${encodeURIComponent(stepId)}/complete`,
      {},
    )
  const page = await openAs(t, 'case-manager', `/cases?show=board&q=${lastName}`)
  expectStatus(page, 409)
  await page.route(`**/steps/${encodeURIComponent(second?.['stepId'])}/complete`, route =>
    route.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        status: 409,
        code: 'invalid-transition',
        title: 'Not possible',
        detail: 'Stuck.',
      }),
    }),
  )
  const column = page.getByRole('region', { name: third?.['name'] })
  await column.getByText(fullName(other)).waitFor()
  await page.getByRole('group', { name: new RegExp(fullName(created)) }).dragTo(column)
  await page.getByText(`${second?.['name']} was not changed`).waitFor()
  await page.getByText(`${first?.['name']} completed for ${fullName(created)}`).waitFor()
  await page.keyboard.press('z')
  await page.getByRole('region', { name: first?.['name'] }).getByText(fullName(created)).waitFor()
  assert.deepEqual(
    (await stepsOf(admin, created['caseId'])).map(({ status }) => status),
    ['inProgress', 'notStarted', 'notStarted'],
  )
})

it('Cases: a person who only reads is offered no change', async t => {
  const page = await openAs(t, 'viewer', '/cases')
  await page.locator(isLoaded).waitFor()
  assert.equal(await page.getByRole('checkbox').count(), 0)
  assert.equal(await page.getByRole('link', { name: 'New case' }).count(), 0)
  await page.keyboard.press('b')
  await page.getByRole('group', { name: 'Board', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Complete step' }).count(), 0)
  assert.equal(await page.locator('[draggable=true]').count(), 0)
  await page.goto(page.url().replace(/\/cases.*/, '/cases/new'))
  await page.getByText('You have no access to this').waitFor()
})

it('Cases: says that nothing matches', async t => {
  const page = await openAs(t, 'auditor', '/cases?q=zzzzzz')
  await page.getByText('Nothing matches').waitFor()
})

it('Cases: speaks German', async t => {
  const page = await openAs(t, 'case-manager', '/cases', { locale: 'de-DE' })
  await page.getByRole('heading', { name: 'Fälle' }).waitFor()
  await page.getByRole('button', { name: 'Exportieren' }).waitFor()
})

it('Cases: in every look', t =>
  checkEveryLook(t, 'case-manager', '/cases', page => page.locator(isLoaded).waitFor()))
it('Cases: the board completes only the step that is shown, also from the palette', async t => {
  const admin = await adminOf(t)
  const lastName = `Shown${Date.now()}`
  const created = await newCase(admin, await newProcess(admin), {
    applicant: { firstName: 'Nadia', lastName },
  })
  const caseId: string = created['caseId']
  const [first, second] = await stepsOf(admin, caseId)
  const page = await openAs(
    t,
    'case-manager',
    `/cases?show=board&status=open%2Cpending%2Cclosed&q=${lastName}`,
  )
  const card = page.getByRole('group', { name: new RegExp(lastName) })
  const complete = card.getByRole('button', { name: 'Complete step' })
  await complete.waitFor()
  // The board does not hear of it.
  await page.route('**/v2/changes**', route => route.abort())
  expectNetworkErrors(page)
  await page.reload()
  await complete.waitFor()
  const completePath = ({ stepId }: Fields) =>
    `/admin/v1/cases/${encodeURIComponent(caseId)}/steps/${encodeURIComponent(stepId)}/complete`
  await callAs(admin, 'POST', completePath(first as Fields), {})
  await complete.click()
  await page.getByText(/is another one by now/).waitFor()
  assert.equal((await stepsOf(admin, caseId))[1]?.['status'], 'inProgress')
  const column = page.getByRole('region', { name: second?.['name'] })
  await column.getByText(lastName).waitFor()

  await card.focus()
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('A name, number, passport').fill('complete step')
  await page.keyboard.press('Enter')
  await page.getByText(`${second?.['name']} completed for Nadia ${lastName}`).waitFor()

  // A closed case is not worked on.
  await callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(caseId)}`, { status: 'closed' })
  await page.reload()
  await card.waitFor()
  await card.focus()
  await page.keyboard.press('c')
  await page.waitForTimeout(1_000)
  assert.notEqual((await stepsOf(admin, caseId))[2]?.['status'], 'completed')
})

it('Cases: the board in every look', t =>
  checkEveryLook(t, 'case-manager', '/cases?show=board', page =>
    page.getByRole('group', { name: 'Board', exact: true }).waitFor(),
  ))
