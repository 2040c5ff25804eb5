import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { isCaseportError } from '../src/errors.ts'
import { downloadToPath, fileFromPath } from '../src/node.ts'
import type { Progress } from '../src/upload.ts'
import type { UploadContent } from '../src/upload-source.ts'
import { startProxy } from './support/faulty-proxy.ts'
import { CLIENT_AUTH, connect, newCase } from './support/service.ts'

const caseport = connect()
const proxy = await startProxy()
const throughProxy = connect({ baseUrl: proxy.url })
const { caseId } = await newCase(caseport)
const folder = mkdtempSync(join(tmpdir(), 'caseport-sdk-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Larger than the buffers in between, so that a connection can break in the middle. */
const content = Buffer.concat([Buffer.from('%PDF-1.7 '), randomBytes(3_000_000)])
const sha256 = createHash('sha256').update(content).digest('hex')
const path = join(folder, 'Aufenthaltstitel "Łódź".pdf')
writeFileSync(path, content)
const about = { caseId, countryCode: 'DE' } as const

async function* chunks(size = 100_000) {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size)
}

const sources: [string, () => UploadContent | Promise<UploadContent>][] = [
  ['a File', () => new File([content], 'permit.pdf', { type: 'application/pdf' })],
  ['a Blob', () => new Blob([content])],
  ['bytes', () => content],
  ['a path', () => fileFromPath(path)],
  ['a web stream', () => Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>],
  ['a Node stream', () => createReadStream(path)],
  ['an async iterable', () => chunks()],
]

describe('upload', () => {
  for (const [kind, source] of sources)
    it(`stores the bytes of ${kind}`, async () => {
      const document = await caseport.documents.upload({
        ...about,
        file: await source(),
        fileName: 'permit.pdf',
        expiryDate: '2027-06-30',
      })
      assert.equal(document.sha256, sha256)
      assert.equal(document.size, content.length)
      assert.equal(document.fileName, 'permit.pdf')
      assert.equal(document.contentType, 'application/pdf')
      assert.equal(document.expiryDate, '2027-06-30T00:00:00')
    })

  it('takes the name of a path, with quotes and letters of any alphabet', async () => {
    const document = await caseport.documents.upload({ ...about, file: await fileFromPath(path) })
    const { fileName } = await caseport.documents.get(document.documentId)
    assert.match(fileName ?? '', /Aufenthaltstitel .*Łódź.*\.pdf$/)
  })

  it('returns identifiers to a client that may not read documents', async () => {
    const writer = connect({ auth: { ...CLIENT_AUTH, scopes: ['documents:write'] } })
    const { documentId, sha256: hidden } = await writer.documents.upload({
      ...about,
      file: await fileFromPath(path),
    })
    assert.equal(hidden, undefined)
    assert.equal((await caseport.documents.get(documentId)).sha256, sha256)
  })

  it('of a path that cannot be read fails with file-error, and is not retried', async () => {
    const missing = join(folder, 'nope.pdf')
    const expected = (error: unknown) => {
      assert.ok(isCaseportError(error, 'file-error'))
      assert.ok(error.detail.startsWith(`${missing}: ENOENT: `), error.detail)
      assert.equal((error.cause as NodeJS.ErrnoException).code, 'ENOENT')
      return true
    }
    await assert.rejects(fileFromPath(missing), expected)
    writeFileSync(missing, content)
    const file = await fileFromPath(missing)
    rmSync(missing)
    await assert.rejects(caseport.documents.upload({ ...about, file }), expected)
  })

  it('needs a name for a file without one', async () => {
    const call = caseport.documents.upload({ ...about, file: new Blob([content]) })
    await assert.rejects(call, { code: 'invalid-argument' })
  })

  it('reports progress up to the size of the file', async () => {
    const progress: Progress[] = []
    const onProgress = (step: Progress) => progress.push(step)
    await caseport.documents.upload({ ...about, file: await fileFromPath(path) }, { onProgress })
    assert.deepEqual(progress[0], { loaded: 0, total: content.length })
    assert.deepEqual(progress.at(-1), { loaded: content.length, total: content.length })
    assert.ok(progress.length > 3)
    const amounts = progress.map(({ loaded }) => loaded)
    assert.deepEqual(
      amounts,
      amounts.toSorted((a, b) => a - b),
    )
  })

  it('is retried with the same key, so that a lost response creates no second document', async () => {
    const own = await newCase(caseport)
    proxy.plan('/v2/document', { kind: 'drop' }, { kind: 'lose-response' })
    const document = await throughProxy.documents.upload({
      ...about,
      caseId: own.caseId,
      file: await fileFromPath(path),
    })
    const day = document.createdAt.slice(0, 10)
    const listed = caseport.documents.list({ startDate: day, endDate: day, caseId: own.caseId })
    assert.deepEqual(
      (await listed.toArray()).map(({ documentId }) => documentId),
      [document.documentId],
    )
  })

  it('of a stream is not retried, because it cannot be read again', async () => {
    proxy.plan('/v2/document', { kind: 'lose-response' })
    const before = proxy.seen.length
    const file = createReadStream(path)
    await assert.rejects(throughProxy.documents.upload({ ...about, file, fileName: 'permit.pdf' }), {
      code: 'network-error',
    })
    assert.equal(proxy.seen.slice(before).filter(({ path }) => path === '/v2/document').length, 1)
  })

  it('of a stream is not repeated with a new token either, but the next one is sent with it', async () => {
    const body = JSON.stringify({ code: 'invalid-token', status: 401, title: 'Invalid.', detail: 'Invalid.' })
    proxy.plan('/v2/document', { kind: 'respond', status: 401, body })
    const upload = () =>
      throughProxy.documents.upload({ ...about, file: createReadStream(path), fileName: 'permit.pdf' })
    const tokens = () => proxy.seen.filter(request => request.path === '/oauth/token').length
    await throughProxy.companies.list()
    const before = tokens()
    await assert.rejects(upload(), { code: 'invalid-token' })
    assert.equal((await upload()).sha256, sha256)
    assert.equal(tokens() - before, 1)
  })

  it('fails with digest-mismatch if the service has other bytes', async () => {
    const change = (body: Buffer) => Buffer.from(body.toString().replace(sha256, '0'.repeat(64)))
    proxy.plan('/v2/document', { kind: 'alter', change })
    const call = throughProxy.documents.upload({ ...about, file: await fileFromPath(path) })
    await assert.rejects(call, { code: 'digest-mismatch' })
  })

  it('fails with the error of the file if that cannot be read, and does not read it again', async () => {
    const failure = new Error('the disk failed')
    let reads = 0
    const file = {
      name: 'permit.pdf',
      async *stream() {
        reads += 1
        yield content.subarray(0, 100_000)
        throw failure
      },
    }
    const call = caseport.documents.upload({ ...about, file })
    await assert.rejects(call, (error: unknown) => error === failure)
    assert.equal(reads, 1)
  })

  it('throws the error of the service for a file that it rejects while it is sent', async () => {
    const program = Buffer.concat([Buffer.from('MZ\x90\x00'), randomBytes(2_000_000)])
    const call = caseport.documents.upload({ ...about, file: program, fileName: 'setup.exe' })
    await assert.rejects(call, { code: 'file-kind-refused', status: 415 })
    const lost = { ...about, caseId: 'bm9uZQ==', file: content, fileName: 'permit.pdf' }
    await assert.rejects(caseport.documents.upload(lost), { code: 'case-not-found', status: 404 })
  })

  it('ends when the caller aborts', async () => {
    const controller = new AbortController()
    async function* slow() {
      yield content.subarray(0, 1_000)
      controller.abort()
      await once(controller.signal, 'abort', { signal: AbortSignal.timeout(500) }).catch(() => {})
      yield content.subarray(1_000)
    }
    const file = { ...about, file: slow(), fileName: 'permit.pdf' }
    const call = caseport.documents.upload(file, { signal: controller.signal })
    await assert.rejects(call, { name: 'AbortError' })
  })
})

describe('download', async () => {
  const { documentId } = await caseport.documents.upload({ ...about, file: await fileFromPath(path) })
  const url = `/v2/document/${encodeURIComponent(documentId)}/file`
  const requests = () => proxy.seen.filter(request => request.path === url)

  it('returns the bytes, with name, type, size and digest', async () => {
    const file = await caseport.documents.download(documentId)
    assert.match(file.fileName ?? '', /Łódź/)
    assert.equal(file.contentType, 'application/pdf')
    assert.equal(file.size, content.length)
    assert.equal(file.sha256, sha256)
    assert.ok(content.equals(await file.bytes()))
    const blob = await (await caseport.documents.download(documentId)).blob()
    assert.deepEqual([blob.size, blob.type], [content.length, 'application/pdf'])
  })

  it('continues where the connection broke, however often', async () => {
    proxy.plan(url, { kind: 'cut', after: 1_000_000 }, { kind: 'cut', after: 700_000 }, { kind: 'drop' })
    const before = requests().length
    const progress: Progress[] = []
    const onProgress = (step: Progress) => progress.push(step)
    const file = await throughProxy.documents.download(documentId, { onProgress })
    assert.ok(content.equals(await file.bytes()))
    const sent = requests().slice(before)
    const offsets = sent.map(({ headers }) => Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0))
    assert.equal(offsets[0], 0)
    assert.ok((offsets.at(-1) ?? 0) > 1_000_000, `offsets ${offsets}`)
    for (const { headers } of sent.slice(1)) assert.equal(headers['if-range'], `"${sha256}"`)
    assert.deepEqual(progress.at(-1), { loaded: content.length, total: content.length })
  })

  it('skips what it has if a proxy ignores ranges', async () => {
    proxy.plan(url, { kind: 'cut', after: 1_000_000 }, { kind: 'strip', headers: ['range'] })
    const file = await throughProxy.documents.download(documentId)
    assert.ok(content.equals(await file.bytes()))
  })

  it('fails with digest-mismatch if bytes were changed on the way', async () => {
    const change = (body: Buffer) => body.fill(0, 500, 501)
    proxy.plan(url, { kind: 'alter', change })
    const file = await throughProxy.documents.download(documentId)
    await assert.rejects(file.bytes(), { code: 'digest-mismatch' })
  })

  it('fails with file-changed if there is another file when it continues', async () => {
    proxy.plan(
      url,
      { kind: 'cut', after: 1_000_000 },
      { kind: 'respond', status: 200, headers: { etag: '"another"' }, body: 'another' },
    )
    const file = await throughProxy.documents.download(documentId)
    await assert.rejects(file.bytes(), { code: 'file-changed' })
  })

  it('gives up if the service stays unreachable', async () => {
    const drops = Array.from({ length: 3 }, () => ({ kind: 'drop' }) as const)
    proxy.plan(url, { kind: 'cut', after: 1_000_000 }, ...drops)
    const file = await throughProxy.documents.download(documentId, { retries: 2 })
    await assert.rejects(file.bytes(), { code: 'network-error' })
  })

  it('gives up if the connection breaks again and again without a byte', async () => {
    const cuts = Array.from({ length: 6 }, () => ({ kind: 'cut', after: 0 }) as const)
    proxy.plan(url, ...cuts)
    const file = await throughProxy.documents.download(documentId)
    await assert.rejects(file.bytes(), { code: 'network-error' })
  })

  it('throws the error of the service', async () => {
    await assert.rejects(caseport.documents.download('bm9uZQ=='), { code: 'document-not-found' })
  })

  it('ends when the caller aborts', async () => {
    const controller = new AbortController()
    const file = await caseport.documents.download(documentId, {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    })
    await assert.rejects(file.bytes(), { name: 'AbortError' })
  })
})

describe('downloadToPath', async () => {
  const { documentId } = await caseport.documents.upload({ ...about, file: await fileFromPath(path) })
  const url = `/v2/document/${encodeURIComponent(documentId)}/file`
  const part = (target: string) => `${target}.${sha256.slice(0, 16)}.part`
  const filesOf = (name: string) => readdirSync(folder).filter(file => file.startsWith(name))

  it('rejects a folder before anything is transferred', async () => {
    const isRejected = { code: 'file-error', detail: `${folder} is a folder. Expected the path of a file.` }
    await assert.rejects(downloadToPath(caseport, documentId, folder), isRejected)
    await assert.rejects(fileFromPath(folder), isRejected)
    assert.deepEqual(
      readdirSync(dirname(folder)).filter(file => file.startsWith(basename(part(folder)))),
      [],
    )
  })

  it('writes the whole file and leaves nothing else', async () => {
    const target = join(folder, 'whole.pdf')
    assert.deepEqual(await downloadToPath(caseport, documentId, target), { size: content.length, sha256 })
    const nowhere = join(folder, 'nowhere', 'copy.pdf')
    await assert.rejects(downloadToPath(caseport, documentId, nowhere), {
      name: 'CaseportError',
      code: 'file-error',
    })
    assert.ok(content.equals(readFileSync(target)))
    assert.deepEqual(filesOf('whole'), ['whole.pdf'])
  })

  it('continues what an earlier call began', async () => {
    const target = join(folder, 'resumed.pdf')
    writeFileSync(part(target), content.subarray(0, 2_000_000))
    const before = proxy.seen.length
    await downloadToPath(throughProxy, documentId, target)
    const ranges = proxy.seen
      .slice(before)
      .flatMap(({ path, headers }) => (path === url ? [headers.range] : []))
    assert.deepEqual(ranges, ['bytes=2000000-'])
    assert.ok(content.equals(readFileSync(target)))
  })

  it('continues after it was aborted', async () => {
    const target = join(folder, 'aborted.pdf')
    const controller = new AbortController()
    const onProgress = ({ loaded }: Progress) => void (loaded > 1_000_000 && controller.abort())
    const call = downloadToPath(caseport, documentId, target, { signal: controller.signal, onProgress })
    await assert.rejects(call, { name: 'AbortError' })
    assert.equal(existsSync(target), false)
    assert.ok(readFileSync(part(target)).length > 500_000)
    await downloadToPath(caseport, documentId, target)
    assert.ok(content.equals(readFileSync(target)))
  })

  it('begins anew if there is more than the file has', async () => {
    const target = join(folder, 'longer.pdf')
    writeFileSync(part(target), Buffer.concat([content, content]))
    await downloadToPath(caseport, documentId, target)
    assert.ok(content.equals(readFileSync(target)))
  })

  it('rejects and removes bytes of an earlier call that are damaged', async () => {
    const target = join(folder, 'damaged.pdf')
    writeFileSync(part(target), Buffer.alloc(content.length))
    await assert.rejects(downloadToPath(caseport, documentId, target), { code: 'digest-mismatch' })
    await downloadToPath(caseport, documentId, target)
    assert.ok(content.equals(readFileSync(target)))
    writeFileSync(part(target), Buffer.alloc(2_000_000))
    await assert.rejects(downloadToPath(caseport, documentId, target), { code: 'digest-mismatch' })
    await downloadToPath(caseport, documentId, target)
  })

  it('writes the whole file for several calls at once, and leaves nothing else', async () => {
    const target = join(folder, 'parallel.pdf')
    const results: Promise<object>[] = []
    const start = () => downloadToPath(caseport, documentId, target)
    // One begins in the middle of another one.
    const onProgress = ({ loaded }: Progress) => {
      if (loaded > 1_000_000 && results.length < 5) results.push(start())
    }
    const first = downloadToPath(caseport, documentId, target, { onProgress })
    const others = await Promise.all([first, start(), start()])
    for (const result of [...others, ...(await Promise.all(results))])
      assert.deepEqual(result, { size: content.length, sha256 })
    assert.equal(results.length, 5)
    assert.ok(content.equals(readFileSync(target)))
    assert.deepEqual(filesOf('parallel'), ['parallel.pdf'])
  })

  it('writes the whole file beside a call that ends in the middle', async () => {
    const target = join(folder, 'beside.pdf')
    const controller = new AbortController()
    const other: Promise<object>[] = []
    const onProgress = ({ loaded }: Progress) => {
      if (loaded > 1_000_000 && other.length === 0) other.push(downloadToPath(caseport, documentId, target))
      if (loaded > 2_000_000) controller.abort()
    }
    const call = downloadToPath(caseport, documentId, target, { signal: controller.signal, onProgress })
    await assert.rejects(call, { name: 'AbortError' })
    await Promise.all(other)
    assert.ok(content.equals(readFileSync(target)))
    assert.deepEqual(filesOf('beside'), ['beside.pdf'])
  })

  it('leaves no file behind if nothing arrived', async () => {
    const target = join(folder, 'nothing.pdf')
    proxy.plan(url, { kind: 'respond', status: 403 })
    await assert.rejects(downloadToPath(throughProxy, documentId, target), { status: 403 })
    assert.deepEqual(filesOf('nothing'), [])
  })

  it('saves the file that the document has now, with its digest, if it was replaced meanwhile', async () => {
    const own = await caseport.documents.upload({ ...about, file: await fileFromPath(path) })
    const before = await caseport.documents.get(own.documentId)
    const replaced = Buffer.concat([Buffer.from('%PDF-1.7 '), randomBytes(10_000)])
    await caseport.documents.replaceFile(own.documentId, { file: replaced, fileName: 'new.pdf' })
    for (const [name, rest] of [
      ['replaced.pdf', undefined],
      ['continued.pdf', content.subarray(0, 2_000_000)],
    ] as const) {
      const states = [before]
      const get: typeof caseport.documents.get = async (...call) =>
        states.pop() ?? caseport.documents.get(...call)
      const target = join(folder, name)
      if (rest) writeFileSync(part(target), rest)
      const saved = await downloadToPath(
        { documents: { ...caseport.documents, get } },
        own.documentId,
        target,
      )
      assert.deepEqual(saved, {
        size: replaced.length,
        sha256: createHash('sha256').update(replaced).digest('hex'),
      })
      assert.ok(replaced.equals(readFileSync(target)))
      assert.deepEqual(filesOf(name), [name])
    }
  })
})
