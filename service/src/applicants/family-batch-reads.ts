// The reads of many families that are planned concurrently: what they ask for in the meantime is read with one statement
// for each kind of read. Locks are taken in the order of single requests.
import { requireOwnCompany } from '../companies/companies.service.ts'
import type { Tx } from '../db/database.ts'
import { isLimited } from '../db/limited.ts'
import { listDocumentStates, listKnownDocuments } from '../documents/applicant-documents.service.ts'
import type { FormerDependents, Key, StoredRow } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import type { FamilyReads } from './family-reads.ts'
import { absentApplicant } from './merges.errors.ts'
import { findMergedInto } from './merges.store.ts'
import * as numbers from './numbers.store.ts'

interface Options {
  /** False reads only: the plan is not saved. */
  locks: boolean
}

export interface BatchReads extends FamilyReads, Options {}

export function createBatchReads(tx: Tx, { locks }: Options): BatchReads {
  // In the order in which their statements are sent: that of locks in family-lookup.ts.
  const queue = createQueue()
  const dependentKeys = queue.loader(async (wanted: string[][]) => {
    if (locks) await numbers.lockDependentKeys(tx, wanted.flat())
    return () => undefined
  })
  const families = queue.loader(async (wanted: { ids: string[]; numbers: string[] }[]) => {
    const ids = wanted.flatMap(one => one.ids)
    const numbers = wanted.flatMap(one => one.numbers)
    const found = await (locks ? store.lockFamilies : store.listFamilyIds)(tx, ids, numbers)
    return () => found
  })
  const family = queue.loader(async (numbers: string[]) => {
    // The second statement starts after the locks are granted, as for a single family.
    const [locked, rows] = await Promise.all([
      locks ? store.lockPrimaries(tx, numbers) : undefined,
      store.listFamilies(tx, numbers),
    ])
    const byNumber = Map.groupBy(rows, ({ key }) => key)
    return number => ({ locked: locked?.has(number) ?? true, rows: byNumber.get(number) ?? [] })
  })
  const records = queue.loader(async (wanted: { ids: string[]; numbers: string[] }[]) => {
    const ids = wanted.flatMap(one => one.ids)
    const rows = await store.listRecords(
      tx,
      ids,
      wanted.flatMap(one => one.numbers),
    )
    return one => rows.filter(row => one.ids.includes(row.id) || hasNumber(row, one.numbers))
  })
  const former = queue.loader(async (wanted: FormerDependents[]) => {
    const primaryIds = wanted.flatMap(({ primaryId }) => primaryId ?? [])
    const rows = await store.listFormerDependentsOf(tx, {
      primaryIds,
      ids: wanted.flatMap(({ ids }) => ids),
    })
    const byPrimary = Map.groupBy(
      rows.filter(({ archivedAt }) => archivedAt !== null),
      ({ primaryId }) => primaryId,
    )
    return ({ primaryId, ids }) => {
      const own = (primaryId !== null && byPrimary.get(primaryId)) || []
      const named = ids.length > 0 ? rows.filter(row => ids.includes(row.id) && !own.includes(row)) : []
      return [...own, ...named]
    }
  })
  const takenNumbers = queue.loader(async (wanted: string[][]) => {
    const taken = await numbers.listTakenNumbers(tx, wanted.flat())
    return () => taken
  })
  const documentStates = queue.loader(async (wanted: string[][]) => {
    const states = await listDocumentStates(tx, wanted.flat())
    const byApplicant = Map.groupBy(states, ({ applicantId }) => applicantId)
    return ids => ids.flatMap(id => byApplicant.get(id) ?? [])
  })
  const itemLocks = queue.loader(async (wanted: string[][]) => {
    if (locks) await numbers.lockItemIds(tx, wanted.flat())
    return () => undefined
  })
  const knownItems = queue.loader(async (wanted: string[][]) => {
    const known = await store.listKnownItems(tx, wanted.flat())
    return ids => known.filter(id => ids.includes(id))
  })
  const knownDocuments = queue.loader(async (wanted: string[][]) => {
    const known = await listKnownDocuments(tx, wanted.flat())
    return ids => known.filter(id => ids.includes(id))
  })
  // A file names few companies.
  const companies = new Map<string, Promise<string | null | undefined>>()

  return {
    locks,
    isLimited: isLimited(tx),
    requireOwnCompany(text, pointer) {
      const key = JSON.stringify(text ?? null)
      const known = companies.get(key) ?? requireOwnCompany(tx, text, pointer)
      companies.set(key, known)
      return known
    },
    lockFamily: key => family(numberOf(key)),
    lockPrimary: key => store.lockPrimary(tx, key),
    lockDependentKeys: async keys => {
      if (keys.length > 0) await dependentKeys(keys)
    },
    lockFamilies: (ids, numbers) => families({ ids, numbers }),
    listRecords: (ids, numbers) => records({ ids, numbers }),
    listFormerDependents: former,
    listTakenNumbers: takenNumbers,
    listDocumentStates: documentStates,
    lockItemIds: itemLocks,
    listKnownItems: knownItems,
    listKnownDocuments: knownDocuments,
    findMergedInto: key => findMergedInto(tx, key),
    absentApplicant: key => absentApplicant(tx, key),
  }
}

const numberOf = (key: Key): string => {
  if ('id' in key) throw new Error('The families of a batch are addressed by number.')
  return key.number
}

/** Of the JSON, because the rows have no column of their own for the number. */
const hasNumber = (row: StoredRow, numbers: string[]) =>
  numbers.length > 0 && row.archivedAt === null && numbers.includes(JSON.parse(row.record).employeeNumber)

/** Loads all keys at once and returns a function that picks the result of one of them. */
type Load<K, V> = (keys: K[]) => Promise<(key: K) => V>

function createQueue() {
  const flushes: (() => void)[] = []
  let isScheduled = false
  const flushAll = () => {
    isScheduled = false
    for (const flush of flushes) flush()
  }
  return {
    loader<K, V>(load: Load<K, V>): (key: K) => Promise<V> {
      let waiting: { key: K; resolve: (value: V) => void; reject: (error: unknown) => void }[] = []
      flushes.push(() => {
        if (waiting.length === 0) return
        const batch = waiting
        waiting = []
        load(batch.map(({ key }) => key)).then(
          pick => {
            for (const { key, resolve } of batch) resolve(pick(key))
          },
          error => {
            for (const { reject } of batch) reject(error)
          },
        )
      })
      return key =>
        new Promise((resolve, reject) => {
          waiting.push({ key, resolve, reject })
          if (isScheduled) return
          isScheduled = true
          // After the promise jobs: by then, every plan waits for a read.
          setImmediate(flushAll)
        })
    },
  }
}
