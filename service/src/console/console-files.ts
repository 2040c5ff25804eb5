// The built console: a page, and assets with a hash in their names, each compressed at build time.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

const TYPES: Record<string, string> = {
  '.bcmap': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}
const ENCODINGS = { br: '.br', gzip: '.gz' } as const

export type Encoding = keyof typeof ENCODINGS

export interface Asset {
  type: string
  plain: Buffer
  compressed: Partial<Record<Encoding, Buffer>>
}

export interface ConsoleFiles {
  /** The page, with the places where the service writes its values. */
  page: string
  /** By path below the folder, such as `assets/main-Cq3.js`. */
  assets: ReadonlyMap<string, Asset>
  /** What each screen loads after the page. */
  screens: readonly Screen[]
}

interface Screen {
  /** Below /console; a segment that begins with `$` is a parameter. */
  path: string
  assets: string[]
}

/** All files are read into memory, so that a new build below a running service breaks no page that is open. */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  const page = readIfThere(join(folder, 'index.html'))
  if (!page) return undefined
  const names = readdirSync(join(folder, 'assets'), { recursive: true, encoding: 'utf8' })
  const known = names.filter(name => Object.hasOwn(TYPES, extname(name)))
  const assets = known.map(name => [`assets/${name}`, readAsset(join(folder, 'assets', name))] as const)
  const screens = readIfThere(join(folder, 'screens.json'))
  return {
    page: page.toString(),
    assets: new Map(assets),
    screens: screens ? JSON.parse(screens.toString()) : [],
  }
}

/** The assets of the screen at a path below /console. */
export function screenAssets({ screens }: Pick<ConsoleFiles, 'screens'>, path: string): readonly string[] {
  const segments = segmentsOf(path)
  const found = screens.find(screen => {
    const wanted = segmentsOf(screen.path)
    return (
      wanted.length === segments.length &&
      wanted.every((part, at) => part.startsWith('$') || part === segments[at])
    )
  })
  return found?.assets ?? []
}

const segmentsOf = (path: string) => path.split('/').filter(Boolean)

function readAsset(path: string): Asset {
  const variants = Object.entries(ENCODINGS).flatMap(([encoding, suffix]) => {
    const content = readIfThere(path + suffix)
    return content ? [[encoding, content]] : []
  })
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    plain: readFileSync(path),
    compressed: Object.fromEntries(variants),
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The best encoding that the client accepts and the asset has. */
export function encodingOf(asset: Asset, acceptEncoding: string | undefined): Encoding | undefined {
  const accepted = new Map(
    (acceptEncoding ?? '').split(',').map(part => {
      const [name = '', ...parameters] = part.trim().toLowerCase().split(';')
      const quality = parameters.map(text => /^\s*q=([\d.]+)$/.exec(text)?.[1]).find(Boolean)
      return [name.trim(), quality === undefined ? 1 : Number(quality)]
    }),
  )
  const isAccepted = (name: Encoding) => (accepted.get(name) ?? accepted.get('*') ?? 0) > 0
  return (['br', 'gzip'] as const).find(name => asset.compressed[name] && isAccepted(name))
}
