import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../../src/lib/problem.ts'
import { createPasswords, passwordErrorOf, signInBusy } from '../../src/sign-in/passwords.ts'

const CHEAP = { memory: 64, passes: 2 }
const passwords = createPasswords({ cost: CHEAP })
const person = { email: 'Ruth.Okafor@example.com', name: 'Ruth Okafor' }
const errorOf = (password: string) => passwordErrorOf(password, person)

describe('a password', () => {
  it('is accepted from 12 to 256 characters, whatever they are', () => {
    for (const password of [
      'a bakery in the fog',
      'x7#Qm2!vTz9&',
      'žluťoučký kůň',
      '🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧',
      'correct'.repeat(36),
    ])
      if (!/^(correct)+$/.test(password)) assert.equal(errorOf(password), undefined, password)
    assert.equal(errorOf(`${'many words '.repeat(22)}and one`), undefined)
  })

  it('is rejected where it is too short or too long', () => {
    assert.match(errorOf('eleven char') ?? '', /at least 12/)
    assert.match(errorOf('🦊'.repeat(11)) ?? '', /at least 12/)
    for (const padded of [' '.repeat(12), `a${' '.repeat(11)}`, `\u00a0\t${'eleven char'}\u3000 `])
      assert.match(errorOf(padded) ?? '', /at least 12/, JSON.stringify(padded))
    assert.equal(errorOf(' a bakery in the fog '), undefined)
    assert.match(errorOf(`a1-${'b2 '.repeat(85)}`) ?? '', /at most 256/)
  })

  it('is rejected where it is easy to guess', () => {
    for (const password of [
      'password1234', 'Password2026!', 'PASSWORDPASSWORD', 'qwertyuiop123', '123456789012', '000000000000', 'abcabcabcabc',
      'letmeinletmein', 'Caseport2026!!', 'iloveyou1234', '1q2w3e4r5t6y', 'adminadmin123',
    ]) // biome-ignore format: a list
      assert.match(errorOf(password) ?? '', /easy to guess/, password)
  })

  it("is rejected where it is the person's own address or name", () => {
    for (const password of [
      'ruth.okafor@example.com',
      'RUTH.OKAFOR@EXAMPLE.COM',
      'Ruth.Okafor1',
      'ruth okafor!',
      'RuthOkafor2026',
    ])
      assert.match(errorOf(password) ?? '', /address or name/, password)
  })
})

describe('the hash of a password', () => {
  it('is argon2id with its parameters and a salt of its own', async () => {
    const [one, other] = [
      await passwords.hash('a bakery in the fog'),
      await passwords.hash('a bakery in the fog'),
    ]
    assert.match(one, /^\$argon2id\$v=19\$m=64,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    assert.notEqual(one, other)
    assert.match(await createPasswords().hash('a bakery in the fog'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it('verifies the password and no other', async () => {
    const hash = await passwords.hash('a bakery in the fog')
    assert.equal(await passwords.verify('a bakery in the fog', hash), true)
    for (const wrong of ['a bakery in the fo', 'A bakery in the fog', '', 'a bakery in the fog '])
      assert.equal(await passwords.verify(wrong, hash), false)
    assert.equal(await passwords.verify('a bakery in the fog', undefined), false)
    for (const damaged of ['', 'scrypt$1', hash.replace('argon2id', 'argon2i'), hash.slice(0, -3)])
      assert.equal(await passwords.verify('a bakery in the fog', damaged), false, damaged)
  })

  it('is the same for the same characters in another normal form', async () => {
    const hash = await passwords.hash('žluťoučký kůň'.normalize('NFD'))
    assert.equal(await passwords.verify('žluťoučký kůň'.normalize('NFC'), hash), true)
  })

  it('is outdated when the cost was raised, and still verifies', async () => {
    const hash = await passwords.hash('a bakery in the fog')
    const raised = createPasswords({ cost: { memory: 128, passes: 3 } })
    assert.equal(passwords.isOutdated(hash), false)
    assert.equal(raised.isOutdated(hash), true)
    assert.equal(await raised.verify('a bakery in the fog', hash), true)
    assert.equal(raised.isOutdated(await raised.hash('a bakery in the fog')), false)
  })

  it('is computed two at a time, and beyond a hundred in the queue not at all', async () => {
    const slow = createPasswords({ cost: { memory: 1024, passes: 2 } })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 150 }, () => slow.hash('a bakery in the fog')),
    )
    const rejected = outcomes.filter(outcome => outcome.status === 'rejected')
    assert.equal(rejected.length, 48)
    for (const { reason } of rejected) assert.ok(reason instanceof Problem && reason.kind === signInBusy.kind)
    assert.ok(await slow.hash('a bakery in the fog'))
  })
})
