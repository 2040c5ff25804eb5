// What a list of people shows beside their names: what expires next, open cases, and the family.
import type { Sql } from '../db/database.ts'
import type { NextExpiry } from '../documents/document-list.service.ts'
import * as store from './search.store.ts'

export interface Standing {
  /** At most one of each kind, soonest first. */
  nextExpiries: NextExpiry[]
  openCases: number
}

export type FamilyMember = store.FoundRow & Standing
/** A record, with its standing and its dependents where they were asked for. */
export type ListedApplicant = store.FoundRow & Partial<Standing> & { dependents?: FamilyMember[] }

export type Summaries = ReturnType<typeof createSummaries>

interface Dependencies {
  sql: Sql
  /** By person; without those who have none. */
  nextExpiries(applicantIds: readonly string[]): Promise<Map<string, NextExpiry[]>>
  openCases(applicantIds: readonly string[]): Promise<Map<string, number>>
}

export function createSummaries({ sql, nextExpiries, openCases }: Dependencies) {
  return {
    /** Three statements for all records together. Each looks up the records of the page by index. */
    async add(records: store.FoundRow[], { summary = false }): Promise<ListedApplicant[]> {
      if (!summary || records.length === 0) return records
      const primaryIds = records.flatMap(row => (row.primaryApplicantId === null ? [row.applicantId] : []))
      const dependents = await store.listDependents(sql, primaryIds)
      const ids = [...new Set([...records, ...dependents].map(({ applicantId }) => applicantId))]
      const [expiries, cases] = await Promise.all([nextExpiries(ids), openCases(ids)])
      const withStanding = (row: store.FoundRow): FamilyMember => ({
        ...row,
        nextExpiries: expiries.get(row.applicantId) ?? [],
        openCases: cases.get(row.applicantId) ?? 0,
      })
      const families = Map.groupBy(dependents, row => row.primaryApplicantId)
      return records.map(row => ({
        ...withStanding(row),
        dependents: (families.get(row.applicantId) ?? []).map(withStanding),
      }))
    },
  }
}

/** All people whose data a page has, for the audit. */
export function idsOf(records: readonly ListedApplicant[]): string[] {
  const ids = records.flatMap(({ applicantId, dependents = [] }) => [
    applicantId,
    ...dependents.map(dependent => dependent.applicantId),
  ])
  return [...new Set(ids)]
}
