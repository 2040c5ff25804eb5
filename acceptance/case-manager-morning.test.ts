// A case manager’s morning, by the SDK alone: from the overview to the last overdue step. She sees one company, so that
// the counts are those of her own work. Every response is checked against openapi.json.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { createCaseport, isCaseportError } from '../sdk/src/index.ts'
import { createSessionFetch } from '../sdk/src/node.ts'
import { baseUrl, credentials, observe } from './client.ts'

const run = randomBytes(4).toString('hex')
const EMAIL = `ruth-${run}@example.com`
const PASSWORD = 'a bakery in the fog'

const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Checks what arrives before the SDK reads it. */
const observing =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init)
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '')
    const text = isJson ? await response.clone().text() : ''
    observe({
      method: init?.method ?? 'GET',
      path: pathname + search,
      status: response.status,
      headers: response.headers,
      body: text ? JSON.parse(text) : undefined,
    })
    return response
  }

const office = createCaseport({
  baseUrl,
  auth: { kind: 'client', clientId: credentials.clientId, clientSecret: credentials.clientSecret },
  fetch: observing(fetch),
})
const ruth = createCaseport({
  baseUrl,
  auth: { kind: 'cookie' },
  fetch: observing(createSessionFetch(baseUrl)),
})

/** The day before: a company, a process with deadlines, three cases for Ruth that are late, one that is not. */
async function prepareOffice() {
  const company = await office.companies.create({
    name: `Harbour ${run}`,
    code: `H-${run}`.toUpperCase(),
    country: 'DE',
  })
  const process = `Work permit ${run}`
  await office.processes.replace(process, {
    steps: ['Collect documents', 'File the application', 'Await the decision'],
    dueDays: [14, 7, 30],
  })
  await office.processes.checklist.replace(process, {
    items: [
      { name: 'Contract', type: 'Contract' },
      { name: 'Photo', type: 'Photo', required: false },
    ],
  })
  const { userId, invitation } = await office.users.create({
    email: EMAIL,
    name: 'Ruth Okafor',
    roles: ['case-manager'],
    companies: [company.companyId],
  })
  const open = async (order: number, daysAgo: number) => {
    const { companyId } = company
    const opened = await office.cases.create({
      caseType: 'Work Permit',
      processName: process,
      hostCountry: 'DE',
      hostCompany: companyId,
      sendingCompany: companyId,
      billingCompany: companyId,
      applicant: { employeeNumber: `M-${run}-${order}`, firstName: 'Anna', lastName: `Morgen${run}` },
    })
    const [first] = opened.steps
    assert.ok(first)
    await office.cases.steps.update(opened.caseId, first.stepId, { startDate: dayFromNow(-daysAgo) })
    await office.cases.update(opened.caseId, { assigneeId: userId })
    return opened
  }
  // A step has 14 days, so that it is overdue after 15.
  const late = [await open(1, 40), await open(2, 30), await open(3, 20)]
  await open(4, 2)
  return { late, token: new URL(invitation.url).searchParams.get('invitation') ?? '' }
}

describe('a case manager’s morning', async () => {
  const { late, token } = await prepareOffice()
  const [first, second, third] = late.map(({ caseId }) => caseId) as [string, string, string]
  const overdue = () => ruth.cases.list({ assignee: 'me', due: 'overdue', sort: 'dueDate' })
  const countOverdue = async () => (await ruth.overview()).cases.overdue
  const currentStepOf = async (caseId: string) => {
    const { steps } = await ruth.cases.get(caseId)
    const current = steps.find(({ status }) => status === 'inProgress')
    assert.ok(current)
    return current
  }

  it('begins with a sign-in', async () => {
    await ruth.session.acceptInvitation({ token, password: PASSWORD })
    await ruth.session.signOut()
    await assert.rejects(ruth.overview(), error => isCaseportError(error) && error.status === 401)
    const session = await ruth.session.signIn({ email: EMAIL, password: PASSWORD })
    assert.ok('user' in session && session.user.name === 'Ruth Okafor')
    const me = await ruth.me.get()
    assert.ok(me.scopes.includes('desk:write'))
  })

  it('shows what is late, the latest first, each with its step', async () => {
    const { cases } = await ruth.overview()
    assert.deepEqual([cases.open, cases.overdue, cases.unassigned], [4, 3, 0])
    const page = await overdue().page()
    assert.deepEqual([page.total, page.nextCursor, page.prevCursor], [3, null, null])
    assert.deepEqual(
      page.records.map(({ caseId, currentStep, nextDueDate }) => [caseId, currentStep?.name, nextDueDate]),
      [
        [first, 'Collect documents', dayFromNow(-26)],
        [second, 'Collect documents', dayFromNow(-16)],
        [third, 'Collect documents', dayFromNow(-6)],
      ],
    )
  })

  it('keeps the filter as a view, and turns its pages one by one', async () => {
    const view = await ruth.views.create({
      screen: 'cases',
      name: 'My overdue cases',
      query: { assignee: 'me', due: 'overdue', sort: 'dueDate' },
    })
    assert.deepEqual(
      (await ruth.views.list({ screen: 'cases' })).map(({ viewId }) => viewId),
      [view.viewId],
    )
    const pages = ruth.cases.list({ ...view.query, maxRecords: 2 })
    const one = await pages.page()
    const two = await pages.page({ nextCursor: one.nextCursor })
    assert.deepEqual(
      [one, two].map(({ records, total }) => [records.map(({ caseId }) => caseId), total]),
      [
        [[first, second], 3],
        [[third], 3],
      ],
    )
    assert.deepEqual((await pages.page({ prevCursor: two.prevCursor })).records, one.records)
  })

  it('completes a step, which starts the next one', async () => {
    const { stepId } = await currentStepOf(first)
    const { step, nextStep } = await ruth.cases.steps.complete(first, stepId)
    assert.equal(step.status, 'completed')
    assert.deepEqual(
      [nextStep?.name, nextStep?.status, nextStep?.dueDate],
      ['File the application', 'inProgress', dayFromNow(7)],
    )
    assert.equal(await countOverdue(), 2)
  })

  it('files the contract that the checklist misses, accepts it, and completes the step', async () => {
    const before = await ruth.cases.checklist.get(second)
    assert.deepEqual(
      before.items.map(({ name, state }) => [name, state]),
      [
        ['Contract', 'missing'],
        ['Photo', 'missing'],
      ],
    )
    const progress: number[] = []
    const contract = await ruth.documents.upload(
      {
        caseId: second,
        countryCode: 'DE',
        type: 'Contract',
        file: new Blob(['%PDF-1.7 a contract'], { type: 'application/pdf' }),
        fileName: 'contract.pdf',
      },
      { onProgress: ({ loaded }) => progress.push(loaded) },
    )
    assert.equal(progress.at(-1), contract.size)

    const received = await ruth.cases.checklist.get(second, { ifNoneMatch: before })
    assert.deepEqual(
      received.items.map(({ state, documentId }) => [state, documentId]),
      [
        ['received', contract.documentId],
        ['missing', null],
      ],
    )
    const items = received.items.map(({ name, type, required, documentId }) => ({
      name,
      type,
      required,
      documentId,
      accepted: documentId === contract.documentId,
    }))
    const accepted = await ruth.cases.checklist.replace(second, { items }, { ifMatch: received })
    assert.equal(accepted.complete, true)
    assert.equal(accepted.items[0]?.acceptedBy, 'Ruth Okafor')
    const { stepId } = await currentStepOf(second)
    await ruth.cases.steps.complete(second, stepId)
    assert.equal(await countOverdue(), 1)
  })

  it('writes a note for the team, corrects it, and completes the last overdue step', async () => {
    const note = await ruth.cases.notes.add(third, {
      content: 'Waits for the passprot.',
      visibility: 'team',
    })
    await ruth.cases.notes.update(third, note.noteId, { content: 'Waits for the passport.' })
    const versions = await ruth.cases.notes.versions(third, note.noteId)
    assert.deepEqual(
      versions.map(({ content, author }) => [content, author]),
      [
        ['Waits for the passport.', 'Ruth Okafor'],
        ['Waits for the passprot.', 'Ruth Okafor'],
      ],
    )
    const { stepId } = await currentStepOf(third)
    await ruth.cases.steps.complete(third, stepId)
    await ruth.cases.update(third, { status: 'pending' })
  })

  it('ends with nothing overdue', async () => {
    const { cases } = await ruth.overview()
    assert.deepEqual([cases.open, cases.pending, cases.overdue], [3, 1, 0])
    assert.deepEqual(await overdue().toArray(), [])
  })

  it('is in the timelines, with her name and the fields that changed', async () => {
    const ofSecond = await ruth.cases.timeline(second).toArray()
    const filed = ofSecond.find(({ kind }) => kind === 'document')
    assert.deepEqual([filed?.actor?.name, filed?.document?.name], ['Ruth Okafor', 'contract.pdf'])
    const stepWrites = ofSecond.filter(
      ({ action, actor }) => action === 'case.step_write' && actor?.name === 'Ruth Okafor',
    )
    assert.ok(stepWrites.length > 0)
    assert.ok(stepWrites.some(({ changes }) => changes?.some(({ after }) => after === 'completed')))
    const ofThird = await ruth.cases.timeline(third).toArray()
    assert.deepEqual(
      ofThird.filter(({ kind }) => kind === 'note').map(({ note }) => note?.content),
      ['Waits for the passport.'],
    )
  })

  it('finds “where is my case” with the search, and shows the team’s note to the team only', async () => {
    const found = await ruth.search(`Morgen${run}`)
    assert.equal(found.cases.length, 4)
    assert.equal(found.people.length, 4)
    const { clientId, clientSecret } = await office.clients.create({
      name: `Integrator ${run}`,
      scopes: ['cases:read'],
    })
    const integrator = createCaseport({
      baseUrl,
      auth: { kind: 'client', clientId, clientSecret: clientSecret ?? '' },
      fetch: observing(fetch),
    })
    assert.deepEqual(await integrator.cases.notes.listForCase(third), [])
    assert.equal((await ruth.cases.notes.listForCase(third)).length, 1)
    await office.clients.disable(clientId)
  })
})
