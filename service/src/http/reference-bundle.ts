import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Scalar's browser bundle, compressed with gzip. */
export async function loadReferenceBundle(): Promise<Buffer> {
  const worker = new Worker(new URL('./reference-bundle.thread.ts', import.meta.url))
  const [bundle] = (await once(worker, 'message')) as [Uint8Array]
  return Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength)
}
