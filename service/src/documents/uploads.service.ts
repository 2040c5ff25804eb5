// Receives a file: first the row of the pending upload, then the bytes, then document and file in one transaction. A
// document never exists without its bytes. The orphan sweep marks the row of a stale upload and commits, removes the bytes
// in a later pass, and deletes the row last. After a crash between any two steps, the next sweep continues.
import { type BlobStore, RepositoryFullError, RepositoryUnavailableError } from '../blobs/blob-store.ts'
import type { Database, Tx } from '../db/database.ts'
import { RetryTransaction, storageFull } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { allInOrder, runPeriodically } from '../lib/async.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { declareProblem } from '../lib/problem.ts'
import type { ReadBytes } from './accepted-kinds.ts'
import * as documents from './documents.store.ts'
import { hashBlocks } from './integrity.ts'
import type { Repositories } from './repositories.ts'
import type { Scanner } from './scanner.ts'
import * as store from './uploads.store.ts'

export const uploadExpired = declareProblem({
  code: 'upload-expired',
  status: 503,
  title: 'The upload was aborted because it made no progress. Nothing was stored.',
  remedy: 'Send the file again.',
})

export const repositoryUnavailable = declareProblem({
  code: 'repository-unavailable',
  status: 503,
  title: 'The repository of this country does not respond at the moment.',
  remedy: 'Retry the same request after the seconds in Retry-After.',
})

// 403 and not 413 or 507: a retry does not help, but a raised quota does, so the response must not be stored for the
// Idempotency-Key; and it is no server error that alerts an operator.
export const quotaExceeded = declareProblem({
  code: 'quota-exceeded',
  status: 403,
  title: 'The files that this client has uploaded fill its quota. Nothing was stored.',
  remedy: 'Ask the operator to raise UPLOAD_QUOTA_BYTES, or to remove documents that are not needed.',
})

const HEARTBEAT_MS = 20_000
/** What is read at once from a stored file while it is inspected. */
const INSPECTED_BLOCK = 64 * 1024
/** Several heartbeats: a service that is paused for less than this can still finish its uploads. */
const STALE_MS = 150_000
/**
 * From the mark to the removal of the bytes. In this time, a service that is still connected to a former primary notices:
 * rows that it sees as stale may be documents on the new one.
 */
const DOOMED_MS = 120_000

export interface IncomingFile {
  content: AsyncIterable<Buffer>
  countryCode: string
  contentType: string
  fileName: string
  /** Inspects the stored bytes before the upload ends; returns their media type, or throws. */
  inspect?: ((read: ReadBytes, size: number) => Promise<string>) | undefined
}

export interface UploadFields {
  /** Null for a file that is uploaded for the person. */
  caseId: string | null
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
  /** Most bytes of live documents that one client, or one person, may have uploaded. */
  quotaBytes?: number | undefined
}

export type Uploads = ReturnType<typeof createUploads>

export function createUploads({ db, clock, repositories, scanner, log, quotaBytes = Infinity }: Parts) {
  /** Never fails: if it cannot remove the bytes, the row stays, and the sweep removes both. */
  const discard = async ({ blobKey, countryCode }: store.PendingUpload) => {
    try {
      await repositories.of(countryCode).delete(blobKey)
      await store.deletePending(db.sql, blobKey)
    } catch (error) {
      log.warn({ countryCode, blobKey, error: loggable(error) }, 'an upload is left to the sweep')
    }
  }

  return {
    /** Returns undefined if there is no such case. */
    findApplicant: (caseId: string) => documents.findCaseApplicant(db.sql, caseId),

    /** Whether there is such a person, primary applicant or dependent. */
    hasApplicant: (applicantId: string) => documents.hasApplicant(db.sql, applicantId),

    /** The same, within the transaction that stores the document: a merge may have absorbed the record meanwhile. */
    lockApplicant: ({ tx }: UnitOfWork, applicantId: string) => documents.lockApplicant(tx, applicantId),

    /** Most bytes of memory that an upload uses: to this country, or to any if the country is not known yet. */
    memoryFor: (countryCode?: string) => repositories.uploadMemory(countryCode),

    /** Throws if the client has used its quota, before a byte of its file is read. `commit` decides concurrent uploads. */
    async requireQuota(clientId: string): Promise<void> {
      if (quotaBytes !== Infinity && (await store.findUsage(db.sql, clientId)) >= quotaBytes)
        throw quotaExceeded()
    },

    /** Stores the bytes. They belong to no document until `commit`. */
    async receive({
      content,
      countryCode,
      contentType,
      fileName,
      inspect,
    }: IncomingFile): Promise<documents.StoredFile> {
      const blobKey = newId<'blob'>().replace('=', '')
      await store.insertPending(db.sql, { blobKey, countryCode }, clock.now())
      const expired = new AbortController()
      const heartbeat = async () => {
        if (!(await store.touchPending(db.sql, blobKey, clock.now()))) expired.abort(uploadExpired())
      }
      const stop = runPeriodically(HEARTBEAT_MS, heartbeat, () => {})
      try {
        const blobs = repositories.of(countryCode)
        const stored = await put(blobs, { blobKey, content, signal: expired.signal })
        const inspected = await inspect?.(readerOf(blobs, { blobKey, size: stored.size }), stored.size)
        return { blobKey, countryCode, fileName, contentType: inspected ?? contentType, ...stored }
      } catch (error) {
        await discard({ blobKey, countryCode })
        throw error instanceof RepositoryFullError
          ? storageFull()
          : error instanceof RepositoryUnavailableError
            ? repositoryUnavailable(undefined, { headers: { 'retry-after': '5' } })
            : error
      } finally {
        stop()
      }
    },

    /** Creates the document of the stored bytes. */
    async commit(
      unit: UnitOfWork,
      {
        file,
        fields,
        applicantId: expected,
      }: { file: documents.StoredFile; fields: UploadFields; applicantId: string },
    ): Promise<string> {
      const { tx, now, actor } = unit
      const documentId = newId<'document'>() as string
      const { caseId } = fields
      const applicantId = caseId === null ? expected : await lockCaseApplicant(tx, caseId, expected)
      await finish(unit, file)
      await Promise.all([
        documents.insertDocument(tx, {
          ...fields,
          documentId,
          applicantId,
          countryCode: file.countryCode,
          name: fields.name || file.fileName,
          now,
        }),
        documents.insertFile(tx, documentId, { file, uploadedBy: actor.clientId, now }),
      ])
      await countUsage(unit, file)
      const { fileName, contentType, size, sha256, countryCode } = file
      unit.audit({
        action: 'document.create',
        recordId: documentId,
        after: {
          ...fields,
          name: fields.name || fileName,
          applicantId,
          countryCode,
          fileName,
          contentType,
          size,
          sha256,
        },
      })
      unit.emit({
        type: 'document.created',
        recordId: documentId,
        data: { documentId, applicantId, caseId },
      })
      return documentId
    },

    /** The stored bytes become a version of the file of a document, which the caller creates in the same transaction. */
    async commitVersion(unit: UnitOfWork, file: documents.StoredFile): Promise<void> {
      await finish(unit, file)
      await countUsage(unit, file)
    },

    /** Removes received bytes that get no document. */
    discard,

    /** Removes the bytes of interrupted uploads. Returns their number. Each repository is swept independently. */
    async sweep(): Promise<number> {
      const now = clock.now()
      const before = (age: number) => new Date(now.getTime() - age)
      // On a former primary of a synchronously replicated database, this commit never returns, so nothing is removed.
      await db.transaction(async tx => {
        await store.writeNothing(tx, newId<'blob'>().replace('=', ''), now)
        await store.doomStale(tx, { since: before(STALE_MS), now })
      })
      const doomed = await store.listDoomed(db.sql, before(DOOMED_MS))
      const removed = await Promise.all([...doomed].map(([code, keys]) => removeDoomed(code, keys)))
      return removed.reduce((sum, count) => sum + count, 0)
    },
  }

  /** From now on the bytes belong to a document. */
  async function finish({ tx }: UnitOfWork, { blobKey }: documents.StoredFile): Promise<void> {
    if (!(await store.finishPending(tx, blobKey))) throw uploadExpired()
  }

  async function countUsage({ tx, actor }: UnitOfWork, { size }: documents.StoredFile): Promise<void> {
    // The row of the client is locked until the end of the transaction, so that concurrent uploads cannot exceed the quota.
    if ((await store.addUsage(tx, actor.clientId, size)) > quotaBytes) throw quotaExceeded()
  }

  /**
   * The applicant of the case, which a merge may have changed since the file arrived. It is locked, so that no merge changes
   * it before the document is stored.
   */
  async function lockCaseApplicant(tx: Tx, caseId: string, expected: string): Promise<string> {
    const applicantId = (await documents.findCaseApplicant(tx, caseId)) ?? expected
    const [, current] = await allInOrder([
      documents.lockCaseApplicant(tx, applicantId),
      documents.findCaseApplicant(tx, caseId),
    ])
    if (current !== applicantId) throw new RetryTransaction()
    return applicantId
  }

  /** Stops at the first error: a repository that is down would cost a timeout for every file. */
  async function removeDoomed(countryCode: string, blobKeys: string[]): Promise<number> {
    let removed = 0
    try {
      const blobs = repositories.of(countryCode)
      for (const blobKey of blobKeys) {
        await blobs.delete(blobKey, { quarantine: true })
        await store.deletePending(db.sql, blobKey)
        removed += 1
      }
    } catch (error) {
      const left = blobKeys.length - removed
      log.warn(
        { countryCode, left, error: loggable(error) },
        'interrupted uploads are left to the next sweep',
      )
    }
    return removed
  }

  async function put(
    blobs: BlobStore,
    { blobKey, content, signal }: { blobKey: string; content: AsyncIterable<Buffer>; signal: AbortSignal },
  ) {
    const scan = scanner?.scan(content)
    const hashed = hashBlocks(scan?.content ?? content)
    const stored = await blobs.put(blobKey, hashed.content, { signal })
    await scan?.verdict()
    return { ...stored, blockHashes: hashed.blockHashes() }
  }
}

/** Reads parts of a stored blob, in blocks: what is inspected mostly lies side by side. */
function readerOf(blobs: BlobStore, { blobKey, size }: { blobKey: string; size: number }): ReadBytes {
  const readRange = async (start: number, end: number): Promise<Buffer> => {
    const stream = await blobs.get(blobKey, { start, end })
    if (!stream) throw new RepositoryUnavailableError('A file that was just stored cannot be read.')
    try {
      return Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>))
    } catch (cause) {
      throw new RepositoryUnavailableError('A file that was just stored was not read to its end.', { cause })
    }
  }
  let block = { start: 0, bytes: Buffer.alloc(0) as Buffer }
  return async (start, length) => {
    if (start < 0 || start >= size || length <= 0) return Buffer.alloc(0)
    const end = Math.min(size, start + length)
    if (start < block.start || end > block.start + block.bytes.length) {
      const last = Math.min(size, Math.max(end, start + INSPECTED_BLOCK)) - 1
      block = { start, bytes: await readRange(start, last) }
    }
    return block.bytes.subarray(start - block.start, end - block.start)
  }
}

/** The message of a repository error is safe to log. Other messages may hold personal data, so only the name is. */
const loggable = (error: unknown) =>
  error instanceof RepositoryUnavailableError || error instanceof RepositoryFullError
    ? error.message
    : (error as Error).name
