// Renders the templates of the chart. It knows the part of Helm's language that they use, and fails on anything else: values,
// `quote`, `toYaml … | nindent`, `if` and `range` over an object.
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { yaml } from './libraries.ts'

export type Values = Record<string, unknown>

const CHART = join(import.meta.dirname, '..', 'helm', 'caseport')

export async function renderChart(values: Values, release = 'caseport'): Promise<Map<string, string>> {
  const { appVersion, version } = yaml.parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Record<
    string,
    string
  >
  const root = {
    Values: values,
    Release: { Name: release },
    Chart: { AppVersion: appVersion, Version: version },
  }
  const rendered = new Map<string, string>()
  for await (const file of glob('templates/*.yaml', { cwd: CHART }))
    rendered.set(file, render(readFileSync(join(CHART, file), 'utf8'), root))
  return rendered
}

interface Token {
  kind: 'text' | 'action'
  text: string
}

/** Splits the text into literal text and actions; `{{-` and `-}}` trim the space beside them. */
function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let rest = source
  for (;;) {
    const match = /\{\{(-?)\s*(.*?)\s*(-?)\}\}/s.exec(rest)
    if (!match) return [...tokens, { kind: 'text', text: rest }]
    const before = rest.slice(0, match.index)
    tokens.push({ kind: 'text', text: match[1] ? before.trimEnd() : before })
    tokens.push({ kind: 'action', text: match[2] ?? '' })
    rest = rest.slice(match.index + match[0].length)
    if (match[3]) rest = rest.trimStart()
  }
}

function render(source: string, root: Values): string {
  const tokens = tokensOf(source)
  const [text, end] = renderFrom({ tokens, index: 0, scope: root, isNested: false })
  if (end !== tokens.length) throw new Error('An end without a beginning.')
  return text
}

interface Position {
  tokens: Token[]
  index: number
  scope: Values
  isNested: boolean
}

/** The text up to the end of the block, and the index after it. */
function renderFrom({ tokens, index: start, scope, isNested }: Position): [string, number] {
  let text = ''
  let index = start
  while (index < tokens.length) {
    const token = tokens[index] as Token
    index += 1
    if (token.kind === 'text') {
      text += token.text
    } else if (token.text === 'end') {
      return [text, index]
    } else if (token.text.startsWith('if ')) {
      const [inner, next] = renderFrom({ tokens, index, scope, isNested: true })
      if (isTrue(valueAt(token.text.slice(3), scope))) text += inner
      index = next
    } else if (token.text.startsWith('range ')) {
      const [, key = '', value = '', path = ''] =
        /^range (\$\w+), (\$\w+) := (\S+)$/.exec(token.text) ?? fail(token.text)
      const entries = Object.entries((valueAt(path, scope) ?? {}) as Values)
      let next = renderFrom({ tokens, index, scope: { ...scope, [key]: '', [value]: '' }, isNested: true })[1]
      for (const [name, one] of entries) {
        const [inner, after] = renderFrom({
          tokens,
          index,
          scope: { ...scope, [key]: name, [value]: one },
          isNested: true,
        })
        text += inner
        next = after
      }
      index = next
    } else {
      text += evaluate(token.text, scope)
    }
  }
  if (isNested) throw new Error('A block without an end.')
  return [text, index]
}

function evaluate(expression: string, scope: Values): string {
  const [first = '', ...pipes] = expression.split('|').map(part => part.trim())
  const asYaml = /^toYaml (\S+)$/.exec(first)
  let text = asYaml
    ? yaml.stringify(valueAt(asYaml[1] ?? '', scope)).trimEnd()
    : String(valueAt(first, scope))
  for (const pipe of pipes) {
    const indent = /^nindent (\d+)$/.exec(pipe)
    if (pipe === 'quote') text = JSON.stringify(text)
    else if (indent) text = `\n${text.replace(/^(?=.)/gm, ' '.repeat(Number(indent[1])))}`
    else fail(expression)
  }
  return text
}

/** As in Helm, where an empty list or object is false. */
const isTrue = (value: unknown) =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)

function valueAt(path: string, scope: Values): unknown {
  if (path.startsWith('$')) return path in scope ? scope[path] : fail(path)
  if (!/^(\.\w+)+$/.test(path)) fail(path)
  let value: unknown = scope
  for (const name of path.slice(1).split('.')) {
    value = (value as Values | undefined)?.[name]
    if (value === undefined) throw new Error(`${path} has no value.`)
  }
  return value
}

function fail(expression: string): never {
  throw new Error(`"${expression}" is not known to this renderer: extend deploy/check/helm.ts.`)
}
