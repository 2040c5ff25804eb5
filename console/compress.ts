// Compresses the built assets, writes down what each screen needs, and fails where the entry is larger than a first visit should
// wait for.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { SCREENS } from './src/app/screens.ts'

const DIST = join(import.meta.dirname, 'dist')
const ENTRY_LIMIT = 200 * 1024
const COMPRESSIBLE = /\.(?:css|m?js|json|svg|wasm)$/

const gzipped = new Map<string, number>()
const names = readdirSync(join(DIST, 'assets'), { recursive: true, encoding: 'utf8' })
for (const name of names.filter(name => COMPRESSIBLE.test(name))) {
  const path = join(DIST, 'assets', name)
  const content = readFileSync(path)
  const gzip = gzipSync(content, { level: 9 })
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  writeFileSync(`${path}.gz`, gzip)
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
  gzipped.set(name, gzip.length)
}

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
  isEntry?: boolean
}

/** The assets of a chunk and of all that it imports, without those of the entry, which the page names itself. */
function assetsOf(manifest: Record<string, Chunk>, key: string, seen: Set<string> = new Set()): string[] {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`The manifest of the build has no ${key}.`)
  if (chunk.isEntry || seen.has(key)) return []
  seen.add(key)
  const imported = (chunk.imports ?? []).flatMap(name => assetsOf(manifest, name, seen))
  return [...new Set([...imported, chunk.file, ...(chunk.css ?? [])])]
}

const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(DIST, '.vite', 'manifest.json'), 'utf8'))
const screens = SCREENS.map(({ id, path }) => {
  const key = Object.keys(manifest).find(name => name.endsWith(`/${id}.screen.tsx`)) ?? `${id}.screen.tsx`
  return { path, assets: assetsOf(manifest, key) }
})
// The service names them in the page of the screen, so that they are loaded with the entry and not after it.
writeFileSync(join(DIST, 'screens.json'), JSON.stringify(screens))

/** What index.html names is loaded before the first screen. */
const page = readFileSync(join(DIST, 'index.html'), 'utf8')
const entry = [...page.matchAll(/assets\/([\w.-]+)"/g)].map(([, name = '']) => name)
const size = entry.reduce((sum, name) => sum + (gzipped.get(name) ?? 0), 0)
const text = `entry ${(size / 1024).toFixed(1)} KB gzip of at most ${ENTRY_LIMIT / 1024}`
if (size > ENTRY_LIMIT) {
  process.stderr.write(`The console is too large: ${text}. Load more of it per route.\n`)
  process.exitCode = 1
} else process.stdout.write(`${text}\n`)
