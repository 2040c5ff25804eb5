// Takes a file in: row of intent, bytes, then document and file in one transaction. A document never exists without its
// bytes. Bytes without a document are swept: the row is marked and committed, the bytes are removed in a later pass, and the
// row goes last. A crash between any two of these leaves a state that the next sweep continues from.
import { type BlobStore, NoRoom, PlaceUnavailable } from '../blobs/blob-store.ts'
import type { Database } from '../db/database.ts'
import { storageFull } from '../db/sqlstate.ts'
import type { Unit } from '../db/unit.ts'
import type { Clock } from '../lib/clock.ts'
import { every } from '../lib/every.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
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
/**
 * From the mark to the removal of the bytes. A service that still talks to a former primary must find out in this time:
 * the rows that it sees as interrupted may be documents on the new one.
 */
const DOOMED = 120_000

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
  log: Log
}

export type Uploads = ReturnType<typeof createUploads>

export function createUploads({ db, clock, repositories, scanner, log }: Parts) {
  /** Where it fails, the row stays and the sweep removes both: a failed clean-up must not replace the caller's response. */
  const discard = async ({ blobKey, countryCode }: store.PendingUpload) => {
    try {
      await repositories.of(countryCode).delete(blobKey)
      await store.deletePending(db.sql, blobKey)
    } catch (error) {
      log.warn({ countryCode, blobKey, error: nameOf(error) }, 'an upload is left to the sweep')
    }
  }

  return {
    /** Undefined where there is no such case. */
    findApplicant: (caseId: string) => documents.findCaseApplicant(db.sql, caseId),

    /** What receiving a file holds in memory at most, for this country or for any. */
    memoryFor: (countryCode?: string) => repositories.uploadMemory(countryCode),

    /** Stores the bytes; they belong to nothing yet. */
    async receive({ content, countryCode, contentType, fileName }: Incoming): Promise<documents.StoredFile> {
      const blobKey = newId<'blob'>().replace('=', '')
      await store.insertPending(db.sql, { blobKey, countryCode }, clock.now())
      const givenUp = new AbortController()
      const heartbeat = async () => {
        if (!(await store.touchPending(db.sql, blobKey, clock.now()))) givenUp.abort(uploadExpired())
      }
      const stop = every(HEARTBEAT, heartbeat, () => {})
      try {
        const stored = await put(repositories.of(countryCode), { blobKey, content, signal: givenUp.signal })
        return { blobKey, countryCode, fileName, contentType, ...stored }
      } catch (error) {
        await discard({ blobKey, countryCode })
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
      if (!(await store.finishPending(tx, file.blobKey))) throw uploadExpired()
      const documentId = newId<'document'>() as string
      const { caseId } = fields
      await Promise.all([
        documents.insertDocument(tx, {
          ...fields,
          documentId,
          applicantId,
          countryCode: file.countryCode,
          name: fields.name || file.fileName,
          now,
        }),
        documents.insertFile(tx, documentId, { file, now }),
      ])
      unit.audit({ action: 'document.create', recordId: documentId })
      unit.emit({
        type: 'document.created',
        recordId: documentId,
        data: { documentId, applicantId, caseId },
      })
      return documentId
    },

    /** For bytes that were received and are not wanted after all. Never fails. */
    discard,

    /** Removes the bytes of interrupted uploads; returns how many. Repositories are swept independently of each other. */
    async sweep(): Promise<number> {
      const now = clock.now()
      const before = (age: number) => new Date(now.getTime() - age)
      // A former primary of a synchronously replicated database does not get past this line: its commits wait for ever.
      await store.doomStale(db.sql, { since: before(STALE), now })
      const doomed = await store.listDoomed(db.sql, before(DOOMED))
      const removed = await Promise.all([...doomed].map(([code, keys]) => removeDoomed(code, keys)))
      return removed.reduce((sum, count) => sum + count, 0)
    },
  }

  /** Stops at the first failure: a repository that is down would cost its time-out for every file. */
  async function removeDoomed(countryCode: string, blobKeys: string[]): Promise<number> {
    let removed = 0
    try {
      const blobs = repositories.of(countryCode)
      for (const blobKey of blobKeys) {
        await blobs.delete(blobKey)
        await store.deletePending(db.sql, blobKey)
        removed += 1
      }
    } catch (error) {
      const left = blobKeys.length - removed
      log.warn({ countryCode, left, error: nameOf(error) }, 'interrupted uploads are left to the next sweep')
    }
    return removed
  }

  async function put(
    blobs: BlobStore,
    { blobKey, content, signal }: { blobKey: string; content: AsyncIterable<Buffer>; signal: AbortSignal },
  ) {
    const scan = scanner?.scanning(content)
    const hashed = hashingBlocks(scan?.content ?? content)
    const stored = await blobs.put(blobKey, hashed.content, { signal })
    await scan?.verdict()
    return { ...stored, blockHashes: hashed.blockHashes() }
  }
}

/** A repository says in one line what is wrong with it; of other errors only the name is certain to be harmless. */
const nameOf = (error: unknown) =>
  error instanceof PlaceUnavailable || error instanceof NoRoom ? error.message : (error as Error).name
