// The span that the running code belongs to, where requests are traced. Without tracing there is none, and nothing here costs
// more than a lookup.
import { AsyncLocalStorage } from 'node:async_hooks'

export type Attributes = Record<string, string | number>

/** `server`: a request that the service got. `client`: a call to another system. `internal`: a section of its own work. */
export type SpanKind = 'internal' | 'server' | 'client'

export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** Begins a span within this one. */
  begin(name: string, kind: SpanKind, attributes?: Attributes): Span
  /** Ends it, once. `errorType` marks it as failed; it is a code, never a message. */
  end(outcome?: { attributes?: Attributes; errorType?: string }): void
}

const spans = new AsyncLocalStorage<Span | undefined>()

export const currentSpan = (): Span | undefined => spans.getStore()

/** Runs the work, and everything that it starts, within this span; without a span, within none. */
export const runInSpan = <T>(span: Span | undefined, work: () => T): T =>
  span === currentSpan() ? work() : spans.run(span, work)
