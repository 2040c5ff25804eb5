import { h, inline, uid } from './docs-dom.js'
import { checkJson, prettyJson } from './docs-json.js'
import { examplesOf, hasType, readSchema } from './docs-model.js'
import { bodyFields, chooseBody, chosenBody, exampleOf, isSecret, paramKey } from './docs-request.js'
import { hint } from './docs-schema.js'

/** The inputs of a call. Each writes what is typed into the state of the call and says that it changed. */

/** An input with its label above it. */
export function field(label, input, note) {
  input.id ||= uid('field')
  if (note) input.setAttribute('aria-describedby', `${input.id}-note`)
  return h(
    'div',
    { class: 'field' },
    h('label', { for: input.id }, label),
    input,
    note && h('p', { class: 'note', id: `${input.id}-note` }, note),
  )
}

/** The inputs for the parameters in one place: the path, the query or the headers. */
export function parameterFields({ op, model, state, changed }, place, title) {
  const parameters = op.parameters.filter(parameter => parameter.in === place)
  if (parameters.length === 0) return []
  const rows = parameters.map(parameter => {
    const key = paramKey(parameter)
    const input = control(
      readSchema(parameter.schema, model.resolve).schema,
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

/** The inputs for the body, whatever its type. */
export function bodyFieldset(ctx) {
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
    state.text = editor.value = prettyJson(editor.value)
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
    return field(fieldLabel(part), input, !file && hint(part.schema, model.resolve))
  })
}
