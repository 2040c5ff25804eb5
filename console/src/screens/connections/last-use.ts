// When a client was used last, from the audit. It is read in order of time, so that the newest days are asked first.
import type { components } from '@caseport/sdk'
import { caseport } from '../../app/connection.ts'
import { parseDate, today } from '../../records/dates.ts'

type Entry = components['schemas']['AuditEntry']

/** Ranges of days before today, from near to far. */
const RANGES = [
  [-1, 1],
  [-8, -2],
  [-90, -9],
] as const
const day = (shift: number) => parseDate(`${shift < 0 ? '' : '+'}${shift}d`) ?? today()

/** Null where the last 90 days have no entry. */
export async function lastUseOf(clientId: string, signal: AbortSignal): Promise<Entry | null> {
  for (const [from, to] of RANGES) {
    const query = { clientId, startDate: day(from), endDate: day(to), sort: '-at' as const, maxRecords: 1 }
    const { records } = await caseport.audit.list(query, { signal }).first()
    if (records[0]) return records[0]
  }
  return null
}
