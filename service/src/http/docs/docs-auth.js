import { announce, h, inline, tabs, uid } from './docs-dom.js'
import { field } from './docs-form.js'

/**
 * The credentials of whoever tries calls. They live in this object and nowhere else: a reload forgets them.
 */
export function createAuth() {
  const nobody = { token: '', scopes: undefined, expiresAt: undefined, client: '' }
  let state = { ...nobody, apiKey: '', returnTo: undefined }
  const listeners = new Set()
  const set = patch => {
    state = { ...state, ...patch }
    for (const listener of listeners) listener(state)
  }
  return {
    get: () => state,
    set,
    forgetToken: () => set(nobody),
    /** Calls back now and after every change. */
    follow(listener) {
      listeners.add(listener)
      listener(state)
    },
  }
}

const expired = state => state.expiresAt !== undefined && state.expiresAt <= Date.now()

/** What stands between these credentials and an operation, in words, or undefined. */
export function missingFor(access, state) {
  if (access.oauth && !state.token) return 'This call needs a token.'
  if (access.oauth && expired(state)) return 'Your token has expired.'
  const lacking = state.scopes && access.scopes.filter(scope => !state.scopes.includes(scope))
  if (access.oauth && lacking?.length)
    return `Your token lacks the scope ${lacking.map(name => `\`${name}\``).join(', ')}.`
  if (access.keys.length > 0 && !state.apiKey)
    return `This call needs an API key (\`${access.keys.join('`, `')}\`).`
  return undefined
}

function timeLeft(state) {
  if (state.expiresAt === undefined) return ''
  const seconds = Math.max(0, Math.round((state.expiresAt - Date.now()) / 1000))
  if (seconds === 0) return 'expired'
  const pad = number => String(number).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  return `${hours ? `${hours}:${pad(minutes)}` : minutes}:${pad(seconds % 60)} left`
}

/** The small link in the corner that tells whether calls will carry a token. */
export function authBadge(auth) {
  const badge = h('a', { class: 'state', href: '#authorize' })
  const draw = () => {
    const state = auth.get()
    const on = state.token !== '' && !expired(state)
    badge.textContent = on
      ? ['Authorized', timeLeft(state)].filter(Boolean).join(', ')
      : state.token
        ? 'Token expired'
        : 'Authorize'
    badge.classList.toggle('on', on)
  }
  auth.follow(draw)
  setInterval(draw, 1000)
  return badge
}

/** The section where a person gets or pastes a token, and gives an API key. */
export function authPanel({ auth, model }) {
  const status = h('div', { class: 'auth-status' })
  const left = h('span', { class: 'time-left' })
  setInterval(() => {
    left.textContent = timeLeft(auth.get())
  }, 1000)
  auth.follow(state => {
    left.textContent = timeLeft(state)
    status.replaceChildren(...(state.token ? granted(state, left, auth) : []))
    status.hidden = !state.token
  })
  return h(
    'section',
    { class: 'panel auth', id: 'authorize', 'aria-labelledby': 'authorize-title' },
    h('h2', { id: 'authorize-title' }, 'Authorize'),
    h(
      'p',
      { class: 'muted' },
      'For the calls you try on this page. What you enter stays in the memory of this tab: nothing is stored, and a reload forgets it.',
    ),
    status,
    tabs('How to authorize', [
      { title: 'Client credentials', render: () => clientForm(auth, model) },
      { title: 'Paste a token', render: () => pasteForm(auth) },
    ]),
    model.keyHeaders.length > 0 && keyField(auth, model.keyHeaders),
  )
}

const headline = state => {
  if (expired(state)) return 'The token is no longer valid'
  return state.client ? `Authorized as ${state.client}` : 'Calls carry your token'
}

function granted(state, left, auth) {
  const forget = () => {
    auth.forgetToken()
    announce('The token is forgotten')
  }
  return [
    h('p', null, h('strong', null, headline(state)), state.expiresAt !== undefined && ' · ', left),
    state.scopes
      ? h(
          'ul',
          { class: 'chips', 'aria-label': 'Granted scopes' },
          state.scopes.map(scope => h('li', null, scope)),
        )
      : h('p', { class: 'muted' }, 'Its scopes are not known here.'),
    h(
      'p',
      { class: 'actions' },
      h('button', { type: 'button', onclick: forget }, 'Forget token'),
      state.returnTo && h('a', { href: `#try-${state.returnTo.id}` }, `Back to “${state.returnTo.summary}”`),
    ),
  ]
}

const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }

function clientForm(auth, model) {
  const id = h('input', { type: 'text', required: true, ...plain })
  const secret = h('input', { type: 'password', required: true, ...plain })
  const message = h('p', { class: 'message', role: 'alert', hidden: true })
  const button = h('button', { type: 'submit', class: 'primary' }, 'Get a token')
  const boxes = model.scopes.map(scope => ({
    ...scope,
    box: h('input', { type: 'checkbox', id: uid('scope') }),
  }))
  const onsubmit = async event => {
    event.preventDefault()
    button.disabled = true
    message.hidden = true
    const scopes = boxes.filter(({ box }) => box.checked).map(({ name }) => name)
    const failure = await getToken(auth, model.tokenUrl, id.value.trim(), secret.value, scopes)
    button.disabled = false
    message.hidden = failure === undefined
    message.textContent = failure ?? ''
    if (failure === undefined) {
      secret.value = ''
      announce('Authorized')
    }
  }
  return h(
    'form',
    { class: 'form', onsubmit },
    h('div', { class: 'fields' }, field('Client id', id), field('Client secret', secret)),
    boxes.length > 0 &&
      h(
        'details',
        { class: 'scopes' },
        h('summary', null, 'Ask for certain scopes only'),
        h('p', { class: 'note' }, 'With none chosen you get every scope the client may have.'),
        h(
          'ul',
          null,
          boxes.map(({ name, description, box }) =>
            h(
              'li',
              null,
              box,
              h('label', { for: box.id }, h('code', null, name), ' ', inline(description ?? '')),
            ),
          ),
        ),
      ),
    message,
    h('div', { class: 'actions' }, button),
  )
}

/** Asks for a token and keeps it. Gives back what went wrong, in words, or undefined. */
async function getToken(auth, tokenUrl, client, secret, scopes) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client,
    client_secret: secret,
  })
  if (scopes.length > 0) form.set('scope', scopes.join(' '))
  try {
    const response = await fetch(tokenUrl, {
      method: 'POST',
      body: form,
      credentials: 'omit',
      cache: 'no-store',
    })
    const answer = await response.json().catch(() => ({}))
    if (!response.ok || typeof answer.access_token !== 'string') {
      const reason = answer.error_description ?? answer.detail ?? answer.title ?? answer.error
      return `No token (${response.status}${reason ? `): ${reason}` : ')'}`
    }
    takeToken(auth, answer, client)
    return undefined
  } catch {
    return 'No token: the service could not be reached.'
  }
}

/** Keeps the token of a token endpoint's answer. */
export function takeToken(auth, answer, client = '') {
  auth.set({
    token: answer.access_token,
    client,
    scopes: typeof answer.scope === 'string' ? answer.scope.split(' ').filter(Boolean) : undefined,
    expiresAt: typeof answer.expires_in === 'number' ? Date.now() + answer.expires_in * 1000 : undefined,
  })
  // Whoever follows the credentials learns that the time is over.
  if (typeof answer.expires_in === 'number') setTimeout(() => auth.set({}), answer.expires_in * 1000)
}

function pasteForm(auth) {
  const input = h('input', { type: 'password', required: true, ...plain })
  const onsubmit = event => {
    event.preventDefault()
    const token = input.value.trim().replace(/^Bearer\s+/i, '')
    if (!token) return
    takeToken(auth, { access_token: token })
    input.value = ''
    announce('The token will be used')
  }
  return h(
    'form',
    { class: 'form', onsubmit },
    field('Access token', input, 'A bearer token you already have.'),
    h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'primary' }, 'Use this token')),
  )
}

function keyField(auth, headers) {
  const input = h('input', {
    type: 'password',
    ...plain,
    oninput: () => auth.set({ apiKey: input.value.trim() }),
  })
  const note = ['Sent as ', h('code', null, headers.join(', ')), ' by the calls that ask for it.']
  const onsubmit = event => event.preventDefault()
  return h('form', { class: 'form key', onsubmit }, field('API key, optional', input, note))
}
