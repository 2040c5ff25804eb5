// The baseline "pipe": bytes from a socket to a file on disk and back, with their SHA-256 both times, in plain Node
// streams. A file is sent as its length in 8 bytes and its content; the reply is its digest. A length of 0 requests the
// last file.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { serve } from './children.ts'

serve(async ({ folder }: { folder: string }) => {
  const server = createServer(socket => void serveConnection(socket, folder).catch(() => socket.destroy()))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as { port: number }).port }
})

let files = 0
const digests = new Map<string, Buffer>()

async function serveConnection(socket: Socket, folder: string): Promise<void> {
  const path = join(folder, `pipe-${files++ % 300}`)
  const source = socket[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  for (;;) {
    while (rest.length < 8) {
      const { value, done } = await source.next()
      if (done) return
      rest = Buffer.concat([rest, value])
    }
    const length = Number(rest.readBigUInt64BE())
    rest = rest.subarray(8)
    if (length === 0) {
      const read = createHash('sha256')
      for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
        read.update(chunk)
        if (!socket.write(chunk)) await once(socket, 'drain')
      }
      if (!read.digest().equals(digests.get(path) ?? Buffer.alloc(0))) throw new Error('The file is damaged.')
      continue
    }
    const hash = createHash('sha256')
    async function* content() {
      let missing = length
      while (missing > 0) {
        const chunk: Buffer = rest.length > 0 ? rest : (await source.next()).value
        const chunkPart = chunk.subarray(0, missing)
        rest = chunk.subarray(chunkPart.length)
        missing -= chunkPart.length
        hash.update(chunkPart)
        yield chunkPart
      }
    }
    await pipeline(content, createWriteStream(path, { flush: true, highWaterMark: 1024 * 1024 }))
    const digest = hash.digest()
    digests.set(path, digest)
    socket.write(digest)
  }
}
