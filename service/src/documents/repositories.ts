// Maps country codes to repositories. The bytes of a file pass through no other repository than that of its country.
import { type BlobStore, RepositoryFullError, RepositoryUnavailableError } from '../blobs/blob-store.ts'
import { shareOutcome } from '../lib/async.ts'
import { errorForLog, type Log } from '../lib/log.ts'

/** A check writes to every repository, so that callers of a public route share its outcome for this time. */
const SHARED_MS = { resultMs: 5_000, errorMs: 1_000 }

export type Repositories = ReturnType<typeof createRepositories>

export function createRepositories(stores: Record<string, BlobStore>, log: Log) {
  const of = (countryCode: string): BlobStore => {
    const store = stores[countryCode]
    if (!store) throw new Error(`There is no repository for ${countryCode}.`)
    return store
  }

  /** What failed at the last check. Logged when it changes, since checks repeat every few seconds. */
  let known = ''
  const logFailures = (failures: { country: string; error: Error }[]) => {
    const byReason = Map.groupBy(failures, ({ error }) => JSON.stringify(reasonOf(error)))
    const current = [...byReason.keys()].sort().join('\n')
    if (current === known) return
    known = current
    for (const found of byReason.values()) {
      const fields = {
        countries: found.map(({ country }) => country),
        ...found.map(one => reasonOf(one.error))[0],
      }
      log.error(fields, 'a repository cannot be used')
    }
    if (!current) log.info({}, 'all repositories can be used again')
  }

  return {
    of,
    /** Most bytes of memory that an upload uses: to this country, or to any if the country is not known yet. */
    uploadMemory: (countryCode?: string): number =>
      countryCode === undefined
        ? Math.max(...Object.values(stores).map(({ memory }) => memory.put))
        : of(countryCode).memory.put,
    /** Removes the orphans of interrupted writes. */
    async sweep(): Promise<void> {
      await Promise.all(Object.values(stores).map(store => store.sweep()))
    },
    /** Resolves if all repositories are reachable and writable, or were a few seconds ago. */
    check: shareOutcome(async () => {
      const checks = Object.entries(stores).map(async ([country, store]) =>
        store.check().then(
          () => [],
          (error: Error) => [{ country, error }],
        ),
      )
      const failures = (await Promise.all(checks)).flat()
      logFailures(failures)
      if (failures[0]) throw failures[0].error
    }, SHARED_MS),
  }
}

/** What an operator has to know. The message of another error may be personal data. */
const reasonOf = (error: Error) =>
  error instanceof RepositoryUnavailableError || error instanceof RepositoryFullError
    ? { reason: error.message }
    : errorForLog(error)
