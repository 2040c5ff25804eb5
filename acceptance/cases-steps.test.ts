// The steps of a case: status transitions, dates, and inserted steps.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addStep,
  adminCase,
  adminStep,
  caseAt,
  caseOfSteps,
  dayFromNow,
  newCase,
  STEP_STATUSES,
  stepsAt,
  UNKNOWN_ID,
} from './case-factories.ts'
import { expectInvalid, expectOk, expectProblem, type Fields, get, patch, post } from './people.ts'

const ALLOWED = new Set([
  'notStarted inProgress',
  'notStarted completed',
  'waived notStarted',
  'inProgress completed',
  'notStarted waived',
  'inProgress waived',
  'completed inProgress',
])

/** The transitions that lead from notStarted to each status. */
const WAYS: Record<string, string[]> = {
  notStarted: [],
  inProgress: ['inProgress'],
  completed: ['inProgress', 'completed'],
  waived: ['waived'],
}

async function stepThatIs(status: string) {
  const { caseId, steps } = await newCase()
  const stepId = steps[1]?.['stepId'] as string
  const at = adminStep(caseId, stepId)
  for (const next of WAYS[status] ?? []) await expectOk(patch(at, { status: next }))
  const read = async (): Promise<Fields> =>
    (await get(stepsAt(caseId))).body.find((step: Fields) => step['stepId'] === stepId)
  return { caseId, stepId, at, read }
}

describe('PATCH /admin/v1/cases/{caseId}/steps/{stepId}: status', () => {
  for (const from of STEP_STATUSES)
    for (const to of STEP_STATUSES.filter(other => other !== from)) {
      const allowed = ALLOWED.has(`${from} ${to}`)
      it(`${allowed ? 'allows' : 'rejects'} the transition from ${from} to ${to}`, async () => {
        const { at, read, caseId } = await stepThatIs(from)
        const before = await read()
        assert.equal(before['status'], from)
        if (allowed) {
          const changed = await expectOk(patch(at, { status: to }))
          assert.equal(changed['status'], to)
          assert.deepEqual(await read(), changed)
          assert.deepEqual((await get(caseAt(caseId))).body.steps[1], changed)
          assert.ok(changed['updatedAt'] > before['updatedAt'])
          assert.equal(changed['createdAt'], before['createdAt'])
        } else {
          await expectProblem(patch(at, { status: to, name: 'Not this either' }), 409, 'invalid-transition')
          assert.deepEqual(await read(), before)
        }
      })
    }

  it('is a no-op for the current status', async () => {
    for (const status of STEP_STATUSES) {
      const { at, read } = await stepThatIs(status)
      const before = await read()
      assert.deepEqual(await expectOk(patch(at, { status })), before)
      assert.deepEqual(await read(), before)
    }
  })

  it('changes neither other steps nor the case', async () => {
    const { caseId, steps } = await newCase()
    await expectOk(patch(adminStep(caseId, steps[0]?.['stepId']), { status: 'completed' }))
    const { body } = await get(caseAt(caseId))
    assert.deepEqual(body.steps.slice(1), steps.slice(1))
    assert.equal(body.status, 'open')
  })
})

describe('PATCH /admin/v1/cases/{caseId}/steps/{stepId}: dates', () => {
  it('sets the start and completion dates, and clears the completion date of a reopened step', async () => {
    const { at } = await stepThatIs('notStarted')
    const days = [dayFromNow(0)]
    const begun = await expectOk(patch(at, { status: 'inProgress' }))
    const ended = await expectOk(patch(at, { status: 'completed' }))
    days.push(dayFromNow(0))
    assert.ok(days.includes(begun['startDate']))
    assert.equal(begun['completionDate'], null)
    assert.equal(ended['startDate'], begun['startDate'])
    assert.ok(days.includes(ended['completionDate']))
    const again = await expectOk(patch(at, { status: 'inProgress' }))
    assert.deepEqual([again['startDate'], again['completionDate']], [begun['startDate'], null])
  })

  it('accepts explicit dates, with or without a change of status, and null to clear them', async () => {
    const { at, read } = await stepThatIs('notStarted')
    const begun = await expectOk(patch(at, { status: 'inProgress', startDate: '2024-02-29' }))
    assert.equal(begun['startDate'], '2024-02-29')
    const ended = await expectOk(patch(at, { status: 'completed', completionDate: '2024-03-01' }))
    assert.deepEqual([ended['startDate'], ended['completionDate']], ['2024-02-29', '2024-03-01'])
    const moved = await expectOk(patch(at, { startDate: '2024-03-01' }))
    assert.deepEqual([moved['startDate'], moved['completionDate']], ['2024-03-01', '2024-03-01'])
    await expectOk(patch(at, { startDate: null, completionDate: null }))
    const { startDate, completionDate, status } = await read()
    assert.deepEqual([startDate, completionDate, status], [null, null, 'completed'])
  })

  it('sets both dates of a step that is completed without having started', async () => {
    const days = [dayFromNow(0)]
    const ended = await expectOk(patch((await stepThatIs('notStarted')).at, { status: 'completed' }))
    days.push(dayFromNow(0))
    assert.ok(days.includes(ended['startDate']))
    assert.equal(ended['completionDate'], ended['startDate'])
    const dates = { startDate: '2024-02-29', completionDate: '2024-03-01' }
    const given = await expectOk(
      patch((await stepThatIs('notStarted')).at, { status: 'completed', ...dates }),
    )
    assert.deepEqual([given['startDate'], given['completionDate']], ['2024-02-29', '2024-03-01'])
    const earlier = { status: 'completed', completionDate: '2024-03-01' }
    const back = await expectOk(patch((await stepThatIs('notStarted')).at, earlier))
    assert.deepEqual([back['startDate'], back['completionDate']], ['2024-03-01', '2024-03-01'])
    const planned = await stepThatIs('notStarted')
    await expectOk(patch(planned.at, { startDate: '2024-02-28' }))
    const kept = await expectOk(patch(planned.at, { status: 'completed' }))
    assert.equal(kept['startDate'], '2024-02-28')
  })

  it('clears the dates of a step that is no longer waived, except one sent with the change', async () => {
    const { at } = await stepThatIs('inProgress')
    assert.notEqual((await expectOk(patch(at, { status: 'waived' })))['startDate'], null)
    const again = await expectOk(patch(at, { status: 'notStarted' }))
    assert.deepEqual([again['startDate'], again['completionDate']], [null, null])
    await expectOk(patch(at, { status: 'waived', startDate: '2024-02-29' }))
    const planned = await expectOk(patch(at, { status: 'notStarted', startDate: '2024-03-01' }))
    assert.deepEqual([planned['startDate'], planned['completionDate']], ['2024-03-01', null])
  })

  it('rejects a completion date before the start date', async () => {
    const { at, read } = await stepThatIs('inProgress')
    const before = await read()
    const dates = { startDate: '2024-03-02', completionDate: '2024-03-01' }
    await expectInvalid(patch(at, { status: 'completed', ...dates }), '/completionDate')
    assert.deepEqual(await read(), before)
  })

  it('rejects a completion date with a status that has none', async () => {
    const completionDate = '2024-03-01'
    const { at, read } = await stepThatIs('notStarted')
    const before = await read()
    for (const status of ['notStarted', 'inProgress']) {
      const { errors } = await expectInvalid(patch(at, { status, completionDate }), '/completionDate')
      assert.match(errors[0].detail, /not completed has no completion date/)
    }
    assert.deepEqual(await read(), before)
    await expectOk(patch(at, { status: 'inProgress', completionDate: null }))
    await expectInvalid(patch(at, { status: 'inProgress', completionDate }), '/completionDate')
    const completed = await stepThatIs('completed')
    const { completionDate: stored } = await completed.read()
    await expectInvalid(
      patch(completed.at, { status: 'inProgress', completionDate: stored }),
      '/completionDate',
    )
    await expectOk(patch(completed.at, { status: 'completed', startDate: null, completionDate }))
    const waived = await stepThatIs('notStarted')
    const kept = await expectOk(patch(waived.at, { status: 'waived', completionDate }))
    assert.equal(kept['completionDate'], completionDate)
  })

  it('renames a step', async () => {
    const { at, read } = await stepThatIs('completed')
    const { name: _name, updatedAt: _then, ...before } = await read()
    const { name, updatedAt: _now, ...after } = await expectOk(patch(at, { name: 'Prüfung „neu“' }))
    assert.equal(name, 'Prüfung „neu“')
    assert.deepEqual(after, before)
  })

  it('rejects an invalid body, and reports its errors', async () => {
    const { at } = await stepThatIs('notStarted')
    await expectInvalid(
      patch(at, { status: 'done', startDate: '2026-02-29', completionDate: 'soon', name: '' }),
      '/status',
      '/startDate',
      '/completionDate',
      '/name',
    )
    await expectInvalid(patch(at, { startDate: 20260101, sequence: 1 }), '/startDate', '/sequence')
    const empty = await expectProblem(patch(at, {}), 400, 'invalid-request')
    assert.deepEqual(empty['errors'], [{ pointer: '', detail: 'Must have at least one field.' }])
  })

  it('responds with 404 for an unknown case, and for a step that is not of this case', async () => {
    const [one, other] = [await newCase(), await newCase()]
    const stepId = one.steps[0]?.['stepId']
    const change = { status: 'completed' }
    await expectProblem(patch(adminStep(UNKNOWN_ID, stepId), change), 404, 'case-not-found')
    await expectProblem(patch(adminStep(one.caseId, UNKNOWN_ID), change), 404, 'step-not-found')
    await expectProblem(patch(adminStep(other.caseId, stepId), change), 404, 'step-not-found')
    assert.deepEqual((await get(stepsAt(one.caseId))).body, one.steps)
  })
})

describe('POST /admin/v1/cases/{caseId}/steps', () => {
  it('adds a step at the end with status notStarted', async () => {
    const { caseId, applicantId, employeeNumber } = await caseOfSteps(3)
    const response = await post(`${adminCase(caseId)}/steps`, { name: 'Fourth' })
    assert.equal(response.status, 201)
    assert.ok(response.headers.get('location'))
    const { stepId, createdAt, updatedAt, ...step } = response.body
    assert.deepEqual(step, {
      caseId,
      applicantId,
      employeeNumber,
      sequence: 4,
      name: 'Fourth',
      status: 'notStarted',
      startDate: null,
      completionDate: null,
      dueDate: null,
      assignee: null,
    })
    assert.equal(createdAt, updatedAt)
    const { body } = await get(stepsAt(caseId))
    assert.deepEqual(body.at(-1), response.body)
    assert.equal(body.at(-1).stepId, stepId)
  })

  it('inserts a step at the beginning, in the middle and at the end, and keeps the order of the others', async () => {
    const { caseId, steps } = await caseOfSteps(3)
    await expectOk(patch(adminStep(caseId, steps[1]?.['stepId']), { status: 'inProgress' }))
    await addStep(caseId, { name: 'Middle', sequence: 2 })
    await addStep(caseId, { name: 'Beginning', sequence: 1 })
    await addStep(caseId, { name: 'End', sequence: 6 })
    const { body } = await get(stepsAt(caseId))
    assert.deepEqual(
      body.map((step: Fields) => [step['sequence'], step['name'], step['status']]),
      [
        [1, 'Beginning', 'notStarted'],
        [2, 'Step 1', 'inProgress'],
        [3, 'Middle', 'notStarted'],
        [4, 'Step 2', 'inProgress'],
        [5, 'Step 3', 'notStarted'],
        [6, 'End', 'notStarted'],
      ],
    )
    const ids = body.map((step: Fields) => step['stepId'])
    for (const { stepId } of steps as { stepId: string }[]) assert.ok(ids.includes(stepId))
  })

  it('numbers concurrently added steps without gaps or duplicates', async () => {
    const { caseId } = await caseOfSteps(2)
    await Promise.all(Array.from({ length: 10 }, (_, at) => addStep(caseId, at % 2 ? { sequence: 1 } : {})))
    const { body } = await get(stepsAt(caseId))
    assert.deepEqual(
      body.map((step: Fields) => step['sequence']),
      Array.from({ length: 12 }, (_, index) => index + 1),
    )
  })

  it('rejects a position beyond the end, and an invalid body', async () => {
    const { caseId } = await caseOfSteps(2)
    const add = (body: Fields) => post(`${adminCase(caseId)}/steps`, body)
    await expectInvalid(add({ name: 'x', sequence: 4 }), '/sequence')
    for (const sequence of [0, -1, 1.5, '1', null])
      await expectInvalid(add({ name: 'x', sequence }), '/sequence')
    await expectInvalid(add({}), '/name')
    for (const name of ['', ' ', null, 1]) await expectInvalid(add({ name }), '/name')
    await expectInvalid(add({ name: 'x', status: 'completed' }), '/status')
    assert.equal((await get(stepsAt(caseId))).body.length, 2)
    await expectProblem(post(`${adminCase(UNKNOWN_ID)}/steps`, { name: 'x' }), 404, 'case-not-found')
  })
})
