// Repeatedly kills the service during a hundred uploads; then compares the files on disk with the database, and both with
// the acknowledged uploads.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { openLedger } from './support/ledger.ts'
import {
  compareFilesWithRows,
  disableSweep,
  downloadDamagedFiles,
  waitForSweep,
} from './support/repository.ts'
import { launch, type Service, tokenOf } from './support/service.ts'
import { createCase, download, type Target, upload } from './support/uploads.ts'

const COUNTRIES = ['US', 'EDU', 'UK', 'FR', 'DE', 'IR', 'ES', 'CH']
/** Most files are small, like real documents; some have several chunks, so that a kill can truncate them. */
const sizeOf = (seed: number) => (seed % 10 === 0 ? 6_000_000 : 2_000) + ((seed * 7_919) % 700_000)

export const killedUploads: Attack = {
  name: 'killed-uploads',
  title: 'kill -9 of the service during uploads',
  must: 'no row without bytes, no bytes without a row after the sweep, 0 acknowledged lost; damaged bytes never returned as a complete file',
  breaks: ['sweep'],
  async run({ quick, broken, folder, progress, after }) {
    const rounds = quick ? 3 : 10
    const atOnce = quick ? 30 : 100
    const data = join(folder, 'data')
    const env = { DATA_DIR: data }
    const ledger = openLedger(join(folder, 'acknowledged'))
    after(() => ledger.close())
    const findings: string[] = []
    let service: Service | undefined
    after(() => service?.kill())
    let caseId = ''
    let seed = 0
    let noResponse = 0

    for (let round = 0; round < rounds; round++) {
      service = await launch(env)
      await service.ready()
      const target: Target = { url: service.url, token: await tokenOf(service.url) }
      caseId ||= await createCase(target)
      if (broken === 'sweep' && round === 0) await disableSweep(data)
      const killed = service
      // The moment of the kill differs per round: immediately, or after a number of acknowledged uploads.
      const killAt = ledger.entries.size + Math.floor((atOnce * round * 0.9) / rounds)
      const uploads = Array.from({ length: atOnce }, async () => {
        const uploadSeed = ++seed
        const countryCode = COUNTRIES[uploadSeed % COUNTRIES.length] ?? ''
        const options = {
          caseId,
          countryCode,
          seed: uploadSeed,
          size: sizeOf(uploadSeed),
          fileFirst: uploadSeed % 7 === 0,
        }
        const sent = await upload(target, options).catch(() => undefined)
        if (!sent) noResponse++
        else if (sent.status === 201) await ledger.acknowledged(sent.documentId, sent.sha256)
        else findings.push(`an upload returned ${sent.status} ${sent.text}`)
      })
      const all = Promise.all(uploads)
      await sleep(100 + Math.random() * 200)
      while (ledger.entries.size < killAt) await sleep(5)
      await killed.kill()
      await all
      progress(round + 1, rounds + 1)
    }

    // The orphan sweep waits until an upload has been inactive for minutes; this clock skips them.
    const clock = createFakeClock(folder)
    clock.set(new Date(Date.now() + 600_000), 20)
    service = await launch({ ...env, ...clock.env })
    await service.ready()
    const { left, swept } = await waitForSweep(data)
    if (left > 0) findings.push(`${left} interrupted uploads were not swept`)
    const { documents, errors } = await compareFilesWithRows(data)
    findings.push(...errors)
    await service.kill()

    service = await launch(env)
    await service.ready()
    const target: Target = { url: service.url, token: await tokenOf(service.url) }
    for (const [documentId, sha256] of ledger.entries) {
      const downloaded = await download(target, { documentId })
      if (downloaded.status !== 200 || !downloaded.complete || downloaded.sha256 !== sha256)
        findings.push(
          `${documentId} was acknowledged, but returns ${downloaded.status} with SHA-256 ${downloaded.sha256} instead of ${sha256}`,
        )
    }
    const damage = await downloadDamagedFiles(data, { target, documentIds: [...ledger.entries.keys()] })
    findings.push(...damage.errors)
    progress(rounds + 1, rounds + 1)
    return {
      figures:
        `${rounds} kills in ${seed} uploads, ${atOnce} at once: ${ledger.entries.size} acknowledged, ` +
        `${noResponse} without a response, ${documents} documents, ${swept} swept; ` +
        `${damage.files} files damaged, ${damage.errors.length} of ${damage.downloads} downloads returned damaged bytes as complete`,
      findings,
    }
  },
}
