// A record never grows past what a replace accepts, so that what a read returned can always be sent back.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'

const { call } = await createTestApp()
const person = { firstName: 'Anna', lastName: 'Schmidt' }
const child = { firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child' }

let people = 0
async function createFamily(family: { primaryApplicant?: object; dependents?: object[] } = {}) {
  const url = `/v2/applicant/employeenumber/L-${++people}`
  const { primaryApplicant, ...rest } = family
  const body = { primaryApplicant: { ...person, ...primaryApplicant }, ...rest }
  const saved = await call({ method: 'PUT', url, body })
  assert.equal(saved.status, 201, saved.text)
  return { url, primary: saved.body.primaryApplicant, dependents: saved.body.dependents }
}

const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))
const tags = (count: number, prefix: string) =>
  many(count, index => ({ tagName: `${prefix}${index}`, value: '1' }))
const children = (count: number, prefix: string) =>
  many(count, index => ({ ...child, firstName: `${prefix}${index}` }))

describe('a merge', () => {
  it('is rejected where a list would have more items than a replace accepts', async () => {
    const { url } = await createFamily({ primaryApplicant: { metaData: tags(300, 'a') } })
    const merge = (metaData: object[]) =>
      call({ method: 'PATCH', url, body: { primaryApplicant: { metaData } } })
    const tooMany = await merge(tags(201, 'b'))
    assert.equal(tooMany.status, 400, tooMany.text)
    assert.deepEqual(tooMany.body.errors, [
      {
        pointer: '/primaryApplicant/metaData',
        detail: 'The record would have 501 items. It may have at most 500.',
      },
    ])
    assert.equal((await merge(tags(200, 'b'))).body.primaryApplicant.metaData.length, 500)
    assert.equal((await merge(tags(200, 'b'))).status, 200)
  })

  it('is rejected where a list of a dependent would be too long, by either operation', async () => {
    const { url, dependents } = await createFamily({
      dependents: [{ ...child, metaData: tags(500, 'a') }],
    })
    const { applicantId } = dependents[0]
    const metaData = tags(1, 'b')
    const inFamily = await call({
      method: 'PATCH',
      url,
      body: { dependents: [{ applicantId, metaData }] },
    })
    assert.equal(inFamily.body.errors?.[0]?.pointer, '/dependents/0/metaData', inFamily.text)
    const alone = await call({
      method: 'PATCH',
      url: `${url}/dependents/${applicantId}`,
      body: { metaData },
    })
    assert.equal(alone.body.errors?.[0]?.pointer, '/metaData', alone.text)
  })

  it('and a new dependent are rejected where there would be more than 100 dependents', async () => {
    const { url, primary } = await createFamily({ dependents: children(99, 'A') })
    const merge = (dependents: object[]) => call({ method: 'PATCH', url, body: { dependents } })
    const tooMany = await merge(children(2, 'B'))
    assert.deepEqual([tooMany.status, tooMany.body.errors?.[0]?.pointer], [400, '/dependents'], tooMany.text)
    const create = (firstName: string) =>
      call({
        method: 'POST',
        url: `/v2/applicant/${primary.applicantId}/dependent`,
        body: { ...child, firstName },
      })
    assert.equal((await create('Cleo')).status, 201)
    const another = await create('Dora')
    assert.equal(another.status, 400, another.text)
    const [primaryApplicant, dependents] = [
      (await call({ url })).body,
      (await call({ url: `${url}/dependents` })).body,
    ]
    assert.equal((await call({ method: 'PUT', url, body: { primaryApplicant, dependents } })).status, 200)
  })
})

describe('a replace', () => {
  it('with dependents of null is rejected with what to send instead', async () => {
    const { url } = await createFamily()
    const { body } = await call({ method: 'PUT', url, body: { primaryApplicant: person, dependents: null } })
    assert.match(body.errors[0].detail, /leave it out to keep them as they are/)
  })
})

describe('errors', () => {
  it('are at most 100, also those that no schema finds', async () => {
    const { url } = await createFamily()
    const metaData = many(300, index => ({ noteId: `unknown-${index}`, value: '1' }))
    const { status, body } = await call({ method: 'PATCH', url, body: { primaryApplicant: { metaData } } })
    assert.equal(status, 422)
    assert.equal(body.errors.length, 100)
  })
})

describe('Change dependent employee number', () => {
  it('accepts null where a field is optional', async () => {
    const { url, dependents } = await createFamily({ dependents: [{ ...child, dateOfBirth: '2015-05-31' }] })
    const changed = await call({
      method: 'POST',
      url: `${url}/dependents/${dependents[0].applicantId}`,
      body: { firstName: 'Ben', lastName: null, dateOfBirth: '2015-05-31', newEmployeeNumber: null },
    })
    assert.equal(changed.status, 200, changed.text)
    assert.match(changed.body.newEmployeeNumber ?? changed.text, /-D1/)
  })
})
