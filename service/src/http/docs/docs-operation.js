import { statusBadge } from './docs-answer.js'
import { codeBlock, copyButton, h, inline, markdown, tabs, uid } from './docs-dom.js'
import { examplesOf } from './docs-model.js'
import { parameterRows, schemaTree } from './docs-schema.js'
import { tryColumn } from './docs-try.js'

const PLACES = { path: 'Path parameters', query: 'Query parameters', header: 'Request headers' }

/** The word in colour that stands for a method. */
export const methodBadge = method =>
  h('span', { class: `method m-${method}` }, method === 'delete' ? 'DEL' : method.toUpperCase())

/**
 * Everything about one operation: its heading now, the rest when `fill` is called.
 * @returns {{ element: HTMLElement, fill: () => void }}
 */
export function operationView(op, ctx) {
  const title = uid('title')
  const element = h(
    'article',
    { class: 'operation pending', id: op.id, 'aria-labelledby': title, 'data-spy': true },
    h(
      'header',
      null,
      h(
        'h3',
        { id: title },
        h('a', { class: 'anchor', href: `#${op.id}` }, op.summary),
        op.deprecated && h('span', { class: 'flag' }, 'deprecated'),
      ),
      h(
        'p',
        { class: 'address' },
        methodBadge(op.method),
        h('code', null, pathWithMarks(op.path)),
        copyButton(() => op.path, `path ${op.path}`),
        h('a', { class: 'jump', href: `#try-${op.id}` }, 'Try it'),
      ),
    ),
  )
  let filled = false
  const fill = () => {
    if (filled) return
    filled = true
    element.append(operationBody(op, ctx))
    element.classList.remove('pending')
  }
  return { element, fill }
}

function operationBody(op, ctx) {
  const { resolve } = ctx.model
  return h(
    'div',
    { class: 'operation-body' },
    h(
      'div',
      { class: 'operation-text' },
      op.description && h('div', { class: 'prose' }, markdown(op.description, 4)),
      accessView(op, ctx.model),
      Object.entries(PLACES).map(([place, heading]) => parametersView(op, place, heading, resolve)),
      op.body && bodyView(op.body, resolve),
      responsesView(op, resolve),
      op.errors.length > 0 && errorsView(op),
    ),
    tryColumn(op, ctx),
  )
}

/** The path may break after each slash, and its parameters stand out. */
const pathWithMarks = path =>
  path.split(/(\{[^}]+\}|\/)/).map(part => {
    if (part === '/') return ['/', h('wbr')]
    return part.startsWith('{') ? h('var', null, part) : part
  })

function accessView(op, model) {
  if (op.access.length === 0)
    return h(
      'p',
      { class: 'access' },
      h('span', { class: 'access-label' }, 'Access'),
      ' Public: no token needed.',
    )
  const scopeOf = name => model.scopes.find(scope => scope.name === name)
  const ways = op.access.map(({ oauth, scopes, keys }) => [
    oauth && scopes.length === 0 && 'Any token',
    oauth && scopes.length > 0 && (scopes.length === 1 ? 'Token with scope ' : 'Token with scopes '),
    scopes.map((name, index) => [
      index > 0 && ' and ',
      h('code', { title: scopeOf(name)?.description }, name),
    ]),
    keys.map((key, index) => [
      oauth || index > 0 ? ', and an API key in ' : 'An API key in ',
      h('code', null, key),
    ]),
  ])
  return h(
    'p',
    { class: 'access' },
    h('span', { class: 'access-label' }, 'Access'),
    ' ',
    ways.map((way, index) => [index > 0 && '; or ', way]),
    '.',
  )
}

function parametersView(op, place, heading, resolve) {
  const parameters = op.parameters.filter(parameter => parameter.in === place)
  if (parameters.length === 0) return undefined
  const id = uid('parameters')
  return h(
    'section',
    null,
    h('h4', { id }, heading),
    h(
      'table',
      { class: 'parameters', 'aria-labelledby': id },
      h('tbody', null, parameterRows(parameters, resolve)),
    ),
  )
}

function bodyView(body, resolve) {
  const one = ({ media, type }) => mediaView(media, type, resolve, 'request')
  return h(
    'section',
    null,
    h('h4', null, 'Request body', body.required && h('span', { class: 'flag required' }, 'required')),
    body.description && h('div', { class: 'prose small' }, markdown(body.description, 6)),
    body.types.length === 1
      ? one(body.types[0])
      : tabs(
          'Content type',
          body.types.map(item => ({ title: item.type, render: () => one(item) })),
          'pills',
        ),
  )
}

/** Schema and examples of a body, one at a time. */
function mediaView(media, type, resolve, what) {
  const examples = examplesOf(media, resolve).filter(({ value }) => value !== null)
  const items = []
  if (media.schema) items.push({ title: 'Schema', render: () => schemaTree(media.schema, resolve) })
  if (examples.length > 0 && !isFile(type)) {
    items.push({
      title: examples.length > 1 ? 'Examples' : 'Example',
      render: () => examplesView(examples, `${what} example`),
    })
  }
  // Problems all have the same schema: what tells them apart are their examples.
  if (type.includes('problem')) items.reverse()
  return [
    h('p', { class: 'media' }, h('code', null, type)),
    items.length > 0 && tabs(`${type}: schema or example`, items, 'pills'),
  ]
}

const isFile = type => !/json|text|xml|form/.test(type)

function examplesView(examples, what) {
  if (examples.length === 1) return exampleBlock(examples[0], what)
  const box = h('div')
  const id = uid('examples')
  const show = () => box.replaceChildren(exampleBlock(examples[select.selectedIndex], what))
  const label = ({ name, summary }) => (name === summary ? name : `${name}: ${summary}`)
  const select = h(
    'select',
    { id, onchange: show },
    examples.map(example => h('option', null, label(example))),
  )
  show()
  return [h('div', { class: 'field' }, h('label', { for: id }, 'Example'), select), box]
}

const exampleBlock = ({ value }, what) =>
  typeof value === 'string' ? codeBlock(value, what, false) : codeBlock(JSON.stringify(value, null, 2), what)

function responsesView(op, resolve) {
  const items = op.responses.map(response => ({
    title: h('span', { class: `status-tab s${response.status[0]}` }, response.status),
    render: () => responseView(response, resolve),
  }))
  return items.length > 0 && h('section', null, h('h4', null, 'Responses'), tabs('Response status', items))
}

function responseView(response, resolve) {
  const headers = Object.entries(response.headers ?? {}).map(([name, header]) => ({
    name,
    ...resolve(header),
  }))
  const content = Object.entries(response.content ?? {})
  return [
    h(
      'div',
      { class: 'response-line' },
      statusBadge(response.status),
      h('div', { class: 'prose small' }, markdown(response.description, 6)),
    ),
    headers.length > 0 && [
      h('h5', null, 'Headers'),
      h(
        'table',
        { class: 'parameters', 'aria-label': 'Response headers' },
        h('tbody', null, parameterRows(headers, resolve)),
      ),
    ],
    content.length === 0 && h('p', { class: 'muted' }, 'No body.'),
    content.map(([type, media]) => mediaView(media, type, resolve, `${response.status} response`)),
  ]
}

function errorsView(op) {
  const id = uid('errors')
  const rows = op.errors.map(({ status, code, summary }) =>
    h(
      'tr',
      null,
      h('td', { class: 'number' }, status),
      h('th', { scope: 'row' }, h('a', { href: `#error-${code}` }, h('code', null, code))),
      h('td', null, inline(summary)),
    ),
  )
  return h(
    'section',
    null,
    h('h4', { id }, 'Errors'),
    h('table', { class: 'errors', 'aria-labelledby': id }, h('tbody', null, rows)),
  )
}
