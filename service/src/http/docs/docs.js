import { statusBadge } from './docs-answer.js'
import { authBadge, authPanel, createAuth } from './docs-auth.js'
import { h, inline, markdown } from './docs-dom.js'
import { createModel } from './docs-model.js'
import { buildNav, foldNav, followReading } from './docs-nav.js'
import { methodBadge, operationView } from './docs-operation.js'

/** The reference page: reads /openapi.json and draws everything from it. */

const SOURCE = '/openapi.json'
const main = document.getElementById('page-content')
const side = document.getElementById('page-side')

const openMenu = foldNav(side, document.getElementById('page-menu'))
await start()

async function start() {
  main.replaceChildren(h('p', { class: 'muted loading', role: 'status' }, 'Loading the reference …'))
  try {
    draw(await load())
  } catch (error) {
    main.replaceChildren(failure(error))
  }
}

async function load() {
  const response = await fetch(SOURCE, {
    headers: { Accept: 'application/json' },
    credentials: 'omit',
  }).catch(() => {
    throw new Error('the service could not be reached')
  })
  if (!response.ok) throw new Error(`the service answered with status ${response.status}`)
  return response.json().catch(() => {
    throw new Error('the answer is not JSON')
  })
}

function failure(error) {
  return h(
    'div',
    { class: 'notice', role: 'alert' },
    h('h1', null, 'The reference cannot be shown'),
    h(
      'p',
      null,
      'This page is drawn from ',
      h('a', { href: SOURCE }, SOURCE),
      `, and reading it failed: ${error.message}.`,
    ),
    h('p', null, h('button', { type: 'button', class: 'primary', onclick: start }, 'Try again')),
  )
}

function draw(doc) {
  const model = createModel(doc)
  const auth = createAuth()
  const ctx = { model, auth }
  const { title = 'API', version = '' } = model.info
  document.title = `${title} reference`
  document.getElementById('page-title').textContent = title
  document.getElementById('page-version').textContent = version
  document.getElementById('page-state').replaceChildren(authBadge(auth))
  main.replaceChildren(
    h('div', { class: 'intro' }, overview(model), authPanel(ctx)),
    ...model.tags.map(tag => tagView(tag, ctx)),
    ...(model.errors.length > 0 ? [errorsView(model.errors)] : []),
  )
  const { markCurrent, filter } = buildNav(document.getElementById('page-nav'), model)
  shortcuts(filter)
  arrive()
  followReading([...main.querySelectorAll('[data-spy]')], markCurrent)
}

/** The content came after the address was followed: follow it again, so that it scrolls and `:target` is set. */
function arrive() {
  if (location.hash.length > 1) location.replace(location.hash)
}

function shortcuts(filter) {
  document.addEventListener('keydown', event => {
    const typing = event.target.closest?.('input, textarea, select')
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    openMenu(true)
    filter.focus()
    filter.select()
  })
}

function overview({ info, operations }) {
  return h(
    'section',
    { class: 'overview', id: 'overview', 'aria-labelledby': 'overview-title', 'data-spy': true },
    h('h1', { id: 'overview-title' }, info.title ?? 'API'),
    h(
      'p',
      { class: 'muted' },
      info.version && `Version ${info.version} · `,
      `${operations.length} operations · `,
      h('a', { href: SOURCE }, 'OpenAPI document'),
    ),
    h('div', { class: 'prose lead' }, markdown(info.description, 2)),
  )
}

function tagView(tag, ctx) {
  const title = `${tag.id}-title`
  return h(
    'section',
    { class: 'tag', id: tag.id, 'aria-labelledby': title },
    h('h2', { id: title }, tag.name),
    tag.description && h('div', { class: 'prose' }, markdown(tag.description, 3)),
    tag.operations.map(op => operationView(op, ctx)),
  )
}

function errorsView(errors) {
  return h(
    'section',
    { class: 'tag all-errors', id: 'errors', 'aria-labelledby': 'errors-title', 'data-spy': true },
    h('h2', { id: 'errors-title' }, 'Errors'),
    h(
      'div',
      { class: 'prose' },
      markdown(
        'Every error is a problem document (`application/problem+json`). Its `type` is the address of its entry below.',
      ),
    ),
    errors.map(errorView),
  )
}

function errorView({ code, status, title, remedy, operations }) {
  const users = operations.map(op =>
    h('li', null, h('a', { href: `#${op.id}` }, methodBadge(op.method), h('span', null, op.summary))),
  )
  return h(
    'article',
    { class: 'error', id: `error-${code}` },
    h('h3', null, h('a', { class: 'anchor', href: `#error-${code}` }, h('code', null, code))),
    h('p', { class: 'error-title' }, statusBadge(status), ' ', inline(title ?? '')),
    h('div', { class: 'prose' }, markdown(remedy, 4)),
    users.length > 0 &&
      h(
        'details',
        null,
        h(
          'summary',
          null,
          users.length === 1 ? 'Answered by 1 operation' : `Answered by ${users.length} operations`,
        ),
        h('ul', { class: 'users' }, users),
      ),
  )
}
