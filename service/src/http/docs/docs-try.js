import { answerView, failureView, isText } from './docs-answer.js'
import { field, missingFor, takeToken } from './docs-auth.js'
import { announce, copyButton, h, inline, nodes } from './docs-dom.js'
import { examplesOf, hasType } from './docs-model.js'
import {
  accessFor,
  bodyFields,
  checkJson,
  chooseBody,
  chosenBody,
  curlOf,
  emptyPathParameters,
  exampleOf,
  initialState,
  isSecret,
  paramKey,
  requestOf,
} from './docs-request.js'
import { hint } from './docs-schema.js'

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
    { class: 'console' },
    h('div', { class: 'console-head' }, h('h4', null, 'Call'), copyButton(curl, 'curl command'), toggle),
    h('pre', { class: 'code curl', tabindex: 0, role: 'region', 'aria-label': 'curl command' }, code),
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
  const send = h('button', { type: 'submit', class: 'primary' }, 'Send')
  const gate = h('p', { class: 'gate' })
  auth.follow(credentials => {
    const missing = missingFor(accessFor(op, credentials), credentials)
    gate.hidden = missing === undefined
    gate.replaceChildren(
      ...(missing ? [...inline(missing), ' ', h('a', { href: '#authorize' }, 'Authorize first')] : []),
    )
  })
  form.append(
    gate,
    ...Object.entries(PLACES).flatMap(([place, title]) => parameterFields(ctx, place, title)),
    ...(op.body ? [bodyFieldset(ctx)] : []),
    h('div', { class: 'actions' }, send, h('span', { class: 'note' }, 'or Ctrl + Enter')),
  )
  form.addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
  })
  let running
  form.addEventListener('submit', async event => {
    event.preventDefault()
    if (running) return running.abort()
    running = new AbortController()
    send.textContent = 'Cancel'
    await call(ctx, running.signal)
    running = undefined
    send.textContent = 'Send'
  })
}

function parameterFields({ op, model, state, changed }, place, title) {
  const parameters = op.parameters.filter(parameter => parameter.in === place)
  if (parameters.length === 0) return []
  const rows = parameters.map(parameter => {
    const key = paramKey(parameter)
    const input = control(
      model.resolve(parameter.schema),
      state.params.get(key),
      exampleOf(parameter, model.resolve),
    )
    input.addEventListener('input', () => {
      state.params.set(key, input.value)
      input.removeAttribute('aria-invalid')
      changed()
    })
    input.dataset.key = key
    const note = [
      hint(parameter.schema, model.resolve),
      parameter.repeated && '; separate several with commas',
    ]
    return field(fieldLabel(parameter), input, note)
  })
  return [h('fieldset', null, h('legend', null, title), rows)]
}

const fieldLabel = ({ name, required }) => [
  h('code', null, name),
  required && h('span', { class: 'flag required' }, 'required'),
]

/** Text inputs rather than date or number ones: trying what the service makes of a wrong value must be possible. */
function control(schema, value = '', example = undefined) {
  const values = schema.enum ?? (hasType(schema, 'boolean') ? [true, false] : undefined)
  if (values) {
    const option = item =>
      h('option', { value: String(item), selected: String(item) === value }, String(item))
    return h('select', null, h('option', { value: '' }, ''), values.filter(item => item !== null).map(option))
  }
  const mode = hasType(schema, 'integer') ? 'numeric' : null
  const placeholder = example === undefined || typeof example === 'object' ? null : `e.g. ${example}`
  return h('input', {
    type: 'text',
    value,
    placeholder,
    inputmode: mode,
    autocomplete: 'off',
    spellcheck: 'false',
  })
}

function bodyFieldset(ctx) {
  const { op, model, state, changed } = ctx
  const area = h('div', { class: 'body-area' })
  const draw = exampleName => {
    const { kind } = chosenBody(op, state)
    const editor = {
      json: textEditor,
      text: textEditor,
      file: fileEditor,
      form: partsEditor,
      multipart: partsEditor,
    }[kind]
    area.replaceChildren(...editor(ctx, draw, exampleName))
    changed()
  }
  const types = op.body.types.map(({ type }) =>
    h('option', { value: type, selected: type === state.type }, type),
  )
  const choice = h('select', {
    onchange: () => {
      chooseBody(op, state, choice.value, model.resolve)
      draw()
    },
  })
  choice.append(...types)
  draw()
  return h(
    'fieldset',
    null,
    h('legend', null, 'Body'),
    types.length > 1 && field('Content type', choice),
    area,
  )
}

function textEditor({ op, model, state, changed }, draw, exampleName) {
  const { type, media, kind } = chosenBody(op, state)
  const isJson = kind === 'json'
  const examples = examplesOf(media, model.resolve)
  const check = h('p', { class: 'check', role: 'status' })
  const editor = h('textarea', { rows: 4, value: state.text, spellcheck: 'false', autocapitalize: 'off' })
  const fit = () => {
    editor.rows = Math.min(24, Math.max(4, editor.value.split('\n').length + 1))
  }
  const look = () => {
    const wrong = isJson && editor.value !== '' ? checkJson(editor.value) : null
    const words = wrong ? `Not JSON at line ${wrong.line}, column ${wrong.column}: ${wrong.message}.` : ''
    if (check.textContent !== words) check.textContent = words
    editor.setAttribute('aria-invalid', String(wrong !== null))
    return wrong
  }
  editor.addEventListener('input', () => {
    state.text = editor.value
    look()
    changed()
  })
  const format = () => {
    const wrong = look()
    if (wrong) {
      editor.focus()
      editor.setSelectionRange(wrong.offset, wrong.offset + 1)
      return
    }
    if (editor.value === '') return
    state.text = editor.value = JSON.stringify(JSON.parse(editor.value), null, 2)
    fit()
    changed()
  }
  const choose = name => {
    chooseBody(op, state, type, model.resolve, name)
    draw(name)
  }
  const picked = exampleName ?? examples[0]?.name
  const picker = h(
    'select',
    { onchange: () => choose(picker.value) },
    examples.map(({ name, summary }) => h('option', { value: name, selected: name === picked }, summary)),
  )
  fit()
  look()
  return [
    examples.length > 1 && field('Start from', picker),
    field(h('code', null, type), editor),
    check,
    h(
      'div',
      { class: 'actions small' },
      isJson && h('button', { type: 'button', onclick: format }, 'Format'),
      h('button', { type: 'button', onclick: () => choose(picked) }, 'Reset'),
    ),
  ].filter(Boolean)
}

function fileEditor({ op, state, changed }) {
  const input = h('input', { type: 'file' })
  input.addEventListener('change', () => {
    state.file = input.files[0]
    changed()
  })
  return [field(h('code', null, state.type), input, op.body.description && inline(op.body.description))]
}

/** One input for each field of a form body; a file input for those that are files. */
function partsEditor({ op, model, state, changed }) {
  return bodyFields(chosenBody(op, state).media, model.resolve).map(part => {
    const { name, schema, file, many } = part
    const secret = isSecret(name, schema)
    const input = file
      ? h('input', { type: 'file', multiple: many })
      : secret
        ? h('input', { type: 'password', autocomplete: 'off' })
        : control(schema, state.fields.get(name), schema.examples?.[0])
    input.addEventListener(file ? 'change' : 'input', () => {
      state.fields.set(name, file ? [...input.files] : input.value)
      changed()
    })
    return field(fieldLabel(part), input, hint(part.schema, model.resolve))
  })
}

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
  const started = performance.now()
  const elapsed = () => performance.now() - started
  show(h('p', { class: 'muted waiting' }, 'Waiting for the answer …'))
  try {
    const credentials = auth.get()
    const { address, ...init } = requestOf(op, state, {
      basePath: model.basePath,
      resolve: model.resolve,
      credentials,
    })
    const response = await fetch(address, { ...init, signal, credentials: 'omit', cache: 'no-store' })
    const blob = await response.blob()
    const text = isText(response) ? await blob.text() : undefined
    const milliseconds = elapsed()
    show(
      answerView({ response, blob, text, milliseconds }),
      afterwards(op, model, auth, response, text, credentials),
    )
    answer.scrollIntoView({ block: 'nearest' })
    announce(`Answered with ${response.status} in ${Math.round(milliseconds)} milliseconds`)
  } catch (error) {
    const after = `after ${Math.round(elapsed())} ms`
    if (signal.aborted) show(failureView(`Cancelled ${after}.`))
    else if (error instanceof TypeError && elapsed() < 5) show(failureView(`Not sent: ${error.message}`))
    else show(failureView(`No answer ${after}: the service could not be reached, or the connection broke.`))
    announce(answer.textContent)
  }
}

/** What to do next, where that is plain from the answer. */
function afterwards(op, model, auth, response, text, credentials) {
  if (response.status === 401 && !credentials.token && op.access.some(({ oauth }) => oauth)) {
    return [
      h(
        'p',
        { class: 'gate' },
        'No token was sent. ',
        h('a', { href: '#authorize' }, 'Authorize first'),
        ', then send again.',
      ),
    ]
  }
  if (op.path !== model.tokenUrl || !response.ok) return []
  const onclick = event => {
    takeToken(auth, JSON.parse(text))
    event.target.replaceWith('The calls you try now carry this token.')
  }
  return [h('p', null, h('button', { type: 'button', onclick }, 'Use this token on this page'))]
}
