// Server-sent events, one by one as they arrive: https://html.spec.whatwg.org/multipage/server-sent-events.html
import { iterate } from './upload-source.ts'

export interface ServerSentEvent {
  /** Empty where the event has none. */
  id: string
  data: string
}

/** An event that the end of the stream cuts off is left out, as browsers do. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  let id = ''
  let data: string[] = []
  for await (const chunk of iterate(body)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      const line = text.endsWith('\r') ? text.slice(0, -1) : text
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'id') id = value
      else if (field === 'data') data.push(value)
      if (line !== '') continue
      yield { id, data: data.join('\n') }
      id = ''
      data = []
    }
  }
}
