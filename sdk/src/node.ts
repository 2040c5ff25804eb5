// Files of Node: upload from a path, download to a path.
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Caseport } from './caseport.ts'
import type { DownloadOptions, Resumption } from './download.ts'
import { CaseportError, isCaseportError } from './errors.ts'
import { createSha256 } from './sha256.ts'
import type { FileSource } from './upload-source.ts'

/** A file to upload. It is read while it is sent, and again for a retry. */
export async function fileFromPath(path: string): Promise<FileSource & { name: string; size: number }> {
  const { size } = await stat(path)
  return { name: basename(path), size, stream: () => createReadStream(path) }
}

/**
 * Downloads a file to a path. The bytes go to `<path>.<digest>.part` first, so that the path has the whole file or none;
 * after an interruption, the next call continues there.
 */
export async function downloadToPath(
  caseport: Pick<Caseport, 'documents'>,
  documentId: string,
  path: string,
  options: DownloadOptions = {},
): Promise<{ size: number; sha256: string }> {
  const { sha256, size } = await caseport.documents.get(documentId, callOptions(options))
  if (sha256 === null || size === null)
    throw new CaseportError('file-not-found', { detail: 'The document has no file.' })
  const part = `${path}.${sha256.slice(0, 16)}.part`
  const file = await open(part, 'a+')
  try {
    const start = await hashed(part, size)
    if (start.offset < size) {
      const from = start.offset > 0 ? { ...start, etag: `"${sha256}"` } : undefined
      const { body, offset } = await caseport.documents.download(documentId, options, from)
      await file.truncate(offset)
      for await (const chunk of body) await file.appendFile(chunk)
    } else if (start.hash.hex() !== sha256) {
      const detail =
        'The bytes of an earlier download were damaged, and are removed. Download the file again.'
      throw new CaseportError('digest-mismatch', { detail })
    }
    await file.sync()
  } catch (error) {
    // Nothing can be continued with these bytes.
    if (isCaseportError(error, 'digest-mismatch', 'file-changed')) await rm(part)
    throw error
  } finally {
    await file.close()
  }
  await rename(part, path)
  return { size, sha256 }
}

/** What there is of an earlier download. More bytes than the file has cannot be its beginning. */
async function hashed(part: string, size: number): Promise<Omit<Resumption, 'etag'>> {
  const hash = createSha256()
  let offset = 0
  for await (const chunk of createReadStream(part)) {
    hash.update(chunk)
    offset += chunk.length
  }
  return offset <= size ? { offset, hash } : { offset: 0, hash: createSha256() }
}

const callOptions = ({ signal, deadline, retries }: DownloadOptions) => ({
  ...(signal && { signal }),
  ...(deadline !== undefined && { deadline }),
  ...(retries !== undefined && { retries }),
})
