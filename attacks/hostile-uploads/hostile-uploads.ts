// Uploads with hostile content, hostile names, or very many parts.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Attack } from '../attack.ts'
import { createDataset } from '../support/dataset.ts'
import { createRandom } from '../support/random.ts'
import { runConcurrently } from '../support/run-concurrently.ts'
import { startTarget, type Target } from '../support/target.ts'
import { openWire, type RawResponse } from '../support/wire.ts'
import { bombs, mayBeStored, mustBeRejected, type Upload } from './files.ts'

const BOUNDARY = 'boundary-of-the-attack'
/** Allowed growth of memory above the idle service, in MiB. */
const MAX_GROWTH = 250
const DISPOSITION = /^attachment; filename="[ !#-[\]-~]*"; filename\*=UTF-8''[\w!#$&+.^`|~%-]*$/
const ACTIVE_TYPE = /html|script|svg|[/+]xml|php|multipart/

export const hostileUploads: Attack = {
  name: 'hostile-uploads',
  title: 'hostile uploads',
  must: 'no dangerous file stored, memory bounded, names harmless',
  breaks: ['file-kinds', 'office-macros'],

  async run(context) {
    const total = context.quick ? 300 : 5_000
    const random = createRandom()
    const target = await startTarget(context)
    const { caseId = '' } = await createDataset(target)
    const findings = new Set<string>()
    const stored: { sha256: string; upload: Upload; documentId: string }[] = []
    let rejected = 0
    const idle = target.memory()
    let peak = idle

    const uploadAndCheck = async (upload: Upload, allowed: boolean) => {
      const response = await send(target, body(caseId, upload))
      peak = Math.max(peak, target.memory())
      if (typeof response === 'string') findings.add(`${upload.what}: ${response}`)
      else if (response.status === 201) {
        if (!allowed) findings.add(`stored: ${upload.what}`)
        const { documentId } = JSON.parse(response.bytes.toString())
        stored.push({ documentId, upload, sha256: createHash('sha256').update(upload.bytes).digest('hex') })
      } else if (response.status >= 500) findings.add(`${response.status} for ${upload.what}`)
      else if (response.status !== 415 && response.status !== 400)
        findings.add(`${response.status} for ${upload.what}`)
      else rejected += 1
    }
    const done = await runConcurrently({
      total,
      concurrency: 8,
      until: () => findings.size > 50,
      progress: context.progress,
      each: async index => {
        await (index % 3 === 0
          ? uploadAndCheck(mayBeStored(random), true)
          : uploadAndCheck(mustBeRejected(random), false))
      },
    })
    for (const bomb of bombs()) await uploadAndCheck(bomb, true)
    for (const { documentId, upload, sha256 } of stored)
      await checkDownload(target, { documentId, upload, sha256, findings })
    const flooded = await flood(target, { caseId, quick: context.quick, findings })
    peak = Math.max(peak, flooded)
    if (peak > idle + MAX_GROWTH) findings.add(`memory rose from ${idle} to ${peak} MiB`)

    // The dataset contains one file.
    const files = blobsIn(join(context.folder, 'data'))
    if (files.length !== stored.length + 1)
      findings.add(`${files.length} files are in the repositories for ${stored.length + 1} documents`)
    if (existsSync('/tmp/caseport-traversal.pdf') || existsSync('/etc/cron.d/caseport-traversal'))
      findings.add('a file was written outside the repositories')
    return {
      figures: `seed ${random.seed}: ${done} files, ${rejected} rejected, ${stored.length} stored and checked on download; floods of 10,000 parts, fields and headers rejected; memory ${idle} MiB, at most ${peak}`,
      findings: [...findings],
    }
  },
}

function body(caseId: string, { bytes, fileName, declared }: Upload): Buffer {
  const field = (name: string, value: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const head = `${field('caseId', caseId)}${field('countryCode', 'DE')}--${BOUNDARY}\r\nContent-Disposition: form-data; name="document"; filename="${fileName}"\r\nContent-Type: ${declared}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
}

async function send(
  { service, token }: Target,
  content: Buffer,
): Promise<RawResponse | 'closed' | 'timeout'> {
  const head = `POST /v2/document HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${content.length}\r\n\r\n`
  const wire = openWire(service.port)
  const response = await wire.exchange({ bytes: Buffer.concat([Buffer.from(head), content]), method: 'POST' })
  wire.close()
  return response
}

interface Stored {
  documentId: string
  upload: Upload
  sha256: string
  findings: Set<string>
}

async function checkDownload(
  { service, token }: Target,
  { documentId, upload, sha256, findings }: Stored,
): Promise<void> {
  const response = await fetch(`${service.url}/v2/document/${encodeURIComponent(documentId)}/file`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const wrong = (what: string) => findings.add(`${upload.what}: ${what}`)
  const disposition = response.headers.get('content-disposition') ?? ''
  if (response.status !== 200) wrong(`cannot be downloaded: ${response.status}`)
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) wrong('the downloaded bytes differ')
  if (!DISPOSITION.test(disposition)) wrong(`Content-Disposition: ${disposition}`)
  if (/[\\/]|%2F|%5C|%00|%0D|%0A|%E2%80%AE/i.test(disposition.split("''")[1] ?? ''))
    wrong(`a misleading name: ${disposition}`)
  if (ACTIVE_TYPE.test(response.headers.get('content-type') ?? ''))
    wrong(`is downloaded as ${response.headers.get('content-type')}`)
  if (response.headers.get('x-content-type-options') !== 'nosniff') wrong('has no nosniff header')
  if (response.headers.has('x-injected')) wrong('a header was injected')
}

/** Floods of parts, fields, headers and other bytes. Returns the peak memory. */
async function flood(
  target: Target,
  { caseId, quick, findings }: { caseId: string; quick: boolean; findings: Set<string> },
): Promise<number> {
  const part = (headers: string, value = 'x') => `--${BOUNDARY}\r\n${headers}\r\n\r\n${value}\r\n`
  const end = `--${BOUNDARY}--\r\n`
  const many = (one: (index: number) => string) =>
    Array.from({ length: 10_000 }, (_, index) => one(index)).join('') + end
  const large = (quick ? 16 : 256) * 1024 * 1024
  const floods: Record<string, string> = {
    'parts without a name': many(() => part('Content-Disposition: form-data')),
    'fields of one name': many(() => part('Content-Disposition: form-data; name="name"')),
    'fields of many names': many(index => part(`Content-Disposition: form-data; name="f${index}"`)),
    files: many(() => part('Content-Disposition: form-data; name="document"; filename="a.pdf"', '%PDF-')),
    'headers in a part':
      part(`Content-Disposition: form-data; name="caseId"\r\n${'X: y\r\n'.repeat(10_000)}X: z`, caseId) + end,
    'a header without end': `--${BOUNDARY}\r\nX: ${'y'.repeat(large)}`,
    'a field without end': part('Content-Disposition: form-data; name="name"', 'y'.repeat(large)) + end,
    'a preamble without end': `${'y'.repeat(large)}\r\n${end}`,
    'line ends': '\r\n'.repeat(large / 2) + end,
    'half boundaries': `\r\n--${BOUNDARY.slice(0, -1)}`.repeat(large / 32) + end,
  }
  let peak = 0
  for (const [name, content] of Object.entries(floods)) {
    const watch = setInterval(() => {
      peak = Math.max(peak, target.memory())
    }, 50)
    const began = performance.now()
    const response = await send(target, Buffer.from(content))
    clearInterval(watch)
    const seconds = (performance.now() - began) / 1000
    if (
      typeof response === 'string' ? response === 'timeout' : response.status < 400 || response.status >= 500
    )
      findings.add(`${name}: ${typeof response === 'string' ? response : response.status}`)
    if (seconds > 20) findings.add(`${name}: took ${Math.round(seconds)} s`)
  }
  return peak
}

function blobsIn(data: string): string[] {
  return readdirSync(join(data, 'files'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
