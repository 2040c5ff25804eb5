import type { FastifyBaseLogger } from 'fastify'
import { type DestinationStream, pino } from 'pino'
import { createInstants } from '../lib/instants.ts'

const written = createInstants()

interface Logger {
  isLevelEnabled(level: string): boolean
  [pino.symbols.streamSym]: DestinationStream
}

/** What is logged of every request. */
export interface RequestEntry {
  requestId: string
  method: string
  /** The template, never the URL: a path holds employee numbers, a query may hold more. */
  route: string | null
  status: number
  ms: number
  clientId: string | undefined
  traceId: string | undefined
}

/** The same line as `log.info` would write, in a quarter of the time. */
export function logRequest(log: FastifyBaseLogger, entry: RequestEntry): void {
  const logger = log as unknown as Logger
  if (!logger.isLevelEnabled('info')) return
  const { requestId, method, route, status, ms, clientId, traceId } = entry
  // Ids, methods and templates need no escapes; who the caller is was somebody's choice.
  const who = clientId === undefined ? '' : `,"clientId":${quoted(clientId)}`
  const trace = traceId === undefined ? '' : `,"traceId":"${traceId}"`
  logger[pino.symbols.streamSym].write(
    `{"level":30,"time":"${written(Date.now())}","requestId":"${requestId}","method":"${method}","route":${route === null ? 'null' : `"${route}"`},"status":${status},"ms":${ms}${who}${trace},"msg":"request"}\n`,
  )
}

/** Mostly it is the same one again. */
const quoted = (() => {
  let last = ''
  let text = '""'
  return (name: string) => {
    if (name !== last) {
      last = name
      text = JSON.stringify(name)
    }
    return text
  }
})()
