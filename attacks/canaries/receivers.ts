// External receivers: an SMTP server that rejects every recipient by name, and a webhook receiver.
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import type { Context } from '../attack.ts'

export async function startSmtpServer({ after }: Context) {
  let rejected = 0
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.write('220 smtp\r\n')
    socket.on('data', data => {
      for (const line of data.toString().split('\r\n').filter(Boolean)) {
        if (/^rcpt/i.test(line)) rejected += 1
        socket.write(
          /^rcpt/i.test(line)
            ? `550 ${line} is unknown here\r\n`
            : /^quit/i.test(line)
              ? '221 bye\r\n'
              : '250 ok\r\n',
        )
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as { port: number }
  return { url: `smtp://127.0.0.1:${port}`, count: () => rejected }
}

export async function startWebhookSink({ after }: Context) {
  const bodies: string[] = []
  const server = createHttpServer((request, response) => {
    let body = ''
    request.on('data', data => {
      body += data
    })
    request.on('end', () => {
      bodies.push(`${JSON.stringify(request.headers)} ${body}`)
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, received: () => bodies.join('\n'), count: () => bodies.length }
}
