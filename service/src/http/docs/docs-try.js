import { answerView, failureView, isText } from './docs-answer.js'
import { missingFor, takeToken } from './docs-auth.js'
import { announce, copyButton, h, inline, nodes } from './docs-dom.js'
import { bodyFieldset, parameterFields } from './docs-form.js'
import { accessFor, curlOf, emptyPathParameters, initialState, paramKey, requestOf } from './docs-request.js'

/**
 * The column beside an operation: its curl line, and a form to try it that is built when first asked for.
 * @param {ReturnType<import('./docs-model.js').createModel>['operations'][number]} op
 */
export function tryColumn(op, { model, auth }) {
  const { resolve, basePath } = model
  const state = initialState(op, resolve)
  const code = h('code')
  const curl = () => curlOf(op, state, { origin: location.origin, basePath, resolve })
  const changed = () => code.replaceChildren(...withVariables(curl()))
  changed()
  const form = h('form', {
    class: 'form try',
    hidden: true,
    'aria-label': `Try ${op.summary}`,
    novalidate: true,
  })
  const answer = h('div', {
    class: 'answer',
    role: 'region',
    'aria-label': `Answer to ${op.summary}`,
    hidden: true,
  })
  const toggle = h('button', { type: 'button', class: 'primary', 'aria-expanded': 'false' }, 'Try it')
  toggle.addEventListener('click', () => {
    form.hidden = !form.hidden
    answer.hidden = form.hidden || answer.childElementCount === 0
    toggle.setAttribute('aria-expanded', String(!form.hidden))
    toggle.textContent = form.hidden ? 'Try it' : 'Close'
    toggle.classList.toggle('primary', form.hidden)
    if (form.childElementCount === 0) fillForm({ op, model, auth, state, changed, form, answer })
    if (!form.hidden) form.querySelector('input, select, textarea, button')?.focus({ preventScroll: true })
  })
  return h(
    'div',
    { class: 'console', id: `try-${op.id}` },
    h('div', { class: 'console-head' }, h('h4', null, 'Call'), copyButton(curl, 'curl command'), toggle),
    h('pre', { class: 'code curl', tabindex: 0, role: 'group', 'aria-label': 'curl command' }, code),
    form,
    answer,
  )
}

const withVariables = text =>
  text
    .split(/(\$[A-Z][A-Z_]*)/)
    .map((part, index) => (index % 2 ? h('span', { class: 'variable' }, part) : part))

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' }

function fillForm(ctx) {
  const { op, auth, form } = ctx
  let running
  const send = h('button', { type: 'submit', class: 'primary' }, 'Send')
  const cancel = h('button', { type: 'button', hidden: true, onclick: () => running?.abort() }, 'Cancel')
  const gate = h('p', { class: 'gate' })
  auth.follow(credentials => {
    const missing = missingFor(accessFor(op, credentials), credentials)
    gate.hidden = missing === undefined
    gate.replaceChildren(...(missing ? [...inline(missing), ' ', authorizeLink(op, auth)] : []))
  })
  form.append(
    gate,
    ...Object.entries(PLACES).flatMap(([place, title]) => parameterFields(ctx, place, title)),
    ...(op.body ? [bodyFieldset(ctx)] : []),
    h('div', { class: 'actions' }, send, cancel, h('span', { class: 'note shortcut' }, 'or Ctrl + Enter')),
  )
  form.addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
  })
  form.addEventListener('submit', async event => {
    event.preventDefault()
    if (running) return
    running = new AbortController()
    cancel.hidden = false
    send.setAttribute('aria-disabled', 'true')
    await call(ctx, running.signal)
    running = undefined
    if (document.activeElement === cancel) send.focus()
    cancel.hidden = true
    send.removeAttribute('aria-disabled')
  })
}

/** Leads to the Authorize panel, which then knows the way back. */
const authorizeLink = ({ id, summary }, auth) =>
  h('a', { href: '#authorize', onclick: () => auth.set({ returnTo: { id, summary } }) }, 'Authorize first')

/** Sends the call and shows what came of it. */
async function call({ op, model, auth, state, form, answer }, signal) {
  const show = (...children) => {
    answer.hidden = false
    answer.replaceChildren(...nodes(children))
  }
  const empty = emptyPathParameters(op, state)
  if (empty.length > 0) {
    const input = form.querySelector(`[data-key="${CSS.escape(paramKey(empty[0]))}"]`)
    input?.setAttribute('aria-invalid', 'true')
    input?.focus()
    return show(
      failureView(
        `Give a value for \`${empty.map(({ name }) => name).join('`, `')}\`: it is part of the address.`,
      ),
    )
  }
  const credentials = auth.get()
  let request
  try {
    request = requestOf(op, state, { basePath: model.basePath, resolve: model.resolve, credentials })
  } catch (error) {
    // A header can only hold certain characters.
    return show(failureView(`Not sent: ${error.message}`))
  }
  const started = performance.now()
  const elapsed = () => Math.round(performance.now() - started)
  show(h('p', { class: 'muted' }, 'Waiting for the answer …'))
  try {
    const { address, ...init } = request
    const response = await fetch(address, { ...init, signal, credentials: 'omit', cache: 'no-store' })
    const blob = await response.blob()
    const text = isText(response) ? await blob.text() : undefined
    const next = nextStep(op, model, auth, response, text, credentials)
    const milliseconds = elapsed()
    show(answerView({ response, blob, text, milliseconds, next }))
    announce(`Answered with ${response.status} in ${milliseconds} milliseconds`)
  } catch {
    const what = signal.aborted
      ? 'Cancelled'
      : 'No answer: the service could not be reached, or the connection broke,'
    show(failureView(`${what} after ${elapsed()} ms.`))
    announce(answer.textContent)
  }
  answer.scrollIntoView({ block: 'nearest' })
}

/** What to do next, where that is plain from the answer. */
function nextStep(op, model, auth, response, text, credentials) {
  if (response.status === 401 && !credentials.token && op.access.some(({ oauth }) => oauth)) {
    return h('p', { class: 'gate' }, 'No token was sent. ', authorizeLink(op, auth), ', then send again.')
  }
  if (op.path !== model.tokenUrl || !response.ok) return undefined
  const onclick = event => {
    takeToken(auth, JSON.parse(text))
    event.target.replaceWith('The calls you try now carry this token.')
  }
  return h('p', null, h('button', { type: 'button', onclick }, 'Use this token on this page'))
}
