import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BrowserRequest, createBrowser } from '../../src/http/browser.ts'
import { Problem } from '../../src/lib/problem.ts'

const request = (
  headers: BrowserRequest['headers'] = {},
  rest: Partial<BrowserRequest> = {},
): BrowserRequest => ({
  method: 'POST',
  protocol: 'http',
  host: 'localhost:8080',
  headers,
  ...rest,
})
const passes = (check: () => void): boolean => {
  try {
    check()
    return true
  } catch (error) {
    assert.ok(error instanceof Problem && error.kind.code === 'cross-origin')
    return false
  }
}

describe('the cookie of a session', () => {
  it('has the prefix __Host- and Secure where the public address has TLS', () => {
    const browser = createBrowser('https://cases.example')
    const behindProxy = request({}, { host: 'cases.example' })
    assert.equal(
      browser.cookie(behindProxy, { value: 'abc', seconds: 60 }),
      '__Host-caseport=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
    )
    assert.equal(
      browser.cookie(behindProxy, {}),
      '__Host-caseport=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
    )
  })

  it('has neither over plain HTTP, where browsers would reject it', () => {
    assert.equal(
      createBrowser(undefined).cookie(request(), { value: 'abc', seconds: 60 }),
      'caseport=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
    )
    assert.match(
      createBrowser(undefined).cookie(request({}, { protocol: 'https' }), { value: 'abc', seconds: 60 }),
      /^__Host-caseport=.*; Secure$/,
    )
  })

  it('is found among others, by its whole name', () => {
    const browser = createBrowser(undefined)
    const read = (cookie: string) => browser.read(request({ cookie }))
    assert.equal(read('caseport=abc'), 'abc')
    assert.equal(read('a=1; caseport=abc; caseport-issuer=x'), 'abc')
    assert.equal(read('a=1;caseport=abc=='), 'abc==')
    for (const cookie of [
      '',
      'caseport=',
      'xcaseport=abc',
      'Caseport=abc',
      'caseport-issuer=abc',
      '__Host-caseport=abc',
    ])
      assert.equal(read(cookie), undefined, cookie)
    assert.equal(browser.read(request()), undefined)
  })

  it('without the prefix is ignored where the public address has TLS: another host could have set it', () => {
    const browser = createBrowser('https://cases.example')
    const read = (cookie: string) => browser.read(request({ cookie }, { host: 'cases.example' }))
    assert.equal(read('caseport=planted'), undefined)
    assert.equal(read('caseport=planted; __Host-caseport=own'), 'own')
  })
})

describe('an unsafe method by cookie', () => {
  const checks = (publicUrl: string | undefined, given: BrowserRequest) =>
    passes(() => createBrowser(publicUrl).requireSameOrigin(given))

  it('passes from the own origin', () => {
    assert.ok(checks(undefined, request({ origin: 'http://localhost:8080' })))
    assert.ok(checks(undefined, request({ 'sec-fetch-site': 'same-origin' })))
    assert.ok(
      checks(
        'https://cases.example',
        request({ origin: 'https://cases.example' }, { host: 'cases.example' }),
      ),
    )
    // A proxy that terminates TLS and says so to nobody.
    assert.ok(checks(undefined, request({ origin: 'https://cases.example' }, { host: 'cases.example' })))
    assert.ok(checks('https://cases.example', request({ origin: 'http://localhost:8080' })))
  })

  it('is rejected from any other origin, and from none', () => {
    for (const origin of [
      'http://evil.example',
      'http://localhost:8081',
      'http://localhost',
      'null',
      '',
      'localhost:8080',
    ])
      assert.ok(!checks(undefined, request({ origin, 'sec-fetch-site': 'same-origin' })), origin)
    for (const site of ['cross-site', 'same-site', 'none'])
      assert.ok(!checks(undefined, request({ 'sec-fetch-site': site })), site)
    for (const site of ['cross-site', 'same-site', 'none'])
      assert.ok(
        !checks(undefined, request({ origin: 'http://localhost:8080', 'sec-fetch-site': site })),
        `the own origin with ${site}`,
      )
    assert.ok(!checks(undefined, request()))
    for (const origin of ['http://cases.example', 'https://evil.cases.example', 'https://cases.example:444'])
      assert.ok(!checks('https://cases.example', request({ origin }, { host: 'cases.example' })), origin)
  })

  it('is not checked for reads, which change nothing', () => {
    for (const method of ['GET', 'HEAD'])
      assert.ok(checks(undefined, request({ origin: 'http://evil.example' }, { method })))
  })
})

describe('a request without a cookie', () => {
  it('passes from a program, which sends no origin, and not from a page of another origin', () => {
    const browser = createBrowser(undefined)
    const checks = (headers: BrowserRequest['headers']) =>
      passes(() => browser.rejectCrossOrigin(request(headers)))
    assert.ok(checks({}))
    assert.ok(checks({ origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }))
    assert.ok(!checks({ origin: 'http://evil.example' }))
    assert.ok(!checks({ 'sec-fetch-site': 'cross-site' }))
  })
})

describe('a link for people', () => {
  it('has the public address, or localhost in place of an address of this machine', () => {
    const link = (publicUrl: string | undefined, host: string) =>
      // Requests of Fastify inherit their properties.
      createBrowser(publicUrl).invitationLink(Object.create(request({}, { host })), 'abc')
    assert.equal(link('https://cases.example/desk', 'x'), 'https://cases.example/desk/sign-in?invitation=abc')
    for (const host of ['127.0.0.1:8080', '[::1]:8080', 'localhost:8080'])
      assert.equal(link(undefined, host), 'http://localhost:8080/sign-in?invitation=abc', host)
    assert.equal(link(undefined, '127.0.0.1'), 'http://localhost/sign-in?invitation=abc')
    assert.equal(link(undefined, 'cases.local:81'), 'http://cases.local:81/sign-in?invitation=abc')
  })
})
