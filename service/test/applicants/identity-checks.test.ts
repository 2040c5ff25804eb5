import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createIdentityChecks } from '../../src/applicants/identity-checks.ts'

describe('createIdentityChecks', () => {
  const failing = (checks: ReturnType<typeof createIdentityChecks>, times: number, person: string) => {
    for (let count = 0; count < times; count++) checks.countFailure('client', person)
  }

  it('blocks a person for a client after 10 failures, for five minutes from the first', () => {
    let now = 0
    const checks = createIdentityChecks({ now: () => now, name: 'test' })
    failing(checks, 9, 'person')
    assert.equal(checks.blockedFor('client', 'person'), 0)
    now = 60_000
    failing(checks, 1, 'person')
    assert.equal(checks.blockedFor('client', 'person'), 240)
    assert.equal(checks.blockedFor('client', 'another person'), 0)
    assert.equal(checks.blockedFor('client'), 0)
    assert.equal(checks.blockedFor('another client', 'person'), 0)
    now = 300_000
    assert.equal(checks.blockedFor('client', 'person'), 0)
  })

  it('blocks every person for a client after 100 failures', () => {
    const checks = createIdentityChecks({ now: () => 0, name: 'test' })
    for (let person = 0; person < 100; person++) failing(checks, 1, `person ${person}`)
    assert.equal(checks.blockedFor('client'), 300)
    assert.equal(checks.blockedFor('client', 'another person'), 300)
    assert.equal(checks.blockedFor('another client', 'person 1'), 0)
  })
})
