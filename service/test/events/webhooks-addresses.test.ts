import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isPublic, resolveHost, UnusableHost, urlError } from '../../src/events/addresses.ts'

describe('isPublic', () => {
  const BLOCKED =
    `0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.192 192.168.1.1 198.18.0.1 224.0.0.1 239.255.255.255 255.255.255.255 168.63.129.16
    :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:a00:1 64:ff9b::a00:1 fe80::1 fc00::1 fd00:ec2::254 ff02::1 2001::1
    2001:db8::1 2002:7f00:1::1 ::127.0.0.1 100::1`.split(/\s+/)
  const ALLOWED =
    '8.8.8.8 1.1.1.1 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 192.169.0.1 2606:4700::1111 2a00:1450::1'.split(
      ' ',
    )
  for (const address of BLOCKED) it(`${address} is blocked`, () => assert.equal(isPublic(address), false))
  for (const address of ALLOWED) it(`${address} is allowed`, () => assert.equal(isPublic(address), true))
  it('rejects a host name', () => assert.equal(isPublic('example.com'), false))
})

describe('urlError', () => {
  const errorOf = (url: string) => urlError(url, false)
  it('requires http or https, a host and no credentials', () => {
    for (const url of [
      '',
      'example.com',
      'ftp://example.com',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http://',
    ])
      assert.match(errorOf(url) ?? '', /http or https/, url)
    for (const url of [
      'https://me@example.com',
      'https://me:secret@example.com',
      'https://:secret@example.com',
    ])
      assert.match(errorOf(url) ?? '', /user name or a password/, url)
    assert.equal(errorOf('https://example.com/hook?a=b'), undefined)
  })
  it('rejects private addresses in all spellings', () => {
    const urls = `http://127.0.0.1/ http://127.1/ http://0x7f.1/ http://2130706433/ http://0177.0.0.1/ http://[::1]/
      http://[::ffff:127.0.0.1]/ http://[0:0:0:0:0:ffff:7f00:1]/ http://localhost/ http://LOCALHOST./ http://a.localhost/
      http://169.254.169.254/latest/meta-data http://10.0.0.1:8080/ http://①②⑦.0.0.1/`
    for (const url of urls.split(/\s+/)) assert.match(errorOf(url) ?? '', /private address/, url)
    assert.equal(urlError('http://127.0.0.1/', true), undefined)
  })
})

describe('resolveHost', () => {
  it('asks no name server for a name under .invalid', async () => {
    for (const host of ['invalid', 'receiver.invalid', 'receiver.invalid.'])
      await assert.rejects(resolveHost(host, false), UnusableHost)
  })
})
