// One request and its whole response: status, headers as they were sent, body and time. Nothing is normalised, because a
// difference of any kind may tell that a record exists.
import http from 'node:http'
import type { Json } from '../support/samples.ts'

export interface Sent {
  method: string
  path: string
  headers?: Record<string, string>
  body?: Buffer
}

export interface Received {
  status: number
  /** Without the date. */
  headers: [string, string][]
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: an attack inspects arbitrary responses.
  body: any
  milliseconds: number
}

export type Exchange = (sent: Sent) => Promise<Received>

const TIMEOUT_MS = 20_000

export function createExchange(url: string) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 })
  const exchange: Exchange = sent =>
    new Promise((resolve, reject) => {
      const { method, path, headers = {}, body } = sent
      const began = performance.now()
      const request = http.request(`${url}${path}`, {
        method,
        agent,
        timeout: TIMEOUT_MS,
        headers: { ...headers, ...(body && { 'content-length': String(body.length) }) },
      })
      request.on('timeout', () => request.destroy(new Error(`${method} ${path}: no response in time`)))
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The service may close an idle connection at the moment when it is used again.
        if (request.reusedSocket && error.code === 'ECONNRESET') exchange(sent).then(resolve, reject)
        else reject(error)
      })
      request.on('response', response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const milliseconds = performance.now() - began
          const text = Buffer.concat(chunks).toString()
          resolve({
            status: response.statusCode ?? 0,
            headers: pairsOf(response.rawHeaders),
            text,
            body: parsed(text),
            milliseconds,
          })
        })
      })
      request.end(body)
    })
  return { exchange, close: () => agent.destroy() }
}

function pairsOf(raw: string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    if (name !== 'date') pairs.push([name, raw[at + 1] ?? ''])
  }
  return pairs
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

export const headerOf = ({ headers }: Received, name: string): string | undefined =>
  headers.find(([other]) => other === name)?.[1]

/** Cursors and tokens are Base64url: what they hold counts as disclosed. */
const ENCODED = /[\w-]{24,}/g

export function readableTextOf({ headers, text }: Pick<Received, 'headers' | 'text'>): string {
  const shown = `${headers.map(pair => pair.join(': ')).join('\n')}\n${text}`
  const encoded = shown.match(ENCODED) ?? []
  return [shown, ...encoded.map(part => Buffer.from(part, 'base64url').toString())].join('\n')
}

const sentTextOf = ({ path, headers, body }: Sent) =>
  `${decodeURIComponent(path)}\n${JSON.stringify(headers ?? {})}\n${body?.toString() ?? ''}`

/** The canaries that a response contains and its request did not. */
export function canariesIn(received: Received, sent: Sent, canaries: Iterable<string>): string[] {
  const shown = readableTextOf(received)
  const given = sentTextOf(sent)
  return [...canaries].filter(canary => shown.includes(canary) && !given.includes(canary))
}

/** How two responses differ, or undefined. `ids` are replaced first: a response may repeat the id that it was asked for. */
export function differenceOf(
  [a, b]: [Received, Received],
  [idsOfA, idsOfB]: [Iterable<string>, Iterable<string>],
): string | undefined {
  const one = withoutIds(a, idsOfA)
  const other = withoutIds(b, idsOfB)
  if (a.status !== b.status) return `${a.status} ${a.body?.code ?? ''} and ${b.status} ${b.body?.code ?? ''}`
  if (one.headers !== other.headers) return `headers ${one.headers} and ${other.headers}`
  if (one.text !== other.text) return `bodies ${one.text.slice(0, 200)} and ${other.text.slice(0, 200)}`
  return undefined
}

function withoutIds({ headers, text }: Received, ids: Iterable<string>) {
  const replaced = (value: string) => {
    let result = value
    for (const id of ids) result = result.replaceAll(id, '{id}').replaceAll(encodeURIComponent(id), '{id}')
    return result
  }
  return { headers: replaced(JSON.stringify(headers)), text: replaced(text) }
}
