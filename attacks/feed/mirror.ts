// A copy of all records, as docs/integration.md describes it: an export, and the records that the changes after it name.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../support/client.ts'
import type { Json } from '../support/samples.ts'
import type { Change } from './readers.ts'

const KINDS = ['applicants', 'cases', 'documents'] as const
const PAUSE_MS = 30
const CONCURRENT_READS = 8

/** The JSON of each record, by its kind and id. */
export type Copy = Map<string, string>

interface Export {
  records: Copy
  /** Where the changes go on. */
  cursor: string
}

/** Exports everything; each export that is cut off is requested again. */
export async function exportAll(client: Client): Promise<Export> {
  const records: Copy = new Map()
  let cursor: string | undefined
  for (const kind of KINDS) {
    const lines = await exportKind(client, kind)
    const last = JSON.parse(lines.pop() ?? '')
    // Changes since the first export follow.
    cursor ??= last.cursor
    for (const line of lines) records.set(`${kind} ${idOf(kind, JSON.parse(line))}`, line)
  }
  return { records, cursor: cursor ?? '' }
}

async function exportKind(client: Client, kind: string): Promise<string[]> {
  for (;;) {
    const { status, text, missing } = await client.call({ path: `/v2/export?kind=${kind}` })
    if (status === 200 && !missing && /\{"cursor":"[\w-]+"\}\n$/.test(text)) return text.trimEnd().split('\n')
    if (status !== 503 && status !== 200 && !missing) throw new Error(`export of ${kind}: ${status} ${text}`)
    await sleep(PAUSE_MS)
  }
}

const idOf = (kind: (typeof KINDS)[number], record: Json) =>
  kind === 'applicants'
    ? record.primaryApplicant.applicantId
    : record[kind === 'cases' ? 'caseId' : 'documentId']

/** The keys of the records that a change concerns. */
function keysOf({ type, applicantId, primaryApplicantId, caseId, documentId }: Change): string[] {
  if (type.startsWith('case.')) return [`cases ${caseId}`]
  const family = `applicants ${primaryApplicantId ?? applicantId}`
  // A document without a case is also part of the record of its person.
  if (type.startsWith('document.')) return [`documents ${documentId}`, ...(caseId ? [] : [family])]
  return [family]
}

/** Reads the records that these changes name; false where the service did not respond. */
export async function apply(client: Client, records: Copy, changes: Change[]): Promise<boolean> {
  const keys = [...new Set(changes.flatMap(keysOf))]
  const read = new Map<string, string | undefined>()
  let isComplete = true
  await Promise.all(
    Array.from({ length: CONCURRENT_READS }, async () => {
      for (let key = keys.pop(); key && isComplete; key = keys.pop()) {
        const record = await readRecord(client, key)
        if (record === 'missing') isComplete = false
        else read.set(key, record)
      }
    }),
  )
  if (!isComplete) {
    await sleep(PAUSE_MS)
    return false
  }
  for (const [key, record] of read)
    if (record === undefined) records.delete(key)
    else records.set(key, record)
  return true
}

/** The record as an export has it; undefined where it is gone. */
async function readRecord(client: Client, key: string): Promise<string | undefined | 'missing'> {
  const [kind, id] = key.split(' ') as [(typeof KINDS)[number], string]
  const path = { applicants: '/v2/applicant', cases: '/v2/case', documents: '/v2/document' }[kind]
  const found = await client.call({ path: `${path}/${id}` })
  if (found.status === 404) return undefined
  if (found.status !== 200) return 'missing'
  if (kind !== 'applicants') return found.text
  const dependents = await client.call({ path: `${path}/${id}/dependents` })
  if (dependents.status === 404) return undefined
  return dependents.status === 200
    ? `{"primaryApplicant":${found.text},"dependents":${dependents.text}}`
    : 'missing'
}

/** What differs between two copies. */
export function differencesOf(copy: Copy, truth: Copy): string[] {
  const keys = new Set([...copy.keys(), ...truth.keys()])
  return [...keys].flatMap(key => {
    const [mine, theirs] = [copy.get(key), truth.get(key)]
    if (mine === theirs) return []
    if (mine === undefined) return `the copy lacks ${key}`
    return theirs === undefined ? `the copy has ${key}, which is gone` : `the copy has an older ${key}`
  })
}
