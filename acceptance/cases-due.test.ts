// Due dates of steps, and completing a step together with starting the next.
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
  newName,
  processAt,
  stepsAt,
  UNKNOWN_ID,
} from './case-factories.ts'
import { expectInvalid, expectOk, expectProblem, type Fields, get, patch, post, put } from './people.ts'

/** A case of a process whose first steps are due after 14 and 7 days, and whose last has no due date. */
async function caseWithDueDays() {
  const name = newName('Process')
  await expectOk(put(processAt(name), { steps: ['Collect', 'File', 'Await'], dueDays: [14, 7, null] }))
  const made = await newCase({ processName: name })
  const at = (index: number) => adminStep(made.caseId, made.steps[index]?.['stepId'])
  return { ...made, at }
}

const complete = (path: string, body: Fields = {}, rest = {}) => post(`${path}/complete`, body, rest)

describe('the due date of a step', () => {
  it('is counted from the start of the step, from the day on which it starts', async () => {
    const { steps, at } = await caseWithDueDays()
    assert.deepEqual(
      steps.map(step => step['dueDate']),
      [dayFromNow(14), null, null],
    )
    assert.equal((await expectOk(patch(at(1), { status: 'inProgress' })))['dueDate'], dayFromNow(7))
    assert.equal((await expectOk(patch(at(2), { status: 'inProgress' })))['dueDate'], null)
  })

  it('follows a changed start only where it was computed', async () => {
    const { at } = await caseWithDueDays()
    assert.equal((await expectOk(patch(at(0), { startDate: '2026-02-20' })))['dueDate'], '2026-03-06')
    assert.equal((await expectOk(patch(at(0), { dueDate: '2026-12-24' })))['dueDate'], '2026-12-24')
    assert.equal((await expectOk(patch(at(0), { startDate: '2026-02-21' })))['dueDate'], '2026-12-24')
    assert.equal((await expectOk(patch(at(0), { dueDate: null })))['dueDate'], '2026-03-07')
    const both = await expectOk(patch(at(0), { startDate: '2026-02-22', dueDate: '2026-03-07' }))
    assert.equal(both['dueDate'], '2026-03-07')
  })

  it('stays computed if it is sent back as it was read', async () => {
    const { at } = await caseWithDueDays()
    await expectOk(patch(at(0), { startDate: '2026-02-20', dueDate: '2026-03-06' }))
    assert.equal((await expectOk(patch(at(0), { startDate: '2026-02-21' })))['dueDate'], '2026-03-07')
  })

  it('is none for a step that starts over, unless it was set', async () => {
    const { at } = await caseWithDueDays()
    await expectOk(patch(at(0), { status: 'waived' }))
    assert.equal((await expectOk(patch(at(0), { status: 'notStarted' })))['dueDate'], null)
    await expectOk(patch(at(1), { dueDate: '2030-01-01', status: 'waived' }))
    assert.equal((await expectOk(patch(at(1), { status: 'notStarted' })))['dueDate'], '2030-01-01')
  })

  it('of existing cases stays when their process is changed', async () => {
    const name = newName('Process')
    await expectOk(put(processAt(name), { steps: ['A', 'B'], dueDays: [1, 2] }))
    const { caseId, steps } = await newCase({ processName: name })
    await expectOk(put(processAt(name), { steps: ['A', 'B'], dueDays: [100, 100] }))
    const second = adminStep(caseId, steps[1]?.['stepId'])
    assert.equal((await expectOk(patch(second, { status: 'inProgress' })))['dueDate'], dayFromNow(2))
  })

  it('can be sent with a new step, and rejects what is no day', async () => {
    const { caseId } = await caseOfSteps(1)
    assert.equal((await addStep(caseId, { dueDate: '2030-06-30' }))['dueDate'], '2030-06-30')
    for (const dueDate of ['2030-02-30', '', 1])
      await expectInvalid(post(`${adminCase(caseId)}/steps`, { name: 'x', dueDate }), '/dueDate')
  })
})

describe('POST /admin/v1/cases/{caseId}/steps/{stepId}/complete', () => {
  it('completes a step and starts the next', async () => {
    const { caseId, at } = await caseWithDueDays()
    const today = dayFromNow(0)
    const response = await complete(at(0))
    assert.equal(response.status, 200)
    const { step, nextStep } = response.body
    assert.deepEqual([step.status, step.completionDate], ['completed', today])
    assert.deepEqual(
      [nextStep.status, nextStep.startDate, nextStep.dueDate],
      ['inProgress', today, dayFromNow(7)],
    )
    assert.deepEqual((await get(stepsAt(caseId))).body.slice(0, 2), [step, nextStep])
    assert.deepEqual((await get(caseAt(caseId))).body.steps.slice(0, 2), [step, nextStep])
  })

  it('rejects a condition instead of ignoring it', async () => {
    const { caseId, at } = await caseWithDueDays()
    const before = (await get(caseAt(caseId))).body
    const headers = { 'if-match': '"old"' }
    for (const request of [
      complete(at(0), {}, { headers }),
      patch(at(0), { dueDate: '2030-01-01' }, { headers }),
    ]) {
      const { detail } = await expectProblem(request, 400, 'invalid-request')
      assert.match(detail, /If-Match/)
    }
    assert.deepEqual((await get(caseAt(caseId))).body, before)
  })

  it('skips steps that are completed or waived, and has no next step at the end', async () => {
    const { caseId, steps } = await caseOfSteps(4)
    const at = (index: number) => adminStep(caseId, steps[index]?.['stepId'])
    await expectOk(patch(at(1), { status: 'waived' }))
    await expectOk(patch(at(2), { status: 'completed' }))
    const first = await expectOk(complete(at(0)))
    assert.deepEqual(
      [first['nextStep'].stepId, first['nextStep'].status],
      [steps[3]?.['stepId'], 'inProgress'],
    )
    assert.equal((await expectOk(complete(at(3))))['nextStep'], null)
  })

  it('leaves a next step as it is that is in progress', async () => {
    const { caseId, steps } = await caseOfSteps(2)
    const [first, second] = steps.map(({ stepId }) => adminStep(caseId, stepId)) as [string, string]
    const started = await expectOk(patch(second, { status: 'inProgress', startDate: '2026-01-05' }))
    assert.deepEqual((await expectOk(complete(first)))['nextStep'], started)
  })

  it('begins a step today that was planned for later, and takes no day that was noted before', async () => {
    const { caseId, steps } = await caseOfSteps(3)
    const [first, second, third] = steps.map(({ stepId }) => adminStep(caseId, stepId)) as [
      string,
      string,
      string,
    ]
    const today = dayFromNow(0)
    await expectOk(patch(first, { completionDate: '2031-01-01' }))
    await expectOk(patch(second, { startDate: '2031-01-01' }))
    const { step, nextStep } = await expectOk(complete(first))
    assert.deepEqual([step.completionDate, nextStep.startDate], [today, today])
    await expectOk(patch(third, { startDate: '2031-01-01' }))
    const planned = await expectOk(patch(third, { status: 'completed' }))
    assert.deepEqual([planned['startDate'], planned['completionDate']], [today, today])
    const { errors } = await expectInvalid(patch(third, { startDate: '2031-01-01' }), '/startDate')
    assert.match(errors[0].detail, new RegExp(today))
  })

  it('accepts the day of completion', async () => {
    const { steps, caseId } = await caseOfSteps(1)
    const at = adminStep(caseId, steps[0]?.['stepId'])
    await expectInvalid(complete(at, { completionDate: '2026-02-30' }), '/completionDate')
    await expectInvalid(complete(at, { completionDate: '2001-01-01' }), '/completionDate')
    await expectOk(patch(at, { startDate: '2026-01-05' }))
    const { step } = await expectOk(complete(at, { completionDate: '2026-01-07' }))
    assert.deepEqual([step.startDate, step.completionDate], ['2026-01-05', '2026-01-07'])
  })

  it('is a no-op for a completed step: nothing else starts', async () => {
    const { caseId, steps } = await caseOfSteps(3)
    const [first, second] = steps.map(({ stepId }) => adminStep(caseId, stepId)) as [string, string]
    await expectOk(complete(first))
    await expectOk(patch(second, { status: 'completed' }))
    const before = await get(caseAt(caseId))
    const again = await expectOk(complete(first, { completionDate: '2026-01-01' }))
    assert.deepEqual(
      [again['nextStep'].status, again['nextStep'].stepId],
      ['notStarted', steps[2]?.['stepId']],
    )
    assert.equal((await get(caseAt(caseId))).bytes.toString(), before.bytes.toString())
  })

  it('completes once under concurrent calls, and starts one step', async () => {
    const { caseId, steps } = await caseOfSteps(3)
    const at = adminStep(caseId, steps[0]?.['stepId'])
    const responses = await Promise.all(Array.from({ length: 6 }, () => complete(at)))
    assert.ok(responses.every(({ status }) => status === 200))
    const { body } = await get(stepsAt(caseId))
    assert.deepEqual(
      body.map((step: Fields) => step['status']),
      ['completed', 'inProgress', 'notStarted'],
    )
  })

  it('rejects a waived step, and responds with 404 for an unknown case or step', async () => {
    const { caseId, steps } = await caseOfSteps(2)
    const stepId = steps[0]?.['stepId']
    await expectOk(patch(adminStep(caseId, stepId), { status: 'waived' }))
    await expectProblem(complete(adminStep(caseId, stepId)), 409, 'invalid-transition')
    await expectProblem(complete(adminStep(UNKNOWN_ID, stepId)), 404, 'case-not-found')
    await expectProblem(complete(adminStep(caseId, UNKNOWN_ID)), 404, 'step-not-found')
    assert.equal((await get(stepsAt(caseId))).body[1].status, 'notStarted')
  })

  it('returns its first response again for an Idempotency-Key, and rejects the key for another body', async () => {
    const { caseId, steps } = await caseOfSteps(2)
    const at = adminStep(caseId, steps[0]?.['stepId'])
    const headers = { 'idempotency-key': newName('complete').replaceAll(' ', '-') }
    const first = await complete(at, {}, { headers })
    assert.deepEqual((await complete(at, {}, { headers })).body, first.body)
    const other = complete(at, { completionDate: dayFromNow(0) }, { headers })
    await expectProblem(other, 422, 'idempotency-key-reused')
  })

  it('returns identifiers to a caller without cases:read', async () => {
    const { caseId, steps } = await caseOfSteps(2)
    const [step, nextStep] = steps.map(({ stepId }) => ({ stepId, caseId }))
    const { body } = await complete(adminStep(caseId, step?.stepId), {}, { scopes: ['desk:write'] })
    assert.deepEqual(body, { step, nextStep })
  })
})
