// Makes spans and decides which traces are recorded. What becomes of a span that has ended is up to the exporter.
import { randomBytes } from 'node:crypto'
import type { Attributes, Span, SpanKind } from './spans.ts'
import type { TraceParent } from './traceparent.ts'

export interface EndedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: SpanKind
  /** Milliseconds since 1970, with fractions. */
  startedAt: number
  endedAt: number
  attributes: Attributes
  errorType: string | undefined
}

export interface Tracer {
  /**
   * Begins the span of a request; undefined when the trace is not recorded. The caller decides about a trace that it has
   * begun, the ratio about all others.
   */
  begin(parent: TraceParent | undefined, name: string, attributes: Attributes): Span | undefined
}

interface TracerOptions {
  /** The share of traces that is recorded, from 0 to 1. */
  ratio: number
  onEnd(span: EndedSpan): void
}

export function createTracer({ ratio, onEnd }: TracerOptions): Tracer {
  const open = (
    ids: Pick<EndedSpan, 'traceId' | 'parentSpanId'>,
    { name, kind, attributes }: Pick<EndedSpan, 'name' | 'kind' | 'attributes'>,
  ): Span => {
    const spanId = randomBytes(8).toString('hex')
    const startedAt = now()
    let isOpen = true
    return {
      traceId: ids.traceId,
      spanId,
      begin: (childName, childKind, childAttributes = {}) =>
        open(
          { traceId: ids.traceId, parentSpanId: spanId },
          { name: childName, kind: childKind, attributes: childAttributes },
        ),
      end({ attributes: more, errorType } = {}) {
        if (!isOpen) return
        isOpen = false
        const all = more ? { ...attributes, ...more } : attributes
        onEnd({ ...ids, spanId, name, kind, startedAt, endedAt: now(), attributes: all, errorType })
      },
    }
  }

  return {
    begin(parent, name, attributes) {
      if (parent ? !parent.isSampled : Math.random() >= ratio) return undefined
      const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
      return open({ traceId, parentSpanId: parent?.spanId }, { name, kind: 'server', attributes })
    },
  }
}

const now = () => performance.timeOrigin + performance.now()
