// Text that must not be empty requires a visible character.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminCase, caseBody, newCase, newName } from './case-factories.ts'
import {
  byId,
  child,
  expectInvalid,
  expectOk,
  type Fields,
  family,
  get,
  patch,
  person,
  post,
  put,
} from './people.ts'

/** Zero-width, bidi control, soft hyphen, filler and blank characters, alone and together. */
const INVISIBLE = [
  '\u200b',
  '\u200c\u200d',
  '\u202e\u2066',
  '\ufeff',
  '\u00ad',
  '\u3164',
  '\u2800',
  ' \u200f\u2003',
]

/** A Persian name with ZWNJ, a directional mark, an emoji of several characters. */
const VISIBLE = ['علی\u200cرضا', '\u200fשרה', 'Anna\u00ad', '👩\u200d🚀']

describe('a name of invisible characters only', () => {
  it('is rejected in Save, PUT and PATCH of an applicant and its dependents', async () => {
    const { id, dependents } = await family(person(), [child()])
    const applicantId = dependents[0]?.['applicantId']
    for (const name of INVISIBLE) {
      const primaryApplicant = { firstName: name, lastName: name }
      const both = ['/primaryApplicant/firstName', '/primaryApplicant/lastName']
      await expectInvalid(post('/v2/applicant', { primaryApplicant }), ...both)
      await expectInvalid(put(byId(id), { primaryApplicant }), ...both)
      await expectInvalid(patch(byId(id), { primaryApplicant }), ...both)
      const relative = { firstName: 'Ben', lastName: 'Schmidt', relationship: name }
      const one = { primaryApplicant: person(), dependents: [relative] }
      await expectInvalid(post('/v2/applicant', one), '/dependents/0/relationship')
      const merged = { primaryApplicant: {}, dependents: [{ applicantId, firstName: name }] }
      await expectInvalid(patch(byId(id), merged), '/dependents/0/firstName')
    }
  })

  it('is rejected in Create case, for the applicant and its dependents', async () => {
    const [name] = INVISIBLE
    const dependents = [{ firstName: name, lastName: 'B', relationship: 'Child' }]
    const applicant = { firstName: name, lastName: name, dependents }
    await expectInvalid(
      post('/v2/case', await caseBody({ applicant })),
      '/applicant/firstName',
      '/applicant/lastName',
      '/applicant/dependents/0/firstName',
    )
  })

  it('is rejected for companies, processes, clients, steps and notes', async () => {
    const { caseId, steps } = await newCase()
    const stepId = steps[0]?.['stepId']
    for (const name of INVISIBLE) {
      const { errors } = await expectInvalid(post('/admin/v1/companies', { name }), '/name')
      assert.match(errors[0].detail, /visible/)
      await expectInvalid(put(`/admin/v1/processes/${encodeURIComponent(name)}`, { steps: ['A'] }), '/name')
      await expectInvalid(
        put(`/admin/v1/processes/${encodeURIComponent(newName('Process'))}`, { steps: ['A', name] }),
        '/steps/1',
      )
      await expectInvalid(post('/admin/v1/clients', { name, scopes: ['cases:read'] }), '/name')
      await expectInvalid(post(`${adminCase(caseId)}/steps`, { name }), '/name')
      await expectInvalid(patch(`${adminCase(caseId)}/steps/${stepId}`, { name }), '/name')
      await expectInvalid(
        post(`${adminCase(caseId)}/notes`, { content: name, author: name }),
        '/content',
        '/author',
      )
    }
  })
})

describe('visible text with invisible characters', () => {
  it('is stored unmodified', async () => {
    for (const name of VISIBLE) {
      const { id } = await family(person({ firstName: name, lastName: name }))
      const { body } = await get(byId(id))
      assert.deepEqual([body.firstName, body.lastName], [name, name])
      const { caseId } = await newCase()
      const note: Fields = await expectOk(post(`${adminCase(caseId)}/notes`, { content: name }))
      assert.equal(note['content'], name)
    }
  })
})
