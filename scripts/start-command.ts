// How `npm start` runs the service, for tests and benches that start one: the same settings and arguments.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface StartLine {
  /** Environment variables. */
  settings: Record<string, string>
  /** Of Node; paths in it are relative to the root of the checkout. */
  args: string[]
}

export function startLineOf(root: string): StartLine {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const words = scripts.start.split(' ')
  const node = words.indexOf('node')
  const settings = words.slice(0, node).filter(word => word.includes('='))
  return {
    settings: Object.fromEntries(settings.map(word => word.split('='))),
    args: words.slice(node + 1),
  }
}
