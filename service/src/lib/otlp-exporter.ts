// Sends spans to a collector: OTLP over HTTP, as JSON. Requests never wait for it. What a collector does not take stays in a
// bounded queue; when that is full, further spans are dropped and counted.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'
import type { Attributes, SpanKind } from './spans.ts'
import type { EndedSpan } from './tracer.ts'

const MAX_QUEUED = 2_048
const MAX_BATCH = 512
const INTERVAL_MS = 1_000
const TIMEOUT_MS = 10_000
const MAX_BACKOFF_MS = 30_000
const LOG_EVERY_MS = 60_000
const CLOSE_MS = 2_000
/** As the specification of OTLP lists them; other errors would be the same the next time. */
const RETRIED = new Set([429, 502, 503, 504])
const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 }
const ERROR = 2

interface ExporterOptions {
  /** Where spans are posted to. */
  url: string
  headers: Record<string, string>
  /** What describes this service. */
  resource: Attributes
  log: Log
}

export interface SpanExporter {
  add(span: EndedSpan): void
  /** How many spans wait, and how many were dropped. */
  counts(): { queued: number; dropped: number }
  /** Sends what waits, for two seconds at most. */
  close(): Promise<void>
}

export function createOtlpExporter({ url, headers, resource, log }: ExporterOptions): SpanExporter {
  const queue: EndedSpan[] = []
  let dropped = 0
  let failures = 0
  let sending: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let loggedAt = -Infinity

  const schedule = () => {
    if (timer || sending || queue.length === 0) return
    const backoff = Math.min(INTERVAL_MS * 2 ** failures, MAX_BACKOFF_MS)
    const delay = failures > 0 ? backoff : queue.length >= MAX_BATCH ? 0 : INTERVAL_MS
    timer = setTimeout(() => void flush(TIMEOUT_MS), delay).unref()
  }

  /** Sends the next batch, or waits for the one that is being sent. */
  async function flush(timeoutMs: number): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendNext(timeoutMs).finally(() => {
      sending = undefined
      schedule()
    })
    return sending
  }

  async function sendNext(timeoutMs: number): Promise<void> {
    // The batch stays in the queue until it is taken, so that the limit of the queue is that of everything.
    const batch = queue.slice(0, MAX_BATCH)
    const error = await send(batch, timeoutMs)
    if (error === undefined || !error.isRetried) queue.splice(0, batch.length)
    if (error && !error.isRetried) dropped += batch.length
    if (error) report(error.reason)
    else if (failures > 0) log.info({ dropped }, 'traces are sent again')
    failures = error?.isRetried ? failures + 1 : 0
  }

  async function send(batch: EndedSpan[], timeoutMs: number) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(requestOf(batch, resource)),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'error',
      })
      await response.body?.cancel()
      if (response.ok) return undefined
      return { reason: `status ${response.status}`, isRetried: RETRIED.has(response.status) }
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } }
      return { reason: cause?.code ?? name, isRetried: true }
    }
  }

  function report(reason: string): void {
    if (performance.now() - loggedAt < LOG_EVERY_MS) return
    loggedAt = performance.now()
    log.warn({ reason, dropped }, 'traces cannot be sent; requests are not affected')
  }

  return {
    add(span) {
      if (queue.length >= MAX_QUEUED) dropped += 1
      else queue.push(span)
      if (queue.length >= MAX_BATCH && failures === 0) {
        clearTimeout(timer)
        timer = undefined
      }
      schedule()
    },
    counts: () => ({ queued: queue.length, dropped }),
    async close() {
      const end = performance.now() + CLOSE_MS
      for (let left = CLOSE_MS; queue.length > 0 && left > 0; left = Math.ceil(end - performance.now())) {
        const before = queue.length
        await Promise.race([flush(left), sleep(left, undefined, { ref: false })])
        if (queue.length === before) break
      }
      clearTimeout(timer)
    },
  }
}

/** The body of a request, as the JSON mapping of OTLP has it: ids in hex, times in nanoseconds as text. */
function requestOf(batch: EndedSpan[], resource: Attributes): object {
  const spans = batch.map(span => ({
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt),
    attributes: keyValues({ ...span.attributes, ...(span.errorType && { 'error.type': span.errorType }) }),
    status: span.errorType ? { code: ERROR } : {},
  }))
  const scopeSpans = [{ scope: { name: 'caseport' }, spans }]
  return { resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans }] }
}

/** A number has no room for nanoseconds since 1970, but for microseconds. */
const nanoseconds = (milliseconds: number) => `${Math.round(milliseconds * 1_000)}000`

const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
