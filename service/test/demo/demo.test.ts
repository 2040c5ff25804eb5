import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'

const app = await createTestApp()

describe('the demo dataset', () => {
  const range = () => {
    const now = app.clock.now().getTime()
    const day = (offset: number) => new Date(now + offset * 86_400_000).toISOString().slice(0, 10)
    return `startDate=${day(-365)}&endDate=${day(1)}&maxRecords=1000`
  }

  it('is loaded once', async () => {
    assert.equal(await app.loadDemo(), true)
    assert.equal(await app.loadDemo(), false)
  })

  it('has people, cases in all states with steps and notes, and documents with files', async () => {
    const { body: person } = await app.call({ url: '/v2/applicant/employeenumber/D-1001' })
    assert.ok(person.lastName)
    const states = new Set<string>()
    for (let number = 1001; number <= 1040; number++) {
      const { body } = await app.call({ url: `/v2/cases/applicant/employeenumber/D-${number}` })
      for (const one of body) states.add(one.status)
    }
    assert.deepEqual([...states].sort(), ['closed', 'open', 'pending'])
    for (const list of ['steps', 'notes']) {
      const { body } = await app.call({ url: `/v2/cases/applicants/${list}?${range()}` })
      assert.ok(body.records.length >= 40, `${list}: ${body.records.length}`)
    }
    const { body: documents } = await app.call({ url: `/v2/documents?${range()}` })
    const withFile = documents.records.filter((one: { hasFile: boolean }) => one.hasFile)
    assert.equal(withFile.length, 40)
    const { status, headers, text } = await app.call({ url: `/v2/document/${withFile[0].documentId}/file` })
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/pdf')
    assert.match(text, /^%PDF-1\.7[\s\S]*specimen[\s\S]*%%EOF\n$/)
  })
})
