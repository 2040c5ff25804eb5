// `npm run rotate-key`: replaces the key that seals secrets in the database. Services may run meanwhile. After a crash at any
// point everything can still be opened, and the same command continues.
//
//   --add      adds a new key to the file, without using it: for copying the file to other machines first
//   (nothing)  makes the newest key the current one, adding one where there is none to change to, and seals everything with it
//   --finish   removes the old keys, once nothing is sealed with them
//   --lost     shows what is sealed with keys that are lost; with --confirm, deletes it and makes a new key
import { existsSync, statSync } from 'node:fs'
import { loadEnvFile, readConfig } from './config.ts'
import { openSharedDatabase } from './database-setup.ts'
import type { Database, Sql } from './db/database.ts'
import { findKeysInUse, sealValues } from './db/sealed-columns.ts'
import { readKeyFile, writeKeyFile } from './lib/key-file.ts'
import { StartError } from './lib/problem.ts'
import { createSealer, keyRing, newSealingKey, SEALED_PREFIX, type SealingKey } from './lib/sealing.ts'
import { createLog } from './log.ts'
import { deleteLostSecrets, describeLoss, findLostSecrets } from './lost-secrets.ts'
import { keyFileOf, SEALED_COLUMNS } from './sealed-secrets.ts'

/**
 * How long an old key is kept after the file was changed. A service reads a changed file before it seals, so that after this
 * time no transaction is left that has sealed with the old key and not committed.
 */
const GRACE_MS = 120_000

const MODES = ['', '--add', '--finish', '--lost', '--lost --confirm']

const print = (text: string) => process.stdout.write(`${text}\n`)

async function main(args: string[]): Promise<void> {
  if (!MODES.includes(args.join(' ')))
    throw new StartError(
      `Unknown arguments ${args.join(' ')}. There are: --add, --finish, --lost [--confirm].`,
    )
  loadEnvFile()
  const config = readConfig()
  const file = keyFileOf(config)
  if (!file)
    throw new StartError('Set ENCRYPTION_KEY_FILE to the file of the keys; it is made if it does not exist.')
  const { db, stop } = await openSharedDatabase(config, createLog('warn'))
  try {
    if (args.includes('--lost')) return await replaceLost(db, file, args.includes('--confirm'))
    if (!existsSync(file)) return await createFile(db.sql, file)
    const keys = await requireComplete(db.sql, file)
    if (args.includes('--add')) addKey(file, keys)
    else if (args.includes('--finish')) await finish(db.sql, file, keys)
    else await rotate(db.sql, file, keys)
  } finally {
    await stop()
  }
}

async function createFile(sql: Sql, file: string): Promise<void> {
  const { ids } = await findKeysInUse(sql, SEALED_COLUMNS)
  if (ids.size > 0)
    throw new StartError(
      `${file} does not exist, and secrets in the database are sealed with the key ${[...ids].join(', ')}. Restore the file from its backup. If there is none: npm run rotate-key -- --lost`,
    )
  writeKeyFile(file, [newSealingKey(new Date())])
  print(`${file} was made. The next start of a service with this ENCRYPTION_KEY_FILE seals the secrets.`)
}

/** The file may have other keys: what they open stays. */
async function replaceLost(db: Database, file: string, isConfirmed: boolean): Promise<void> {
  const keyIds = existsSync(file) ? readKeyFile(file).map(({ id }) => id) : []
  const loss = await findLostSecrets(db.sql, keyIds)
  const lines = describeLoss(loss)
  if (lines.length === 0) print('Nothing in the database is sealed with a lost key.')
  for (const line of lines) print(line)
  if (lines.length > 0 && !isConfirmed)
    throw new StartError(
      'Nothing was changed. If no copy of the key can be found, stop all services, then run: npm run rotate-key -- --lost --confirm',
    )
  if (lines.length > 0) await deleteLostSecrets(db, { keyIds, now: new Date() })
  if (lines.length > 0) print('All of these were deleted, which is in the audit.')
  if (!existsSync(file)) await createFile(db.sql, file)
}

async function requireComplete(sql: Sql, file: string): Promise<SealingKey[]> {
  const keys = readKeyFile(file)
  const { ids } = await findKeysInUse(sql, SEALED_COLUMNS)
  const missing = [...ids].filter(id => !keys.some(key => key.id === id))
  if (missing.length > 0)
    throw new StartError(
      `${file} lacks the key ${missing.join(', ')}, which seals secrets in the database. Restore the file that belongs to this database.`,
    )
  return keys
}

function addKey(file: string, keys: SealingKey[]): void {
  const added = newSealingKey(new Date())
  writeKeyFile(file, [...keys, added])
  print(`The key ${added.id} was added to ${file}, and is not used yet.`)
  print('Copy the file to all machines that run a service on this database, then run: npm run rotate-key')
}

async function rotate(sql: Sql, file: string, keys: SealingKey[]): Promise<void> {
  const newest = newestOf(keys)
  // With a single key a rotation begins; otherwise one was begun, by --add or by a run that was interrupted.
  const current = keys.length > 1 && newest ? newest : newSealingKey(new Date())
  const ordered = [current, ...keys.filter(({ id }) => id !== current.id)]
  if (keys[0]?.id !== current.id) writeKeyFile(file, ordered)
  await reseal(sql, ordered)
  print(
    `The key ${current.id} of ${file} is the current one. Keep a copy of the file apart from the backups.`,
  )
  print(
    'After two minutes, and once all machines have this file, remove the old key: npm run rotate-key -- --finish',
  )
}

async function finish(sql: Sql, file: string, keys: SealingKey[]): Promise<void> {
  const [current] = keys
  if (!current || keys.length === 1) {
    print(`${file} has one key; there is nothing to remove.`)
    return
  }
  if (current.id !== newestOf(keys)?.id)
    throw new StartError('The newest key is not in use yet. Run first: npm run rotate-key')
  const wait = statSync(file).mtimeMs + GRACE_MS - Date.now()
  if (wait > 0)
    throw new StartError(
      `${file} was changed just now, and a service may still seal with the old key. Run this again in ${Math.ceil(wait / 1000)} seconds.`,
    )
  await reseal(sql, keys)
  const { ids } = await findKeysInUse(sql, SEALED_COLUMNS)
  ids.delete(current.id)
  if (ids.size > 0)
    throw new StartError(
      `Secrets are still sealed with the key ${[...ids].join(', ')}. Check that all services have this file, then run this again.`,
    )
  writeKeyFile(file, [current])
  print(
    `The key ${current.id} is the only one in ${file} now. Copy the file to all machines, and to its backup.`,
  )
}

async function reseal(sql: Sql, keys: SealingKey[]): Promise<void> {
  const sealer = createSealer(keyRing(keys))
  const except = `${SEALED_PREFIX}${keys[0]?.id}:`
  const { sealed, errors } = await sealValues({ sql, sealer, columns: SEALED_COLUMNS, except })
  print(`${sealed} secrets were sealed with the current key.`)
  if (errors.length > 0)
    throw new StartError(
      `${errors.length} secrets cannot be opened, so that the old keys stay:\n${errors.map(error => `  ${error}`).join('\n')}`,
    )
}

/** A key without a date is the oldest. */
function newestOf(keys: SealingKey[]): SealingKey | undefined {
  return keys.toSorted((a, b) => (b.createdAt?.getTime() ?? 0) - (a.createdAt?.getTime() ?? 0))[0]
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof StartError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
