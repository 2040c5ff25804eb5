import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { networkOf, parseAddress } from '../../src/lib/network-address.ts'

describe('the network that limits are counted for', () => {
  it('is an IPv4 address, however it is written', () => {
    for (const text of [
      '198.51.100.7',
      '::ffff:198.51.100.7',
      '::FFFF:c633:6407',
      '0:0:0:0:0:ffff:c633:6407',
    ])
      assert.equal(networkOf(text), '198.51.100.7', text)
  })

  it('is the /64 of an IPv6 address', () => {
    for (const text of [
      '2001:db8:1:2::1',
      '2001:0DB8:1:2:ffff:1:2:3',
      '[2001:db8:1:2::]:80',
      '2001:db8:1:2::9%eth0',
    ])
      assert.equal(networkOf(text), '2001:db8:1:2::/64', text)
    assert.equal(networkOf('::1'), '0:0:0:0::/64')
    assert.notEqual(networkOf('2001:db8:1:3::1'), networkOf('2001:db8:1:2::1'))
  })

  it('is the same for every spelling of an address', () => {
    const plain = (groups: number[]) => groups.map(group => group.toString(16)).join(':')
    const padded = (groups: number[]) => groups.map(group => group.toString(16).padStart(4, '0')).join(':')
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), groups => {
        const compressed = new URL(`http://[${plain(groups)}]`).hostname
        assert.equal(networkOf(padded(groups).toUpperCase()), networkOf(plain(groups)))
        assert.equal(networkOf(compressed), networkOf(plain(groups)))
      }),
    )
  })
})

describe('an address', () => {
  it('is undefined for other text', () => {
    for (const text of [
      '',
      'unknown',
      '198.51.100',
      '1.2.3.4.5',
      '198.51.100.7:',
      '[::1',
      '::g',
      '1::2::3',
      ' ',
    ])
      assert.equal(parseAddress(text), undefined, text)
  })
})
