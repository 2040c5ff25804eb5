/** JSON as text: where it is wrong, and how it reads best. */

/**
 * Where JSON text stops being JSON, or null when it is fine. The browsers' own messages differ and some name
 * no place, so the place is found here.
 * @param {string} text
 * @returns {{ line: number, column: number, offset: number, message: string } | null}
 */
export function checkJson(text) {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    const { offset, message } = findJsonError(text) ?? { offset: 0, message: error.message }
    const before = text.slice(0, offset).split('\n')
    return { line: before.length, column: before.at(-1).length + 1, offset, message }
  }
}

function findJsonError(text) {
  let at = 0
  const fail = message => {
    throw { offset: at, message: at >= text.length ? `the text ends where ${message}` : message }
  }
  const match = pattern => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const space = () => match(/[ \t\n\r]*/y)
  const string = () => {
    const start = at++
    while (at < text.length && text[at] !== '"') {
      if (text[at] < ' ') fail('a string must end on the line it starts; write \\n for a line break')
      if (text[at] === '\\' && !/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y.test(text.slice(at, at + 6)))
        fail('an unknown escape')
      at += text[at] === '\\' ? 2 : 1
    }
    if (at >= text.length) {
      at = start
      fail('this string is not closed')
    }
    at++
  }
  const list = (close, item) => {
    at++
    space()
    if (text[at] === close) return void at++
    for (;;) {
      item()
      space()
      if (text[at] === close) return void at++
      if (text[at] !== ',') fail(`a comma or ${close} is expected`)
      at++
      space()
      if (text[at] === close) fail(`no comma may stand before ${close}`)
    }
  }
  const member = () => {
    if (text[at] !== '"') fail('a member name in double quotes is expected')
    string()
    space()
    if (text[at] !== ':') fail('a colon is expected')
    at++
    space()
    value()
  }
  const value = () => {
    if (text[at] === '{') list('}', member)
    else if (text[at] === '[') list(']', value)
    else if (text[at] === '"') string()
    else if (match(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y) === undefined)
      fail('a value is expected')
  }
  try {
    space()
    value()
    space()
    return at < text.length ? { offset: at, message: 'nothing more is expected after the value' } : undefined
  } catch (error) {
    return error
  }
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * Valid JSON text with line breaks and indentation. Works on the text, so numbers stay as they were written,
 * however long, and members stay in their order.
 * @param {string} text
 */
export function prettyJson(text) {
  const tokens = text.match(TOKENS) ?? []
  let depth = 0
  let out = ''
  const newline = () => {
    out += `\n${'  '.repeat(depth)}`
  }
  tokens.forEach((token, index) => {
    const opens = token === '{' || token === '['
    const closes = token === '}' || token === ']'
    const empty = closes && (tokens[index - 1] === '{' || tokens[index - 1] === '[')
    if (closes) depth--
    if (closes && !empty) newline()
    out += token === ':' ? ': ' : token
    if (opens) depth++
    const next = tokens[index + 1]
    if (token === ',' || (opens && next !== '}' && next !== ']')) newline()
  })
  return out
}
