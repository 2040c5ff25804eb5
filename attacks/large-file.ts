// Uploads and downloads a file of 2 GiB, with a client that pauses half-way, then uploads five hundred small ones at once.
// The memory of the service must not depend on the file size.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { MIB, peakDuring, residentBytes } from './support/memory.ts'
import { launch, tokenOf } from './support/service.ts'
import { createCase, download, upload } from './support/uploads.ts'

const MAX_GROWTH = 64 * MIB
const PAUSE_MS = 3_000

export const largeFile: Attack = {
  name: 'large-file',
  title: 'a large file, many small ones',
  must: 'the same SHA-256 up and down, memory grows by less than 64 MiB, all concurrent uploads succeed',
  async run({ quick, folder, progress, after }) {
    const size = (quick ? 256 : 2048) * MIB
    const many = quick ? 100 : 500
    const service = await launch({ DATA_DIR: join(folder, 'data'), MAX_UPLOAD_BYTES: String(4 * 1024 * MIB) })
    after(() => service.kill())
    await service.ready()
    const pid = service.child.pid ?? 0
    const target = { url: service.url, token: await tokenOf(service.url) }
    const caseId = await createCase(target)
    const findings: string[] = []
    const expect = (holds: boolean, finding: string) => {
      if (!holds) findings.push(finding)
    }
    const seconds = (since: number) => (performance.now() - since) / 1000
    const growth: string[] = []
    const checkGrowth = (step: string, peak: number) => {
      const bytes = peak - base
      growth.push(`${step} ${Math.round(bytes / MIB)}`)
      expect(bytes < MAX_GROWTH, `memory grew by ${Math.round(bytes / MIB)} MiB during ${step}`)
    }

    // The baseline is the peak of the same requests with small files, so that one-time costs, such as compiled code, do not
    // count as growth. Peaks are compared, because memory is released between requests.
    const cold = residentBytes(pid)
    let seed = 0
    const { peak: base } = await peakDuring(pid, async () => {
      for (const fileFirst of [false, true, false]) {
        const warm = await upload(target, {
          caseId,
          countryCode: 'DE',
          seed: ++seed,
          size: 32 * MIB,
          fileFirst,
        })
        await download(target, { documentId: warm.documentId })
      }
    })

    let began = performance.now()
    const up = await peakDuring(pid, () => upload(target, { caseId, countryCode: 'DE', seed: ++seed, size }))
    const upRate = size / MIB / seconds(began)
    expect(up.result.status === 201, `the upload returned ${up.result.status} ${up.result.text}`)
    checkGrowth('up', up.peak)
    progress(1, 4)

    const { documentId, sha256 } = up.result
    let paused = false
    const pauseHalfWay = async (read: number) => {
      if (paused || read < size / 2) return
      paused = true
      await sleep(PAUSE_MS)
    }
    began = performance.now()
    const down = await peakDuring(pid, () => download(target, { documentId, onChunk: pauseHalfWay }))
    const downRate = size / MIB / (seconds(began) - PAUSE_MS / 1000)
    const { status, complete, length } = down.result
    expect(
      status === 200 && complete && length === size,
      `the download returned ${status} and ${length} of ${size} bytes`,
    )
    expect(down.result.sha256 === sha256, 'the SHA-256 of the download differs')
    checkGrowth('down', down.peak)
    progress(2, 4)

    const first = await peakDuring(pid, () =>
      upload(target, { caseId, countryCode: 'FR', seed: ++seed, size: size / 4, fileFirst: true }),
    )
    expect(
      first.result.status === 201,
      `with the file first, the upload returned ${first.result.status} ${first.result.text}`,
    )
    checkGrowth('up with the file first', first.peak)
    progress(3, 4)

    began = performance.now()
    const small = await Promise.allSettled(
      Array.from({ length: many }, (_, index) =>
        upload(target, { caseId, countryCode: 'ES', seed: 1000 + index, size: 20_000 + index }),
      ),
    )
    const took = seconds(began)
    const stored = small.filter(one => one.status === 'fulfilled' && one.value.status === 201).length
    expect(stored === many, `${many - stored} of ${many} concurrent uploads failed: ${firstError(small)}`)
    for (const one of small) {
      if (one.status !== 'fulfilled' || one.value.status !== 201) continue
      const downloaded = await download(target, { documentId: one.value.documentId })
      expect(
        downloaded.complete && downloaded.sha256 === one.value.sha256,
        `${one.value.documentId} was changed`,
      )
    }
    progress(4, 4)
    return {
      figures:
        `${size / MIB} MiB up at ${upRate.toFixed(0)} and down at ${downRate.toFixed(0)} MiB/s, the same SHA-256; ` +
        `peak memory with 32 MiB files ${Math.round(base / MIB)} MiB (${Math.round(cold / MIB)} before the first upload), growth in MiB: ${growth.join(', ')}; ` +
        `${stored} of ${many} concurrent uploads in ${took.toFixed(1)} s`,
      findings,
    }
  },
}

function firstError(results: PromiseSettledResult<{ status: number; text: string }>[]): string {
  const bad = results.find(one => one.status === 'rejected' || one.value.status !== 201)
  if (!bad) return 'none'
  return bad.status === 'rejected' ? String(bad.reason) : `${bad.value.status} ${bad.value.text}`
}
