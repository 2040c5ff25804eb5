/**
 * Builds one element. Props beginning with `on` are listeners, `value` is set as a property, everything else
 * is an attribute; null, undefined and false are left out, of props and of children alike.
 * @param {string} tag
 * @param {Record<string, unknown> | null} [props]
 * @param {...unknown} children strings, numbers, nodes, or arrays of these
 */
export function h(tag, props, ...children) {
  const el = document.createElement(tag)
  for (const [key, value] of Object.entries(props ?? {})) {
    if (isNothing(value)) continue
    if (key.startsWith('on')) el.addEventListener(key.slice(2), value)
    else if (key === 'value' && tag !== 'option') el.value = value
    else el.setAttribute(key, value === true ? '' : String(value))
  }
  el.append(...nodes(children))
  return el
}

/** What of some nested children is there to show, in one list. */
export const nodes = children => [children].flat(Number.POSITIVE_INFINITY).filter(child => !isNothing(child))

const isNothing = value => value === undefined || value === null || value === false

let ids = 0
/** An id no other element of the page has. */
export const uid = prefix => `${prefix}-${++ids}`

/** Puts a sentence where a screen reader speaks it. */
export function announce(text) {
  const region = document.getElementById('page-announce')
  if (region) region.textContent = text
}

const SAFE_LINK = /^(?:#|\/(?!\/)|\.{1,2}\/|https?:\/\/|mailto:)/i
const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^()\s]+)\)/g

/** Inline markdown: code, bold and links. A link to anything but the web, mail or this site stays text. */
export function inline(text) {
  const out = []
  let from = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold, label, href] = match
    if (match.index > from) out.push(text.slice(from, match.index))
    if (code) out.push(h('code', null, code))
    else if (bold) out.push(h('strong', null, inline(bold)))
    else if (SAFE_LINK.test(href)) out.push(link(href, inline(label)))
    else out.push(label)
    from = match.index + whole.length
  }
  if (from < text.length) out.push(text.slice(from))
  return out
}

function link(href, children) {
  // A link into this very page stays in it, whichever way its address is written.
  const local = href.startsWith('/docs#') ? href.slice('/docs'.length) : href
  return h('a', { href: local, rel: /^https?:/i.test(local) ? 'noopener noreferrer' : null }, children)
}

/**
 * The markdown subset of descriptions: paragraphs, headings, lists, fenced code, and what `inline` knows.
 * @param {string | undefined} text
 * @param {number} level the level of its biggest heading
 * @returns {HTMLElement[]}
 */
export function markdown(text, level = 4) {
  const lines = (text ?? '').replace(/\r\n?/g, '\n').split('\n')
  const blocks = []
  // The biggest heading of the text takes the level given, whichever number of # it was written with.
  const biggest = Math.min(...lines.map(line => line.match(HEADING)?.[1].length ?? 4))
  let at = 0
  const take = test => {
    const taken = []
    while (at < lines.length && test(lines[at])) taken.push(lines[at++])
    return taken
  }
  while (at < lines.length) {
    const line = lines[at]
    const heading = line.match(HEADING)
    const list = line.match(LIST)
    if (line.trim() === '') at++
    else if (line.startsWith('```')) {
      at++
      blocks.push(
        h('pre', { class: 'code', tabindex: 0 }, h('code', null, take(l => !l.startsWith('```')).join('\n'))),
      )
      at++
    } else if (heading) {
      at++
      blocks.push(h(`h${Math.min(6, level + heading[1].length - biggest)}`, null, inline(heading[2])))
    } else if (list) {
      const items = take(l => LIST.test(l) || /^\s+\S/.test(l)).reduce((all, l) => {
        if (LIST.test(l)) all.push(l.replace(LIST, ''))
        else all[all.length - 1] += ` ${l.trim()}`
        return all
      }, [])
      const tag = /\d/.test(list[1]) ? 'ol' : 'ul'
      blocks.push(
        h(
          tag,
          null,
          items.map(item => h('li', null, inline(item))),
        ),
      )
    } else {
      blocks.push(h('p', null, inline(take(l => l.trim() !== '' && !STARTS_BLOCK.test(l)).join(' '))))
    }
  }
  return blocks
}

const HEADING = /^(#{1,4})\s+(.*)$/
const LIST = /^\s{0,3}([-*]|\d+[.)])\s+/
const STARTS_BLOCK = /^(?:#{1,4}\s|```|\s{0,3}(?:[-*]|\d+[.)])\s)/

/** A button that copies what `text()` gives at that moment. */
export function copyButton(text, what) {
  const button = h('button', { type: 'button', class: 'quiet', 'aria-label': `Copy ${what}` }, 'Copy')
  button.addEventListener('click', async () => {
    const done = await copy(text())
    button.textContent = done ? 'Copied' : 'Not copied'
    announce(done ? `Copied ${what}` : `Could not copy ${what}`)
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1600)
  })
  return button
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // The clipboard is only offered on secure origins: fall back to copying a selection.
    const area = h('textarea', { class: 'visually-hidden', value: text })
    document.body.append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** JSON text with its keys, strings and other values marked, as children of a `<code>`. */
export function highlightJson(text) {
  const out = []
  let from = 0
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match
    if (match.index > from) out.push(text.slice(from, match.index))
    if (colon) out.push(h('span', { class: 'j-key' }, string), colon)
    else out.push(h('span', { class: string ? 'j-string' : 'j-value' }, whole))
    from = match.index + whole.length
  }
  out.push(text.slice(from))
  return out
}

/** Text in a scrollable box with a copy button, with its parts marked if it is JSON. */
export function codeBlock(text, what, isJson = true) {
  const code = h('code', null, isJson ? highlightJson(text) : text)
  return h(
    'div',
    { class: 'code-box' },
    copyButton(() => text, what),
    h('pre', { class: 'code', tabindex: 0, role: 'group', 'aria-label': what }, code),
  )
}

/**
 * Tabs whose panels are drawn when first shown; arrow keys, Home and End move between them.
 * @param {string} label what the choice is about
 * @param {{ title: unknown, render: () => unknown }[]} items
 */
export function tabs(label, items, className = '') {
  const panels = []
  const buttons = items.map((item, index) => {
    const panelId = uid('panel')
    const button = h(
      'button',
      { type: 'button', role: 'tab', id: uid('tab'), 'aria-controls': panelId, onclick: () => show(index) },
      item.title,
    )
    panels.push(h('div', { role: 'tabpanel', id: panelId, 'aria-labelledby': button.id, class: 'tab-panel' }))
    return button
  })
  const drawn = new Set()
  const show = chosen => {
    buttons.forEach((button, index) => {
      button.setAttribute('aria-selected', String(index === chosen))
      button.tabIndex = index === chosen ? 0 : -1
      panels[index].hidden = index !== chosen
    })
    if (!drawn.has(chosen)) panels[chosen].append(...nodes(items[chosen].render()))
    drawn.add(chosen)
  }
  const onkeydown = event => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -buttons.length, End: buttons.length }[event.key]
    if (!step) return
    event.preventDefault()
    const now = buttons.indexOf(document.activeElement)
    const next =
      Math.abs(step) === 1
        ? (now + step + buttons.length) % buttons.length
        : step < 0
          ? 0
          : buttons.length - 1
    show(next)
    buttons[next].focus()
  }
  show(0)
  return h(
    'div',
    { class: `tabs ${className}` },
    h('div', { role: 'tablist', 'aria-label': label, onkeydown }, buttons),
    panels,
  )
}
