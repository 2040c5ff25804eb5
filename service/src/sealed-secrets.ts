// Opens the key file, checks that it has the keys of all sealed secrets in the database, and seals those that are not.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { signingKeyColumn } from './auth/signing-keys.store.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { findKeysInUse, type SealedColumn, sealValues } from './db/sealed-columns.ts'
import { sharedSecretColumn } from './db/shared-secret.ts'
import { webhookSecretColumns } from './events/webhooks.store.ts'
import { isReadableByOthers, openKeyFile, writeKeyFile } from './lib/key-file.ts'
import type { Log } from './lib/log.ts'
import { StartError } from './lib/problem.ts'
import { createSealer, keyRing, newSealingKey, SEALED_PREFIX, type Sealer } from './lib/sealing.ts'
import { totpSeedColumn } from './sign-in/totp.service.ts'

/** Every column that holds a secret which the service must be able to read. Others are stored as hashes. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  signingKeyColumn,
  sharedSecretColumn,
  ...webhookSecretColumns,
  totpSeedColumn,
]

/** Undefined where DATABASE_URL is set and ENCRYPTION_KEY_FILE is not. */
export function keyFileOf({ encryptionKeyFile, databaseUrl, dataDir }: Config): string | undefined {
  return encryptionKeyFile ?? (databaseUrl ? undefined : join(dataDir, 'encryption.key'))
}

interface Options {
  config: Config
  db: Database
  log: Log
}

export async function openSealer({ config, db, log }: Options): Promise<Sealer> {
  const { ids, hasPlain } = await findKeysInUse(db.sql, SEALED_COLUMNS)
  const file = keyFileOf(config)
  if (!file) {
    if (ids.size > 0)
      throw new StartError(
        `Secrets in the database are sealed with the key ${[...ids].join(', ')}: set ENCRYPTION_KEY_FILE to the file that holds it.`,
      )
    log.warn(
      {},
      'ENCRYPTION_KEY_FILE is not set: signing keys and webhook secrets are stored in the database as plain text',
    )
    return createSealer(keyRing([]))
  }
  // Only the default file is made by a start, and only while no secret depends on another one.
  if (!config.encryptionKeyFile && ids.size === 0 && !existsSync(file))
    writeKeyFile(file, [newSealingKey(new Date())])
  const keys = openKeyFile(file, log)
  const unknown = [...ids].filter(id => !keys.find(id))
  if (unknown.length > 0)
    throw new StartError(
      `ENCRYPTION_KEY_FILE ${file} lacks the key ${unknown.join(', ')}, which seals secrets in the database. Restore the file that belongs to this database, or see npm run rotate-key -- --lost.`,
    )
  if (isReadableByOthers(file))
    log.warn({ file }, 'every user of this machine may read the encryption keys: run chmod 600 on the file')
  const sealer = createSealer(keys)
  if (hasPlain) {
    const { sealed } = await sealValues({
      sql: db.sql,
      sealer,
      columns: SEALED_COLUMNS,
      except: SEALED_PREFIX,
    })
    if (sealed > 0) log.info({ secrets: sealed }, 'secrets in the database were sealed')
  }
  return sealer
}
