import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENT_TYPES, scopeOfEvent } from '../../src/lib/event-types.ts'
import { requireGrantable, requireScopesOfClient } from '../../src/lib/grants.ts'
import { Problem } from '../../src/lib/problem.ts'
import { ALL_SCOPES, expandScopes, scopesWith } from '../../src/lib/scopes.ts'

describe('expandScopes', () => {
  it('gives admin every scope, and any other scope itself', () => {
    assert.deepEqual([...expandScopes(['admin'])], ALL_SCOPES)
    assert.deepEqual([...expandScopes(['cases:read', 'admin'])], ALL_SCOPES)
    for (const scope of ALL_SCOPES.filter(one => one !== 'admin'))
      assert.deepEqual([...expandScopes([scope])], [scope])
  })

  it('drops what is no scope', () => {
    assert.deepEqual([...expandScopes(['openid', 'toString', 'desk:read', '', 'Admin'])], ['desk:read'])
    assert.deepEqual([...expandScopes([])], [])
  })
})

describe('scopesWith', () => {
  it('is the scope itself and admin', () => {
    assert.deepEqual(scopesWith('cases:read'), ['cases:read', 'admin'])
    assert.deepEqual(scopesWith('admin'), ['admin'])
  })
})

describe('scopeOfEvent', () => {
  it('is the scope that reads the record of the event', () => {
    const byScope = Map.groupBy(EVENT_TYPES, scopeOfEvent)
    const kinds = (types: string[] = []) => [...new Set(types.map(type => type.split('.')[0]))]
    assert.deepEqual(kinds(byScope.get('applicants:read')), ['applicant', 'dependent', 'passport'])
    assert.deepEqual(kinds(byScope.get('cases:read')), ['case'])
    assert.deepEqual(kinds(byScope.get('documents:read')), ['document'])
    assert.equal(byScope.size, 3)
  })
})

describe('a grant', () => {
  const problemOf = (work: () => void) => {
    try {
      work()
      return undefined
    } catch (error) {
      assert.ok(error instanceof Problem)
      return error
    }
  }

  it('is rejected where the caller lacks a scope, with the place of each', () => {
    const caller = expandScopes(['access:write', 'desk:read'])
    assert.equal(
      problemOf(() => requireGrantable(caller, ['desk:read', 'access:write'], '/scopes')),
      undefined,
    )
    const problem = problemOf(() => requireGrantable(caller, ['desk:read', 'admin', 'desk:write'], '/scopes'))
    assert.equal(problem?.kind.code, 'cannot-grant')
    assert.match(problem?.message ?? '', /admin, desk:write/)
    assert.deepEqual(
      problem?.errors?.map(({ pointer }) => pointer),
      ['/scopes/1', '/scopes/2'],
    )
  })

  it('of admin needs admin, even from a caller with all other scopes', () => {
    const others = expandScopes(ALL_SCOPES.filter(scope => scope !== 'admin'))
    assert.ok(problemOf(() => requireGrantable(others, ['admin'], '/scopes')))
    assert.ok(problemOf(() => requireScopesOfClient(others, ['admin'])))
  })

  it('ignores scopes of a client that no longer exist', () => {
    assert.equal(
      problemOf(() => requireScopesOfClient(expandScopes([]), ['retired:scope'])),
      undefined,
    )
  })
})
