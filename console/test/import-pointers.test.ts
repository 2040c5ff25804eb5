import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Key, Texts } from '../src/app/i18n.tsx'
import { en } from '../src/locales/en/index.ts'
import { listed, pointerText, sentAt, storedAt } from '../src/screens/imports/pointers.ts'

const texts: Pick<Texts, 't' | 'tx' | 'number'> = {
  t: (key: Key, values = {}) => en[key].replace(/\{(\w+)\}/g, (_mark, name) => String(values[name])),
  tx: (key, fallback) => (en as Record<string, string>)[key] ?? fallback,
  number: String,
}

describe('pointerText', () => {
  for (const [pointer, text] of [
    ['/primaryApplicant', 'New person'],
    ['/primaryApplicant/lastName', 'Last name'],
    ['/primaryApplicant/passports/Zk3vR2/expiryDate', 'Passports · Expires'],
    ['/primaryApplicant/passports/-', 'Passports: one is added'],
    ['/primaryApplicant/passports/Zk3vR2', 'Passports: one is removed'],
    ['/primaryApplicant/passports', 'Passports: other order'],
    ['/primaryApplicant/passports/0/expiryDate', 'Passports 1 · Expires'],
    ['/dependents/1', 'Dependent 2: is added'],
    ['/dependents/0/firstName', 'Dependent 1 · First name'],
    ['/dependents/Zk3vR2', 'A dependent is archived'],
    ['/primaryEmployeeNumber', 'Employee number of the primary applicant'],
    ['/primaryApplicant/unknownField', 'Unknown field'],
    ['', ''],
  ] as const)
    it(`names ${pointer || 'the whole row'}`, () => assert.equal(pointerText(pointer, texts), text))
})

describe('storedAt', () => {
  const record = {
    lastName: 'Schmidt',
    jobTitle: null,
    passports: [{ passportId: 'Zk3vR2', passportNumber: 'C01', expiryDate: '2031-02-28' }],
  }
  it('returns the value of a field, and null where there is none', () => {
    assert.equal(storedAt(record, '/primaryApplicant/lastName'), 'Schmidt')
    assert.equal(storedAt(record, '/primaryApplicant/jobTitle'), null)
  })
  it('returns the value of an item, or the item as a whole', () => {
    assert.equal(storedAt(record, '/primaryApplicant/passports/Zk3vR2/expiryDate'), '2031-02-28')
    assert.equal(storedAt(record, '/primaryApplicant/passports/Zk3vR2'), 'C01, 2031-02-28')
  })
  const family = {
    ...record,
    dependents: [
      { applicantId: 'kim1', firstName: 'Kim', lastName: 'Schmidt', jobTitle: 'Cook', passports: [] },
      {
        applicantId: 'lee1',
        firstName: 'Lee',
        lastName: 'Schmidt',
        jobTitle: 'Pilot',
        passports: [{ passportId: 'Pq7', passportNumber: 'D01', expiryDate: '2029-01-31' }],
      },
    ],
  }
  it('returns the value of a dependent, whatever its position in the file', () => {
    const content = { dependents: [{ firstName: 'LEE', lastName: 'Schmidt' }, { applicantId: 'kim1' }] }
    assert.equal(storedAt(family, '/dependents/0/jobTitle', content), 'Pilot')
    assert.equal(storedAt(family, '/dependents/1/jobTitle', content), 'Cook')
    assert.equal(storedAt(family, '/dependents/0/passports/Pq7/expiryDate'), '2029-01-31')
  })
  it('returns undefined for a dependent that may be another one', () => {
    const [kim] = family.dependents
    const twins = { ...family, dependents: [kim, kim] as object[] }
    const content = { dependents: [{ firstName: 'Kim', lastName: 'Schmidt' }] }
    assert.equal(storedAt(twins, '/dependents/0/jobTitle', content), undefined)
    assert.equal(storedAt(family, '/dependents/0/jobTitle'), undefined)
  })
  it('returns undefined for what the record does not tell', () => {
    assert.equal(storedAt(record, '/dependents/0/lastName'), undefined)
    assert.equal(storedAt(record, '/primaryApplicant/passports/-'), undefined)
    assert.equal(storedAt(record, '/primaryApplicant/passports/other/expiryDate'), undefined)
  })
})

describe('sentAt', () => {
  const stored = { passports: [{ passportId: 'Zk3vR2', passportNumber: 'C01', expiryDate: '2031-02-28' }] }
  const content = {
    primaryApplicant: {
      lastName: 'Schmidt-Ros',
      passports: [{ passportNumber: 'C01', expiryDate: '2036-02-28' }, { passportNumber: 'C02' }],
    },
    dependents: [{ firstName: 'Kim' }],
  }
  for (const [pointer, value] of [
    ['/primaryApplicant/lastName', 'Schmidt-Ros'],
    ['/primaryApplicant/jobTitle', null],
    ['/primaryApplicant/passports/Zk3vR2/expiryDate', '2036-02-28'],
    ['/primaryApplicant/passports/Zk3vR2', undefined],
    ['/primaryApplicant/passports/-', undefined],
    ['/dependents/0/firstName', 'Kim'],
    ['/dependents/Zk3vR2', undefined],
  ] as const)
    it(`returns ${value} for ${pointer}`, () => assert.equal(sentAt(content, pointer, stored), value))
})

describe('listed', () => {
  it('lists the first names once each, and counts the others', () => {
    assert.equal(listed(['A', 'B', 'A'], 2, texts), 'A, B')
    assert.equal(listed(['A', 'B', 'C', 'D'], 2, texts), 'A, B and 2 more')
  })
})
