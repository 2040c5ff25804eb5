// A webhook receiver that counts how often each event id was delivered.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function startReceiver() {
  const heard = new Map<string, number>()
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    request.resume().on('end', () => {
      heard.set(id, (heard.get(id) ?? 0) + 1)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    heard,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
