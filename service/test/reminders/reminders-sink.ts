// An SMTP server on 127.0.0.1 that records the mails it receives, and rejects them on request.
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { SMTPServer } from 'smtp-server'

export interface Mail {
  from: string
  to: string[]
  headers: string
  /** Headers and body, with quoted-printable decoded. */
  text: string
}

export async function startMailSink() {
  const mails: Mail[] = []
  let rejectionCode: number | undefined
  let rejectedRecipient: string | undefined
  let delay: Promise<unknown> | undefined
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    closeTimeout: 50,
    onRcptTo({ address }, _session, callback) {
      callback(
        address === rejectedRecipient
          ? Object.assign(new Error('rejected'), { responseCode: rejectionCode })
          : undefined,
      )
    },
    async onData(stream, { envelope }, callback) {
      const raw = Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>)).toString()
      if (rejectionCode && !rejectedRecipient)
        return callback(Object.assign(new Error('rejected'), { responseCode: rejectionCode }))
      mails.push({
        from: (envelope.mailFrom || { address: '' }).address,
        to: envelope.rcptTo.map(({ address }) => address),
        headers: raw.slice(0, raw.indexOf('\r\n\r\n')),
        text: decodeQuotedPrintable(raw),
      })
      await delay
      callback()
    },
  })
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => new Promise<void>(resolve => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  return {
    mails,
    mail: {
      smtpUrl: `smtp://127.0.0.1:${port}`,
      from: 'Caseport <renewals@example.com>',
      cc: undefined,
      requireTls: false,
    },
    /** Rejects each mail or, with a recipient, only that one. */
    rejectWith(code: number | undefined, recipient?: string) {
      rejectionCode = code
      rejectedRecipient = recipient
    },
    delayResponses(until: Promise<unknown>) {
      delay = until
    },
  }
}

function decodeQuotedPrintable(text: string): string {
  const joined = text.replace(/=\r\n/g, '')
  return joined.replace(/(?:=[\dA-F]{2})+/g, codes =>
    Buffer.from(codes.replaceAll('=', ''), 'hex').toString(),
  )
}
