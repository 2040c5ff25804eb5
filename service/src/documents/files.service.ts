// Files on their way out: whole or in part, every block checked before it is sent.
import { PlaceUnavailable } from '../blobs/blob-store.ts'
import type { Sql } from '../db/database.ts'
import { declareProblem } from '../lib/problem.ts'
import { findFile, type StoredFile } from './documents.store.ts'
import { blocksAround, checkedBlocks, type Span } from './integrity.ts'
import type { Repositories } from './repositories.ts'
import { repositoryUnavailable } from './uploads.service.ts'

export const fileNotFound = declareProblem({
  code: 'file-not-found',
  status: 404,
  title: 'The document has no file.',
  remedy: 'Documents of an applicant record carry data only; `hasFile` tells.',
})
export const fileDamaged = declareProblem({
  code: 'file-damaged',
  status: 500,
  title: 'The stored file is damaged and is not served.',
  remedy: 'Ask the operator to restore the file from a backup; the requestId leads to it.',
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
      const file = await findFile(sql, documentId)
      if (file) return file
      await exists(documentId)
      throw fileNotFound()
    },

    /** What sending this part of the file holds in memory at most. */
    memoryFor(file: StoredFile, span: Span): number {
      const read = blocksAround(span, file.size)
      return Math.min(repositories.of(file.countryCode).memory.get, read.end - read.start + 1)
    },

    /**
     * Throws before the first byte where that is damaged or missing; later, the blocks end in an error, also where the
     * signal is aborted.
     */
    async open(file: StoredFile, span: Span, signal?: AbortSignal): Promise<AsyncGenerator<Buffer>> {
      const read = blocksAround(span, file.size)
      const content = await repositories
        .of(file.countryCode)
        .get(file.blobKey, read)
        .catch(error => {
          if (error instanceof RangeError) return undefined
          throw error instanceof PlaceUnavailable
            ? repositoryUnavailable(undefined, { headers: { 'retry-after': '5' } })
            : error
        })
      if (!content) throw fileDamaged()
      const blocks = checkedBlocks({ content, read, span, blockHashes: file.blockHashes })
      const giveUp = () => content.destroy(new Error('The download was given up.'))
      if (signal?.aborted) giveUp()
      signal?.addEventListener('abort', giveUp, { once: true })
      const first = await blocks.next().catch(() => undefined)
      if (signal?.aborted) {
        await blocks.return(undefined)
        throw repositoryUnavailable(undefined, { headers: { 'retry-after': '5' } })
      }
      if (!first || first.done) throw fileDamaged()
      return startingWith(first.value, blocks)
    },
  }
}

async function* startingWith(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}
