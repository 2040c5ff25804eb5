// The contract on a real S3 server, and what is special to S3: bad settings, pages, multipart uploads of a crash.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { RepositoryUnavailableError } from '../../src/blobs/blob-store.ts'
import { openRepository } from '../../src/blobs/open-repository.ts'
import { newId } from '../../src/lib/ids.ts'
import { blobStoreContract, chunksOf } from '../blobs/blobs.contract.ts'

const endpoint = process.env['S3_ENDPOINT'] ?? ''
const client = new S3Client({ endpoint, forcePathStyle: true })

async function makeBucket() {
  const bucket = `test-${newId()
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase()}`
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const store = await openRepository({ kind: 's3', bucket, endpoint })
  const countOrphans = async () => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
    return Uploads.length
  }
  return { bucket, store, countOrphans }
}

blobStoreContract('blobs in S3', async () => ({ ...(await makeBucket()), many: 250 }))

/** Puts endless content, and prints a line once some parts are uploaded. */
const ENDLESS = `
const [module, bucket, key] = process.argv.slice(1)
const { openRepository } = await import(module)
const store = await openRepository({ kind: 's3', bucket, endpoint: process.env.S3_ENDPOINT })
const chunk = Buffer.alloc(2 ** 20, 'x')
let sent = 0
await store.put(key, (async function* () {
  for (;;) {
    yield chunk
    if (++sent === 40) console.log('under way')
    if (sent > 40) await new Promise(resolve => setTimeout(resolve, 100))
  }
})())
`

describe('a bucket of blobs', () => {
  it('lists no objects that are not blobs', async () => {
    const { bucket, store } = await makeBucket()
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'backup/2026.tar', Body: 'x' }))
    await store.put('abcdEFGH', chunksOf(Buffer.from('x')))
    const keys = (await Array.fromAsync(store.list())).map(({ key }) => key)
    assert.deepEqual(keys, ['abcdEFGH'])
  })

  const killPut = async (bucket: string, key: string) => {
    const module = join(import.meta.dirname, '../../src/blobs/open-repository.ts')
    const child = spawn(process.execPath, ['--input-type=module', '-e', ENDLESS, module, bucket, key], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  it('delete aborts the upload of a killed put to its key, and no other', async () => {
    const { bucket, store, countOrphans } = await makeBucket()
    const key = 'abcdEFGH'
    await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: `${key}IJ` }))
    await killPut(bucket, key)
    assert.equal(await countOrphans(), 2)
    await store.delete(key)
    assert.equal(await countOrphans(), 1)
  })

  it('a killed put stores no blob, and sweep aborts its upload once it is old', async () => {
    const { bucket, store, countOrphans } = await makeBucket()
    await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: 'backup/2026.tar' }))
    const key = newId()
    await killPut(bucket, key)
    assert.equal(await store.stat(key), undefined)
    assert.deepEqual(await Array.fromAsync(store.list()), [])
    assert.equal(await countOrphans(), 2)
    assert.equal(await store.sweep(), 0)
    assert.equal(await store.sweep(new Date(Date.now() + 5000)), 1)
    assert.equal(await countOrphans(), 1, 'an upload to a key of another application stays')
  })

  it('reports bad settings, and no blob counts as missing because of them', async () => {
    const gone = await openRepository({ kind: 's3', bucket: 'test-nowhere', endpoint })
    await assert.rejects(gone.check(), { message: /no bucket test-nowhere: create it/ })
    const { bucket } = await makeBucket()
    const silent = await openRepository({ kind: 's3', bucket, endpoint: 'http://127.0.0.1:9' })
    for (const store of [gone, silent]) {
      const key = newId()
      await assert.rejects(store.check(), RepositoryUnavailableError)
      await assert.rejects(store.get(key), RepositoryUnavailableError)
      await assert.rejects(store.stat(key), RepositoryUnavailableError)
      await assert.rejects(store.delete(key), RepositoryUnavailableError)
      await assert.rejects(store.sweep(), RepositoryUnavailableError)
      await assert.rejects(Array.fromAsync(store.list()), RepositoryUnavailableError)
      for (const size of [10, 20 * 2 ** 20])
        await assert.rejects(store.put(key, chunksOf(Buffer.alloc(size))), RepositoryUnavailableError)
    }
  })
})

describe('a put to a bucket that fails', () => {
  const servers: ReturnType<typeof createServer>[] = []
  after(() => {
    for (const server of servers) server.close().closeAllConnections()
  })

  /** Forwards requests to the S3 server; `intercept` returns true for those that it handles itself. */
  const startProxy = async (intercept: (req: IncomingMessage, res: ServerResponse) => boolean) => {
    const server = createServer((req, res) => {
      if (intercept(req, res)) return
      const forwarded = request(new URL(req.url ?? '/', endpoint), {
        method: req.method,
        headers: req.headers,
      })
      forwarded.on('error', () => res.destroy())
      forwarded.on('response', response => {
        res.writeHead(response.statusCode ?? 500, response.headers)
        response.pipe(res)
      })
      req.pipe(forwarded)
    })
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const isPart = ({ url = '' }: IncomingMessage) => url.includes('partNumber=')
  const reject = (req: IncomingMessage, res: ServerResponse) => {
    req.resume()
    res.writeHead(403).end()
    return true
  }
  /** Some parts, then nothing: without an end, and without an error. */
  const stuck = async function* () {
    yield* chunksOf(Buffer.alloc(14 * 2 ** 20))
    await new Promise(() => {})
  }

  it('removes its parts when the completion is rejected', async () => {
    const { bucket, store: direct, countOrphans } = await makeBucket()
    const proxy = await startProxy(
      (req, res) => req.method === 'POST' && /uploadId=/.test(req.url ?? '') && reject(req, res),
    )
    const store = await openRepository({ kind: 's3', bucket, endpoint: proxy })
    const key = newId()
    await assert.rejects(store.put(key, chunksOf(Buffer.alloc(20 * 2 ** 20))), RepositoryUnavailableError)
    assert.equal(await countOrphans(), 0)
    assert.equal(await direct.stat(key), undefined)
  })

  it('ends at the first rejected part, though the source is stuck', { timeout: 20_000 }, async () => {
    const { bucket, countOrphans } = await makeBucket()
    const proxy = await startProxy((req, res) => isPart(req) && reject(req, res))
    const store = await openRepository({ kind: 's3', bucket, endpoint: proxy })
    await assert.rejects(store.put(newId(), stuck()), RepositoryUnavailableError)
    assert.equal(await countOrphans(), 0)
  })

  it('cancels the parts in flight when aborted, though the server is silent', {
    timeout: 20_000,
  }, async () => {
    const { bucket, countOrphans } = await makeBucket()
    const abort = new AbortController()
    const reason = new Error('gone')
    const proxy = await startProxy(req => {
      if (!isPart(req)) return false
      abort.abort(reason)
      return true
    })
    const store = await openRepository({ kind: 's3', bucket, endpoint: proxy })
    await assert.rejects(store.put(newId(), stuck(), { signal: abort.signal }), reason)
    assert.equal(await countOrphans(), 0)
  })
})
