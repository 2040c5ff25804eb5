// The contract on a directory, and what is special to it: layout, owners, crashes, a full disk, a lost mount.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { RepositoryFullError, RepositoryUnavailableError } from '../../src/blobs/blob-store.ts'
import { createFilesystemStore } from '../../src/blobs/filesystem.ts'
import { newId } from '../../src/lib/ids.ts'
import { blobStoreContract, chunksOf, sha256 } from './blobs.contract.ts'

const isRoot = process.getuid?.() === 0
const root = mkdtempSync(join(tmpdir(), 'caseport-blobs-'))
after(() => rmSync(root, { recursive: true, force: true }))

blobStoreContract('blobs in a directory', async () => {
  const dir = join(root, 'contract', 'us')
  return {
    store: createFilesystemStore({ dir }),
    countOrphans: async () => readdirSync(join(dir, '.new')).length,
    many: 400,
  }
})

/** Puts endless content, and prints a line once a part of it is written. */
const ENDLESS = `
const [module, dir, key] = process.argv.slice(1)
const { createFilesystemStore } = await import(module)
const chunk = Buffer.alloc(65536, 'x')
let sent = 0
await createFilesystemStore({ dir }).put(key, (async function* () {
  for (;;) {
    yield chunk
    if (++sent === 64) console.log('under way')
    if (sent > 64) await new Promise(resolve => setTimeout(resolve, 5))
  }
})())
`

describe('a directory of blobs', () => {
  const createStore = () => {
    const dir = join(mkdtempSync(join(root, 'store-')), 'files', 'us')
    return { dir, store: createFilesystemStore({ dir }) }
  }
  const put = (store: ReturnType<typeof createFilesystemStore>, key: string, text = 'x') =>
    store.put(key, chunksOf(Buffer.from(text)))
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

  it('fans out by the first characters of the key, and is private to its owner', async () => {
    const { dir, store } = createStore()
    await put(store, 'abcdEFGH')
    assert.deepEqual(readdirSync(dir).sort(), ['.new', 'ab'])
    assert.equal(mode(join(dir, 'ab', 'abcdEFGH')), '600')
    for (const folder of ['', '.new', 'ab']) assert.equal(mode(join(dir, folder)), '700')
    assert.equal(mode(join(dir, '..')), '700')
  })

  it('lists no files that are not blobs', async () => {
    const { dir, store } = createStore()
    await put(store, 'abcdEFGH')
    writeFileSync(join(dir, 'ab', 'acceEFGH'), 'in the folder of other keys')
    writeFileSync(join(dir, 'ab', '.abcdEFGH.swp'), 'no key')
    writeFileSync(join(dir, 'cd'), 'no folder')
    mkdirSync(join(dir, 'lost+found'))
    const keys = (await Array.fromAsync(store.list())).map(({ key }) => key)
    assert.deepEqual(keys, ['abcdEFGH'])
  })

  const killPut = async (dir: string, key: string) => {
    const module = join(import.meta.dirname, '../../src/blobs/filesystem.ts')
    const child = spawn(process.execPath, ['--input-type=module', '-e', ENDLESS, module, dir, key], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  it('delete removes the orphan of a killed put to its key, and no other', async () => {
    const { dir, store } = createStore()
    await store.check()
    const [key, other] = [newId(), newId()]
    await killPut(dir, key)
    await killPut(dir, other)
    assert.equal(readdirSync(join(dir, '.new')).length, 2)
    await store.delete(key)
    const [left = '', ...more] = readdirSync(join(dir, '.new'))
    assert.ok(left.startsWith(other))
    assert.deepEqual(more, [])
  })

  it('a killed put stores no blob, and sweep removes its orphan after an hour', async () => {
    const { dir, store } = createStore()
    await store.check()
    const key = newId()
    await killPut(dir, key)

    const left = readdirSync(join(dir, '.new'))
    assert.equal(left.length, 1)
    assert.ok(statSync(join(dir, '.new', left[0] ?? '')).size >= 2 ** 20)
    assert.equal(await store.stat(key), undefined)
    assert.equal(await store.get(key), undefined)
    assert.deepEqual(await Array.fromAsync(store.list()), [])

    assert.equal(await store.sweep(), 0)
    const old = new Date(Date.now() - 61 * 60_000)
    utimesSync(join(dir, '.new', left[0] ?? ''), old, old)
    assert.equal(await store.sweep(), 1)
    assert.deepEqual(readdirSync(join(dir, '.new')), [])
  })

  it('put fails if its file is swept meanwhile', async () => {
    const { store } = createStore()
    const key = newId()
    const source = (async function* () {
      yield Buffer.alloc(10)
      assert.equal(await store.sweep(new Date(Date.now() + 1000)), 1)
    })()
    await assert.rejects(store.put(key, source), RepositoryUnavailableError)
    assert.equal(await store.stat(key), undefined)
  })

  it('fails, and writes nothing, while its mount is gone', async () => {
    const { dir, store } = createStore()
    const key = newId()
    await put(store, key)
    renameSync(dir, `${dir}-away`)
    for (const there of ['no mount point', 'an empty mount point']) {
      if (there === 'an empty mount point') mkdirSync(dir)
      await assert.rejects(store.check(), RepositoryUnavailableError, there)
      await assert.rejects(store.get(key), /not there any more/, there)
      await assert.rejects(store.stat(key), RepositoryUnavailableError, there)
      await assert.rejects(store.delete(key), RepositoryUnavailableError, there)
      await assert.rejects(put(store, newId()), RepositoryUnavailableError, there)
      await assert.rejects(store.sweep(), RepositoryUnavailableError, there)
    }
    assert.deepEqual(readdirSync(dir), [])
    rmSync(dir, { recursive: true })
    renameSync(`${dir}-away`, dir)
    assert.deepEqual(await store.stat(key), { size: 1 })
  })

  it('check reports the reason in one line, and recovers', async () => {
    const dir = join(mkdtempSync(join(root, 'bad-')), 'file', 'us')
    writeFileSync(join(dir, '..'), '')
    const store = createFilesystemStore({ dir })
    await assert.rejects(store.check(), { message: `${dir} cannot be used: not a directory (ENOTDIR).` })
    rmSync(join(dir, '..'))
    await store.check()
    for (const nowhere of ['/proc/caseport', '/proc/a/b/c'])
      await assert.rejects(createFilesystemStore({ dir: nowhere }).check(), RepositoryUnavailableError)
  })

  it('check reports missing write permission', { skip: isRoot && 'root may write anywhere' }, async () => {
    const { dir, store } = createStore()
    await store.check()
    chmodSync(join(dir, '.new'), 0o500)
    await assert.rejects(store.check(), /permission denied \(EACCES\)/)
    chmodSync(join(dir, '.new'), 0o700)
  })

  it('files that root puts belong to the owner of the directory', {
    skip: !isRoot && 'needs root',
  }, async () => {
    const parent = mkdtempSync(join(root, 'owned-'))
    chownSync(parent, 65_534, 65_534)
    const dir = join(parent, 'us')
    const store = createFilesystemStore({ dir })
    await put(store, 'abcdEFGH')
    for (const path of ['', '.new', 'ab', 'ab/abcdEFGH'])
      assert.equal(statSync(join(dir, path)).uid, 65_534, path)
  })

  it('put to a full disk leaves nothing, and works again when there is room', {
    skip: !isRoot && 'only root can mount a small file system',
  }, async t => {
    const dir = mountSmall(t)
    if (!dir) return t.skip('no file system can be mounted here')
    const store = createFilesystemStore({ dir: join(dir, 'us') })
    const kept = Buffer.alloc(2 ** 20, 'kept')
    await store.put('keptKEPT', chunksOf(kept))
    const key = newId()
    await assert.rejects(store.put(key, chunksOf(Buffer.alloc(6 * 2 ** 20))), RepositoryFullError)
    assert.equal(await store.stat(key), undefined)
    assert.deepEqual(readdirSync(join(dir, 'us', '.new')), [])
    await store.put(key, chunksOf(Buffer.alloc(2 ** 20)))
    const content = await store.get('keptKEPT')
    assert.ok(content)
    assert.equal(sha256(Buffer.concat(await content.toArray())), sha256(kept))
    writeFileSync(join(dir, 'rest'), Buffer.alloc(2 ** 20))
    assert.throws(() => writeFileSync(join(dir, 'more'), Buffer.alloc(2 ** 21)))
    await assert.rejects(store.check(), RepositoryFullError)
  })

  it('handles a hundred concurrent puts', async () => {
    const { store } = createStore()
    const keys = Array.from({ length: 100 }, () => newId())
    await Promise.all(keys.map(key => put(store, key, key)))
    assert.equal((await Array.fromAsync(store.list())).length, 100)
  })
})

function mountSmall(t: TestContext): string | undefined {
  const dir = mkdtempSync(join(root, 'small-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'caseport-test', dir])
  if (status !== 0) return undefined
  t.after(() => void spawnSync('umount', [dir]))
  return dir
}
