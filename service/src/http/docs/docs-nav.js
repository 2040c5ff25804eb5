import { h, uid } from './docs-dom.js'
import { methodBadge } from './docs-operation.js'

/**
 * The navigation: every operation by tag, a filter over them, and the place on the page marked as it moves.
 * @param {HTMLElement} nav
 * @param {ReturnType<import('./docs-model.js').createModel>} model
 */
export function buildNav(nav, model) {
  const entries = []
  const entry = (href, words, ...children) => {
    const item = h('li', null, h('a', { href: `#${href}` }, children))
    entries.push({ item, id: href, words: words.toLowerCase() })
    return item
  }
  const group = (title, items, props) => {
    const id = uid('group')
    return h(
      'section',
      { class: 'nav-group', ...props },
      h('h2', { id }, title),
      h('ul', { 'aria-labelledby': id }, items),
    )
  }
  const groups = [
    group('Start', [
      entry('overview', 'overview', 'Overview'),
      entry('authorize', 'authorize token api key', 'Authorize'),
      model.errors.length > 0 && entry('errors', 'errors', 'Errors'),
    ]),
    ...model.tags.map(tag =>
      group(
        tag.name,
        tag.operations.map(op =>
          entry(
            op.id,
            [op.method, op.path, op.summary, op.id, tag.name].join(' '),
            methodBadge(op.method),
            h('span', null, op.summary),
          ),
        ),
      ),
    ),
    // Codes are many: they are listed once the filter asks for them.
    group(
      'Error codes',
      model.errors.map(error =>
        entry(`error-${error.code}`, `error ${error.code} ${error.title} ${error.status}`, error.code),
      ),
      { 'data-only-filtered': true },
    ),
  ]
  const none = h('p', { class: 'muted nav-none', hidden: true }, 'Nothing matches.')
  const { box, input } = filterBox(entries, groups, none)
  nav.replaceChildren(box, none, ...groups)
  input.dispatchEvent(new Event('input'))
  return { markCurrent: createMarker(entries), filter: input }
}

function filterBox(entries, groups, none) {
  const input = h('input', {
    type: 'search',
    id: 'page-filter',
    placeholder: 'Filter',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const visible = () => entries.filter(({ item }) => !item.hidden && !item.closest('section').hidden)
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    for (const entry of entries) entry.item.hidden = !words.every(word => entry.words.includes(word))
    for (const group of groups) {
      const idle = words.length === 0 && 'onlyFiltered' in group.dataset
      group.hidden = idle || !group.querySelector('li:not([hidden])')
    }
    none.hidden = visible().length > 0
  })
  input.addEventListener('keydown', event => {
    if (event.key === 'Enter') visible()[0]?.item.firstChild.click()
    if (event.key === 'ArrowDown') visible()[0]?.item.firstChild.focus()
    if (event.key === 'Escape') {
      input.value = ''
      input.dispatchEvent(new Event('input'))
      event.stopPropagation()
    }
    if (event.key === 'ArrowDown' || event.key === 'Escape') event.preventDefault()
  })
  const box = h(
    'div',
    { class: 'filter', role: 'search' },
    h('label', { for: 'page-filter', class: 'visually-hidden' }, 'Filter operations and error codes'),
    input,
    h('kbd', { 'aria-hidden': 'true', title: 'Press / to filter' }, '/'),
  )
  return { box, input }
}

function createMarker(entries) {
  let current
  const linkTo = id => entries.find(({ item, id: to }) => to === id && item.offsetParent)?.item.firstChild
  return (...ids) => {
    const link = ids.map(linkTo).find(Boolean)
    if (link === current) return
    current?.removeAttribute('aria-current')
    current = link
    if (!link) return
    link.setAttribute('aria-current', 'location')
    link.scrollIntoView({ block: 'nearest' })
  }
}

/** On a narrow screen the navigation is behind a button. */
export function foldNav(side, button) {
  const toggle = open => {
    side.classList.toggle('open', open)
    button.setAttribute('aria-expanded', String(open))
    button.textContent = open ? 'Close' : 'Menu'
  }
  button.addEventListener('click', () => toggle(!side.classList.contains('open')))
  side.addEventListener('click', event => event.target.closest('a') && toggle(false))
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !side.classList.contains('open')) return
    toggle(false)
    button.focus()
  })
  return toggle
}

/** The address the page has gone to; when it differs from the current one, a change is on its way. */
let followed = ''

/** The element the address of the page names. */
function hashTarget() {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)))
  } catch {
    return null
  }
}

/**
 * Goes where the address of the page says, now and whenever it changes, and holds that place for a moment:
 * operations around it get their real heights only as they come near. Whoever scrolls is not held.
 */
export function followAddress() {
  let target
  let frame
  const hold = frames => {
    target.scrollIntoView()
    if (frames > 0) frame = requestAnimationFrame(() => hold(frames - 1))
  }
  const release = () => cancelAnimationFrame(frame)
  const go = () => {
    release()
    followed = location.hash
    target = hashTarget()
    if (target) hold(20)
  }
  for (const type of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    addEventListener(type, release, { passive: true })
  }
  addEventListener('hashchange', go)
  // The address tells the place; the offset of an earlier visit would compete with it.
  history.scrollRestoration = 'manual'
  // The content came after the address was followed: following it again also sets `:target`.
  if (location.hash.length > 1) location.replace(location.hash)
  go()
}

/** Follows which section is being read, tells the navigation, and keeps the address of the page in step. */
export function followReading(sections, markCurrent) {
  const settle = () => {
    if (location.hash !== followed) return
    const reading =
      sections.findLast(section => section.getBoundingClientRect().top < innerHeight / 5) ?? sections[0]
    const target = hashTarget()
    // The address of something within the section, such as one error, is finer than the section's own: keep it.
    if (target && reading.contains(target)) return markCurrent(target.id, reading.id)
    markCurrent(reading.id)
    history.replaceState(history.state, '', reading.id === 'overview' ? location.pathname : `#${reading.id}`)
    followed = location.hash
  }
  let timer
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(settle, 120)
  }
  addEventListener('scroll', later, { passive: true })
  addEventListener('hashchange', later)
  later()
}
