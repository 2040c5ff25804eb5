// Downloads: a file or a range of it, every block verified before it is sent.
import { RepositoryUnavailableError } from '../blobs/blob-store.ts'
import type { Sql } from '../db/database.ts'
import { isFindable } from '../lib/ids.ts'
import { declareProblem } from '../lib/problem.ts'
import { findFile, type StoredFile } from './documents.store.ts'
import { blocksAround, DamagedFileError, type Span, verifyBlocks } from './integrity.ts'
import type { Repositories } from './repositories.ts'
import { repositoryUnavailable } from './uploads.service.ts'

export const fileNotFound = declareProblem({
  code: 'file-not-found',
  status: 404,
  title: 'The document has no file.',
  remedy: 'Read the document first: only one with `hasFile` true has a file.',
})
export const fileDamaged = declareProblem({
  code: 'file-damaged',
  status: 500,
  title: 'The stored file is damaged and cannot be downloaded.',
  remedy: 'Report the requestId to the operator, who can restore the file from a backup.',
})

export type Files = ReturnType<typeof createFiles>

export function createFiles({
  sql,
  repositories,
  exists,
}: {
  sql: Sql
  repositories: Repositories
  exists: (documentId: string) => Promise<unknown>
}) {
  return {
    async get(documentId: string): Promise<StoredFile> {
      const file = isFindable(documentId) ? await findFile(sql, documentId) : undefined
      if (file) return file
      await exists(documentId)
      throw fileNotFound()
    },

    /** Most bytes of memory that a download of this span uses. */
    memoryFor(file: StoredFile, span: Span): number {
      const read = blocksAround(span, file.size)
      return Math.min(repositories.of(file.countryCode).memory.get, read.end - read.start + 1)
    },

    /**
     * Rejects if the first block is damaged or missing. A later error, or an abort of the signal, is thrown by the
     * generator.
     */
    async open(file: StoredFile, span: Span, signal?: AbortSignal): Promise<AsyncGenerator<Buffer>> {
      const read = blocksAround(span, file.size)
      const blobs = repositories.of(file.countryCode)
      const find = async () => {
        const found = await blobs.get(file.blobKey, read)
        // A sweep on a database that had lost its newest rows may have taken the bytes for an interrupted upload.
        return found ?? ((await blobs.restore(file.blobKey)) ? blobs.get(file.blobKey, read) : undefined)
      }
      const content = await find().catch(error => {
        if (error instanceof RangeError) return undefined
        throw error instanceof RepositoryUnavailableError
          ? repositoryUnavailable(undefined, { headers: { 'retry-after': '5' } })
          : error
      })
      if (!content) throw fileDamaged()
      const blocks = verifyBlocks({ content, read, span, blockHashes: file.blockHashes })
      const destroy = () => content.destroy(new Error('The download was aborted.'))
      if (signal?.aborted) destroy()
      signal?.addEventListener('abort', destroy, { once: true })
      const unavailable = () => repositoryUnavailable(undefined, { headers: { 'retry-after': '5' } })
      const first = await blocks.next().catch(error => {
        // Any other error is one of reading, not of what was read.
        throw error instanceof DamagedFileError ? fileDamaged() : unavailable()
      })
      if (signal?.aborted) {
        await blocks.return(undefined)
        throw unavailable()
      }
      if (first.done) throw fileDamaged()
      return prepend(first.value, blocks)
    },
  }
}

async function* prepend(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}
