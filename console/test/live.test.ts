import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { changedBy, EVERYTHING, isShownBy } from '../src/live/changed.ts'
import { createRefresher } from '../src/live/refresher.ts'

describe('changedBy', () => {
  it('names the lists of each kind of record', () => {
    assert.ok(changedBy([{ type: 'case.step_changed' }]).has('cases'))
    assert.ok(!changedBy([{ type: 'case.step_changed' }]).has('documents'))
    assert.ok(changedBy([{ type: 'document.created' }, { type: 'applicant.updated' }]).has('people'))
    for (const list of ['cases', 'documents']) assert.ok(changedBy([{ type: 'dependent.updated' }]).has(list))
    assert.equal(changedBy([{ type: 'webhook.test' }]).size, 0)
  })
})

describe('isShownBy', () => {
  it('finds lists by their name, and Today with every change', () => {
    assert.equal(isShownBy(['list', 'cases', {}], new Set(['cases'])), true)
    assert.equal(isShownBy(['list', 'audit', {}], EVERYTHING), false)
    assert.equal(isShownBy(['overview'], new Set(['documents'])), true)
    assert.equal(isShownBy(['overview'], new Set()), false)
    assert.equal(isShownBy(['expiry-months', '2026-11'], new Set(['expiring'])), true)
    assert.equal(isShownBy(['expiry-months', '2026-11'], new Set(['cases'])), false)
  })

  it('finds the records that an event names, and no others', () => {
    const changed = changedBy([{ type: 'case.step_changed', applicantId: 'anna', caseId: 'case-1' }])
    assert.equal(isShownBy(['case', 'case-1', 'record'], changed), true)
    assert.equal(isShownBy(['case', 'case-2', 'record'], changed), false)
    assert.equal(isShownBy(['timeline', 'anna'], changed), true)
    assert.equal(isShownBy(['timeline', 'ben'], changed), false)
    assert.equal(isShownBy(['case', 'case-2', 'record'], EVERYTHING), true)
  })

  it('finds the family of a dependent by its primary applicant', () => {
    const changed = changedBy([{ type: 'dependent.created', applicantId: 'ben', primaryApplicantId: 'anna' }])
    assert.equal(isShownBy(['family', 'anna'], changed), true)
  })

  it('takes an id that is the name of a list for no list', () => {
    const changed = changedBy([{ type: 'document.removed', applicantId: 'cases', documentId: null }])
    assert.equal(isShownBy(['list', 'cases', {}], changed), false)
    assert.equal(isShownBy(['person', 'cases'], changed), true)
  })
})

describe('createRefresher', () => {
  function setUp(t: TestContext, { pages = 1 } = {}) {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    const state = { isBusy: false, refreshed: [] as string[][] }
    const refresher = createRefresher({
      isBusy: () => state.isBusy,
      pages: () => pages,
      refresh: lists => state.refreshed.push([...lists]),
    })
    return { state, refresher, tick: (ms: number) => t.mock.timers.tick(ms) }
  }

  it('refreshes at once, and then at most every two seconds', t => {
    const { state, refresher, tick } = setUp(t)
    refresher.changed(new Set(['people']))
    tick(0)
    assert.deepEqual(state.refreshed, [['people']])
    for (let at = 0; at < 10; at++) {
      refresher.changed(new Set(['people', 'cases']))
      tick(100)
    }
    assert.equal(state.refreshed.length, 1)
    tick(1_000)
    assert.deepEqual(state.refreshed, [['people'], ['people', 'cases']])
  })

  it('waits until the person is no longer busy, and loses nothing', t => {
    const { state, refresher, tick } = setUp(t)
    state.isBusy = true
    refresher.changed(new Set(['people']))
    tick(10_000)
    refresher.changed(new Set(['cases']))
    tick(10_000)
    assert.deepEqual(state.refreshed, [])
    state.isBusy = false
    tick(250)
    assert.deepEqual(state.refreshed, [['people', 'cases']])
  })

  it('refreshes long lists less often, because all of their pages are read again', t => {
    const { state, refresher, tick } = setUp(t, { pages: 10 })
    refresher.changed(new Set(['people']))
    tick(0)
    refresher.changed(new Set(['people']))
    tick(19_000)
    assert.equal(state.refreshed.length, 1)
    tick(1_000)
    assert.equal(state.refreshed.length, 2)
  })

  it('does nothing for changes that no list shows', t => {
    const { state, refresher, tick } = setUp(t)
    refresher.changed(new Set())
    tick(5_000)
    assert.deepEqual(state.refreshed, [])
  })
})
