// What the service writes into the page.
const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
/** Left as it is where another server serves the page, as in development. */
const written = (value: string) => (value.startsWith('{{') ? '' : value)

export const nonce =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ||
  document.querySelector('script')?.nonce ||
  ''

/** The path that the service is below, without a slash at its end. */
export const servicePath = written(meta('caseport-base'))

/** Whether a person was signed in when the page was sent. Unknown in development: then the API tells. */
export const wasSignedIn = meta('caseport-signed-in') !== 'no'
