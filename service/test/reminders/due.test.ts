import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { minusDays } from '../../src/lib/dates.ts'
import { parseSchedule, type Schedule } from '../../src/lib/schedule.ts'
import { dueRung, ladderOf, nextCheck } from '../../src/reminders/due.ts'

const DEFAULT = [90, 30, 7]
const scheduleOf = (text: string | number | null): Schedule => {
  const schedule = parseSchedule(text)
  assert.ok(schedule)
  return schedule
}
const daysOf = (expiry: string, reminder: string | number | null) =>
  ladderOf({ expiry, schedule: scheduleOf(reminder), defaultDays: DEFAULT }).map(({ dueOn }) => dueOn)

describe('ladderOf', () => {
  const CASES: [string, string | number | null, string[]][] = [
    ['2026-12-31', null, ['2026-10-02', '2026-12-01', '2026-12-24']],
    ['2026-12-31', 0, ['2026-10-02', '2026-12-01', '2026-12-24']],
    ['2026-12-31', 45, ['2026-11-16']],
    ['2026-12-31', '60, 10', ['2026-11-01', '2026-12-21']],
    ['2026-12-31', '2026-11-11', ['2026-11-11']],
    // A day after the expiry counts as the day of the expiry.
    ['2026-12-31', '2027-02-01', ['2026-12-31']],
    // Calendar months, clamped to the last day of a shorter month.
    ['2026-05-31', 'P3M', ['2026-02-28']],
    ['2028-05-31', 'P3M', ['2028-02-29']],
    ['2028-02-29', 'P1Y', ['2027-02-28']],
    ['2026-03-31', 'P1M', ['2026-02-28']],
    ['2026-01-15', 'P1M', ['2025-12-15']],
    ['2026-05-31', 'P3M10D', ['2026-02-18']],
    ['2026-05-31', 'P2W', ['2026-05-17']],
    // Across a leap day, and across both changes of daylight saving time.
    ['2028-03-01', 1, ['2028-02-29']],
    ['2027-03-01', 1, ['2027-02-28']],
    ['2026-03-30', 2, ['2026-03-28']],
    ['2026-10-26', 2, ['2026-10-24']],
    ['9999-12-31', 30, ['9999-12-01']],
  ]
  for (const [expiry, reminder, days] of CASES)
    it(`${expiry} with ${JSON.stringify(reminder)}: ${days.join(', ')}`, () =>
      assert.deepEqual(daysOf(expiry, reminder), days))

  it('does not depend on the time zone of the machine', () => {
    const zone = process.env['TZ']
    for (const TZ of ['Pacific/Kiritimati', 'America/Los_Angeles', 'Europe/Berlin', 'Asia/Kathmandu']) {
      process.env['TZ'] = TZ
      for (const [expiry, reminder, days] of CASES) assert.deepEqual(daysOf(expiry, reminder), days, TZ)
    }
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  it('names each rung', () => {
    const names = (reminder: string) =>
      ladderOf({ expiry: '2026-12-31', schedule: scheduleOf(reminder), defaultDays: DEFAULT }).map(
        ({ name }) => name,
      )
    assert.deepEqual(names('30,1'), ['30 days', '1 day'])
    assert.deepEqual(names('P1M'), ['1 month'])
    assert.deepEqual(names('P1Y2M3D'), ['14 months 3 days'])
    assert.deepEqual(names('P0D'), ['0 days'])
    assert.deepEqual(names('2026-11-11'), ['on 2026-11-11'])
  })
})

describe('dueRung', () => {
  const expiry = '2026-12-31'
  const due = (today: string, lastDueOn: string | null = null, reminder: string | null = null) =>
    dueRung({ expiry, schedule: scheduleOf(reminder), defaultDays: DEFAULT, today, lastDueOn })?.name
  it('returns undefined before the first rung', () => assert.equal(due('2026-10-01'), undefined))
  it('returns a rung on its day', () => assert.equal(due('2026-10-02'), '90 days'))
  it('returns undefined between two rungs', () => assert.equal(due('2026-11-30', '2026-10-02'), undefined))
  it('returns only the latest of several missed rungs', () => assert.equal(due('2026-12-28'), '7 days'))
  it('returns no earlier rung once a later one is recorded', () =>
    assert.equal(due('2026-12-02', '2026-12-24', '30'), undefined))
  it('returns the last rung on the day of the expiry', () =>
    assert.equal(due(expiry, '2026-12-01'), '7 days'))
  it('returns undefined after the expiry', () => assert.equal(due('2027-01-01'), undefined))
})

/** Steps between days. Larger ones skip days, as an outage does. */
const gaps = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 })), { maxLength: 200 })
const ladders = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 8 }).map(days => ({ days })),
  fc.record({ months: fc.integer({ min: 0, max: 24 }), days: fc.integer({ min: 0, max: 60 }) }),
  fc.integer({ min: -400, max: 400 }).map(shift => ({ on: minusDays('2028-02-29', shift) })),
  fc.constant<Schedule>('default'),
)
const expiries = fc.integer({ min: 0, max: 800 }).map(days => minusDays('2029-01-01', days))

describe('dueRung on any sequence of days', () => {
  it('returns each rung at most once, late only after a gap, and skips it only for a later one', () => {
    fc.assert(
      fc.property(ladders, expiries, gaps, (schedule, expiry, steps) => {
        const ladder = { expiry, schedule, defaultDays: DEFAULT }
        let today = minusDays(expiry, 450)
        let lastDueOn: string | null = null
        const seen = new Set<string>()
        for (const step of [0, ...steps]) {
          const before = step ? today : minusDays(today, 10_000)
          today = minusDays(today, -step)
          const came = ladderOf(ladder).filter(({ dueOn }) => dueOn > before && dueOn <= today)
          const rung = dueRung({ ...ladder, today, lastDueOn })
          if (today > expiry) assert.equal(rung, undefined)
          else assert.equal(rung?.name, came.at(-1)?.name)
          if (!rung) continue
          assert.ok(!seen.has(rung.name))
          seen.add(rung.name)
          lastDueOn = rung.dueOn
          assert.equal(dueRung({ ...ladder, today, lastDueOn }), undefined)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('returns the same rungs on the days of nextCheck alone as on every day', () => {
    fc.assert(
      fc.property(ladders, expiries, (schedule, expiry) => {
        const ladder = { expiry, schedule, defaultDays: DEFAULT }
        const walk = (next: (today: string) => string) => {
          const found: string[] = []
          let lastDueOn: string | null = null
          for (let today = minusDays(expiry, 450); today <= expiry; today = next(today)) {
            const rung = dueRung({ ...ladder, today, lastDueOn })
            if (!rung) continue
            found.push(`${today} ${rung.name}`)
            lastDueOn = rung.dueOn
          }
          return found
        }
        assert.deepEqual(
          walk(today => nextCheck({ ...ladder, today })),
          walk(today => minusDays(today, -1)),
        )
      }),
      { numRuns: 300 },
    )
  })
})
