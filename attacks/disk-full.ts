// Two small disks, one for the database, one for the repositories: each is filled while both are written to, stays full for
// a while, and is emptied again. The service must recover without a restart.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, Context, Outcome } from './attack.ts'
import { type Client, createClient } from './support/client.ts'
import { type Ledger, openLedger } from './support/ledger.ts'
import { embeddedSql } from './support/postgres-processes.ts'
import { launch, tokenOf } from './support/service.ts'
import { canMount, mountSmallDisk, type SmallDisk } from './support/small-disk.ts'
import { createCase, download, type Target, upload } from './support/uploads.ts'
import { createCompany, createWriters, waitForWrites, writeDuring } from './support/writers.ts'

const WRITERS = 8
const DATABASE_MB = 400
const FILES_MB = 48
const FULL_MS = 3000
const RECOVERY_LIMIT_MS = 30_000
/** Insufficient storage, or unavailable. */
const EXPECTED_STATUSES = [503, 507]

async function run({ quick, folder, progress, after }: Context): Promise<Outcome> {
  if (!canMount()) return { figures: 'skipped: only root can mount a small disk', findings: [] }
  const rounds = quick ? 1 : 6
  const database = mountSmallDisk(join(folder, 'database'), DATABASE_MB)
  after(database.unmount)
  const files = mountSmallDisk(join(folder, 'files'), FILES_MB)
  after(files.unmount)
  const dataDir = join(database.folder, 'data')
  const service = await launch({
    DATA_DIR: dataDir,
    REPOSITORIES: `file:${files.folder}`,
  })
  after(() => service.kill())
  await service.ready()
  const target = { url: service.url, token: await tokenOf(service.url) }
  const client = createClient(() => service.url, target)
  after(client.close)
  await createCompany(client)
  const ledger = openLedger(join(folder, 'ledger'))
  const fileLedger = openLedger(join(folder, 'ledger-of-files'))
  after(ledger.close)
  after(fileLedger.close)
  const writers = createWriters({ client, ledger, retryable: EXPECTED_STATUSES })
  const uploads = createUploads(target, { ledger: fileLedger, caseId: await createCase(target) })
  const findings: string[] = []
  let slowestRecovery = 0

  await writeDuring(writers, { count: WRITERS }, async () => {
    const over = new AbortController()
    const uploading = uploads.run(over.signal)
    for (let round = 0; round < rounds * 2; round++) {
      const [disk, name] =
        round % 2 === 0 ? ([files, 'repositories'] as const) : ([database, 'database'] as const)
      await waitForWrites(writers, 50, 5000)
      const rejectedBefore = writers.counts.rejected + uploads.rejected()
      // Some rounds leave a little space, so that it runs out elsewhere.
      disk.fill(((round >> 1) % 3) * 500_000)
      if (disk === database) await switchWalSegments(dataDir)
      await sleep(FULL_MS)
      if (writers.counts.rejected + uploads.rejected() === rejectedBefore && round < 2)
        findings.push(`nothing was rejected although the disk of the ${name} was full`)
      slowestRecovery = Math.max(slowestRecovery, await recovery(disk, client, uploads))
      progress(round + 1, rounds * 2, `${writers.counts.acknowledged} acknowledged`)
    }
    over.abort()
    await uploading
  })
  const stops = service.output().split('PostgreSQL has ended unexpectedly').length - 1
  const { lost, checked } = await writers.verify(client)
  const lostFiles = await uploads.lost()
  findings.push(...writers.errors, ...uploads.errors, ...lost, ...lostFiles)
  if (slowestRecovery > RECOVERY_LIMIT_MS)
    findings.push(`writes still fail ${RECOVERY_LIMIT_MS} ms after space was freed`)
  if (service.child.exitCode !== null) findings.push(`the service has exited: ${service.output()}`)
  return {
    figures: `disks full ${rounds * 2} times for ${FULL_MS / 1000} s; ${writers.counts.acknowledged} writes and ${fileLedger.entries.size} files acknowledged, ${writers.counts.rejected + uploads.rejected()} rejected (${EXPECTED_STATUSES.join('/')}); of ${checked} records ${lost.length} lost, of ${fileLedger.entries.size} files ${lostFiles.length}; PostgreSQL stopped ${stops} times; all writes succeed again within ${(slowestRecovery / 1000).toFixed(1)} s after space is freed`,
    findings,
  }
}

/**
 * Switches WAL segments, as many more writes would do: PostgreSQL finds no space for its WAL and stops. The service must
 * restart it by itself once there is space.
 */
async function switchWalSegments(dataDir: string): Promise<void> {
  const sql = embeddedSql(dataDir)
  for (let segment = 0; segment < 20; segment++) {
    const switched = await sql`select pg_switch_wal()`.catch(() => undefined)
    if (!switched) break
    await sleep(50)
  }
  await sql.end({ timeout: 0 })
}

/** Empties the disk; returns how long it takes until a record and a file are accepted and /readyz responds with 200. */
async function recovery(disk: SmallDisk, client: Client, uploads: Uploads): Promise<number> {
  disk.empty()
  const began = performance.now()
  const elapsed = () => performance.now() - began
  const hasRecovered = async () => {
    const put = await client.call({
      method: 'PUT',
      path: '/v2/applicant/employeenumber/probe',
      body: { primaryApplicant: { firstName: 'A', lastName: 'B' } },
    })
    if (!put.status || put.status >= 300) return false
    return (await uploads.uploadOne()) && (await client.call({ path: '/readyz' })).status === 200
  }
  while (elapsed() < RECOVERY_LIMIT_MS + 1000 && !(await hasRecovered())) await sleep(100)
  return elapsed()
}

type Uploads = ReturnType<typeof createUploads>

/** Uploads one small file after the other; all are downloaded at the end. */
function createUploads(target: Target, { ledger, caseId }: { ledger: Ledger; caseId: string }) {
  const errors: string[] = []
  let rejected = 0
  let seed = 0
  const uploadOne = async (): Promise<boolean> => {
    const sending = { caseId, countryCode: 'DE', seed: ++seed, size: 20_000 + ((seed * 7_919) % 60_000) }
    const sent = await upload(target, sending).catch(() => undefined)
    if (sent?.status === 201) {
      await ledger.acknowledged(sent.documentId, sent.sha256)
      return true
    }
    if (!sent) errors.push(`upload ${seed} got no response`)
    else if (EXPECTED_STATUSES.includes(sent.status)) rejected += 1
    else errors.push(`upload ${seed}: ${sent.status} ${sent.text.slice(0, 300)}`)
    return false
  }
  return {
    errors,
    uploadOne,
    rejected: () => rejected,
    async run(until: AbortSignal) {
      while (!until.aborted) await sleep((await uploadOne()) ? 20 : 100)
    },
    async lost(): Promise<string[]> {
      const found: string[] = []
      for (const [documentId, sha256] of ledger.entries) {
        const back = await download(target, { documentId })
        if (back.status !== 200 || back.sha256 !== sha256)
          found.push(`the file of ${documentId}: ${back.status}`)
      }
      return found
    },
  }
}

export const diskFull: Attack = {
  name: 'disk-full',
  title: 'disk full under database and repositories',
  must: '503 or 507 while full, 0 lost, recovers by itself once there is space',
  run,
}
