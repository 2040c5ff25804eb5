// The limit "bare": a Fastify route that answers the bytes it was given, and does nothing else.
import Fastify, { type FastifyInstance } from 'fastify'
import { serve } from './children.ts'

let running: FastifyInstance | undefined

serve(async ({ status, type, body }: { status: number; type: string; body: string }) => {
  await running?.close()
  running = Fastify()
  running.all('/*', (_request, reply) => reply.code(status).header('content-type', type).send(body))
  await running.listen({ host: '127.0.0.1', port: 0 })
  return { port: (running.server.address() as { port: number }).port }
})
