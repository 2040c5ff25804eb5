// A receiver of webhooks: an HTTP server on 127.0.0.1 that records requests and responds as the test tells it.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect whatever was sent.
  body: any
}

type Behaviour = (
  received: Received,
  response: ServerResponse,
) => number | undefined | Promise<number | undefined>

export async function startSink(behave: Behaviour = () => 204) {
  const received: Received[] = []
  let respond = behave
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request)
    const text = Buffer.concat(chunks).toString()
    const one = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) }
    received.push(one)
    const status = await respond(one, response)
    if (status !== undefined) response.writeHead(status).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    respondWith(behaviour: Behaviour) {
      respond = behaviour
    },
  }
}
