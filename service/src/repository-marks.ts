// Refuses to start where services on one database have different directories for files: each would miss the files of the
// others. Each directory has a mark that belongs to the database. A bucket is always shared.
import { createHash } from 'node:crypto'
import { type BlobStore, RepositoryFullError, RepositoryUnavailableError } from './blobs/blob-store.ts'
import type { Database } from './db/database.ts'
import { createSharedSecret } from './db/shared-secret.ts'
import { StartError } from './lib/problem.ts'
import type { Sealer } from './lib/sealing.ts'

interface Options {
  db: Database
  sealer: Sealer
  /** By country code. */
  blobs: Record<string, BlobStore>
}

/** The first service marks its directories. Throws a StartError in a service that has others, or cannot use them. */
export async function requireSameRepositories({ db, sealer, blobs }: Options): Promise<void> {
  for (const [code, { mark }] of Object.entries(blobs)) {
    if (!mark) continue
    const secret = createSharedSecret({ db, sealer, name: `repository ${code}` })
    // Marked before the commit: other services that start at the same time wait for that.
    await secret.load(created => mark.write(markOf(created)).catch(rejectStart))
    const expected = markOf(secret.value())
    if ((await mark.read().catch(rejectStart)) === expected) continue
    throw new StartError(
      `${mark.location} is not the directory that the other services on this database use for the files of ${code}. Mount the same directory on all machines, or set REPOSITORIES to buckets. If it has the files of this database, for example after a restore, write ${expected} into ${mark.path}.`,
    )
  }
}

/** The value in the database is a secret; its hash is not. */
const markOf = (secret: Buffer) =>
  createHash('sha256').update('repository').update(secret).digest('hex').slice(0, 32)

function rejectStart(error: unknown): never {
  if (error instanceof RepositoryFullError) throw new StartError(`${error.message} Make room there.`)
  if (!(error instanceof RepositoryUnavailableError)) throw error
  // The usual causes are a disk that is not mounted, its owner, and a unit that lacks the directory.
  throw new StartError(
    `${error.message} Mount the directory of REPOSITORIES, let the account of the service write to it, and under systemd add it to ReadWritePaths= of the unit: see docs/deployment.md.`,
  )
}
