// The sign-in page as HTML. Plain on purpose: forms with labels, no inline script or style; sign-in.js sends the forms.
import { EXTERNAL_REASONS } from './sign-in.ts'

export interface PageState {
  methods: { password: boolean; externalIssuer: boolean }
  /** The person who is signed in. */
  person:
    | {
        name: string
        email: string
        roles: string[]
        totp: boolean
        passkeys: { passkeyId: string; name: string }[]
      }
    | undefined
  /** `invalid` where the link in the address does not work. */
  invitation: { token: string; email: string | undefined; name: string | undefined } | 'invalid' | undefined
  /** A reason of EXTERNAL_REASONS. */
  error: string | undefined
}

/** As the console names them. */
const ROLE_NAMES: Record<string, string> = {
  viewer: 'Viewer',
  'case-manager': 'Case manager',
  auditor: 'Auditor',
  admin: 'Administrator',
}

export function renderPage(state: PageState): string {
  const title = state.person ? 'Signed in' : state.invitation ? 'Welcome to Caseport' : 'Sign in to Caseport'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="sign-in/sign-in.css">
<script src="sign-in/sign-in.js" defer></script>
</head>
<body>
<main>
<h1>${title}</h1>
<p id="message" role="alert" tabindex="-1">${messageOf(state)}</p>
<noscript><p>This page needs JavaScript.</p></noscript>
${state.person ? signedIn(state.person) : `${state.invitation && state.invitation !== 'invalid' ? invitation(state) : signIn(state)}${secondFactor()}`}
</main>
</body>
</html>
`
}

function messageOf({ error, invitation: invited, person }: PageState): string {
  if (person) return ''
  if (invited === 'invalid')
    return 'This invitation was used already, or has expired. Ask an administrator for a new link.'
  return error !== undefined && Object.hasOwn(EXTERNAL_REASONS, error)
    ? escapeHtml(EXTERNAL_REASONS[error as keyof typeof EXTERNAL_REASONS])
    : ''
}

function signIn({ methods }: PageState): string {
  const password = `<form id="password-form">
<p><label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username webauthn" required></p>
<p><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></p>
<p><button>Sign in</button></p>
</form>
`
  const external = '<p><a class="button" href="auth/v1/oidc/start">Sign in with your organisation</a></p>\n'
  return `<section id="first" aria-label="Sign in">
${methods.password ? password : ''}<p><button type="button" id="passkey-button">Sign in with a passkey</button></p>
${methods.externalIssuer ? external : ''}</section>
`
}

function secondFactor(): string {
  return `<section id="second" aria-label="Second factor" hidden>
<form id="code-form">
<p><label for="code">Code of your authenticator app</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required></p>
<p><button>Continue</button></p>
</form>
<p><button type="button" id="second-passkey-button">Use a passkey</button></p>
<details id="recovery">
<summary>Use a recovery code</summary>
<form id="recovery-form">
<p><label for="recovery-code">Recovery code</label>
<input id="recovery-code" name="recoveryCode" autocomplete="off" required></p>
<p><button>Use this code</button></p>
</form>
</details>
</section>
`
}

function invitation({ invitation: invited, methods }: PageState): string {
  const { token, email, name } = invited as { token: string; email?: string; name?: string }
  const emailField = `<p><label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required></p>
`
  const knownEmail = `<p>You were invited as <strong>${escapeHtml(email ?? '')}</strong>.</p>
<input type="hidden" autocomplete="username" value="${escapeHtml(email ?? '')}">
`
  const passwordField = `<p><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="256" required aria-describedby="password-hint">
<small id="password-hint">At least 12 characters. Several words that do not belong together are best.</small></p>
`
  return `<section id="first" aria-label="Invitation">
<form id="invitation-form">
<input type="hidden" name="token" value="${escapeHtml(token)}">
${email === undefined ? emailField : knownEmail}<p><label for="name">Your name</label>
<input id="name" name="name" autocomplete="name" maxlength="200" value="${escapeHtml(name ?? '')}" required></p>
${methods.password ? passwordField : ''}<p><button>Accept the invitation</button></p>
</form>
</section>
`
}

function signedIn({ name, email, roles, totp, passkeys }: NonNullable<PageState['person']>): string {
  const keys = passkeys.map(
    key =>
      `<li>${escapeHtml(key.name)} <button type="button" data-remove-passkey="${escapeHtml(key.passkeyId)}">Remove<span class="sr"> ${escapeHtml(key.name)}</span></button></li>`,
  )
  const enrol = `<p><button type="button" id="totp-button">Set up authenticator codes</button></p>
<div id="totp-setup" hidden>
<p>Add this key to your authenticator app: <code id="totp-secret"></code></p>
<p><a id="totp-uri" href="#">Open it in an app on this device</a></p>
<form id="totp-form">
<p><label for="totp-code">Code that the app shows</label>
<input id="totp-code" name="code" inputmode="numeric" autocomplete="one-time-code" required></p>
<p><button>Confirm</button></p>
</form>
</div>
<div id="recovery-codes" hidden>
<p>Keep these recovery codes in a safe place. Each works once, and they are not shown again.</p>
<ul id="recovery-list"></ul>
</div>
`
  const remove = `<p>Authenticator codes are set up.</p>
<form id="totp-remove-form">
<p><label for="totp-remove-code">Code of your authenticator app</label>
<input id="totp-remove-code" name="code" inputmode="numeric" autocomplete="one-time-code" required></p>
<p><button>Remove authenticator codes</button></p>
</form>
`
  return `<p>You are signed in as <strong>${escapeHtml(name)}</strong> (${escapeHtml(email)}).</p>
<p>${roles.length === 1 ? 'Role' : 'Roles'}: ${roles.map(role => escapeHtml(ROLE_NAMES[role] ?? role)).join(', ')}.</p>
<p><a class="button" href="console">Open the console</a> <button type="button" id="sign-out-button">Sign out</button></p>
<h2>Authenticator codes</h2>
${totp ? remove : enrol}<h2>Passkeys</h2>
<ul id="passkeys">${keys.join('')}</ul>
<form id="passkey-form">
<p><label for="passkey-name">Name of this device</label>
<input id="passkey-name" name="name" maxlength="100" required></p>
<p><button>Add a passkey</button></p>
</form>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
