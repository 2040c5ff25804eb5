// Reads of applicants and dependents. Writes are in families.service.ts, changes of numbers in numbers.service.ts.
import { isLimitedCaller } from '../db/caller.ts'
import { coalesced } from '../db/coalesce.ts'
import type { Lookup } from '../db/database.ts'
import { cachedByEtag, type RenderedRecord } from '../db/etag-cache.ts'
import { isFindable } from '../lib/ids.ts'
import { applicantNotFound, dependentNotFound } from './applicants.errors.ts'
import { rowToWire } from './applicants.mapper.ts'
import type { Key } from './applicants.store.ts'
import * as store from './applicants.store.ts'

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

  return {
    get(key: Key): Promise<RenderedRecord> {
      return ('id' in key ? findById(key.id) : findByNumber(key.number)).then(found)
    },
    async getDependents(key: Key): Promise<RenderedRecord[]> {
      const rows = isFindable(...Object.values(key))
        ? await lookup(sql => store.findDependents(sql, key))
        : undefined
      if (!rows) throw applicantNotFound()
      return rows.map(rowToWire)
    },
    async getDependent(key: Key, dependent: string): Promise<RenderedRecord> {
      const findable = isFindable(dependent, ...Object.values(key))
      const row = findable ? await lookup(sql => store.findDependent(sql, key, dependent)) : undefined
      if (!row) throw dependentNotFound()
      return rowToWire(row)
    },
  }
}

function found(record: RenderedRecord | undefined): RenderedRecord {
  if (!record) throw applicantNotFound()
  return record
}
