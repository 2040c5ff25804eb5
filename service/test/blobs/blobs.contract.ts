// The contract of a blob store: the same claims for a directory and for S3.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { BlobStore } from '../../src/blobs/blob-store.ts'
import { newId } from '../../src/lib/ids.ts'

const MIB = 2 ** 20
/** The size of a part in S3. */
const PART = 6 * MIB

export interface StoreUnderTest {
  store: BlobStore
  /** The number of unfinished puts that left bytes behind. */
  countOrphans(): Promise<number>
  /** Enough blobs for several pages of a listing. */
  many: number
}

export function blobStoreContract(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let under: StoreUnderTest
    let store: BlobStore
    before(async () => {
      under = await makeStore()
      store = under.store
    })

    const expectNothing = async (key: string) => {
      assert.equal(await store.stat(key), undefined)
      assert.equal(await store.get(key), undefined)
      assert.deepEqual(await Array.fromAsync(store.list({ prefix: key })), [])
      assert.equal(await under.countOrphans(), 0)
    }
    const read = async (key: string, range?: { start: number; end: number }) => {
      const content = await store.get(key, range)
      assert.ok(content, 'the blob is there')
      return buffer(content)
    }

    it('check resolves, also when repeated', async () => {
      await store.check()
      await store.check()
      assert.equal(await under.countOrphans(), 0)
    })

    for (const size of [0, 1, 100_000, PART - 1, PART, PART + 1, 2 * PART, 40 * MIB]) {
      it(`put and get round-trip ${size} bytes`, async () => {
        const key = newId()
        const bytes = randomBytes(size)
        const stored = await store.put(key, chunksOf(bytes))
        assert.deepEqual(stored, { size, sha256: sha256(bytes) })
        assert.deepEqual(await store.stat(key), { size })
        assert.equal(sha256(await read(key)), stored.sha256)
        const listed = await Array.fromAsync(store.list({ prefix: key }))
        assert.deepEqual(
          listed.map(blob => ({ key: blob.key, size: blob.size })),
          [{ key, size }],
        )
        assert.ok(Math.abs(Date.now() - (listed[0]?.modifiedAt.getTime() ?? 0)) < 60_000)
        await store.delete(key)
        await expectNothing(key)
      })
    }

    it('get returns ranges, both ends inclusive', async () => {
      const key = newId()
      const size = PART + 1000
      const bytes = randomBytes(size)
      await store.put(key, chunksOf(bytes))
      const ranges: [number, number][] = [
        [0, 0],
        [0, 99],
        [size - 1, size - 1],
        [PART - 10, PART + 10],
        [1, size - 2],
        [0, size - 1],
        [500, size + 1_000_000],
      ]
      for (const [start, end] of ranges) {
        const part = await read(key, { start, end })
        assert.ok(part.equals(bytes.subarray(start, end + 1)), `${start}-${end}`)
      }
      for (const [start, end] of [
        [size, size + 1],
        [-1, 5],
        [5, 4],
        [0.5, 3],
        [0, Number.NaN],
      ] as [number, number][])
        await assert.rejects(store.get(key, { start, end }), RangeError, `${start}-${end}`)
      assert.equal(await store.get(newId(), { start: 0, end: 1 }), undefined)
    })

    it('get rejects any range of an empty blob', async () => {
      const key = newId()
      await store.put(key, chunksOf(Buffer.alloc(0)))
      await assert.rejects(store.get(key, { start: 0, end: 0 }), RangeError)
    })

    it('put accepts streams, iterables and chunks of any length', async () => {
      const key = newId()
      const bytes = randomBytes(300_000)
      const odd = Readable.from([bytes.subarray(0, 1), bytes.subarray(1, 1), bytes.subarray(1)])
      assert.equal((await store.put(key, odd)).sha256, sha256(bytes))
      assert.equal(odd.destroyed, true)
      await assert.rejects(store.put(key, Readable.from(['text'])), TypeError)
      assert.ok((await read(key)).equals(bytes))
      const single = (async function* () {
        for (const byte of bytes.subarray(0, 5000)) yield Uint8Array.of(byte)
      })()
      assert.equal((await store.put(key, single)).sha256, sha256(bytes.subarray(0, 5000)))
    })

    it('put stores the right bytes of a source that reuses its buffer', async () => {
      const key = newId()
      const shared = Buffer.alloc(64 * 1024)
      const hash = createHash('sha256')
      const source = (async function* () {
        for (let chunk = 0; chunk < 200; chunk++) {
          hash.update(shared.fill(chunk))
          yield shared
        }
      })()
      const stored = await store.put(key, source)
      assert.equal(stored.sha256, hash.digest('hex'))
      assert.equal(sha256(await read(key)), stored.sha256)
    })

    it('put replaces an existing blob', async () => {
      const key = newId()
      for (const size of [3 * MIB, PART + 5, 10]) {
        const bytes = randomBytes(size)
        await store.put(key, chunksOf(bytes))
        assert.ok((await read(key)).equals(bytes))
      }
    })

    for (const size of [0, 3 * MIB, 20 * MIB]) {
      it(`put leaves nothing when aborted after ${size} bytes of a stuck source`, async () => {
        const key = newId()
        const abort = new AbortController()
        const reason = new Error('gone')
        const stuck = (async function* () {
          yield* chunksOf(randomBytes(size))
          setImmediate(() => abort.abort(reason))
          await new Promise(() => {})
        })()
        await assert.rejects(store.put(key, stuck, { signal: abort.signal }), reason)
        await expectNothing(key)
      })

      it(`put leaves nothing when the source fails after ${size} bytes`, async () => {
        const key = newId()
        const failure = Object.assign(new Error('broken off'), { code: 'ECONNRESET', syscall: 'read' })
        const failing = async function* () {
          yield* chunksOf(randomBytes(size))
          throw failure
        }
        await assert.rejects(store.put(key, failing()), thrown => thrown === failure)
        await assert.rejects(store.put(key, Readable.from(failing())), thrown => thrown === failure)
        await expectNothing(key)
      })
    }

    it('put leaves nothing of an aborted signal or a destroyed stream', async () => {
      const key = newId()
      const whole = Readable.from([Buffer.alloc(10)])
      await assert.rejects(store.put(key, whole, { signal: AbortSignal.abort() }), { name: 'AbortError' })
      assert.equal(whole.destroyed, true)
      const dead = new Readable({ read() {} })
      const put = store.put(key, dead)
      dead.destroy(new Error('client left'))
      await assert.rejects(put, /client left/)
      await expectNothing(key)
    })

    it('put keeps the existing blob when it fails', async () => {
      const key = newId()
      const bytes = randomBytes(1000)
      await store.put(key, chunksOf(bytes))
      const failing = (async function* () {
        yield* chunksOf(randomBytes(10 * MIB))
        throw new Error('broken off')
      })()
      await assert.rejects(store.put(key, failing), /broken off/)
      assert.ok((await read(key)).equals(bytes))
    })

    it('concurrent puts of one key store one complete content', async () => {
      const key = newId()
      const contents = [1, 2, 3, 4].map(number => Buffer.alloc(PART + number, number))
      const stored = await Promise.all(contents.map(content => store.put(key, chunksOf(content))))
      const last = sha256(await read(key))
      assert.ok(stored.some(({ sha256 }) => sha256 === last))
      assert.equal(await under.countOrphans(), 0)
    })

    it('get returns the whole blob or an error when it is deleted meanwhile', async () => {
      const key = newId()
      const bytes = randomBytes(100_000)
      await store.put(key, chunksOf(bytes))
      const content = await store.get(key)
      await store.delete(key)
      assert.ok(content)
      const got = await buffer(content).catch(() => undefined)
      assert.ok(!got || got.equals(bytes))
    })

    it('delete is idempotent, and ignores missing blobs', async () => {
      const key = newId()
      await store.put(key, chunksOf(Buffer.from('x')))
      await store.delete(key)
      await store.delete(key)
      await store.delete(newId())
      await expectNothing(key)
    })

    it('list returns all pages, also by prefix', async () => {
      const tag = 'list'
      const keys = Array.from({ length: under.many }, () => tag + newId())
      const waiting = keys.values()
      const worker = async () => {
        for (const key of waiting) await store.put(key, chunksOf(Buffer.from(key)))
      }
      await Promise.all(Array.from({ length: 8 }, worker))
      const sorted = (all: { key: string }[]) => all.map(({ key }) => key).sort()
      assert.deepEqual(sorted(await Array.fromAsync(store.list({ prefix: tag }))), [...keys].sort())
      const everything = sorted(await Array.fromAsync(store.list()))
      assert.ok(everything.length >= keys.length && new Set(everything).size === everything.length)
      for (const length of [1, 2, 3, 5, 8]) {
        const prefix = keys[0]?.slice(0, length) ?? ''
        const found = sorted(await Array.fromAsync(store.list({ prefix })))
        assert.deepEqual(
          found,
          everything.filter(key => key.startsWith(prefix)),
        )
      }
    })

    it('invalid keys are rejected before the repository is touched', async () => {
      const bad = [
        '',
        'abc',
        '../../etc',
        'ab/cdef',
        '.new',
        'abcd\0',
        'ab.cd',
        'äbcd',
        'abcd\n',
        'x'.repeat(200),
      ]
      for (const key of bad) {
        await assert.rejects(store.get(key), TypeError, key)
        await assert.rejects(store.stat(key), TypeError, key)
        await assert.rejects(store.delete(key), TypeError, key)
        const content = Readable.from([Buffer.from('x')])
        await assert.rejects(store.put(key, content), TypeError, key)
        assert.equal(content.destroyed, true)
      }
    })

    it('put and get use bounded memory with a fast source and a slow reader', async () => {
      const key = newId()
      const chunk = randomBytes(64 * 1024)
      const idle = await memoryInUse()
      let peak = 0
      const look = async () => {
        peak = Math.max(peak, (await memoryInUse()) - idle)
      }
      const source = (async function* () {
        for (let sent = 0; sent < 160 * MIB; sent += chunk.length) {
          yield chunk
          if (sent % (8 * MIB) === 0) await look()
        }
      })()
      await store.put(key, source)
      assert.ok(peak < 32 * MIB, `${peak / MIB} MiB in memory while putting`)

      const content = await store.get(key)
      assert.ok(content)
      let size = 0
      peak = 0
      for await (const part of content) {
        if (size % (16 * MIB) < part.length) {
          await sleep(50)
          await look()
        }
        size += part.length
      }
      assert.equal(size, 160 * MIB)
      assert.ok(peak < 32 * MIB, `${peak / MIB} MiB in memory while getting`)
      await store.delete(key)
    })

    it('get releases a download that its reader destroys', async () => {
      const key = newId()
      await store.put(key, chunksOf(randomBytes(20 * MIB)))
      for (let round = 0; round < 20; round++) {
        const content = await store.get(key)
        assert.ok(content)
        for await (const _ of content) break
        await finished(content).catch(() => {})
        assert.equal(content.destroyed, true)
      }
      assert.equal((await read(key)).length, 20 * MIB)
    })
  })
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Buffers are freed in the background, and counted as free by the next collection. */
async function memoryInUse(): Promise<number> {
  collectGarbage()
  await sleep(10)
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

export async function* chunksOf(bytes: Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
