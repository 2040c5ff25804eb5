// A proxy in front of the service that fails as networks and proxies do, one fault for each request, in order.
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { after } from 'node:test'
import { BASE_URL } from './service.ts'

export type Fault =
  /** The connection ends before the service gets the request. */
  | { kind: 'drop' }
  /** The service carries the request out, but the response is lost. */
  | { kind: 'lose-response' }
  /** The proxy responds in place of the service. */
  | { kind: 'respond'; status: number; headers?: Record<string, string>; body?: string }
  /** The connection ends after this many bytes of the response body. */
  | { kind: 'cut'; after: number }
  /** The body of the response is changed. */
  | { kind: 'alter'; change: (body: Buffer) => Buffer }
  /** The service gets the request without these headers. */
  | { kind: 'strip'; headers: string[] }
  /** Nothing is forwarded and nothing returned. */
  | { kind: 'hang' }
  | { kind: 'none' }

export interface Seen {
  method: string
  path: string
  headers: IncomingMessage['headers']
}

export interface FaultyProxy {
  url: string
  seen: Seen[]
  /** Faults of the next requests for a path that begins like this. */
  plan(path: string, ...faults: Fault[]): void
}

export async function startProxy(): Promise<FaultyProxy> {
  const seen: Seen[] = []
  const plans: { path: string; faults: Fault[] }[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, path: url, headers })
    const fault = plans.find(({ path, faults }) => url.startsWith(path) && faults.length > 0)?.faults.shift()
    forward(request, response, fault ?? { kind: 'none' })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    plan: (path, ...faults) => void plans.push({ path, faults }),
  }
}

function forward(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  const reset = () => void request.socket.destroy()
  if (fault.kind === 'drop') reset()
  if (fault.kind === 'drop' || fault.kind === 'hang') return
  if (fault.kind === 'respond') {
    request.resume()
    response.writeHead(fault.status, fault.headers).end(fault.body)
    return
  }
  const headers = { ...request.headers }
  if (fault.kind === 'strip') for (const name of fault.headers) delete headers[name]
  const target = new URL(request.url ?? '', BASE_URL)
  const onward = httpRequest(target, { method: request.method, headers }, async received => {
    const status = received.statusCode ?? 0
    if (fault.kind === 'lose-response') {
      await Array.fromAsync(received)
      reset()
    } else if (fault.kind === 'alter') {
      const body = fault.change(Buffer.concat(await Array.fromAsync<Buffer>(received)))
      const { 'content-length': _, ...rest } = received.headers
      response.writeHead(status, { ...rest, 'content-length': body.length }).end(body)
    } else if (fault.kind === 'cut') {
      response.writeHead(status, received.headers).flushHeaders()
      cut(received, response, fault.after)
    } else {
      response.writeHead(status, received.headers)
      received.pipe(response)
    }
  })
  onward.on('error', reset)
  request.pipe(onward)
}

/** Sends this many bytes of the body and breaks the connection. */
function cut(received: IncomingMessage, response: ServerResponse, bytes: number): void {
  const reset = () => void response.socket?.destroy()
  let left = bytes
  // Later, so that the headers are sent.
  if (left === 0) setTimeout(reset, 50)
  received.on('data', (chunk: Buffer) => {
    if (left <= 0) return
    const last = chunk.length >= left
    response.write(chunk.subarray(0, left), () => last && reset())
    left -= chunk.length
  })
  received.on('end', reset)
}
