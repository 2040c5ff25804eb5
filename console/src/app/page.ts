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

/** What that person may do. Unknown in development. */
export const pageScopes = written(meta('caseport-scopes')).split(' ')

const RETURN_KEY = 'caseport-return-to'

/** Before the person leaves to sign in elsewhere, which ends at the first screen. */
export function rememberPage(): void {
  try {
    sessionStorage.setItem(RETURN_KEY, location.pathname + location.search)
  } catch {
    // Storage is full or forbidden: the person begins at the first screen.
  }
}

/** After signing in elsewhere: the address that the person wanted. */
function returnToPage(): void {
  const home = `${servicePath}/console`
  const wanted = sessionStorage.getItem(RETURN_KEY)
  if (!wanted || !wasSignedIn || location.pathname.replace(/\/$/, '') !== home) return
  sessionStorage.removeItem(RETURN_KEY)
  if (wanted.startsWith(`${home}/`)) history.replaceState(null, '', wanted)
}

// Here, because the router reads the address when it is made.
returnToPage()
