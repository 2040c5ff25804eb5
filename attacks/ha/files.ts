// Uploads throughout an attack. The slow ones last longer than it takes to change the primary.
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '../support/ledger.ts'
import { download, type Target, upload } from '../support/uploads.ts'

/** The token and case of the uploads, and the hashes of those that were acknowledged. */
export interface Files {
  token: string
  caseId: string
  ledger: Ledger
}

/** Five parts, so that a slow upload takes 10 s. */
const SLOW = { size: 1_100_000, pause: 2_000 }

/** Uploads small files one after the other, and slow ones beside them. */
export async function uploadUntil(until: AbortSignal, url: () => string, files: Files): Promise<void> {
  const { token, caseId, ledger } = files
  let seed = 0
  const uploadAll = async (options: { size: number; pause?: number }, delay = 0) => {
    await sleep(delay)
    while (!until.aborted) {
      seed += 1
      const size = options.size + seed
      const sending = upload({ url: url(), token }, { caseId, countryCode: 'DE', seed, ...options, size })
      const sent = await sending.catch(() => undefined)
      if (sent?.status === 201) await ledger.acknowledged(sent.documentId, sent.sha256)
      await sleep(200)
    }
  }
  // At any moment, one of the slow uploads is near its end.
  const slow = [0, 3_000, 6_000].map(delay => uploadAll(SLOW, delay))
  await Promise.all([uploadAll({ size: 20_000 }), ...slow])
}

/** Downloads every acknowledged file. Returns what is wrong with them. */
export async function findLostFiles(target: Target, { ledger }: Files): Promise<string[]> {
  const lost: string[] = []
  for (const [documentId, sha256] of ledger.entries) {
    const found = await download(target, { documentId })
    if (found.status !== 200 || found.sha256 !== sha256)
      lost.push(`the file of ${documentId} was acknowledged, but returns ${found.status}`)
  }
  return lost
}

/** The files below this folder that a sweep has removed: they are kept in quarantine. */
export function countSwept(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile() && entry.parentPath.endsWith('/.quarantine')).length
}
