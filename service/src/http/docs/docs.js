import { statusBadge } from './docs-answer.js'
import { authBadge, authPanel, createAuth } from './docs-auth.js'
import { h, inline, markdown } from './docs-dom.js'
import { createModel } from './docs-model.js'
import { buildNav, foldNav, followAddress, followReading } from './docs-nav.js'
import { methodBadge, operationView } from './docs-operation.js'

/** The reference page: reads /openapi.json and draws everything from it. */

const SOURCE = '/openapi.json'
const main = document.getElementById('page-content')
const side = document.getElementById('page-side')

const openMenu = foldNav(side, document.getElementById('page-menu'))
await start()

async function start() {
  try {
    draw(await load())
  } catch (error) {
    main.replaceChildren(failure(error))
  }
}

async function load() {
  const response = await fetch(SOURCE).catch(() => {
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
  const views = new Map(model.operations.map(op => [op.id, operationView(op, ctx)]))
  main.replaceChildren(
    h('div', { class: 'intro', id: 'overview', 'data-spy': true }, overview(model), authPanel(ctx)),
    ...model.tags.map(tag => tagView(tag, views)),
    ...(model.errors.length > 0 ? [errorsView(model.errors)] : []),
  )
  const { markCurrent, filter } = buildNav(document.getElementById('page-nav'), model)
  shortcuts(filter)
  views.get(location.hash.replace(/^#(?:try-)?/, ''))?.fill()
  fillInTurn([...views.values()])
  followAddress()
  followReading([...main.querySelectorAll('[data-spy]')], markCurrent)
}

/**
 * Draws the operations near the reader at once and the others while the browser is idle. Where an operation out
 * of sight has no height of its own (see `content-visibility` in the styles) that moves nothing; elsewhere it
 * would, so everything is drawn at once.
 */
function fillInTurn(views) {
  if (!CSS.supports('overflow-anchor', 'auto') || !CSS.supports('content-visibility', 'auto')) {
    for (const { fill } of views) fill()
    return
  }
  const fillOf = new Map(views.map(({ element, fill }) => [element, fill]))
  const near = new IntersectionObserver(
    changes => {
      for (const { target, isIntersecting } of changes) {
        if (!isIntersecting) continue
        fillOf.get(target)()
        near.unobserve(target)
      }
    },
    { rootMargin: '200%' },
  )
  for (const { element } of views) near.observe(element)
  const rest = [...views]
  const fillSome = deadline => {
    do rest.shift()?.fill()
    while (rest.length > 0 && deadline.timeRemaining() > 5)
    if (rest.length > 0) requestIdleCallback(fillSome)
  }
  requestIdleCallback(fillSome)
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
    { class: 'overview', 'aria-labelledby': 'overview-title' },
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

function tagView(tag, views) {
  const title = `${tag.id}-title`
  return h(
    'section',
    { class: 'tag', id: tag.id, 'aria-labelledby': title },
    h('h2', { id: title }, tag.name),
    tag.description && h('div', { class: 'prose' }, markdown(tag.description, 3)),
    tag.operations.map(op => views.get(op.id).element),
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
        'A problem document (`application/problem+json`) names its error by its `type`, which is the address of an entry below.',
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
    { class: 'error', id: `error-${code}`, 'aria-labelledby': `error-title-${code}` },
    h(
      'header',
      null,
      h(
        'h3',
        { id: `error-title-${code}` },
        h('a', { class: 'anchor', href: `#error-${code}` }, h('code', null, code)),
      ),
      statusBadge(status),
    ),
    h(
      'div',
      { class: 'prose' },
      h('p', { class: 'error-title' }, inline(title ?? '')),
      markdown(remedy, 4),
      users.length > 0 &&
        h(
          'details',
          null,
          h(
            'summary',
            null,
            users.length === 1 ? 'Returned by 1 operation' : `Returned by ${users.length} operations`,
          ),
          h('ul', { class: 'users' }, users),
        ),
    ),
  )
}
