import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ChecklistEntry, fillChecklist, type Paper } from '../../src/cases/checklist.ts'

const today = '2026-11-16'
const entry = (fields: Partial<ChecklistEntry> = {}): ChecklistEntry => ({
  name: 'Passport copy',
  type: null,
  required: true,
  documentId: null,
  accepted: null,
  ...fields,
})
const paper = (documentId: string, fields: Partial<Paper> = {}): Paper => ({
  documentId,
  name: documentId,
  type: null,
  expiryDate: null,
  fileVersion: 1,
  ...fields,
})
const filled = (entries: ChecklistEntry[], papers: Paper[]) =>
  fillChecklist(entries, { papers, today }).map(({ state, document }) => [state, document?.documentId])
const accepted = { at: '2026-01-01T00:00:00.000Z', by: 'R. Okafor', fileVersion: 1 }

describe('fillChecklist', () => {
  it('is missing without a document that matches', () =>
    assert.deepEqual(filled([entry()], [paper('a', { name: 'Birth certificate' })]), [
      ['missing', undefined],
    ]))

  it('matches the name of an item without a type, and its type otherwise, whatever their case', () => {
    const papers = [paper('a', { name: 'PASSPORT COPY' }), paper('b', { type: 'Passport' })]
    assert.deepEqual(filled([entry()], papers), [['received', 'a']])
    assert.deepEqual(filled([entry({ type: 'passport' })], papers), [['received', 'b']])
  })

  it('prefers the newest document that has not expired, and reports one that has', () => {
    const old = paper('old', { name: 'Passport copy', expiryDate: '2026-11-15T00:00:00' })
    const last = paper('last', { name: 'Passport copy', expiryDate: '2026-11-16T00:00:00' })
    assert.deepEqual(filled([entry()], [old, last]), [['received', 'last']])
    assert.deepEqual(filled([entry()], [old]), [['expired', 'old']])
  })

  it('fills no two items with one document, unless it is chosen for both', () => {
    const papers = [paper('a', { name: 'Passport copy', type: 'passport' })]
    const second = entry({ name: 'Old passport', type: 'passport' })
    assert.deepEqual(filled([entry(), second], papers), [
      ['received', 'a'],
      ['missing', undefined],
    ])
    assert.deepEqual(filled([entry({ documentId: 'a' }), { ...second, documentId: 'a' }], papers), [
      ['received', 'a'],
      ['received', 'a'],
    ])
  })

  it('leaves a document that is chosen for a later item to that item', () => {
    const papers = [paper('a', { name: 'Passport copy' })]
    assert.deepEqual(filled([entry(), entry({ name: 'Other', documentId: 'a' })], papers), [
      ['missing', undefined],
      ['received', 'a'],
    ])
  })

  it('is accepted for the chosen document and the version of its file only', () => {
    const chosen = entry({ documentId: 'a', accepted })
    assert.deepEqual(filled([chosen], [paper('a')]), [['accepted', 'a']])
    assert.deepEqual(filled([chosen], [paper('a', { fileVersion: 2 })]), [['received', 'a']])
    assert.deepEqual(filled([chosen], [paper('a', { expiryDate: '2026-11-15T00:00:00' })]), [
      ['expired', 'a'],
    ])
    assert.deepEqual(filled([chosen], [paper('b', { name: 'Passport copy' })]), [['received', 'b']])
  })

  it('accepts a document without a file', () => {
    const chosen = entry({ documentId: 'a', accepted: { ...accepted, fileVersion: null } })
    assert.deepEqual(filled([chosen], [paper('a', { fileVersion: null })]), [['accepted', 'a']])
  })
})
