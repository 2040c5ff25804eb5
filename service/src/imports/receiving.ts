// Reads the body of an import as a stream and hands its rows to the staging tables in batches, so that memory does not grow
// with the file.
import { createHash, hash as hashOf } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { payloadTooLarge } from '../http/problems.ts'
import type { Pauses } from '../lib/pauses.ts'
import { invalid, invalidRequest } from '../lib/problem.ts'
import { MAX_CELLS, readCsv } from './csv.ts'
import { type Column, personOf } from './csv-columns.ts'
import { FileError, FileTooLargeError } from './file-error.ts'
import { type ImportFormat, type RowProblem, rowProblemOf } from './import.ts'
import { readLines } from './ndjson.ts'
import type { StagedDependent, StagedRow } from './staged-rows.store.ts'
import { inSmallChunks, readText } from './text-chunks.ts'

/** As for the body of a single request. */
export const MAX_ROW_BYTES = 1024 * 1024
const MAX_NUMBER = 64
const BATCH = { rows: 500, characters: 1024 * 1024 }
/** A slow upload still shows progress. */
const FLUSH_MS = 20_000

export interface Batch {
  rows: StagedRow[]
  dependents: StagedDependent[]
  /** Bytes and rows received so far. */
  bytes: number
  received: number
}

export interface Received {
  bytes: number
  sha256: string
  /** Whether the file states the dependents of each person. */
  hasDependents: boolean
}

interface Options {
  content: Readable
  gzip: boolean
  format: ImportFormat
  maxBytes: number
  pauses: Pauses
  stage: (batch: Batch) => Promise<void>
}

/** Throws a FileError where the file as a whole cannot be imported. */
export async function receive({
  content,
  gzip,
  format,
  maxBytes,
  pauses,
  stage,
}: Options): Promise<Received> {
  const hash = createHash('sha256')
  const counted = { received: 0, unpacked: 0 }
  const batches = createBatches(stage, () => counted.received)
  const source = countedBytes(batches.shown(content), maxBytes, chunk => {
    counted.received += chunk.length
    hash.update(chunk)
    return counted.received
  })
  const plain = gzip
    ? countedBytes(unpacked(source), maxBytes, chunk => {
        counted.unpacked += chunk.length
        return counted.unpacked
      })
    : source
  const texts = readText(inSmallChunks(plain, pauses))
  const hasDependents =
    format === 'csv' ? await receiveCsv(texts, pauses, batches.add) : await receiveNdjson(texts, batches.add)
  await batches.flush()
  if (batches.count() === 0) throw new FileError('The file has no rows.')
  return { bytes: counted.received, sha256: hash.digest('hex'), hasDependents }
}

async function* countedBytes(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  count: (chunk: Buffer) => number,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (count(chunk) > maxBytes) throw new FileTooLargeError()
    yield chunk
  }
}

async function* unpacked(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  pipeline(chunks, gunzip, () => {})
  try {
    for await (const chunk of gunzip) yield chunk as Buffer
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (code === 'Z_BUF_ERROR') throw new FileError('The gzip data ends too early: the file was cut off.')
    throw code.startsWith('Z_') ? new FileError('The body is not valid gzip data.') : error
  } finally {
    gunzip.destroy()
  }
}

type Add = (rows: StagedRow[], dependents?: StagedDependent[]) => Promise<void>

function createBatches(stage: Options['stage'], bytes: () => number) {
  let rows: StagedRow[] = []
  let dependents: StagedDependent[] = []
  let characters = 0
  let received = 0
  let receivedDependents = 0
  let flushedAt = performance.now()
  const flush = async () => {
    if (rows.length + dependents.length === 0) return
    const batch = { rows, dependents, bytes: bytes(), received }
    rows = []
    dependents = []
    characters = 0
    flushedAt = performance.now()
    await stage(batch)
  }
  const add: Add = async (newRows, newDependents = []) => {
    received += newRows.length
    receivedDependents += newDependents.length
    rows.push(...newRows)
    dependents.push(...newDependents)
    for (const { body } of [...newRows, ...newDependents]) characters += body?.length ?? 0
    const isDue = performance.now() - flushedAt > FLUSH_MS
    if (rows.length + dependents.length >= BATCH.rows || characters >= BATCH.characters || isDue)
      await flush()
  }
  /** Shows progress also while no row becomes complete. */
  async function* shown(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      yield chunk
      if (performance.now() - flushedAt <= FLUSH_MS) continue
      flushedAt = performance.now()
      await stage({ rows: [], dependents: [], bytes: bytes(), received })
    }
  }
  return { add, flush, shown, count: () => received + receivedDependents }
}

const TOO_LARGE: RowProblem = rowProblemOf(payloadTooLarge(`A row may have at most ${MAX_ROW_BYTES} bytes.`))
const NOT_JSON: RowProblem = rowProblemOf(
  invalidRequest('The row has a NUL character, which JSON does not allow.'),
)

const NO_BODY = { employeeNumber: null, body: null, hash: null }
const digestOf = (text: string) => hashOf('sha256', text, 'base64')

async function receiveNdjson(texts: AsyncIterable<string>, add: Add): Promise<boolean> {
  for await (const lines of readLines(texts, MAX_ROW_BYTES))
    for (let start = 0; start < lines.length; start += BATCH.rows)
      await add(
        lines.slice(start, start + BATCH.rows).map(({ row, text }): StagedRow => {
          if (text === undefined) return { ...NO_BODY, row, problem: TOO_LARGE }
          if (text.includes('\0'))
            return { ...NO_BODY, row, employeeNumber: numberIn(text.replaceAll('\0', '')), problem: NOT_JSON }
          return { row, employeeNumber: numberIn(text), body: text, hash: digestOf(text), problem: null }
        }),
      )
  return true
}

/** Null where the row has none that can be stored; the check of the row finds its errors. */
function numberIn(text: string): string | null {
  try {
    return storable(
      (JSON.parse(text) as { primaryApplicant?: { employeeNumber?: unknown } }).primaryApplicant
        ?.employeeNumber,
    )
  } catch {
    return null
  }
}

/** Its length is that of a single request: characters, of which some are two units of a string. */
const storable = (number: unknown): string | null =>
  typeof number === 'string' &&
  number !== '' &&
  number.length <= 2 * MAX_NUMBER &&
  [...number].length <= MAX_NUMBER &&
  !number.includes('\0')
    ? number
    : null

async function receiveCsv(texts: AsyncIterable<string>, pauses: Pauses, add: Add): Promise<boolean> {
  const { columns, rows } = await readCsv(texts, { maxBytes: MAX_ROW_BYTES })
  for await (const { row, cells } of rows) {
    if (pauses.areDue()) await pauses.pause()
    if (cells.every(cell => cell === '')) continue
    const problem = cellsProblemOf(columns, cells)
    if (problem) {
      await add([{ ...NO_BODY, row, employeeNumber: numberInCells(columns, cells), problem }])
      continue
    }
    const { person, primaryNumber } = personOf(columns, cells)
    const body = JSON.stringify(person)
    const hash = digestOf(body)
    if (primaryNumber === undefined)
      await add([{ row, employeeNumber: storable(person['employeeNumber']), body, hash, problem: null }])
    else if (storable(primaryNumber)) await add([], [{ row, primaryNumber, body, hash }])
    else await add([{ ...NO_BODY, row, problem: LONG_NUMBER }])
  }
  return columns.some(({ kind }) => kind === 'primary')
}

/** The number of a row that is rejected: its person is in the file, and not missing. A dependent is never missing. */
function numberInCells(columns: Column[], cells: string[]): string | null {
  const { person, primaryNumber } = personOf(
    columns,
    cells.slice(0, columns.length).map(cell => cell.replaceAll('\0', '')),
  )
  return primaryNumber === undefined ? storable(person['employeeNumber']) : null
}

const LONG_NUMBER: RowProblem = rowProblemOf(
  invalid([{ pointer: '/primaryEmployeeNumber', detail: `Must have at most ${MAX_NUMBER} characters.` }]),
)

function cellsProblemOf(columns: Column[], cells: string[]): RowProblem | undefined {
  if (cells.length !== columns.length) {
    const count = cells.length > MAX_CELLS ? `more than ${MAX_CELLS}` : cells.length
    return rowProblemOf(
      invalidRequest(`The row has ${count} cells, and the header has ${columns.length} columns.`),
    )
  }
  const index = cells.findIndex(cell => cell.includes('\0'))
  if (index < 0) return undefined
  return rowProblemOf(invalidRequest(`Column ${index + 1} of the row has a NUL character.`))
}
