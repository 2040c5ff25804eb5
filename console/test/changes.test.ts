import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Catalogue, Key } from '../src/app/i18n.tsx'
import { de } from '../src/locales/de/index.ts'
import { en } from '../src/locales/en/index.ts'
import { type Change, shownChanges, summaryOf, type TimelineEntry } from '../src/records/changes.ts'

const textsOf = (catalogue: Catalogue, language: string) => {
  const countries = new Intl.DisplayNames(language, { type: 'region' })
  return {
    t: (key: Key, values: Record<string, string | number> = {}) =>
      catalogue[key].replace(/\{(\w+)\}/g, (_mark, name) => String(values[name])),
    tx: (key: string, fallback: string) => (catalogue as Record<string, string>)[key] ?? fallback,
    date: (value: string | null | undefined) => `day ${value?.slice(0, 10)}`,
    time: (value: string | null | undefined) => `time ${value}`,
    country: (code: string | null | undefined) => countries.of(code ?? '') ?? '',
  }
}
const english = textsOf(en, 'en')
const german = textsOf(de, 'de')

const names = {
  company: (id: string) => (id === 'halden-id' ? 'Halden Maritime GmbH' : undefined),
  colleague: (id: string) => (id === 'ruth-id' ? 'Ruth Okafor' : undefined),
}
const shownAs = (action: string, changes: Change[], texts = english) =>
  shownChanges(changes, { action, texts, names }).map(({ label, before, after }) => [label, before, after])
const change = (pointer: string, before: unknown, after: unknown) => ({ pointer, before, after }) as Change

describe('shownChanges', () => {
  it('names the assignee of a case and of a step', () => {
    const pointer = '/steps/Zk3vR2/assigneeId'
    assert.deepEqual(shownAs('case.write', [change('/assigneeId', null, 'ruth-id')]), [
      ['Assignee', '', 'Ruth Okafor'],
    ])
    assert.deepEqual(shownAs('case.step_write', [change(pointer, 'ruth-id', null)]), [
      ['Assignee', 'Ruth Okafor', 'Unassigned'],
    ])
    assert.deepEqual(shownAs('case.write', [change('/assigneeId', 'ruth-id', 'left-id')]), [
      ['Assignee', 'Ruth Okafor', 'Another person'],
    ])
    const created = { userId: 'ruth-id', name: 'Ruth Okafor' }
    assert.deepEqual(shownAs('case.create', [change('/assignee', null, created)]), [
      ['Assignee', '', 'Ruth Okafor'],
    ])
  })

  it('shows statuses, countries and dates in the words of the language', () => {
    const step = change('/steps/Zk3vR2/status', 'notStarted', 'inProgress')
    assert.deepEqual(shownAs('case.step_write', [step]), [['Status', 'Not started', 'In progress']])
    assert.deepEqual(shownAs('case.step_write', [step], german), [['Status', 'Nicht begonnen', 'In Arbeit']])
    const opened = [change('/status', null, 'open'), change('/hostCountry', null, 'PL')]
    assert.deepEqual(shownAs('case.create', opened, german), [
      ['Status', '', 'Offen'],
      ['Zielland', '', 'Polen'],
    ])
    const born = change('/dateOfBirth', '1976-07-09T00:00:00', '1976-07-19T00:00:00')
    assert.deepEqual(shownAs('applicant.write', [born]), [
      ['Date of birth', 'day 1976-07-09', 'day 1976-07-19'],
    ])
    assert.deepEqual(shownAs('case.write', [change('/closedAt', null, '2026-11-16T10:00:00.000Z')]), [
      ['Closed at', '', 'time 2026-11-16T10:00:00.000Z'],
    ])
    // A person has a status of another system.
    assert.deepEqual(shownAs('applicant.write', [change('/status', 'open', 'A')]), [['Status', 'open', 'A']])
  })

  it('names the companies of a case once', () => {
    const sent = change('/sendingCompany', null, 'HALDEN')
    assert.deepEqual(shownAs('case.create', [sent, change('/sendingCompanyId', null, 'halden-id')]), [
      ['Sending company', '', 'Halden Maritime GmbH'],
    ])
    assert.deepEqual(shownAs('case.create', [sent, change('/sendingCompanyId', null, 'other-id')]), [
      ['Sending company', '', 'HALDEN'],
    ])
    assert.deepEqual(shownAs('applicant.write', [change('/sendingCompany', null, 'halden-id')]), [
      ['Company', '', 'Halden Maritime GmbH'],
    ])
  })

  it('names the item of a checklist, and says what was added or removed', () => {
    assert.deepEqual(
      shownAs('case.checklist_write', [change('/checklist/CV ~1 letter/accepted', false, true)]),
      [['CV / letter: Accepted', 'No', 'Yes']],
    )
    const item = { type: null, required: true }
    assert.deepEqual(shownAs('case.checklist_write', [change('/checklist/Photo', null, item)]), [
      ['Photo', '', 'added'],
    ])
    assert.deepEqual(shownAs('applicant.write', [change('/passports/Zk3vR2', item, null)], german), [
      ['Pässe', '', 'entfernt'],
    ])
  })

  it('leaves out ids and records that tell people nothing, and no other text', () => {
    assert.deepEqual(
      shownAs('case.create', [
        change('/applicantId', null, 'Zk3vR2'),
        change('/applicant', null, { firstName: 'Anna' }),
        change('/assignmentId', null, 'A-17'),
        change('/steps', null, ['One', 'Two', 'Three', 'Four', 'Five']),
        change('/metadata', null, [{ tagName: 'Team', value: 'Blue' }]),
      ]),
      [
        ['Assignment id', '', 'A-17'],
        ['Steps', '', 'One, Two, Three, Four, Five'],
        ['Tags', '', 'Team: Blue'],
      ],
    )
  })

  it('names the fields whose values the person may not see', () => {
    const changes = [{ pointer: '/hostCompany' }, { pointer: '/hostCompanyId' }, { pointer: '/assigneeId' }]
    const shown = shownChanges(changes, { action: 'case.write', texts: english, names })
    assert.deepEqual(
      shown.map(({ label, isHidden }) => [label, isHidden]),
      [
        ['Host company', true],
        ['Assignee', true],
      ],
    )
  })
})

describe('summaryOf', () => {
  const summary = (entry: object, texts = english) =>
    summaryOf({ kind: 'change', ...entry } as unknown as TimelineEntry, texts)
  const step = { stepId: 'Zk3vR2', name: 'File the permit' }
  const ofCase = { record: { type: 'case', id: 'x', name: null }, step: null }
  const ofDocument = { record: { type: 'document', id: 'x', name: 'Work permit' }, step: null }

  it('names the step', () => {
    const entry = { ...ofCase, action: 'case.step_write', step }
    const changes = [change('/steps/Zk3vR2/status', 'notStarted', 'inProgress')]
    assert.equal(summary({ ...entry, changes }), 'changed a step: File the permit')
    assert.equal(summary({ ...entry, changes }, german), 'änderte einen Schritt: File the permit')
    const added = [change('/steps/Zk3vR2', null, { name: 'File the permit' })]
    assert.equal(summary({ ...entry, changes: added }), 'added a step: File the permit')
    assert.equal(summary({ ...entry, changes: [], step: { ...step, name: null } }), 'changed a step')
  })

  it('names the document', () => {
    assert.equal(summary({ ...ofDocument, action: 'document.write' }), 'changed a document: Work permit')
    const reminder = { expiryDate: '2026-12-06' }
    const due = { kind: 'reminder', action: 'document.remind', reminder }
    assert.equal(summary({ ...ofDocument, ...due }), 'Reminder: Work permit expires on day 2026-12-06')
    const ofPerson = { record: { type: 'applicant', id: 'x', name: null }, step: null }
    assert.equal(
      summary({ ...ofPerson, ...due, action: 'passport.remind' }),
      'Reminder: Passport expires on day 2026-12-06',
    )
  })
})
