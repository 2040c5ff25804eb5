// Kills the service during a hundred uploads, again and again; then compares the files on disk with the database, and both
// with what was acknowledged.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { createClock } from './support/clock.ts'
import { openLedger } from './support/ledger.ts'
import { damageIsSeen, filesFault, sweepOff, waitForSweep } from './support/repository.ts'
import { launch, type Service, tokenOf } from './support/service.ts'
import { createCase, download, type Target, upload } from './support/uploads.ts'

const COUNTRIES = ['US', 'EDU', 'UK', 'FR', 'DE', 'IR', 'ES', 'CH']
/** Most are small, as documents are; some are of several blocks, so that there is something to be cut off. */
const sizeOf = (seed: number) => (seed % 10 === 0 ? 6_000_000 : 2_000) + ((seed * 7_919) % 700_000)

export const killedUploads: Attack = {
  name: 'killed-uploads',
  title: 'kill -9 of the service during uploads',
  must: 'no row without bytes, no bytes without a row after the sweep, 0 acknowledged lost; damaged bytes never served as good',
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
    let unanswered = 0

    for (let round = 0; round < rounds; round++) {
      service = await launch(env)
      await service.ready()
      const target: Target = { url: service.url, token: await tokenOf(service.url) }
      caseId ||= await createCase(target)
      if (broken === 'sweep' && round === 0) await sweepOff(data)
      const killed = service
      // In each round at another moment: at once, or when so many have been acknowledged.
      const until = ledger.entries.size + Math.floor((atOnce * round * 0.9) / rounds)
      const uploads = Array.from({ length: atOnce }, async () => {
        const mine = ++seed
        const countryCode = COUNTRIES[mine % COUNTRIES.length] ?? ''
        const sending = { caseId, countryCode, seed: mine, size: sizeOf(mine), fileFirst: mine % 7 === 0 }
        const sent = await upload(target, sending).catch(() => undefined)
        if (!sent) unanswered++
        else if (sent.status === 201) await ledger.acknowledged(sent.documentId, sent.sha256)
        else findings.push(`an upload was answered ${sent.status} ${sent.text}`)
      })
      const all = Promise.all(uploads)
      await sleep(100 + Math.random() * 200)
      while (ledger.entries.size < until) await sleep(5)
      await killed.kill()
      await all
      progress(round + 1, rounds + 1)
    }

    // The orphan sweep waits until an upload has been inactive for minutes; this clock skips them.
    const clock = createClock(folder)
    clock.set(new Date(Date.now() + 600_000), 20)
    service = await launch({ ...env, ...clock.env })
    await service.ready()
    const { left, swept } = await waitForSweep(data)
    if (left > 0) findings.push(`${left} interrupted uploads were not swept`)
    const { documents, faults } = await filesFault(data)
    findings.push(...faults)
    await service.kill()

    service = await launch(env)
    await service.ready()
    const target: Target = { url: service.url, token: await tokenOf(service.url) }
    for (const [documentId, sha256] of ledger.entries) {
      const back = await download(target, { documentId })
      if (back.status !== 200 || !back.complete || back.sha256 !== sha256)
        findings.push(`${documentId} was acknowledged and is ${back.status}, ${back.sha256}, not ${sha256}`)
    }
    const damage = await damageIsSeen(data, { target, documentIds: [...ledger.entries.keys()] })
    findings.push(...damage.faults)
    progress(rounds + 1, rounds + 1)
    return {
      figures:
        `${rounds} kills in ${seed} uploads, ${atOnce} at once: ${ledger.entries.size} acknowledged, ` +
        `${unanswered} unanswered, ${documents} documents, ${swept} swept; ` +
        `${damage.tried} files damaged, ${damage.faults.length} of ${damage.asked} downloads served as good`,
      findings,
    }
  },
}
