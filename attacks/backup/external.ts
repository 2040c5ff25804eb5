import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createExternalPostgres } from '../../service/test/support/external-postgres.ts'
import type { Context, Outcome } from '../attack.ts'
import { createClient } from '../support/client.ts'
import { openLedger } from '../support/ledger.ts'
import { launch, tokenOf } from '../support/service.ts'
import { createCase, download, upload } from '../support/uploads.ts'
import { createCompany, createWriters, waitForWrites, writeDuring } from '../support/writers.ts'
import { readableByOthers, runDocumented } from './documented.ts'
import { DEBIAN, installedPostgres } from './installed.ts'

/** Breaks the guard `backup-order`: copies the files before the dump, so that files uploaded in between are missing. */
async function copyFilesBeforeDump(folder: string, archive: string): Promise<void> {
  execFileSync('sh', [
    '-c',
    'tar --create --file "$2" --directory "$1" . || [ $? -eq 1 ]',
    'sh',
    folder,
    archive,
  ])
  await sleep(1000)
}

/** Dumps a database during writes: everything acknowledged before the dump must be restored. */
export async function externalBackup(context: Context): Promise<Outcome> {
  const { quick, broken, folder, after } = context
  const programs = installedPostgres()
  if (!programs)
    return { figures: `external: skipped, no pg_dump with a server below ${DEBIAN}`, findings: [] }
  const PATH = `${programs}:${process.env['PATH']}`
  const server = await createExternalPostgres({ folder: join(folder, 'external'), programs })
  after(server.kill)
  const [FILES, BACKUP] = [join(folder, 'files'), join(folder, 'backup-external')]
  const env = { PUBLIC_URL: 'http://backup.example', REPOSITORIES: `file:${FILES}` }
  const service = await launch({ ...env, DATABASE_URL: server.url, DATA_DIR: join(folder, 'one') })
  after(() => service.kill())
  await service.ready()
  const token = await tokenOf(service.url)
  let url = service.url
  const client = createClient(() => url, { token })
  after(client.close)
  await createCompany(client)
  const ledger = openLedger(join(folder, 'ledger-external'))
  after(ledger.close)
  const early = createWriters({ client, ledger, prefix: 'E' })
  await writeDuring(early, { count: 8 }, () => waitForWrites(early, quick ? 100 : 1000, 60_000))

  const target = { url, token }
  const caseId = await createCase(target)
  const files = new Map<string, string>()
  const uploadOne = async (seed: number) => {
    const sent = await upload(target, { caseId, countryCode: 'CH', seed, size: 40_000 })
    if (sent.status === 201) files.set(sent.documentId, sent.sha256)
  }
  for (let seed = 1; seed <= 10; seed++) await uploadOne(seed)
  const before = files.size

  // Writes and uploads continue during the backup, which may include them or not.
  const late = createWriters({ client, ledger, prefix: 'L' })
  let over = false
  const uploading = (async () => {
    for (let seed = 100; !over; seed++) await uploadOne(seed)
  })()
  await writeDuring(late, { count: 4 }, async () => {
    await waitForWrites(late, 20, 5000)
    const early = join(folder, 'early-files.tar')
    if (broken === 'backup-order') await copyFilesBeforeDump(FILES, early)
    await runDocumented('back up, external', { PATH, DATABASE_URL: server.url, FILES, BACKUP })
    if (broken === 'backup-order') renameSync(early, join(BACKUP, 'files.tar'))
  })
  over = true
  await uploading
  await service.kill('SIGTERM')

  const sql = server.sql()
  await sql`create database restored`
  await sql.end()
  const restoredUrl = server.url.replace(/\w+$/, 'restored')
  const restoredFiles = join(folder, 'restored-files')
  await runDocumented('restore, external', {
    PATH,
    DATABASE_URL: restoredUrl,
    FILES: restoredFiles,
    BACKUP,
  })
  const second = await launch({
    ...env,
    REPOSITORIES: `file:${restoredFiles}`,
    DATABASE_URL: restoredUrl,
    DATA_DIR: join(folder, 'two'),
  })
  after(() => second.kill())
  await second.ready()
  url = second.url
  const { lost, checked } = await early.verify(client)
  const findings = [...readableByOthers(BACKUP), ...early.errors, ...late.errors, ...lost]
  let restored = 0
  for (const [index, [documentId, sha256]] of [...files].entries()) {
    const back = await download({ url, token }, { documentId })
    if (back.status === 200 && back.sha256 === sha256) restored += 1
    // A document uploaded during the backup is either missing from the dump or complete.
    else if (index < before || back.status !== 404) findings.push(`the file of ${documentId}: ${back.status}`)
  }
  await second.kill('SIGTERM')
  return {
    figures: `external, during writes: of ${checked} records written before the backup ${lost.length} lost, ${restored} of ${files.size} files restored (${before} uploaded before it), ${findings.length} differences`,
    findings,
  }
}
