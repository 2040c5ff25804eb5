// Receives webhooks, and keeps what each path was sent.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Context } from '../attack.ts'

export interface Receiver {
  url: string
  /** Headers and bodies that arrived at this path. */
  received(path: string): string[]
}

export async function startReceiver({ after }: Pick<Context, 'after'>): Promise<Receiver> {
  const byPath = new Map<string, string[]>()
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', data => {
      body += data
    })
    request.on('end', () => {
      const path = request.url ?? ''
      byPath.set(path, [...(byPath.get(path) ?? []), `${JSON.stringify(request.headers)} ${body}`])
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, received: path => byPath.get(path) ?? [] }
}
