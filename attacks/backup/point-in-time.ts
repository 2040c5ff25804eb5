// Base backup, archived WAL and copies of files, by the scripts of deploy/backup and the commands of docs/operations.md. Moments are
// saved during writes and uploads; database and files are destroyed, and restored to a moment that is not the last.
import { readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createExternalPostgres } from '../../service/test/support/external-postgres.ts'
import type { Context, Outcome } from '../attack.ts'
import { createClient } from '../support/client.ts'
import { openLedger } from '../support/ledger.ts'
import { launch, tokenOf } from '../support/service.ts'
import { createCase, upload } from '../support/uploads.ts'
import { createCompany, createWriters, waitForWrites, writeDuring } from '../support/writers.ts'
import { runDocumented } from './documented.ts'
import { filesBelow, inspectBackup } from './inspected.ts'
import { installBackupTools, installedPostgres } from './installed.ts'
import { createMachine, type Machine } from './machine.ts'
import { auditFindings, endOfFeed, feedFindings, headOfFeed, peopleIn } from './restored.ts'
import { createStream } from './stream.ts'

/** Texts that no backup may contain: part of each passport number, and the begin of each file. */
const PASSPORT = 'PASSPORT-IN-PLAIN-TEXT'
const PLAIN_TEXTS = [PASSPORT, '%PDF-1.7']

export async function pointInTime({ quick, broken, folder, after }: Context): Promise<Outcome> {
  const programs = installedPostgres()
  if (!programs) return { figures: 'point in time: skipped, PostgreSQL is not installed', findings: [] }
  if (!installBackupTools())
    return { figures: 'point in time: skipped, age and zstd are not installed', findings: [] }
  const machine = createMachine(folder, { programs, isEncrypted: broken !== 'backup-encryption' })
  const server = await createExternalPostgres({
    folder: join(folder, 'moments'),
    programs,
    settings: machine.archiving,
  })
  after(server.kill)
  machine.configure(server.port)
  const documented = (name: string, env: Record<string, string> = {}) =>
    runDocumented(name, { ...machine.env, ...env }, { cwd: machine.checkout })
  await documented('folders of the backup')
  await documented('login of the backup', { DATABASE_URL: server.url, BACKUP_PASSWORD: 'unused' })

  const DATA_DIR = join(folder, 'data-moments')
  const start = async () => {
    const service = await launch({
      PUBLIC_URL: 'http://backup.example',
      REPOSITORIES: `file:${machine.files}`,
      DATABASE_URL: server.url,
      DATA_DIR,
    })
    after(() => service.kill())
    await service.ready()
    return service
  }
  const service = await start()
  let { url } = service
  const token = await tokenOf(url)
  const client = createClient(() => url, { token })
  after(client.close)
  await createCompany(client)
  const ledger = openLedger(join(folder, 'ledger-moments'))
  after(ledger.close)
  const early = createWriters({ client, ledger, prefix: 'PE' })
  await writeDuring(early, { count: 8 }, () => waitForWrites(early, quick ? 60 : 1500, 60_000))

  const caseId = await createCase({ url, token })
  const send = (options: { countryCode: string; seed: number; size: number }) =>
    upload({ url, token }, { caseId, ...options })
  const stream = createStream({ client, plain: PASSPORT, send })
  const streaming = stream.run(
    quick ? { people: 1, files: 1, pause: 50 } : { people: 4, files: 4, pause: 10 },
  )
  await stream.more(10)
  await documented('base backup')
  const cursorBefore = await endOfFeed(client)
  await stream.more(10)
  const time = Date.now()
  await stream.more(10)
  if (!quick || broken === 'moment-order') await documented('save a moment')
  const copiesBefore = new Set(machine.copies())
  await stream.more(10)
  const from = Date.now()
  const moment = momentIn(await documented('save a moment'))
  const span = { from, to: Date.now() }
  await stream.more(quick ? 20 : 200)
  const cursorAfter = await endOfFeed(client)
  const head = await headOfFeed(server)
  // Files that are gone from the repository later are still those of the moment.
  const lost = stream.filesBefore(from).slice(0, 3)
  machine.loseFiles(lost.map(({ sha256 }) => sha256))
  await documented('save a moment')
  await documented('base backup')
  stream.stop()
  await streaming

  const inspected = inspectBackup(machine.backup, PLAIN_TEXTS)
  const findings = [...early.errors, ...stream.errors, ...inspected.findings]
  if (lost.length < 3 || machine.lostKeys().length < 3)
    findings.push(`only ${machine.lostKeys().length} of 3 files could be removed from the repository`)

  // A rehearsal beside the running database, to a time between two moments.
  const rehearsal = join(folder, 'rehearsal')
  try {
    await documented('rehearse a restore', { PGDATA: rehearsal, TIME: new Date(time).toISOString() })
    const people = await peopleIn(rehearsal, { programs, owner: machine.owner })
    findings.push(...stream.comparePeople(people, { from: time, to: time }).map(text => `rehearsal: ${text}`))
  } catch (error) {
    findings.push(`rehearsal: ${outputOf(error)}`)
  }

  await service.kill()
  await server.kill()
  spoil(broken, { machine, moment, copiesBefore })
  rmSync(server.databaseDir, { recursive: true })
  rmSync(machine.files, { recursive: true })
  const began = performance.now()
  try {
    await documented('restore to a moment', { PGDATA: server.databaseDir, MOMENT: moment })
  } catch (error) {
    findings.push(`restore: ${outputOf(error)}`)
    return { figures: `point in time: not restored, ${findings.length} findings`, findings }
  }
  const seconds = (performance.now() - began) / 1000

  await server.start()
  const sql = server.sql()
  const [control] = await sql<{ timeline: number }[]>`
    select timeline_id as timeline from pg_control_checkpoint()`
  await sql.end()
  if (control?.timeline !== 2) findings.push(`the timeline is ${control?.timeline}, not 2`)
  const restored = await start()
  url = restored.url
  const { lost: missing, checked } = await early.verify(client)
  findings.push(...missing, ...(await stream.verify({ target: { url, token }, span })))
  findings.push(...(await auditFindings(server.url, DATA_DIR)))
  findings.push(...(await feedFindings(client, { cursorBefore, cursorAfter })))

  // The restored system takes writes, which do not make an old cursor valid, and is backed up again.
  const late = createWriters({ client, ledger, prefix: 'PL' })
  await writeDuring(late, { count: 4 }, async () => {
    for (const end = Date.now() + 60_000; (await headOfFeed(server)) <= head && Date.now() < end; )
      await waitForWrites(late, 20, 5_000)
  })
  if ((await headOfFeed(server)) <= head) findings.push('the feed did not grow past the cursor')
  const again = await upload({ url, token }, { caseId, countryCode: 'UK', seed: 1_000_000, size: 30_000 })
  if (again.status !== 201) findings.push(`an upload after the restore: ${again.status}`)
  findings.push(...late.errors, ...(await late.verify(client)).lost)
  findings.push(...(await feedFindings(client, { cursorBefore, cursorAfter })))
  const later = new Date().toISOString()
  await documented('save a moment')
  await restored.kill('SIGTERM')
  // The base backup that was taken after the moment is not of this timeline.
  const second = join(folder, 'second-rehearsal')
  try {
    await documented('rehearse a restore', { PGDATA: second, TIME: later })
    const people = await peopleIn(second, { programs, owner: machine.owner })
    if (![...people].some(number => number.startsWith('PL-')))
      findings.push('second rehearsal: the records of the new timeline are missing')
  } catch (error) {
    findings.push(`second rehearsal: ${outputOf(error)}`)
  }
  const { people, files } = stream.counts(span)
  return {
    figures: `point in time, during writes: restored in ${seconds.toFixed(1)} s; of ${checked + people.before} records and ${files.before} files acknowledged before the moment all are there, of ${people.after} records and ${files.after} files sent after it none, ${inspected.checked} files of the backup inspected, ${findings.length} differences`,
    findings,
  }
}

function momentIn(output: string): string {
  const [, moment] = /^(\d{8}T\d{6}\.\d{3}Z): \d+ new files$/m.exec(output) ?? []
  if (!moment) throw new Error(`No moment was saved: ${output}`)
  return moment
}

const outputOf = (error: unknown) => {
  const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string }
  return stdout || stderr ? `${stdout}${stderr}`.trim() : message
}

/** Breaks a guard, as a wrong procedure would; `createMachine` breaks `backup-encryption`. */
function spoil(
  guard: string | undefined,
  { machine, moment, copiesBefore }: { machine: Machine; moment: string; copiesBefore: Set<string> },
): void {
  // As if the files had been copied before the moment was marked.
  if (guard === 'moment-order') for (const path of machine.copies()) if (!copiesBefore.has(path)) rmSync(path)
  // As a mirror does, which removes copies together with their originals.
  if (guard === 'copies-kept')
    for (const path of machine.copies()) if (machine.lostKeys().includes(basename(path, '.age'))) rmSync(path)
  // The segment with the moment was never archived.
  if (guard === 'whole-archive') {
    const [, segment = ''] =
      /^segment (\w+)$/m.exec(readFileSync(join(machine.backup, 'moments', moment), 'utf8')) ?? []
    const archived = filesBelow(join(machine.backup, 'wal')).filter(path =>
      basename(path).startsWith(`${segment}-`),
    )
    for (const path of archived) rmSync(path)
  }
}
