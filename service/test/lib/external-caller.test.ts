import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { externalCallerOf, formsOfExternalId } from '../../src/lib/external-caller.ts'

describe('formsOfExternalId', () => {
  it('has all names of a caller, whichever of subject and client its token has', () => {
    const issuer = 'https://issuer.example:8443/realm'
    for (const [subject, client] of [
      ['anna:1', 'portal'],
      ['feed', 'feed'],
      ['anna', undefined],
      [undefined, 'portal'],
    ]) {
      const caller = externalCallerOf({ issuer, subject, client })
      const forms = formsOfExternalId(caller?.id ?? '')
      assert.ok(
        caller?.names.every(name => forms.includes(name)),
        JSON.stringify([caller, forms]),
      )
    }
  })
})
