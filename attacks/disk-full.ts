// Two small disks, one for the database, one for the repositories: each is filled while both are written to, stays full for
// a while, and is emptied again. The service must recover without a restart.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, Context, Outcome } from './attack.ts'
import { type Client, createClient } from './support/client.ts'
import { type Ledger, openLedger } from './support/ledger.ts'
import { embeddedSql } from './support/postgres-processes.ts'
import { launch, tokenOf } from './support/service.ts'
import { mayMount, mountSmallDisk, type SmallDisk } from './support/small-disk.ts'
import { createCase, download, type Target, upload } from './support/uploads.ts'
import { createWriters, during, moreWrites, prepare } from './support/writers.ts'

const WRITERS = 8
const DATABASE_MB = 400
const FILES_MB = 48
const FULL_MS = 3000
const RECOVERY_LIMIT_MS = 30_000
/** Insufficient storage, or unavailable. */
const CLEAR = [503, 507]

async function run({ quick, folder, progress, after }: Context): Promise<Outcome> {
  if (!mayMount()) return { figures: 'skipped: only root can mount a small disk', findings: [] }
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
  await prepare(client)
  const ledger = openLedger(join(folder, 'ledger'))
  const fileLedger = openLedger(join(folder, 'ledger-of-files'))
  after(ledger.close)
  after(fileLedger.close)
  const writers = createWriters({ client, ledger, busy: CLEAR })
  const uploads = createUploads(target, { ledger: fileLedger, caseId: await createCase(target) })
  const findings: string[] = []
  let slowestRecovery = 0

  await during(writers, { count: WRITERS }, async () => {
    const over = new AbortController()
    const uploading = uploads.run(over.signal)
    for (let round = 0; round < rounds * 2; round++) {
      const [disk, name] =
        round % 2 === 0 ? ([files, 'repositories'] as const) : ([database, 'database'] as const)
      await moreWrites(writers, 50, 5000)
      const refusedBefore = writers.counts.refused + uploads.refused()
      // Some rounds leave a little space, so that it runs out elsewhere.
      disk.fill(((round >> 1) % 3) * 500_000)
      if (disk === database) await writeAhead(dataDir)
      await sleep(FULL_MS)
      if (writers.counts.refused + uploads.refused() === refusedBefore && round < 2)
        findings.push(`nothing was refused although the disk of the ${name} was full`)
      slowestRecovery = Math.max(slowestRecovery, await recovery(disk, client, uploads))
      progress(round + 1, rounds * 2, `${writers.counts.acknowledged} acknowledged`)
    }
    over.abort()
    await uploading
  })
  const stops = service.output().split('PostgreSQL has ended unexpectedly').length - 1
  const { lost, checked } = await writers.reckon(client)
  const lostFiles = await uploads.lost()
  findings.push(...writers.faults, ...uploads.faults, ...lost, ...lostFiles)
  if (slowestRecovery > RECOVERY_LIMIT_MS)
    findings.push(`not written to again ${RECOVERY_LIMIT_MS} ms after there was room`)
  if (service.child.exitCode !== null) findings.push(`the service has ended: ${service.output()}`)
  return {
    figures: `disks full ${rounds * 2} times for ${FULL_MS / 1000} s; ${writers.counts.acknowledged} writes and ${fileLedger.entries.size} files acknowledged, ${writers.counts.refused + uploads.refused()} refused (${CLEAR.join('/')}); of ${checked} records ${lost.length} lost, of ${fileLedger.entries.size} files ${lostFiles.length}; PostgreSQL stopped ${stops} times; all is taken again within ${(slowestRecovery / 1000).toFixed(1)} s of room`,
    findings,
  }
}

/**
 * Switches WAL segments, as many more writes would do: PostgreSQL finds no space for its WAL and stops. The service has to
 * restart it once there is space, without being told.
 */
async function writeAhead(dataDir: string): Promise<void> {
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
  const passed = () => performance.now() - began
  const isWell = async () => {
    const put = await client.call({
      method: 'PUT',
      path: '/v2/applicant/employeenumber/probe',
      body: { primaryApplicant: { firstName: 'A', lastName: 'B' } },
    })
    if (!put.status || put.status >= 300) return false
    return (await uploads.one()) && (await client.call({ path: '/readyz' })).status === 200
  }
  while (passed() < RECOVERY_LIMIT_MS + 1000 && !(await isWell())) await sleep(100)
  return passed()
}

type Uploads = ReturnType<typeof createUploads>

/** Uploads one small file after the other; all are downloaded at the end. */
function createUploads(target: Target, { ledger, caseId }: { ledger: Ledger; caseId: string }) {
  const faults: string[] = []
  let refused = 0
  let seed = 0
  const one = async (): Promise<boolean> => {
    const sending = { caseId, countryCode: 'DE', seed: ++seed, size: 20_000 + ((seed * 7_919) % 60_000) }
    const sent = await upload(target, sending).catch(() => undefined)
    if (sent?.status === 201) {
      await ledger.acknowledged(sent.documentId, sent.sha256)
      return true
    }
    if (!sent) faults.push(`upload ${seed} got no answer`)
    else if (CLEAR.includes(sent.status)) refused += 1
    else faults.push(`upload ${seed}: ${sent.status} ${sent.text.slice(0, 300)}`)
    return false
  }
  return {
    faults,
    one,
    refused: () => refused,
    async run(until: AbortSignal) {
      while (!until.aborted) await sleep((await one()) ? 20 : 100)
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
  must: 'clear 503/507, 0 lost, recovers by itself when there is room',
  run,
}
