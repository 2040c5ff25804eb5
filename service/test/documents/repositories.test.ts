import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BlobStore, RepositoryUnavailableError } from '../../src/blobs/blob-store.ts'
import { createRepositories } from '../../src/documents/repositories.ts'
import { silent } from '../support/harness.ts'

describe('the check of the repositories', () => {
  it('logs once what cannot be used and why, and that it can be used again', async () => {
    const lines: [string, object][] = []
    const log = {
      ...silent,
      error: (fields: object, message: string) => void lines.push([message, fields]),
      info: (fields: object, message: string) => void lines.push([message, fields]),
    }
    let error: Error | undefined = new RepositoryUnavailableError(
      '/mnt/de cannot be used: read-only (EROFS).',
    )
    const store = { check: async () => (error ? Promise.reject(error) : undefined) } as unknown as BlobStore
    const working = { check: async () => {} } as unknown as BlobStore
    const { check } = createRepositories({ DE: store, AT: store, FR: working }, log)
    // The outcome of a failed check is shared for a second.
    await assert.rejects(check(), /EROFS/)
    await sleep(1_100)
    await assert.rejects(check(), /EROFS/)
    error = undefined
    await sleep(1_100)
    await check()
    assert.deepEqual(lines, [
      [
        'a repository cannot be used',
        { countries: ['DE', 'AT'], reason: '/mnt/de cannot be used: read-only (EROFS).' },
      ],
      ['all repositories can be used again', {}],
    ])
  })
})
