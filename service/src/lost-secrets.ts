// What is lost with the keys that seal secrets: finds the secrets that no key opens, and deletes them, so that a service can
// start with another key.
import { createAudit } from './audit/audit.service.ts'
import { deleteSigningKeys, signingKeyColumn } from './auth/signing-keys.store.ts'
import type { Database, Sql, Tx } from './db/database.ts'
import { listSealedWithOtherKeys, type SealedColumn } from './db/sealed-columns.ts'
import { deleteSharedSecrets, sharedSecretColumn } from './db/shared-secret.ts'
import { type AuditEntry, systemActor } from './db/unit-of-work.ts'
import { newSecret } from './events/signature.ts'
import { deletePreviousSecrets, replaceLostSecrets, webhookSecretColumns } from './events/webhooks.store.ts'
import { systemClock } from './lib/clock.ts'
import { SEALED_COLUMNS } from './sealed-secrets.ts'
import { deleteTotp, findTotp } from './sign-in/credentials.store.ts'
import { totpSeedColumn } from './sign-in/totp.service.ts'
import { findUser } from './users/users.store.ts'

const [secretColumn, previousSecretColumn] = webhookSecretColumns

export interface LostSecrets {
  /** Ids of rows, by the column of SEALED_COLUMNS. */
  rows: Map<SealedColumn, string[]>
  /** Whose second factor it was. */
  people: { userId: string; email: string }[]
}

/** What is sealed with other keys than these. */
export async function findLostSecrets(sql: Sql, keyIds: readonly string[]): Promise<LostSecrets> {
  const rows = new Map<SealedColumn, string[]>()
  for (const column of SEALED_COLUMNS) rows.set(column, await listSealedWithOtherKeys(sql, column, keyIds))
  const people: LostSecrets['people'] = []
  for (const userId of rows.get(totpSeedColumn) ?? []) {
    const user = (await findTotp(sql, userId))?.confirmedAt ? await findUser(sql, userId) : undefined
    if (user) people.push({ userId, email: user.email })
  }
  return { rows, people }
}

/** One line for each kind that is lost. */
export function describeLoss({ rows, people }: LostSecrets): string[] {
  const listOf = (column: SealedColumn) => rows.get(column) ?? []
  const previous = listOf(previousSecretColumn).filter(id => !listOf(secretColumn).includes(id))
  const [keys, cursors, webhooks, seeds] = [
    signingKeyColumn,
    sharedSecretColumn,
    secretColumn,
    totpSeedColumn,
  ].map(column => listOf(column).length) as [number, number, number, number]
  return [
    ...(keys ? [`${keys} signing keys: clients have to fetch new tokens.`] : []),
    ...(cursors
      ? [`${cursors} shared secrets: cursors of lists end, and directories of files are marked anew.`]
      : []),
    ...(webhooks
      ? [
          `${webhooks} secrets of webhooks, which are switched off. Each needs POST /admin/v1/webhooks/{webhookId}/rotate-secret: ${listOf(secretColumn).join(', ')}`,
        ]
      : []),
    ...(previous.length
      ? [`${previous.length} previous secrets of webhooks, which a rotation has replaced.`]
      : []),
    ...(seeds
      ? [
          `${seeds} authenticator apps with their recovery codes. ${people.length} people sign in without a second factor until they set one up again: ${people.map(({ email }) => email).join(', ')}`,
        ]
      : []),
  ]
}

/** Deletes them in one transaction, with its audit entries. */
export async function deleteLostSecrets(
  db: Database,
  { keyIds, now }: { keyIds: readonly string[]; now: Date },
): Promise<void> {
  await db.transaction(async tx => {
    const { rows, people } = await findLostSecrets(tx, keyIds)
    for (const [column, ids] of rows) await removalOf(column)(tx, ids, now)
    const entries: AuditEntry[] = [
      {
        action: 'key.lost',
        recordId: '',
        after: Object.fromEntries(
          [...rows].map(([{ table, column }, ids]) => [`${table}.${column}`, ids.length]),
        ),
      },
      ...(rows.get(secretColumn) ?? []).map(recordId => ({ action: 'webhook.rotate_secret', recordId })),
      ...people.map(({ userId }) => ({ action: 'user.remove_totp', recordId: userId })),
    ]
    const actor = systemActor('operator', 'rotate-key:lost')
    await createAudit({ sql: tx, clock: systemClock }).append(tx, entries, { actor, now })
  })
}

type Removal = (tx: Tx, ids: string[], now: Date) => Promise<void>

const REMOVALS = new Map<SealedColumn, Removal>([
  [signingKeyColumn, deleteSigningKeys],
  [sharedSecretColumn, deleteSharedSecrets],
  [
    secretColumn,
    (tx, ids, now) => {
      const secrets = ids.map(webhookId => ({ webhookId, secret: newSecret() }))
      return replaceLostSecrets(tx, { secrets, reason: 'secret-lost', now })
    },
  ],
  [previousSecretColumn, deletePreviousSecrets],
  [
    totpSeedColumn,
    async (tx, ids) => {
      for (const userId of ids) await deleteTotp(tx, userId)
    },
  ],
])

function removalOf(column: SealedColumn): Removal {
  const removal = REMOVALS.get(column)
  if (!removal) throw new Error(`REMOVALS lacks ${column.table}.${column.column}.`)
  return removal
}
