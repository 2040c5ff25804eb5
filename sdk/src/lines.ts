// Newline-delimited JSON, value by value as it arrives.
import { iterate } from './upload-source.ts'

export async function* linesOf<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<T, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of iterate(body)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
  if (rest) yield JSON.parse(rest)
}
