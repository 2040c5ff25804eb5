import { once } from 'node:events'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { gunzip } from 'node:zlib'

/** Scalar's browser bundle. */
export interface ReferenceBundle {
  /** With gzip. */
  compressed: Buffer
  /** One buffer for all callers, made when the first of them needs it. */
  plain(): Promise<Buffer>
}

export async function loadReferenceBundle(): Promise<ReferenceBundle> {
  const worker = new Worker(new URL('./reference-bundle.thread.ts', import.meta.url))
  const [bundle] = (await once(worker, 'message')) as [Uint8Array]
  const compressed = Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength)
  let plain: Promise<Buffer> | undefined
  return {
    compressed,
    plain() {
      plain ??= promisify(gunzip)(compressed)
      return plain
    },
  }
}
