// SHA-256 of a stream. Web Crypto hashes only what is in memory as a whole, so browsers use the code below; Node has a
// native hash, which is taken without an import that browsers would not find.

export interface Sha256 {
  update(chunk: Uint8Array): void
  /** Ends the hash. */
  hex(): string
}

export function createSha256(): Sha256 {
  const native = globalThis.process?.getBuiltinModule?.('node:crypto')?.createHash('sha256')
  if (!native) return portableSha256()
  return {
    update: chunk => void native.update(chunk),
    hex: () => native.digest('hex'),
  }
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')

const BLOCK = 64
/** FIPS 180-4: the first 32 bits of the fractional parts of the cube roots of the first 64 primes, … */
const K = fractions(64, Math.cbrt)
/** … and of the square roots of the first eight. */
const INITIAL = fractions(8, Math.sqrt)

export function portableSha256(): Sha256 {
  const state = INITIAL.slice()
  const words = new Int32Array(64)
  const rest = new Uint8Array(BLOCK)
  let filled = 0
  let length = 0

  const update = (chunk: Uint8Array) => {
    length += chunk.length
    let offset = 0
    if (filled > 0) {
      offset = Math.min(BLOCK - filled, chunk.length)
      rest.set(chunk.subarray(0, offset), filled)
      filled += offset
      if (filled < BLOCK) return
      compress(state, words, rest, 0)
      filled = 0
    }
    for (; offset + BLOCK <= chunk.length; offset += BLOCK) compress(state, words, chunk, offset)
    rest.set(chunk.subarray(offset))
    filled = chunk.length - offset
  }

  return {
    update,
    hex() {
      update(paddingOf(length))
      const bytes = new DataView(new ArrayBuffer(32))
      state.forEach((word, index) => void bytes.setInt32(index * 4, word))
      return hexOf(new Uint8Array(bytes.buffer))
    },
  }
}

/** What follows a message of this many bytes: a bit, zeros up to a whole block, and the length in bits. */
export function paddingOf(length: number): Uint8Array {
  const padding = new Uint8Array(BLOCK + 8 - ((length + 8) % BLOCK))
  padding[0] = 0x80
  const view = new DataView(padding.buffer)
  view.setUint32(padding.length - 8, Math.floor(length / 2 ** 29))
  view.setUint32(padding.length - 4, (length * 8) % 2 ** 32)
  return padding
}

function compress(state: Int32Array, words: Int32Array, bytes: Uint8Array, offset: number): void {
  for (let i = 0; i < 16; i++) {
    const at = offset + i * 4
    words[i] =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)
  }
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15] as number
    const y = words[i - 2] as number
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
    words[i] = ((words[i - 16] as number) + s0 + (words[i - 7] as number) + s1) | 0
  }
  // Read and written one by one: destructuring makes this ten times slower.
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + (words[i] as number)) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0] = (state[0] as number) + a
  state[1] = (state[1] as number) + b
  state[2] = (state[2] as number) + c
  state[3] = (state[3] as number) + d
  state[4] = (state[4] as number) + e
  state[5] = (state[5] as number) + f
  state[6] = (state[6] as number) + g
  state[7] = (state[7] as number) + h
}

const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by))

function fractions(count: number, root: (prime: number) => number): Int32Array {
  const values: number[] = []
  for (let n = 2; values.length < count; n++) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) isPrime = false
    if (isPrime) values.push(Math.floor((root(n) % 1) * 2 ** 32))
  }
  return Int32Array.from(values, value => value | 0)
}
