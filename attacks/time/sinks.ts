// Receives reminders: an SMTP server and a webhook receiver in the process of the attack, so that killing the service loses
// nothing that has arrived.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface Sink {
  url: string
  /** Deduplication id to the notification or document the message is about. */
  arrived: Map<string, string>
  /** All messages, including duplicates. */
  total(): number
  close(): void
}

/** Mails by Message-ID; the value is the id of the notification in it, without padding. The text names no document. */
export async function startMailSink(): Promise<Sink> {
  const arrived = new Map<string, string>()
  let total = 0
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 50,
    async onData(stream, _session, callback) {
      const mail = await text(stream).catch(() => undefined)
      // The service was killed while sending.
      if (mail === undefined) return callback(new Error('cut off'))
      const head = mail.split('\r\n\r\n', 1)[0]?.replace(/\r\n[ \t]/g, ' ') ?? ''
      const id = /^Message-ID: (.*)$/im.exec(head)?.[1] ?? `none ${total}`
      const about = /^<renewal\.(.*)@/.exec(id)?.[1] ?? head
      total++
      arrived.set(id, about)
      callback()
    },
  })
  // Clients are killed on purpose.
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, arrived, total: () => total, close: () => server.close() }
}

/** Events by webhook-id; the value is the document id. */
export async function startWebhookSink(): Promise<Sink> {
  const arrived = new Map<string, string>()
  let total = 0
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    total++
    arrived.set(String(request.headers['webhook-id']), JSON.parse(body).data.documentId)
    response.writeHead(204).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, arrived, total: () => total, close }
}
