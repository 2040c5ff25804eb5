/** The authenticated caller of a request: a client, or a person who is signed in. */
export interface Principal {
  /** Identifies the caller in the audit, in limits and in idempotency keys; `user:<userId>` for a person. */
  clientId: string
  /** Undefined for a client. */
  user?: { userId: string; name: string }
  scopes: ReadonlySet<string>
  /** The ids of the companies whose records the caller can see; null is all of them. */
  companies: readonly string[] | null
  /** Seconds since the epoch. */
  expiresAt: number
}
