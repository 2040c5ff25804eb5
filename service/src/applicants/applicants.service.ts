// Reads of applicants and dependents. Writes are in families.service.ts, changes of numbers in numbers.service.ts.
import { isLimitedCaller } from '../db/caller.ts'
import { coalesced } from '../db/coalesce.ts'
import type { Lookup } from '../db/database.ts'
import { cachedByEtag, type RenderedRecord } from '../db/etag-cache.ts'
import type { RecordSource } from '../db/server-cursor.ts'
import { isFindable, isId } from '../lib/ids.ts'
import { applicantNotFound, dependentNotFound } from './applicants.errors.ts'
import { rowToWire } from './applicants.mapper.ts'
import type { Key } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import { absentApplicant, absentDependent } from './merges.errors.ts'

/** All families: one `{ primaryApplicant, dependents }` each. */
export const everyFamily: RecordSource = {
  open: store.openPrimaryIds,
  async render(tx, ids) {
    const primaries = await store.listPrimaries(tx, 'id', ids)
    const dependents = Map.groupBy(await store.listDependentsOf(tx, ids), ({ primaryId }) => primaryId)
    return primaries.map(primary => {
      const others = dependents.get(primary.id) ?? []
      return `{"primaryApplicant":${rowToWire(primary).json},"dependents":[${others.map(row => rowToWire(row).json).join(',')}]}`
    })
  },
}

export type Applicants = ReturnType<typeof createApplicants>

export function createApplicants(lookup: Lookup) {
  const findBy = (by: store.By) =>
    coalesced(
      cachedByEtag({
        loadEtags: keys => lookup(sql => store.listEtags(sql, by, keys)),
        loadRows: keys => lookup(sql => store.listPrimaries(sql, by, keys)),
        render: rowToWire,
        // A limited caller must not learn from the time of a response which records others read.
        bypass: isLimitedCaller,
      }),
    )
  const findById = findBy('id')
  const findByNumber = findBy('number')

  const throwAbsent = async (key: Key): Promise<never> => {
    const isKey = isFindable(...Object.values(key))
    throw isKey ? await lookup(sql => absentApplicant(sql, key)) : applicantNotFound()
  }

  return {
    async get(key: Key): Promise<RenderedRecord> {
      const found = await ('id' in key ? findById(key.id) : findByNumber(key.number))
      return found ?? throwAbsent(key)
    },
    /** Throws where there is no such person, primary or dependent, archived or not. */
    async requireKnown(applicantId: string): Promise<void> {
      const isKnown = isId(applicantId) && (await lookup(sql => store.isKnown(sql, applicantId)))
      if (!isKnown) throw applicantNotFound()
    },
    async getDependents(key: Key): Promise<RenderedRecord[]> {
      const rows = isFindable(...Object.values(key))
        ? await lookup(sql => store.findDependents(sql, key))
        : undefined
      if (!rows) return throwAbsent(key)
      return rows.map(rowToWire)
    },
    async getDependent(key: Key, dependent: string): Promise<RenderedRecord> {
      const findable = isFindable(dependent, ...Object.values(key))
      const row = findable ? await lookup(sql => store.findDependent(sql, key, dependent)) : undefined
      if (!row) throw findable ? await lookup(sql => absentDependent(sql, dependent)) : dependentNotFound()
      return rowToWire(row)
    },
  }
}
