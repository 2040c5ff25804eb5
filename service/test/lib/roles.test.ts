import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ALL_ROLES, isRole, ROLES, scopesOf } from '../../src/lib/roles.ts'
import { ALL_SCOPES } from '../../src/lib/scopes.ts'

describe('roles', () => {
  it('have the scopes that their names promise', () => {
    const reads = ALL_SCOPES.filter(scope => /^(applicants|cases|documents|desk):read$/.test(scope))
    const writes = ALL_SCOPES.filter(scope => /^(applicants|cases|documents|desk):write$/.test(scope))
    assert.deepEqual([...ROLES.viewer].sort(), reads.sort())
    assert.deepEqual([...ROLES['case-manager']].sort(), [...reads, ...writes].sort())
    assert.deepEqual([...ROLES.auditor].sort(), [...reads, 'audit:read'].sort())
    assert.deepEqual(ROLES.admin, ALL_SCOPES)
  })

  it('add up, and unknown ones have no scope', () => {
    assert.deepEqual(scopesOf(['viewer', 'auditor']), new Set(ROLES.auditor))
    assert.deepEqual(scopesOf(['root', 'constructor', 'toString']), new Set())
    assert.deepEqual(scopesOf([]), new Set())
    assert.ok(ALL_ROLES.every(isRole))
    assert.ok(![undefined, null, 1, 'Admin', '__proto__'].some(isRole))
  })
})
