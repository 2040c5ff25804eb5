import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { replace } from '../../src/applicants/applicant-changes.ts'
import { fromRow, fromWire, rowToWire, toWire } from '../../src/applicants/applicants.mapper.ts'
import { countingIds, input } from './arbitraries.ts'

const NOW = new Date('2026-03-02T10:00:00.000Z')
const times = `"createdAt":"${NOW.toISOString()}","updatedAt":"${NOW.toISOString()}"`

describe('rowToWire', () => {
  it('returns what toWire returns for the same record', () => {
    fc.assert(
      fc.property(input(), body => {
        const { documents: _documents, ...record } = replace(fromWire(body), {
          applicantId: 'a-1',
          newId: countingIds(),
        })
        const row = { id: 'a-1', record: JSON.stringify(record), version: 3 }
        const state = { documents: null, createdAt: NOW, updatedAt: NOW, primaryId: null, archivedAt: null }
        assert.deepEqual(
          rowToWire({ ...row, rest: `,"documents":[],${times}}` }),
          toWire(fromRow({ ...row, ...state })),
        )
      }),
      { numRuns: 500 },
    )
  })

  const complete = JSON.stringify(
    (({ documents: _documents, ...record }) => record)(
      replace(
        {
          jobTitle: 'Head "of" A\\B',
          passports: [{ passportNumber: '1' }, { passportNumber: '2' }],
          metaData: [{ tagName: '[', value: '}' }],
        },
        { applicantId: 'a-1', newId: countingIds() },
      ),
    ),
  )
  const wire = (record: string) => rowToWire({ id: 'a-1', record, rest: ',"rest":0}', version: 1 }).json

  it('sends the stored text of a complete record without parsing it', () => {
    // Parsing and rendering it again would turn the escape into the letter.
    const escaped = complete.replace('Head', '\\u0048ead')
    assert.notEqual(escaped, complete)
    assert.equal(wire(escaped), `${escaped.slice(0, -1)},"rest":0}`)
  })

  it('returns a record of any size', () => {
    const metaData = Array.from({ length: 10_000 }, () => ({ tagName: 'a', value: '"'.repeat(4_000) }))
    const { documents: _documents, ...large } = replace(
      { metaData },
      { applicantId: 'a-1', newId: countingIds() },
    )
    const text = JSON.stringify(large)
    assert.equal(wire(text).length, text.length + ',"rest":0'.length)
  })

  it('sorts, completes and trims a record of another form', () => {
    const { jobTitle, ...rest } = JSON.parse(complete)
    assert.equal(
      wire(JSON.stringify({ unknown: 1, ...rest, jobTitle })),
      `${complete.slice(0, -1)},"rest":0}`,
    )
  })
})
