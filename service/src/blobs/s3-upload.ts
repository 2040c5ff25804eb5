// Uploads content of unknown size to S3 with lib-storage: one PutObject for a small file, else a multipart upload.
// lib-storage has no way to cancel requests in flight, and rejects on an abort while they still run. So the abort comes
// through the client and the body instead: `done` then settles when no request runs and the parts are removed.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { type PutResult, RepositoryFullError } from './blob-store.ts'
import type { ContentReader } from './content.ts'

const PART_SIZE = 6 * 1024 * 1024
const MAX_SIZE = 10_000 * PART_SIZE
const CONCURRENT_PARTS = 2
/** While lib-storage assembles a part, it holds those in flight, the chunks of the next one and the copy of them. */
export const UPLOAD_MEMORY = (CONCURRENT_PARTS + 2) * PART_SIZE

interface UploadOptions {
  client: S3Client
  target: { Bucket: string; Key: string }
  content: ContentReader
  signal: AbortSignal | undefined
  toRepositoryError(error: unknown): unknown
}

export async function upload(options: UploadOptions): Promise<PutResult> {
  const { client, target, content, signal, toRepositoryError } = options
  // Aborted by the first error, whether of the source, the store or the caller. Its reason is what `upload` throws.
  const stop = new AbortController()
  const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const hash = createHash('sha256')
  let size = 0

  async function* body(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of content.chunks(stopped)) {
        size += chunk.length
        if (size > MAX_SIZE)
          throw new RepositoryFullError(
            `${target.Bucket} takes files of at most ${Math.floor(MAX_SIZE / 2 ** 30)} GiB.`,
          )
        // lib-storage keeps the chunk, and the source may write to its memory again.
        const copy = Buffer.from(chunk)
        hash.update(copy)
        yield copy
      }
    } catch (error) {
      stop.abort(error)
      throw error
    }
  }

  const managed = new Upload({
    client: cancellable(client, stopped, error => stop.abort(toRepositoryError(error))),
    params: { ...target, Body: Readable.from(body()) },
    partSize: PART_SIZE,
    queueSize: CONCURRENT_PARTS,
    leavePartsOnError: false,
  })
  try {
    await managed.done()
  } catch (error) {
    // lib-storage removes the parts after a failed part, but not after a failed completion. Parts of a store that is
    // down are left to `sweep`.
    const UploadId = managed.uploadId
    if (UploadId) await client.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {})
    throw stopped.aborted ? stopped.reason : toRepositoryError(error)
  }
  return { size, sha256: hash.digest('hex') }
}

/**
 * The client with the signal for the requests that carry content. The request that creates the multipart upload gets no
 * signal: without its response, the upload has no id to be removed by.
 */
function cancellable(client: S3Client, signal: AbortSignal, onError: (error: unknown) => void): S3Client {
  const send = async (command: Parameters<S3Client['send']>[0]) => {
    const hasContent = command instanceof UploadPartCommand || command instanceof PutObjectCommand
    try {
      // Once the completion is sent, the object may exist, and the upload counts as done.
      if (command instanceof CompleteMultipartUploadCommand) signal.throwIfAborted()
      return await client.send(command, hasContent ? { abortSignal: signal } : {})
    } catch (error) {
      onError(error)
      throw error
    }
  }
  return Object.assign(Object.create(client), { send })
}
