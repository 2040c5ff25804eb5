import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import type { Context, Outcome } from '../attack.ts'
import { type Client, createClient } from '../support/client.ts'
import { openLedger } from '../support/ledger.ts'
import { embeddedSql } from '../support/postgres-processes.ts'
import { launch, tokenOf } from '../support/service.ts'
import { createCase, download, upload } from '../support/uploads.ts'
import { createCompany, createWriters, waitForWrites, writeDuring } from '../support/writers.ts'
import { contentsOf, differences } from './contents.ts'
import { readableByOthers, runDocumented } from './documented.ts'

/** Audit entries are chained within a second or two; the comparison waits for that. */
const CHAIN_DELAY_MS = 2500

/** Without a user, each start would store another link for the first one. */
async function createUser(client: Client): Promise<void> {
  const user = { email: 'admin@example.com', name: 'Backup', roles: ['admin'] }
  const { status } = await client.call({ method: 'POST', path: '/admin/v1/users', body: user })
  if (status !== 201) throw new Error(`The user was not created: ${status}`)
}

/** Backs up a stopped service: nothing changes meanwhile, so that all tables are compared. */
export async function embeddedBackup({ quick, folder, after }: Context): Promise<Outcome> {
  const [dataDir, restored] = [join(folder, 'data'), join(folder, 'restored')]
  const [BACKUP, KEYS] = [join(folder, 'backup'), join(folder, 'keys')]
  const PORT = String(await freePort())
  const service = await launch({ DATA_DIR: dataDir, PORT })
  after(() => service.kill())
  await service.ready()
  const token = await tokenOf(service.url)
  const client = createClient(() => service.url, { token })
  after(client.close)
  await createCompany(client)
  await createUser(client)
  const ledger = openLedger(join(folder, 'ledger'))
  after(ledger.close)
  const writers = createWriters({ client, ledger })
  await writeDuring(writers, { count: 8 }, () => waitForWrites(writers, quick ? 100 : 2000, 60_000))

  const target = { url: service.url, token }
  const caseId = await createCase(target)
  const files = new Map<string, string>()
  for (let seed = 1; seed <= (quick ? 5 : 60); seed++) {
    const sent = await upload(target, { caseId, countryCode: 'FR', seed, size: 50_000 * seed })
    files.set(sent.documentId, sent.sha256)
  }
  await sleep(CHAIN_DELAY_MS)
  const sql = embeddedSql(dataDir)
  const before = await contentsOf(sql)
  await sql.end()
  await service.kill('SIGTERM')

  await runDocumented('back up, embedded', { DATA_DIR: dataDir, BACKUP, KEYS })
  await runDocumented('restore, embedded', { DATA_DIR: restored, BACKUP, KEYS })

  const second = await launch({ DATA_DIR: restored, PORT })
  after(() => second.kill())
  await second.ready()
  const sqlAgain = embeddedSql(restored)
  const findings = [...readableByOthers(BACKUP), ...differences(before, await contentsOf(sqlAgain))]
  await sqlAgain.end()
  // The token is from before the backup: its signing key is restored too.
  const { lost, checked } = await writers.verify(client)
  findings.push(...writers.errors, ...lost)
  for (const [documentId, sha256] of files) {
    const back = await download(target, { documentId })
    if (back.status !== 200 || back.sha256 !== sha256)
      findings.push(`the file of ${documentId}: ${back.status}`)
  }
  await tokenOf(second.url)
  await second.kill('SIGTERM')
  const rows = [...before.values()].reduce((sum, table) => sum + table.rows, 0)
  return {
    figures: `embedded: ${before.size} tables with ${rows} rows, ${checked} records and ${files.size} files restored, ${findings.length} differences`,
    findings,
  }
}
