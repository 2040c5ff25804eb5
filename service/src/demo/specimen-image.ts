// A small PNG that looks like the photo page of a passport.
import { crc32, deflateSync } from 'node:zlib'

type Colour = readonly [number, number, number]

const WIDTH = 360
const HEIGHT = 240
const PAPER: Colour = [238, 242, 236]
const FRAME: Colour = [52, 84, 110]
const INK: Colour = [96, 108, 118]
const SKIN: Colour = [206, 168, 136]
const COATS: Colour[] = [
  [94, 62, 88],
  [44, 98, 92],
  [140, 82, 48],
  [58, 70, 120],
]

/** A valid image; `seed` varies it. */
export function specimenImage(seed: number): Buffer {
  const rows = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT)
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) rows.set(colourAt(x, y, seed), y * (WIDTH * 3 + 1) + 1 + x * 3)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(HEIGHT, 4)
  // Eight bits a channel, RGB.
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function colourAt(x: number, y: number, seed: number): Colour {
  if (x < 6 || y < 6 || x >= WIDTH - 6 || y >= HEIGHT - 6) return FRAME
  // The photo on the left.
  if (x >= 24 && x < 128 && y >= 30 && y < 160) {
    if ((x - 76) ** 2 + (y - 80) ** 2 < 28 ** 2) return SKIN
    if (y > 112 && ((x - 76) / 46) ** 2 + ((y - 160) / 48) ** 2 < 1) return COATS[seed % COATS.length] ?? INK
    return [214, 224, 230]
  }
  // Lines of text on the right, and the two lines for machines below.
  const isLine = (y - 36) % 22 < 6 && y >= 36 && y < 150 && x >= 150 && x < 300 - ((seed * 13 + y) % 90)
  const isMachineLine = ((y >= 184 && y < 192) || (y >= 204 && y < 212)) && x >= 24 && x < 336
  if (isLine || (isMachineLine && (x + seed * 5) % 9 < 6)) return INK
  return PAPER
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
