// Parses a multipart upload as a stream. If the fields come before the file, its bytes go straight to the repository of the
// country. If the file comes first, it is spooled, encrypted, until the fields arrive.
import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { excerpt } from '../lib/excerpt.ts'
import { nearest } from '../lib/nearest.ts'
import type { FieldError } from '../lib/problem.ts'
import { type Spooled, spool } from './spool.ts'

export interface FilePart {
  content: AsyncIterable<Buffer>
  fileName: string
}

export interface MultipartOptions<T> {
  message: IncomingMessage
  maxBytes: number
  fields: readonly string[]
  /** Whether the file can be stored with these fields: with those before the file, or with all of the request. */
  ready: (fields: Map<string, string>, all: boolean) => boolean
  /** Stores the file. Called once, when `ready` is true. */
  store: (file: FilePart, fields: Map<string, string>) => Promise<T>
  spoolFolder: string
}

export class InvalidUploadError extends Error {
  readonly faults: FieldError[]
  /** What was read, where all parts were. */
  readonly parts: { fields: Map<string, string>; hadFile: boolean } | undefined

  constructor(faults: FieldError[], parts?: InvalidUploadError['parts']) {
    super('bad upload')
    this.faults = faults
    this.parts = parts
  }
}
export class FileTooLargeError extends Error {}
export class StalledUploadError extends Error {}

const PACE_WINDOW_MS = 15_000
const MIN_BYTES_PER_WINDOW = 15 * 1024
const FILE_PART = 'document'
const CONNECTION_LOST: FieldError = { pointer: '', detail: 'The connection was lost.' }

export interface Received<T> {
  fields: Map<string, string>
  /** Undefined if there was no file, or a field for it is missing. */
  stored: T | undefined
  hadFile: boolean
}

export async function readMultipart<T>(options: MultipartOptions<T>): Promise<Received<T>> {
  const { message, maxBytes, ready, store, spoolFolder } = options
  const fields = new Map<string, string>()
  const faults: FieldError[] = []
  let storing: Promise<T> | undefined
  let file: BusboyFileStream | undefined
  let spooling: Promise<{ spooled: Spooled; part: Omit<FilePart, 'content'> }> | undefined

  const busboy = createParser(message, maxBytes)
  const finished = new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => {
      message.unpipe(busboy)
      // Ends `store`, which would otherwise wait for more bytes forever.
      file?.destroy(error)
      reject(error)
    }
    const rejectPart = (pointer: string, detail: string) => faults.push({ pointer, detail })
    busboy.on('field', (given: string | undefined, value, nameCut, valueCut) => {
      const name = given ?? ''
      if (!options.fields.includes(name))
        rejectPart(`/${excerpt(name)}`, unknownPartMessage(name, options.fields))
      else if (fields.has(name)) rejectPart(`/${name}`, 'This part is there twice.')
      else if (nameCut || valueCut) rejectPart(`/${name}`, 'Too long.')
      else fields.set(name, value)
    })
    busboy.on('file', (_name, stream, fileName) => {
      const part = { fileName: fileName ?? '' }
      const content = readFile(stream)
      file = stream
      // The parser emits an error on the file if the body ends early. Without a listener that ends the process; without
      // destroy, a later reader waits forever.
      stream.on('error', error => stream.destroy(error))
      // An error of the store ends the upload at once, while the rest of the body still arrives.
      if (ready(fields, false)) {
        storing = store({ ...part, content }, fields)
        storing.catch(fail)
      } else {
        spooling = spool(content, spoolFolder).then(spooled => ({ spooled, part }))
        spooling.catch(fail)
      }
    })
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      busboy.on(limit, () =>
        fail(
          new InvalidUploadError([
            { pointer: '', detail: 'Too many parts: one document and its fields are expected.' },
          ]),
        ),
      )
    busboy.on('error', () =>
      fail(
        new InvalidUploadError([
          { pointer: '', detail: 'The multipart body is malformed, or ends too early.' },
        ]),
      ),
    )
    busboy.on('finish', resolve)
    message.once('aborted', () => fail(new InvalidUploadError([CONNECTION_LOST])))
    watchPace(message, () => fail(new StalledUploadError()))
    message.pipe(busboy)
  })

  try {
    await finished
    const pending = await spooling
    if (faults.length > 0) throw new InvalidUploadError(faults, { fields, hadFile: file !== undefined })
    if (pending) {
      if (!ready(fields, true)) return { fields, stored: undefined, hadFile: true }
      const { spooled, part } = pending
      return { fields, stored: await store({ ...part, content: spooled.content() }, fields), hadFile: true }
    }
    return { fields, stored: await storing, hadFile: storing !== undefined }
  } catch (error) {
    busboy.destroy()
    throw error
  } finally {
    await spooling?.then(({ spooled }) => spooled.close()).catch(() => {})
  }
}

function createParser(message: IncomingMessage, maxBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: message.headers as BusboyHeaders,
      isPartAFile: name => name === FILE_PART,
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
    throw new InvalidUploadError([
      { pointer: '', detail: 'The Content-Type must be multipart/form-data with a boundary.' },
    ])
  }
}

/** Yields the chunks as they arrive: iterating over the stream itself would copy all buffered chunks to one. */
async function* readFile(stream: BusboyFileStream): AsyncGenerator<Buffer> {
  const buffered: Buffer[] = []
  let wake = () => {}
  stream.on('data', (chunk: Buffer) => {
    buffered.push(chunk)
    stream.pause()
    wake()
  })
  for (const event of ['end', 'error', 'close']) stream.on(event, () => wake())
  for (;;) {
    const chunk = buffered.shift()
    if (chunk) yield chunk
    else if (stream.errored) throw stream.errored
    else if (stream.readableEnded) break
    else if (stream.destroyed) throw new InvalidUploadError([CONNECTION_LOST])
    else
      await new Promise<void>(resolve => {
        wake = resolve
        stream.resume()
      })
  }
  if (stream.truncated) throw new FileTooLargeError()
}

/**
 * Ends uploads of less than a kibibyte a second, which would keep their memory reserved forever. A window with backpressure
 * does not count: then the repository is slow, not the client.
 */
function watchPace(message: IncomingMessage, onStall: () => void): void {
  let received = 0
  let wasPaused = false
  const check = setInterval(() => {
    if (received < MIN_BYTES_PER_WINDOW && !wasPaused && !message.isPaused()) onStall()
    received = 0
    wasPaused = false
  }, PACE_WINDOW_MS)
  message.on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  message.on('pause', () => {
    wasPaused = true
  })
  for (const event of ['end', 'close', 'error']) message.once(event, () => clearInterval(check))
}

function unknownPartMessage(name: string, known: readonly string[]): string {
  if (!name) return 'There is a part without a name. Leave it out.'
  const meant = nearest(name, [...known, FILE_PART])
  return `There is no ${excerpt(name)} here. ${meant ? `Did you mean ${meant}?` : 'Leave it out.'}`
}
