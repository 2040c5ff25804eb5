// Owns blobs in a bucket of S3, or of a store that speaks its language. The key of a blob is the key of the object.
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
import { assertKey, assertRange, type BlobStore, PlaceUnavailable } from './blob-store.ts'
import { createClient, faultOf, isBeyondEnd, isForbidden, isMissing, type S3Place } from './s3-client.ts'
import { UPLOAD_MEMORY, upload } from './s3-upload.ts'
import { openSource } from './source.ts'

const DAY = 86_400_000
/** What arrives, put together to be checked, and the block that is being sent: a MiB each. */
const DOWNLOAD_MEMORY = 3 * 1024 * 1024

export function createS3Store(place: S3Place): BlobStore {
  const client = createClient(place)
  const Bucket = place.bucket
  let written = false

  const guard = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(error => {
      throw faultOf(place, error)
    })

  const assertThere = async () => {
    await client.send(new HeadBucketCommand({ Bucket })).catch(error => {
      if (!isMissing(error)) throw error
      throw new PlaceUnavailable(`There is no bucket ${Bucket}: create it, or correct the setting.`)
    })
  }

  async function* uploads(Prefix?: string): AsyncGenerator<MultipartUpload> {
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

  const abortAll = async (key: string) => {
    for await (const { Key, UploadId } of uploads(key))
      if (Key === key) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }

  return {
    memory: { put: UPLOAD_MEMORY, get: DOWNLOAD_MEMORY },

    async put(key, content, { signal } = {}) {
      const source = openSource(content)
      try {
        assertKey(key)
        return await upload({
          client,
          target: { Bucket, Key: key },
          source,
          signal,
          toRepositoryError: error => faultOf(place, error),
        })
      } finally {
        source.discard()
      }
    },

    async get(key, range) {
      assertKey(key)
      assertRange(range)
      const Range = range && `bytes=${range.start}-${range.end}`
      return guard(async () => {
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
      return guard(async () => {
        try {
          const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key: key }))
          return { size: ContentLength ?? 0 }
        } catch (error) {
          if (!isMissing(error)) throw error
          // An answer without a body does not say which of the two is missing.
          await assertThere()
          return undefined
        }
      })
    },

    async delete(key) {
      assertKey(key)
      await guard(async () => {
        await client.send(new DeleteObjectCommand({ Bucket, Key: key })).catch(error => {
          if (!isMissing(error)) throw error
        })
        await abortAll(key).catch(error => {
          // Who may write need not be allowed to see what is being written; `sweep` says so where that is missing.
          if (!isForbidden(error)) throw error
        })
      })
    },

    async *list({ prefix = '' } = {}) {
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })
      for (;;) {
        const page = await guard(() => pages.next())
        if (page.done) return
        for (const { Key = '', Size = 0, LastModified } of page.value.Contents ?? [])
          if (isId(Key) && LastModified) yield { key: Key, size: Size, modifiedAt: LastModified }
      }
    },

    // The time of an upload is that of its beginning, so a day: a slow put that is alive must not be swept away.
    async sweep(before = new Date(Date.now() - DAY)) {
      return guard(async () => {
        let removed = 0
        for await (const { Key, UploadId, Initiated } of uploads()) {
          if (!Key || !isId(Key) || !Initiated || Initiated >= before) continue
          await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
          removed++
        }
        return removed
      })
    },

    async check() {
      await guard(async () => {
        await assertThere()
        if (written) return
        // Begun and dropped: that asks for the right to write, and leaves neither an object nor a version of one.
        const target = { Bucket, Key: newId() }
        const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
        await client.send(new AbortMultipartUploadCommand({ ...target, UploadId }))
        written = true
      })
    },
  }
}
