// Any operation by its path.
import { requestPath } from '@caseport/sdk/node'
import { Command, InvalidArgumentError } from 'commander'
import type { Cli } from '../cli.ts'
import { usageError } from '../exit-codes.ts'
import { DRY_RUN, readBytes, requestOf } from '../options.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** What a header can be made of. */
const HEADER_VALUE = /^[\t -~\u0080-\u00ff]*$/
const ONLY = 'only characters of Latin-1, in one line'

interface ApiOptions {
  data?: string
  header?: Record<string, string>
  paginate?: true
  dryRun?: true
}

export const apiCommand = (cli: Cli) =>
  new Command('api')
    .description('Call any operation, such as: caseport api GET /v2/applicant/employeenumber/E-1')
    .argument('<method>', METHODS.join(', '), methodOf)
    .argument('<path>', 'path with its query, as in the API reference')
    .option(
      '--data <body>',
      'body; @file reads it from a file, - from standard input; JSON, unless --header has another Content-Type',
    )
    .option('-H, --header <name: value>', 'header; may be repeated', collectHeader)
    .option('--paginate', 'read all pages of a list, and print its records')
    .option(...DRY_RUN)
    .addHelpText(
      'after',
      '\nAn API key, which changes of employee numbers need, is sent if CASEPORT_API_KEY is set to one.',
    )
    .action(async (method: string, path: string, options: ApiOptions) => {
      if (!path.startsWith('/')) throw usageError(`The path "${path}" must begin with /.`)
      if (options.paginate && method !== 'GET') throw usageError('--paginate is for GET only.')
      if (options.data !== undefined && ['GET', 'HEAD'].includes(method))
        throw usageError(`${method} has no body. Leave out --data.`)
      const body = options.data === undefined ? undefined : await bytesOf(cli, options.data)
      const apiKey = cli.env['CASEPORT_API_KEY'] ?? ''
      if (!HEADER_VALUE.test(apiKey)) throw usageError(`CASEPORT_API_KEY must have ${ONLY}.`)
      const headers = new Headers({
        ...(body && { 'content-type': 'application/json' }),
        ...(apiKey && { 'x-api-key': apiKey }),
        ...options.header,
      })
      const shown = body && (isJson(headers) ? parsed(body) : body.toString())
      if (options.dryRun && method !== 'GET' && method !== 'HEAD')
        return cli.output.record(requestOf(method, path, shown))
      const caseport = await cli.connect()
      // What is sent may take long, such as an import with "Prefer: wait".
      const call = { method, headers, signal: cli.signal, ...(body && { body, deadline: 0 }) }
      const get = (target: string) => requestPath(caseport, target, call)
      if (options.paginate) return cli.output.list(recordsOf(path, get))
      await print(cli, await requestPath(caseport, path, { ...call, stream: true }))
    })

function methodOf(given: string): string {
  const method = given.toUpperCase()
  if (!METHODS.includes(method)) throw new InvalidArgumentError(`Expected ${METHODS.join(', ')}.`)
  return method
}

function collectHeader(given: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name = '', value = ''] = /^([\w-]+)\s*:\s*(.*)$/.exec(given) ?? []
  if (!name) throw new InvalidArgumentError('Expected "name: value".')
  if (!HEADER_VALUE.test(value)) throw new InvalidArgumentError(`The value must have ${ONLY}.`)
  return { ...before, [name.toLowerCase()]: value }
}

const bytesOf = async (cli: Cli, data: string): Promise<Buffer<ArrayBuffer>> =>
  data === '-' || data.startsWith('@') ? readBytes(cli, data.replace(/^@/, '')) : Buffer.from(data)

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    throw usageError(`--data is no JSON: ${(error as Error).message}.`)
  }
}

async function* recordsOf(path: string, get: (path: string) => Promise<Response>): AsyncGenerator<unknown> {
  let target: string | undefined = fromFirst(path)
  while (target !== undefined) {
    const response = await get(target)
    const page = (isJson(response.headers) ? await response.json() : undefined) as ListPage | undefined
    if (!Array.isArray(page?.records))
      throw usageError(`${path} is no list with pages. Leave out --paginate.`)
    yield* page.records
    target = nextOf(path, page)
  }
}

/** Without an offset, these lists leave out their first record. */
const WITH_OFFSET = /^\/v2\/cases\/applicants\/(steps|notes)$/

function fromFirst(path: string): string {
  const { pathname, searchParams } = new URL(path, BASE)
  if (!WITH_OFFSET.test(pathname) || searchParams.has('offset')) return path
  return `${path}${path.includes('?') ? '&' : '?'}offset=`
}

interface ListPage {
  records?: unknown[]
  nextCursor?: string | null
  /** Only a page of the change feed has it; the feed has a cursor at its end, too. */
  more?: boolean
}

const BASE = 'http://path.invalid'

/** The path of the page after this one. */
function nextOf(path: string, { nextCursor, more }: ListPage): string | undefined {
  if (!nextCursor || more === false) return undefined
  const { pathname, searchParams } = new URL(path, BASE)
  searchParams.set(more ? 'after' : 'nextCursor', nextCursor)
  return `${pathname}?${searchParams}`
}

const isJson = (headers: Headers) => /\bjson\b/i.test(headers.get('content-type') ?? '')

async function print(cli: Cli, response: Response): Promise<void> {
  if (!isJson(response.headers)) {
    if (response.body) await cli.output.bytes(response.body)
    return
  }
  const text = await response.text()
  if (text)
    await cli.output.write(`${cli.output.isTable ? JSON.stringify(JSON.parse(text), null, 2) : text}\n`)
}
