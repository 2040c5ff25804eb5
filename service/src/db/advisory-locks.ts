// The numbers of PostgreSQL advisory locks, which a database has one namespace of. Migrations use some of them by their numbers.
export const ADVISORY_LOCKS = {
  migrations: 7_227_001,
  demo: 7_227_002,
  /** Of the queue of webhook deliveries. */
  queue: 7_227_005,
  roles: 7_227_006,
  /** Which company an applicant belongs to: migrations 17, 25 and 32. */
  companies: 7_227_014,
  users: 7_227_015,
  /** Migration 18. */
  auditChain: 7_227_016,
  /** Pairs that may be one person: migration 22. */
  duplicates: 7_227_019,
  /** Migration 28. */
  auditPartitions: 7_227_026,
} as const
