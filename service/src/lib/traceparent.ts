/** What a valid `traceparent` header (W3C Trace Context) says about the caller's trace. */
export interface TraceParent {
  traceId: string
  spanId: string
  /** Whether the caller records the trace. */
  isSampled: boolean
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/

export function parseTraceparent(header: unknown): TraceParent | undefined {
  const [, traceId, spanId, flags = ''] = (typeof header === 'string' && TRACEPARENT.exec(header)) || []
  if (!traceId || !spanId) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
