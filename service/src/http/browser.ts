// What a service has to know about browsers: the cookie of a session, the origin of a request, links for people.
import { declareProblem, invalidRequest } from '../lib/problem.ts'

export const crossOrigin = declareProblem({
  code: 'cross-origin',
  status: 403,
  title: 'The request comes from a page of another origin.',
  remedy:
    'Send it from a page of this service. Programs use an access token, or send an Origin header with the address of the service.',
})

/** The part of a request that is used here. */
export interface BrowserRequest {
  method: string
  protocol: string
  /** Host and port, as the browser names them. */
  host: string
  headers: {
    cookie?: string | undefined
    origin?: string | undefined
    'sec-fetch-site'?: string | string[] | undefined
  }
}

export type Browser = ReturnType<typeof createBrowser>

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)(?=:|$)/

/** Cookies of the session, and of a sign-in through an external issuer that has not come back yet. */
const NAMES = { session: 'caseport', issuer: 'caseport-issuer' }
type CookieName = keyof typeof NAMES

export function createBrowser(publicUrl: string | undefined) {
  const publicAddress = publicUrl === undefined ? undefined : new URL(publicUrl)

  /** The origin of the pages of this service, as the browser of this request sees it. */
  const originOf = ({ protocol, host }: BrowserRequest): string => {
    if (publicAddress && (host === publicAddress.host || !/^localhost(?=:|$)/.test(host)))
      return publicAddress.origin
    if (!host || !URL.canParse(`http://${host}`))
      throw invalidRequest('The Host header does not name the address of the service.')
    return `${protocol}://${host}`
  }

  // A __Host- cookie is only accepted over TLS, and no other host or path can set it. A browser rejects it over plain HTTP.
  const isSecure = (request: BrowserRequest) =>
    publicAddress?.protocol === 'https:' || request.protocol === 'https'
  const nameOf = (request: BrowserRequest, name: CookieName) =>
    isSecure(request) ? `__Host-${NAMES[name]}` : NAMES[name]

  const isSameOrigin = (request: BrowserRequest): boolean => {
    const { origin, 'sec-fetch-site': site } = request.headers
    if (origin === undefined) return site === 'same-origin'
    // A browser sends both, and they agree.
    if (site !== undefined && site !== 'same-origin') return false
    if (origin === originOf(request)) return true
    // Behind a proxy that terminates TLS without telling, the service sees another scheme than the browser.
    return publicAddress === undefined && URL.parse(origin)?.host === request.host
  }

  return {
    originOf,

    /** The value of the cookie, or undefined. */
    read(request: BrowserRequest, name: CookieName = 'session'): string | undefined {
      const { cookie } = request.headers
      if (cookie === undefined) return undefined
      const prefix = `${nameOf(request, name)}=`
      const found = cookie.split(';').find(part => part.trimStart().startsWith(prefix))
      return found?.trimStart().slice(prefix.length) || undefined
    },

    /** The Set-Cookie header; without a value it removes the cookie. */
    cookie(
      request: BrowserRequest,
      { name = 'session', value, seconds = 0 }: { name?: CookieName; value?: string; seconds?: number },
    ): string {
      const parts = [
        `${nameOf(request, name)}=${value ?? ''}`,
        'Path=/',
        `Max-Age=${value === undefined ? 0 : seconds}`,
        'HttpOnly',
        'SameSite=Lax',
        ...(isSecure(request) ? ['Secure'] : []),
      ]
      return parts.join('; ')
    },

    /** Throws where a cookie alone must not be trusted: a page of another origin can make a browser send it. */
    requireSameOrigin(request: BrowserRequest): void {
      if (!SAFE.has(request.method) && !isSameOrigin(request)) throw crossOrigin()
    },

    /** The same for requests that need no cookie: a program sends neither of the two headers. */
    rejectCrossOrigin(request: BrowserRequest): void {
      const { origin, 'sec-fetch-site': site } = request.headers
      if (origin === undefined && site === undefined) return
      if (!isSameOrigin(request)) throw crossOrigin()
    },

    /** The address of the service as the browser of this request sees it; it may end in a path. */
    publicBase(request: BrowserRequest): string {
      const origin = originOf(request)
      return publicUrl !== undefined && origin === publicAddress?.origin ? publicUrl : origin
    },

    /** Where a person opens an invitation. A passkey works on localhost and not on an IP address. */
    invitationLink(request: BrowserRequest, token: string): string {
      // Fastify's requests have these as getters of their prototype, which a spread leaves out.
      const { method, headers, protocol } = request
      const local = { method, headers, protocol, host: request.host.replace(LOOPBACK, 'localhost') }
      return invitationUrl(publicUrl ?? originOf(local), token)
    },

    /** Where calendar programs read the calendar of a person. */
    calendarLink: (request: BrowserRequest, token: string): string =>
      `${publicUrl ?? originOf(request)}/calendar/${token}.ics`,
  }
}

export function invitationUrl(base: string, token: string): string {
  return `${base}/sign-in?invitation=${token}`
}
