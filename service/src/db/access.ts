// The types of access to the database that services and stores use.
import type postgres from 'postgres'
import type { Companies } from './caller.ts'

/** What a store function runs its statement on: the pool, or a transaction. */
// biome-ignore lint/complexity/noBannedTypes: postgres.js spells "no custom types" as {}.
export type Sql = postgres.ISql<{}>
// biome-ignore lint/complexity/noBannedTypes: postgres.js spells "no custom types" as {}.
export type Tx = postgres.TransactionSql<{}>

export type Lookup = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>

/** How services reach the database. */
export interface Access {
  sql: Sql
  /**
   * Runs a read that finds records by their keys, and repeats it on another connection when the first does not respond. Its
   * connections use generic plans: by default PostgreSQL plans such a statement again whenever the number of keys differs,
   * which takes longer than running it.
   */
  lookup: Lookup
  /** Runs the work in a transaction, and retries it from the start after deadlocks and serialization failures. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs reads that all see the same state, on connections of their own: the work may take as long as its client needs. It is
   * not retried.
   */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** The whole database. `forCompanies` returns the part of it that a caller may see. */
export interface Database extends Access {
  /** What belongs to these companies; null is everything. */
  forCompanies(companies: Companies): Access
  /**
   * Runs a write whose commit waits neither for the disk nor for a standby: once it resolves, only a crash of PostgreSQL itself
   * can lose it. Repeated on another connection when the first does not respond, so that inserted rows may be there twice
   * after a broken connection. It must not wait for locks that others keep long: the audit uses these connections.
   */
  append: Lookup
  /** Rejects unless the database responds, over the pool and over the lookup connections. */
  ping(): Promise<void>
  close(): Promise<void>
}
