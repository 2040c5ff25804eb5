// Blobs in a bucket of S3 or of a compatible store. The key of a blob is the key of the object.
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { isId, newId } from '../lib/ids.ts'
import { assertKey, assertRange, type BlobStore, RepositoryUnavailableError } from './blob-store.ts'
import { openContent } from './content.ts'
import {
  createClient,
  isBeyondEnd,
  isForbidden,
  isMissing,
  type S3Location,
  toRepositoryError,
} from './s3-client.ts'
import { UPLOAD_MEMORY, upload } from './s3-upload.ts'

const DAY = 86_400_000
/** A MiB each: chunks as they arrive, the block that is verified, and the block in the socket. */
const DOWNLOAD_MEMORY = 3 * 1024 * 1024

export function createS3Store(location: S3Location): BlobStore {
  const client = createClient(location)
  const Bucket = location.bucket
  let isWritable = false

  const withRepositoryErrors = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(error => {
      throw toRepositoryError(location, error)
    })

  const assertBucketExists = async () => {
    await client.send(new HeadBucketCommand({ Bucket })).catch(error => {
      if (!isMissing(error)) throw error
      throw new RepositoryUnavailableError(`There is no bucket ${Bucket}: create it, or correct the setting.`)
    })
  }

  async function* listUploads(Prefix?: string): AsyncGenerator<MultipartUpload> {
    let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {}
    while (from) {
      const page: ListMultipartUploadsCommandOutput = await client.send(
        new ListMultipartUploadsCommand({ Bucket, Prefix, ...from }),
      )
      yield* page.Uploads ?? []
      from = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined
    }
  }

  const abortUploads = async (key: string) => {
    for await (const { Key, UploadId } of listUploads(key))
      if (Key === key) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }

  return {
    memory: { put: UPLOAD_MEMORY, get: DOWNLOAD_MEMORY },

    async put(key, content, { signal } = {}) {
      const reader = openContent(content)
      try {
        assertKey(key)
        return await upload({
          client,
          target: { Bucket, Key: key },
          content: reader,
          signal,
          toRepositoryError: error => toRepositoryError(location, error),
        })
      } finally {
        reader.discard()
      }
    },

    async get(key, range) {
      assertKey(key)
      assertRange(range)
      const Range = range && `bytes=${range.start}-${range.end}`
      return withRepositoryErrors(async () => {
        try {
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key, Range }))
          return Body as Readable
        } catch (error) {
          if (isMissing(error)) return undefined
          if (isBeyondEnd(error)) throw new RangeError(`There is no byte ${range?.start}.`)
          throw error
        }
      })
    },

    async stat(key) {
      assertKey(key)
      return withRepositoryErrors(async () => {
        try {
          const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key: key }))
          return { size: ContentLength ?? 0 }
        } catch (error) {
          if (!isMissing(error)) throw error
          // A HEAD response has no body that tells a missing object from a missing bucket.
          await assertBucketExists()
          return undefined
        }
      })
    },

    async delete(key) {
      assertKey(key)
      await withRepositoryErrors(async () => {
        await client.send(new DeleteObjectCommand({ Bucket, Key: key })).catch(error => {
          if (!isMissing(error)) throw error
        })
        await abortUploads(key).catch(error => {
          // The right to write does not include the right to list uploads; `sweep` reports if it is missing.
          if (!isForbidden(error)) throw error
        })
      })
    },

    // Where the bucket has versions, an operator removes the delete marker.
    restore: async () => false,

    async *list({ prefix = '' } = {}) {
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })
      for (;;) {
        const page = await withRepositoryErrors(() => pages.next())
        if (page.done) return
        for (const { Key = '', Size = 0, LastModified } of page.value.Contents ?? [])
          if (isId(Key) && LastModified) yield { key: Key, size: Size, modifiedAt: LastModified }
      }
    },

    // An upload has the time of its start, so a day: a slow put that is still running must not be swept.
    async sweep(before = new Date(Date.now() - DAY)) {
      return withRepositoryErrors(async () => {
        let removed = 0
        for await (const { Key, UploadId, Initiated } of listUploads()) {
          if (!Key || !isId(Key) || !Initiated || Initiated >= before) continue
          await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
          removed++
        }
        return removed
      })
    },

    async check() {
      await withRepositoryErrors(async () => {
        await assertBucketExists()
        if (isWritable) return
        // Tests the right to write, and leaves neither an object nor a version.
        const target = { Bucket, Key: newId() }
        const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
        await client.send(new AbortMultipartUploadCommand({ ...target, UploadId }))
        isWritable = true
      })
    },
  }
}
