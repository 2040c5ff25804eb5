// Uploads throughout an attack. The slow ones last longer than it takes to change the primary.
import { randomInt } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '../support/ledger.ts'
import { type DownloadResult, download, type Target, upload } from '../support/uploads.ts'

/** What all uploads of an attack share. */
export interface Files {
  token: string
  caseId: string
  /** The hashes of those that were acknowledged. */
  ledger: Ledger
  /** How many have begun: each has other bytes. */
  uploads: number
}

/** When an acknowledged upload began and ended, by performance.now(). */
export interface Acknowledged {
  began: number
  ended: number
}

/** Five parts, so that a slow upload takes 5 to 15 s. */
const SLOW_SIZE = 1_100_000
const SLOW_PAUSES = { shortest: 1_000, longest: 3_000 }
const SLOW_AT_ONCE = 6
const UNAVAILABLE_TRIES = 20

/** Uploads small files one after the other, and slow ones beside them. Adds each that is acknowledged to the list. */
export async function uploadUntil(
  until: AbortSignal,
  { url, files, acknowledged }: { url: () => string; files: Files; acknowledged: Acknowledged[] },
): Promise<void> {
  const { token, caseId, ledger } = files
  const uploadAll = async (size: number, pauseOf: () => number) => {
    while (!until.aborted) {
      files.uploads += 1
      const seed = files.uploads
      const began = performance.now()
      const file = { caseId, countryCode: 'DE', seed, size: size + seed, pause: pauseOf() }
      const sending = upload({ url: url(), token }, file)
      const sent = await sending.catch(() => undefined)
      if (sent?.status === 201) {
        acknowledged.push({ began, ended: performance.now() })
        await ledger.acknowledged(sent.documentId, sent.sha256)
      }
      await sleep(200)
    }
  }
  // They end at different times, so that some do soon after the primary has changed.
  const slowPause = () => randomInt(SLOW_PAUSES.shortest, SLOW_PAUSES.longest)
  const slow = Array.from({ length: SLOW_AT_ONCE }, () => uploadAll(SLOW_SIZE, slowPause))
  await Promise.all([uploadAll(20_000, () => 0), ...slow])
}

/**
 * Downloads every acknowledged file. Returns what is wrong with them. The download of a file that a sweep has removed brings
 * it back from quarantine, so that a file that leaves the quarantine was lost too.
 */
export async function findLostFiles(target: Target, { ledger }: Files, folder: string): Promise<string[]> {
  const lost: string[] = []
  const removed = listQuarantine(folder)
  for (const [documentId, sha256] of ledger.entries) {
    const found = await downloadWhenAvailable(target, documentId)
    if (found.status !== 200)
      lost.push(`the file of ${documentId} was acknowledged, but returns ${found.status}`)
    else if (found.sha256 !== sha256) lost.push(`the file of ${documentId} has changed`)
  }
  const left = new Set(listQuarantine(folder))
  const broughtBack = removed.filter(path => !left.has(path))
  return [...lost, ...broughtBack.map(path => `a sweep had removed an acknowledged file: ${path}`)]
}

async function downloadWhenAvailable(target: Target, documentId: string): Promise<DownloadResult> {
  for (let attempt = 1; ; attempt++) {
    const found = await download(target, { documentId })
    if (found.status !== 503 || attempt === UNAVAILABLE_TRIES) return found
    await sleep(500)
  }
}

/** The complete files below this folder that a sweep has removed. */
export function listQuarantine(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile() && entry.parentPath.endsWith('/.quarantine'))
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
}
