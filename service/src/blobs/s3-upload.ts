// Owns bringing a content of unknown size to S3: in one request where it fits into a piece, else in parts.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { NoRoom, type Stored } from './blob-store.ts'
import { inPieces, type Piece } from './pieces.ts'
import type { Source } from './source.ts'

/** Every part but the last has this size: some stores insist on equal parts, and all on no more than so many. */
const PART_SIZE = 8 * 1024 * 1024
const MOST_PARTS = 10_000
const IN_FLIGHT = 2
/** What one upload holds: the parts that are under way, and the one that is being filled. */
export const UPLOAD_MEMORY = (IN_FLIGHT + 1) * PART_SIZE

interface Upload {
  client: S3Client
  target: { Bucket: string; Key: string }
  source: Source
  signal: AbortSignal | undefined
  /** Turns the faults of the store into errors of ours; those of the source are not its business. */
  guard<T>(work: () => Promise<T>): Promise<T>
}

export async function upload({ client, target, source, signal, guard }: Upload): Promise<Stored> {
  const etags: (string | undefined)[] = []
  let begun: Promise<string> | undefined

  const putPart = async ({ bytes, number, signal: abortSignal }: Piece) => {
    if (number > MOST_PARTS)
      throw new NoRoom(`${target.Bucket} takes files of at most ${(MOST_PARTS * PART_SIZE) / 2 ** 30} GiB.`)
    begun ??= beginUpload(client, target)
    const command = new UploadPartCommand({
      ...target,
      UploadId: await begun,
      PartNumber: number,
      Body: bytes,
    })
    etags[number - 1] = (await client.send(command, { abortSignal })).ETag
  }
  const putWhole = async ({ bytes, signal: abortSignal }: Piece) => {
    await client.send(new PutObjectCommand({ ...target, Body: bytes }), { abortSignal })
  }
  const complete = async (UploadId: string) => {
    const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
    await client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }))
  }

  try {
    const stored = await inPieces({
      source,
      signal,
      pieceSize: PART_SIZE,
      ahead: IN_FLIGHT,
      take: piece => guard(() => (piece.last && piece.number === 1 ? putWhole(piece) : putPart(piece))),
    })
    const id = await begun
    if (id) await guard(() => complete(id))
    return stored
  } catch (error) {
    // What cannot be undone now, because the store is away, is left to `sweep`.
    const UploadId = await begun?.catch(() => undefined)
    if (UploadId) await client.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {})
    throw error
  }
}

/** Without the signal of the put: an upload that was begun without its id being known could not be undone. */
async function beginUpload(client: S3Client, target: Upload['target']): Promise<string> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
  if (!UploadId) throw new Error('The store began an upload without naming it')
  return UploadId
}
