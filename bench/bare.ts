// The baseline "bare": a Fastify route that sends the given headers and body, and does nothing else.
import Fastify, { type FastifyInstance } from 'fastify'
import { serve } from './children.ts'

let running: FastifyInstance | undefined

interface Response {
  status: number
  headers: Record<string, string>
  body: string
}

serve(async ({ status, headers, body }: Response) => {
  await running?.close()
  running = Fastify()
  running.all('/*', (_request, reply) => reply.code(status).headers(headers).send(body))
  await running.listen({ host: '127.0.0.1', port: 0 })
  return { port: (running.server.address() as { port: number }).port }
})
