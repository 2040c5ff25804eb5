// Takes a file in: row of intent, bytes, then document and file in one transaction. A document never exists without its
// bytes; bytes without a document are swept.
import { type BlobStore, NoRoom, PlaceUnavailable } from '../blobs/blob-store.ts'
import type { Database } from '../db/database.ts'
import { storageFull } from '../db/sqlstate.ts'
import type { Unit } from '../db/unit.ts'
import type { Clock } from '../lib/clock.ts'
import { every } from '../lib/every.ts'
import { newId } from '../lib/ids.ts'
import { letGo } from '../lib/let-go.ts'
import { declareProblem } from '../lib/problem.ts'
import * as documents from './documents.store.ts'
import { hashingBlocks } from './integrity.ts'
import type { Repositories } from './repositories.ts'
import type { Scanner } from './scanner.ts'
import * as store from './uploads.store.ts'

export const uploadExpired = declareProblem({
  code: 'upload-expired',
  status: 503,
  title: 'The upload was given up because it made no progress for too long. Nothing was stored.',
  remedy: 'Send the file again.',
})

export const repositoryUnavailable = declareProblem({
  code: 'repository-unavailable',
  status: 503,
  title: 'The place where the files of this country are kept does not answer at the moment.',
  remedy: 'Send the same request again after the seconds that Retry-After names.',
})

const HEARTBEAT = 20_000
/** Several heartbeats: a service that is paused for less than this can still finish its uploads. */
const STALE = 150_000

export interface Incoming {
  content: AsyncIterable<Buffer>
  countryCode: string
  contentType: string
  fileName: string
}

export interface UploadFields {
  caseId: string
  type: string | null
  name: string | null
  description: string | null
  issueDate: string | null
  expiryDate: string | null
  referenceNumber: string | null
  country: string | null
}

interface Parts {
  db: Database
  clock: Clock
  repositories: Repositories
  scanner: Scanner | undefined
}

export type Uploads = ReturnType<typeof createUploads>

export function createUploads({ db, clock, repositories, scanner }: Parts) {
  const discard = async (blobKey: string, countryCode: string) => {
    await repositories.of(countryCode).delete(blobKey)
    await store.deletePending(db.sql, blobKey)
  }

  return {
    /** Undefined where there is no such case. */
    findApplicant: (caseId: string) => documents.findCaseApplicant(db.sql, caseId),

    /** Stores the bytes; they belong to nothing yet. */
    async receive({ content, countryCode, contentType, fileName }: Incoming): Promise<documents.StoredFile> {
      const blobKey = newId<'blob'>().replace('=', '')
      await store.insertPending(db.sql, { blobKey, countryCode }, clock.now())
      const stop = every(
        HEARTBEAT,
        () => store.touchPending(db.sql, blobKey, clock.now()),
        () => {},
      )
      try {
        const { size, sha256, blockHashes } = await put(repositories.of(countryCode), blobKey, content)
        return { blobKey, countryCode, fileName, contentType, size, sha256, blockHashes }
      } catch (error) {
        await discard(blobKey, countryCode).catch(() => {}) // The sweep will find what could not be removed now.
        throw error instanceof NoRoom
          ? storageFull()
          : error instanceof PlaceUnavailable
            ? repositoryUnavailable(undefined, { headers: { 'retry-after': '5' } })
            : error
      } finally {
        stop()
      }
    },

    /** Makes the document that the bytes belong to. */
    async commit(
      unit: Unit,
      {
        file,
        fields,
        applicantId,
      }: { file: documents.StoredFile; fields: UploadFields; applicantId: string },
    ): Promise<string> {
      const { tx, now } = unit
      if (!(await store.deletePending(tx, file.blobKey))) throw uploadExpired()
      const documentId = newId<'document'>() as string
      const { caseId } = fields
      await Promise.all([
        documents.insertDocument(tx, {
          ...fields,
          documentId,
          applicantId,
          name: fields.name || file.fileName,
          now,
        }),
        documents.insertFile(tx, documentId, { file, now }),
      ])
      unit.audit({ action: 'document.create', recordId: documentId })
      unit.emit({ type: 'document.created', recordId: documentId, data: { documentId, applicantId, caseId } })
      return documentId
    },

    /** For bytes that were received and are not wanted after all. */
    discard: (file: documents.StoredFile) => discard(file.blobKey, file.countryCode),

    /** Removes the bytes of uploads that nobody works on any more; answers how many. */
    async sweep(): Promise<number> {
      const since = new Date(clock.now().getTime() - STALE)
      for (let swept = 0; ; swept++) {
        // The bytes go first, under the lock: a crash in between leaves the row, and the next sweep does it again.
        const found = await db.transaction(async tx => {
          const stale = await store.lockStale(tx, since)
          if (!stale) return false
          await repositories.of(stale.countryCode).delete(stale.blobKey)
          return store.deletePending(tx, stale.blobKey)
        })
        if (!found) return swept
      }
    },
  }

  async function put(blobs: BlobStore, blobKey: string, content: AsyncIterable<Buffer>) {
    const scan = scanner?.scanning(content)
    // The scanner may be sent a chunk after it has been stored.
    const hashed = scan ? hashingBlocks(scan.content) : hashingBlocks(content, letGo)
    const stored = await blobs.put(blobKey, hashed.content)
    await scan?.verdict()
    return { ...stored, blockHashes: hashed.blockHashes() }
  }
}
