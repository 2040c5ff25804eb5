// Reads a multipart upload as it comes in. Where the fields say the country before the file begins, its bytes go straight
// to that country's repository; where the file comes first, it waits encrypted until they do.
import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { nearest } from '../lib/nearest.ts'
import type { FieldError } from '../lib/problem.ts'
import { type Spooled, spool } from './spool.ts'

export interface FilePart {
  content: AsyncIterable<Buffer>
  fileName: string
  declaredType: string
}

export interface MultipartOptions<T> {
  message: IncomingMessage
  maxBytes: number
  fields: readonly string[]
  /** Faults of the fields that have come so far, or undefined while the file cannot be placed yet. */
  ready: (fields: Map<string, string>) => boolean
  /** Stores the file; called once, when the fields are known to be enough. */
  store: (file: FilePart, fields: Map<string, string>) => Promise<T>
  spoolFolder: string
}

export class BadUpload extends Error {
  readonly faults: FieldError[]
  constructor(faults: FieldError[]) {
    super('bad upload')
    this.faults = faults
  }
}
export class TooLarge extends Error {}
export class Stalled extends Error {}

const WINDOW = 15_000
const SLOWEST = 15 * 1024
const FILE = 'document'
const CUT_OFF: FieldError = { pointer: '', detail: 'The connection was lost.' }

export interface Received<T> {
  fields: Map<string, string>
  /** Undefined where there was no file, or the fields do not say where it belongs. */
  stored: T | undefined
  hadFile: boolean
}

export async function readMultipart<T>(options: MultipartOptions<T>): Promise<Received<T>> {
  const { message, maxBytes, ready, store, spoolFolder } = options
  const fields = new Map<string, string>()
  const faults: FieldError[] = []
  let storing: Promise<T> | undefined
  let file: BusboyFileStream | undefined
  let waiting: Promise<{ spooled: Spooled; part: Omit<FilePart, 'content'> }> | undefined

  const busboy = createParser(message, maxBytes)
  const finished = new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => {
      message.unpipe(busboy)
      // Nothing more will come: whoever stores it would wait for ever, with a file open and half written.
      file?.destroy(error)
      reject(error)
    }
    const refuse = (pointer: string, detail: string) => faults.push({ pointer, detail })
    busboy.on('field', (given: string | undefined, value, nameCut, valueCut) => {
      const name = given ?? ''
      if (!options.fields.includes(name)) refuse(`/${name.slice(0, 100)}`, unknownPart(name, options.fields))
      else if (fields.has(name)) refuse(`/${name}`, 'This part is there twice.')
      else if (nameCut || valueCut) refuse(`/${name}`, 'Too long.')
      else fields.set(name, value)
    })
    busboy.on('file', (_name, stream, fileName, _encoding, declaredType) => {
      const part = { fileName: fileName ?? '', declaredType: declaredType ?? '' }
      const content = bounded(stream)
      file = stream
      // The parser tells the file of a body that ends too early, perhaps before anybody reads it: nobody listening would
      // end the process, and whoever reads later would wait for ever.
      stream.on('error', error => stream.destroy(error))
      // What fails while the rest is still coming in ends the upload at once.
      if (ready(fields)) {
        storing = store({ ...part, content }, fields)
        storing.catch(fail)
      } else {
        waiting = spool(content, spoolFolder).then(spooled => ({ spooled, part }))
        waiting.catch(fail)
      }
    })
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      busboy.on(limit, () =>
        fail(
          new BadUpload([
            { pointer: '', detail: 'Too many parts: one document and its fields are expected.' },
          ]),
        ),
      )
    busboy.on('error', () =>
      fail(new BadUpload([{ pointer: '', detail: 'The multipart body is malformed, or ends too early.' }])),
    )
    busboy.on('finish', resolve)
    message.once('aborted', () => fail(new BadUpload([CUT_OFF])))
    watch(message, () => fail(new Stalled()))
    message.pipe(busboy)
  })

  try {
    await finished
    const pending = await waiting
    if (faults.length > 0) throw new BadUpload(faults)
    if (pending) {
      if (!ready(fields)) return { fields, stored: undefined, hadFile: true }
      const { spooled, part } = pending
      return { fields, stored: await store({ ...part, content: spooled.content() }, fields), hadFile: true }
    }
    return { fields, stored: await storing, hadFile: storing !== undefined }
  } catch (error) {
    busboy.destroy()
    throw error
  } finally {
    await waiting?.then(({ spooled }) => spooled.close()).catch(() => {})
  }
}

function createParser(message: IncomingMessage, maxBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: message.headers as BusboyHeaders,
      isPartAFile: name => name === FILE,
      fileHwm: 1024 * 1024,
      highWaterMark: 1024 * 1024,
      limits: {
        files: 1,
        fields: 20,
        parts: 21,
        fieldSize: 16_384,
        fieldNameSize: 100,
        headerPairs: 20,
        headerSize: 8_192,
        fileSize: maxBytes,
      },
    })
  } catch {
    throw new BadUpload([
      { pointer: '', detail: 'The Content-Type must be multipart/form-data with a boundary.' },
    ])
  }
}

/** Chunk by chunk, as they came: reading a stream as an iterable copies all that waits in it into one. */
async function* bounded(stream: BusboyFileStream): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = []
  let happened = () => {}
  stream.on('data', (chunk: Buffer) => {
    waiting.push(chunk)
    stream.pause()
    happened()
  })
  for (const event of ['end', 'error', 'close']) stream.on(event, () => happened())
  for (;;) {
    const chunk = waiting.shift()
    if (chunk) yield chunk
    else if (stream.errored) throw stream.errored
    else if (stream.readableEnded) break
    else if (stream.destroyed) throw new BadUpload([CUT_OFF])
    else
      await new Promise<void>(resolve => {
        happened = resolve
        stream.resume()
      })
  }
  if (stream.truncated) throw new TooLarge()
}

/**
 * A sender who stops, or sends a byte at a time, must not hold our hands full for ever: a kibibyte a second is little
 * enough for any line. One whom we hold back is not at fault.
 */
function watch(message: IncomingMessage, stalled: () => void): void {
  let received = 0
  let heldBack = false
  const check = setInterval(() => {
    if (received < SLOWEST && !heldBack && !message.isPaused()) stalled()
    received = 0
    heldBack = false
  }, WINDOW)
  message.on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  message.on('pause', () => {
    heldBack = true
  })
  for (const event of ['end', 'close', 'error']) message.once(event, () => clearInterval(check))
}

function unknownPart(name: string, known: readonly string[]): string {
  if (!name) return 'There is a part without a name. Leave it out.'
  const meant = nearest(name, [...known, FILE])
  return `There is no ${name.slice(0, 100)} here. ${meant ? `Did you mean ${meant}?` : 'Leave it out.'}`
}
