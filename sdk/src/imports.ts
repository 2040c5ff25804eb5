// Imports: files of people that the service checks and applies row by row. An entry point of its own, so that pages load it
// only where it is used.
import { type CallOptions, type PostOptions, randomText } from './calls.ts'
import type { Caseport } from './caseport.ts'
import { connectionOf, untyped } from './connections.ts'
import type { FieldError } from './errors.ts'
import { linesOf } from './lines.ts'
import { type Page, Pages } from './pages.ts'
import { PATIENT, sleep } from './retry.ts'
import { openStream } from './streams.ts'
import { type Progress, transfer } from './upload.ts'
import { sourceOf, type UploadContent } from './upload-source.ts'

export type ImportStatus =
  | 'receiving'
  | 'checking'
  | 'held'
  | 'running'
  | 'completed'
  | 'cancelled'
  | 'failed'

export type ImportOutcome = 'created' | 'updated' | 'unchanged' | 'rejected' | 'missing'

export interface ImportProblem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  errors?: FieldError[]
}

export interface Import {
  importId: string
  status: ImportStatus
  mode: 'replace' | 'merge'
  dryRun: boolean
  complete: boolean
  counts: Record<ImportOutcome | 'total', number>
  format: 'ndjson' | 'csv'
  /** Rows that are checked, of all rows; and rows that are applied, of those to apply. */
  progress: { checked: number; applied: number; toApply: number }
  /** Why the import is held, or a dry run would be; null otherwise. */
  held: {
    people: number
    limit: number
    reasons: { code: string; detail: string; people: number; samples: ImportSample[] }[]
  } | null
  /** Why the import failed. */
  problem: ImportProblem | null
  createdBy: string
  createdByName: string | null
  createdAt: string
  updatedAt: string
  /** Null unless it was released. */
  releasedAt: string | null
  finishedAt: string | null
}

export interface ImportSample {
  row: number
  employeeNumber: string
  changed: string[]
}

export interface ImportRow {
  /** Null for a person who is missing from the file. */
  row: number | null
  employeeNumber: string | null
  applicantId: string | null
  outcome: ImportOutcome
  /** False in a dry run. */
  applied: boolean
  /** JSON pointers to the fields that change. */
  changed: string[]
  problem: ImportProblem | null
}

export interface CountedPage<T> extends Page<T> {
  total: number
}

export interface NewImport {
  /** A CSV file, or newline-delimited JSON with one `{ primaryApplicant, dependents }` a line. */
  file: UploadContent
  contentType: 'text/csv' | 'application/x-ndjson'
  /** Whether the file is compressed. */
  gzip?: boolean
  /** `replace` clears what a row leaves out, as PUT does; `merge` keeps it, as PATCH does. */
  mode?: 'replace' | 'merge'
  /** Checks the rows and changes nothing. */
  dryRun?: boolean
  /** The file has everybody: reports people who are missing from it, and changes none of them. */
  complete?: boolean
}

export interface ImportRowContent {
  row: number
  content: { primaryApplicant?: object; dependents?: object[] } | null
}

export interface ImportUploadOptions extends PostOptions {
  onProgress?: (progress: Progress) => void
}

export interface FinishOptions extends CallOptions {
  /** Called with every state that was read. */
  onProgress?: (state: Import) => void
}

const WORKING: ImportStatus[] = ['receiving', 'checking', 'running']
const FIRST_POLL_MS = 200
const SLOWEST_POLL_MS = 2_000

export function createImports(caseport: Caseport) {
  const { calls, baseUrl, ownFetch } = connectionOf(caseport)
  const { read, post, transport } = untyped(calls)
  const path = '/v2/imports/{importId}'

  return {
    /** Sends a file. The service checks and applies it afterwards: see `finish`. */
    async create(given: NewImport, { idempotencyKey, onProgress, ...limits }: ImportUploadOptions = {}) {
      const { file, contentType, gzip = false, ...query } = given
      const headers = new Headers({ 'content-type': contentType })
      if (gzip) headers.set('content-encoding', 'gzip')
      headers.set('idempotency-key', idempotencyKey ?? randomText())
      const url = `${baseUrl}/v2/imports?${searchOf(query)}`
      const none = new Uint8Array()
      const target = { method: 'POST', url, transport, ownFetch, headers, head: none, tail: none, onProgress }
      const { body } = await transfer<Import>(target, sourceOf(file), limits)
      return body
    },

    get: (importId: string, options?: CallOptions) => read<Import>(path, { importId }, options),

    /** Newest first. */
    list: (query: { status?: ImportStatus; maxRecords?: number } = {}, options?: CallOptions) =>
      new Pages<Import, CountedPage<Import>>(cursor =>
        read<CountedPage<Import>>('/v2/imports', {}, options, { ...query, ...cursor }),
      ),

    /** The rows in the order of the file, page by page. */
    rows: (
      importId: string,
      query: { outcome?: ImportOutcome; maxRecords?: number } = {},
      options?: CallOptions,
    ) =>
      new Pages<ImportRow, CountedPage<ImportRow>>(cursor =>
        read<CountedPage<ImportRow>>(`${path}/rows`, { importId }, options, { ...query, ...cursor }),
      ),

    /** What the file says in a row, to compare it with what is stored; `content` is null once the file is deleted. */
    rowContent: (importId: string, row: number, options?: CallOptions) =>
      read<ImportRowContent>(`${path}/rows/{row}`, { importId, row: String(row) }, options),

    /** The rows as one stream of newline-delimited JSON. One that breaks off must be started again. */
    async *allRows(importId: string, query: { outcome?: ImportOutcome } = {}, options?: CallOptions) {
      const url = `${baseUrl}/v2/imports/${encodeURIComponent(importId)}/rows?${searchOf(query)}`
      const headers = new Headers({ accept: 'application/x-ndjson' })
      yield* linesOf<ImportRow>(await openStream(transport, { method: 'GET', url, headers }, options))
    },

    /** Lets an import that is held, or a dry run, go. */
    release: (importId: string, options?: PostOptions) =>
      post<Import>(`${path}/release`, { importId }, undefined, options),

    /** Rows that are applied stay applied. */
    cancel: (importId: string, options?: PostOptions) =>
      post<Import>(`${path}/cancel`, { importId }, undefined, options),

    /**
     * Waits until the import has ended, or is held, and while the service does not respond: an import goes on after a restart.
     * `deadline` and `retries` are those of each request, without limit by default.
     */
    async finish(importId: string, { onProgress = () => {}, ...options }: FinishOptions = {}) {
      const never = new AbortController().signal
      for (let wait = FIRST_POLL_MS; ; wait = Math.min(SLOWEST_POLL_MS, wait * 1.5)) {
        const state = await read<Import>(path, { importId }, { ...PATIENT, ...options })
        onProgress(state)
        if (!WORKING.includes(state.status)) return state
        await sleep(wait, options.signal ?? never)
      }
    },
  }
}

/** Without options that are not set. */
function searchOf(query: object): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search
}

export type Imports = ReturnType<typeof createImports>
