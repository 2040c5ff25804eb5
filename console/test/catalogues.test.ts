import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { de } from '../src/locales/de/index.ts'
import { en } from '../src/locales/en/index.ts'

const marks = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([mark]) => mark).sort()
const english: Record<string, string> = en
const german: Record<string, string> = de

describe('catalogues', () => {
  it('have the same keys', () => assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort()))

  it('have no empty text', () => {
    for (const catalogue of [english, german])
      assert.deepEqual(
        Object.entries(catalogue).filter(([, text]) => !text.trim()),
        [],
      )
  })

  it('have the same marks in every text', () => {
    const differing = Object.keys(english).filter(
      key => JSON.stringify(marks(english[key] ?? '')) !== JSON.stringify(marks(german[key] ?? '')),
    )
    assert.deepEqual(differing, [])
  })

  it('have both forms of every plural', () => {
    const stems = Object.keys(english).flatMap(key => /^(.*)\.other$/.exec(key)?.[1] ?? [])
    assert.deepEqual(
      stems.filter(stem => !(`${stem}.one` in english)),
      [],
    )
  })
})
