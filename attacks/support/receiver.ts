// A webhook receiver that counts how often each event id was delivered.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function startReceiver() {
  const deliveries = new Map<string, number>()
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    request.resume().on('end', () => {
      deliveries.set(id, (deliveries.get(id) ?? 0) + 1)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    deliveries,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
