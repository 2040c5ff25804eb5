// People and files that are created one after the other, with the times of request and response: what was acknowledged before a
// moment has to be there after a restore to it, and what was sent after it must not.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../support/client.ts'
import { download, type Target, type UploadOptions, type UploadResult } from '../support/uploads.ts'

interface Entry {
  sentAt: number
  acknowledgedAt: number
}
interface FileEntry extends Entry {
  documentId: string
  sha256: string
}

/** Between the two times the moment was saved: entries in between may be there or not. */
export interface Span {
  from: number
  to: number
}

export type Stream = ReturnType<typeof createStream>

const CODES = ['CH', 'DE', 'FR']
const SIZE = 30_000

export function createStream({
  client,
  plain,
  send,
}: {
  client: Client
  /** Part of each passport number. */
  plain: string
  send: (options: Pick<UploadOptions, 'countryCode' | 'seed' | 'size'>) => Promise<UploadResult>
}) {
  const people = new Map<string, Entry>()
  const files: FileEntry[] = []
  const errors: string[] = []
  let stopped = false
  let last = 0

  const createPerson = async () => {
    last += 1
    const number = `PS-${last}`
    const sentAt = Date.now()
    const primaryApplicant = {
      firstName: 'Ana',
      lastName: `Stream ${last}`,
      passports: [{ passportNumber: `${plain}-${last}`, country: 'DE' }],
    }
    const path = `/v2/applicant/employeenumber/${number}`
    const { status, text } = await client.call({ method: 'PUT', path, body: { primaryApplicant } })
    if (status === 201) people.set(number, { sentAt, acknowledgedAt: Date.now() })
    else errors.push(`PUT ${path}: ${status} ${text.slice(0, 200)}`)
  }
  const uploadFile = async () => {
    last += 1
    const sentAt = Date.now()
    const countryCode = CODES[last % CODES.length] ?? 'CH'
    const { status, documentId, sha256, text } = await send({ countryCode, seed: last, size: SIZE })
    if (status === 201) files.push({ sentAt, acknowledgedAt: Date.now(), documentId, sha256 })
    else errors.push(`upload ${last}: ${status} ${text.slice(0, 200)}`)
  }
  const repeat = async (work: () => Promise<void>, pause: number) => {
    while (!stopped && errors.length === 0) {
      await work().catch((error: Error) => errors.push(error.message))
      await sleep(pause)
    }
  }
  const partition = <T extends Entry>(entries: Iterable<T>, { from, to }: Span) => {
    const all = [...entries]
    return {
      before: all.filter(({ acknowledgedAt }) => acknowledgedAt < from),
      after: all.filter(({ sentAt }) => sentAt > to),
    }
  }

  return {
    errors,
    /** Runs until `stop`; each waits `pause` milliseconds after a response. */
    async run(concurrent: { people: number; files: number; pause: number }): Promise<void> {
      await Promise.all([
        ...Array.from({ length: concurrent.people }, () => repeat(createPerson, concurrent.pause)),
        ...Array.from({ length: concurrent.files }, () => repeat(uploadFile, concurrent.pause)),
      ])
    },
    stop() {
      stopped = true
    },
    /** Waits for this many more people and as many files. */
    async more(count: number): Promise<void> {
      const [wanted, wantedFiles] = [people.size + count, files.length + count]
      while ((people.size < wanted || files.length < wantedFiles) && errors.length === 0) await sleep(5)
    },
    filesBefore: (time: number) => partition(files, { from: time, to: time }).before,
    counts(span: Span) {
      const count = <T extends Entry>(entries: Iterable<T>) => {
        const { before, after } = partition(entries, span)
        return { before: before.length, after: after.length }
      }
      return { people: count(people.values()), files: count(files) }
    },
    /** People that are missing, and those that must not be there. */
    comparePeople(numbers: Set<string>, { from, to }: Span): string[] {
      return [...people].flatMap(([number, { sentAt, acknowledgedAt }]) => {
        if (acknowledgedAt < from && !numbers.has(number))
          return [`${number} was acknowledged before the moment and is lost`]
        return sentAt > to && numbers.has(number) ? [`${number} was sent after the moment and is there`] : []
      })
    },
    async verify({ target, span }: { target: Target; span: Span }): Promise<string[]> {
      const found = new Set<string>()
      for (const number of people.keys()) {
        const { status } = await client.call({ path: `/v2/applicant/employeenumber/${number}` })
        if (status === 200) found.add(number)
      }
      const findings = this.comparePeople(found, span)
      for (const { documentId, sha256, sentAt, acknowledgedAt } of files) {
        const { status, sha256: digest } = await download(target, { documentId })
        const isThere = status === 200 && digest === sha256
        if (acknowledgedAt < span.from && !isThere)
          findings.push(`the file of ${documentId} was acknowledged before the moment: ${status}`)
        else if (sentAt > span.to && status !== 404)
          findings.push(`the file of ${documentId} was sent after the moment: ${status}`)
        // In between, a document is there with its file, or not there.
        else if (!isThere && status !== 404) findings.push(`the file of ${documentId}: ${status}`)
      }
      return findings
    },
  }
}
