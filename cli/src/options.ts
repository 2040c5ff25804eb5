// Arguments and options that several commands share.
import { readFile, stat } from 'node:fs/promises'
import { arrayBuffer } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import type { Cli } from './cli.ts'
import { naming, usageError } from './exit-codes.ts'

export const DRY_RUN = ['--dry-run', 'show what would be sent, and change nothing'] as const
export const LIMIT = ['--limit <n>', 'at most so many records', wholeNumber] as const

export function wholeNumber(given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new InvalidArgumentError('Expected a whole number from 1.')
  return Number(given)
}

const DAY_MS = 86_400_000
const DAYS: Record<string, number> = { d: 1, w: 7 }

/** `90d` or `12w`, in days. */
export function daysOf(given: string): number {
  const [, number = '', unit = ''] = /^(\d{1,5})([dw])$/.exec(given) ?? []
  const days = DAYS[unit]
  if (!days) throw new InvalidArgumentError('Expected days or weeks, such as 90d or 12w.')
  return Number(number) * days
}

/** A day in UTC, so many days from now. */
export const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

/** The bytes of a file, or of standard input for `-`. */
export async function readBytes(cli: Cli, path: string): Promise<Buffer<ArrayBuffer>> {
  if (path !== '-') return readFile(path).catch(naming(path))
  if (cli.stdin.isTTY) cli.output.note('Reading standard input; Ctrl-D ends it.')
  return Buffer.from(await arrayBuffer(cli.stdin))
}

export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    stats => stats.isDirectory(),
    () => false,
  )

export const readText = async (cli: Cli, path: string): Promise<string> =>
  new TextDecoder().decode(await readBytes(cli, path))

/** The JSON object in a file, or in standard input for `-`. */
export async function readJson(cli: Cli, path: string): Promise<Record<string, unknown>> {
  const source = path === '-' ? 'Standard input' : path
  const content = await readText(cli, path)
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch (error) {
    throw usageError(`${source} is no JSON: ${(error as Error).message}.`)
  }
  throw usageError(`${source} has no JSON object.`)
}

/** Without the options that were not given. */
export function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}

export async function* limited<T>(records: AsyncIterable<T>, limit: number | undefined): AsyncGenerator<T> {
  let count = 0
  for await (const record of records) {
    yield record
    count += 1
    if (count === limit) return
  }
}

/** What a write would send, for `--dry-run`. */
export const requestOf = (method: string, path: string, body?: unknown) => ({
  dryRun: true,
  method,
  path,
  ...(body !== undefined && { body }),
})
