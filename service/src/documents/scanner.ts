// A client of clamd's INSTREAM command. A file is scanned while it is stored, and must be clean before its document is
// created. It fails closed: while the scanner is down, uploads are rejected.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { declareProblem } from '../lib/problem.ts'

export const fileInfected = declareProblem({
  code: 'file-infected',
  status: 422,
  title: 'The virus scanner rejected this file. Nothing was stored.',
  remedy: 'Send a clean file.',
})
export const tooLargeToScan = declareProblem({
  code: 'file-too-large-to-scan',
  status: 413,
  title: 'The file is larger than the virus scanner accepts. Nothing was stored.',
  remedy: 'Send a smaller file, or ask the operator to raise StreamMaxLength of the scanner.',
})
export const scannerUnavailable = declareProblem({
  code: 'scanner-unavailable',
  status: 503,
  title: 'The virus scanner does not respond, so uploads are rejected.',
  remedy: 'Retry the same request after the seconds in Retry-After.',
})

const TIMEOUT = 60_000

export type Scanner = ReturnType<typeof createScanner>

/** `url` is `tcp://host:port` or `unix:/path`. */
export function createScanner(url: string) {
  const openSocket = (): Socket => {
    if (url.startsWith('unix:')) return connect(url.slice('unix:'.length).replace(/^\/\/(?=\/)/, ''))
    const { hostname, port } = new URL(url)
    return connect(Number(port || 3310), hostname)
  }

  return {
    /** Passes the content through to the scanner; `verdict` throws unless it is clean. */
    scan(content: AsyncIterable<Buffer>) {
      const socket = openSocket()
      socket.setTimeout(TIMEOUT, () => socket.destroy(new Error('The scanner timed out.')))
      let response = ''
      let failed: Error | undefined
      socket.on('data', data => {
        response += data.toString('latin1')
      })
      socket.on('error', error => {
        failed = error
      })
      const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
      const write = async (data: Buffer) => {
        if (!failed && !socket.destroyed && !socket.write(data))
          await Promise.race([once(socket, 'drain').catch(() => {}), closed])
      }

      async function* pass() {
        try {
          await write(Buffer.from('zINSTREAM\0'))
          for await (const chunk of content) {
            const length = Buffer.alloc(4)
            length.writeUInt32BE(chunk.length)
            await write(length)
            await write(chunk)
            yield chunk
          }
          await write(Buffer.alloc(4))
        } finally {
          socket.end()
        }
      }

      return {
        content: pass(),
        async verdict(): Promise<void> {
          await closed
          if (/^stream: OK\0?\s*$/.test(response)) return
          if (/FOUND/.test(response)) throw fileInfected()
          if (/size limit exceeded/i.test(response)) throw tooLargeToScan()
          throw scannerUnavailable(undefined, { headers: { 'retry-after': '30' } })
        },
      }
    },
  }
}
