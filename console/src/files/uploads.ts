// The queue of uploads. It belongs to the window and not to a screen: a file that was dropped on a case is sent, and its
// errors are shown, whatever is opened meanwhile.
import { isCaseportError } from '@caseport/sdk'
import { newKey, wasRejected } from '../app/attempts.ts'
import { untilSent } from './upload-client.ts'

export interface Sending {
  countryCode: RepositoryCountry
  idempotencyKey: string
  onProgress(progress: { loaded: number; total: number | undefined }): void
  signal: AbortSignal
}

/** The countries that have a repository. */
export const REPOSITORY_COUNTRIES = ['US', 'EDU', 'UK', 'FR', 'DE', 'IR', 'ES', 'CH'] as const
export type RepositoryCountry = (typeof REPOSITORY_COUNTRIES)[number]

/** The record that a file is for. */
export interface UploadTarget {
  path: string
  label: string
}

export interface Upload {
  key: string
  /** The same for every attempt to send the file, until the service rejects one. */
  idempotencyKey: string
  file: File
  country: RepositoryCountry
  target: UploadTarget
  state: 'waiting' | 'sending' | 'done' | 'failed'
  /** From 0 to 1. */
  progress: number
  error?: unknown
  abort: AbortController
  send(file: File, sending: Sending): Promise<unknown>
  onDone(): void
}

let uploads: readonly Upload[] = []
let chain: Promise<void> = Promise.resolve()
const listeners = new Set<() => void>()

export const isUnderway = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending'

export const canRetry = ({ state, error }: Upload): boolean => state === 'failed' && !isFinal(error)

/** The content, the size or the type of the file is not accepted: another attempt gets the same error. */
function isFinal(error: unknown): boolean {
  if (!isCaseportError(error)) return false
  // Without the name of a field, the request did not arrive whole.
  if (error.status === 400) return error.errors.some(({ pointer }) => pointer !== '')
  return error.status === 413 || error.status === 415
}

/** Asks before the window is closed: what has not been sent would be lost. */
const warn = (event: BeforeUnloadEvent) => event.preventDefault()

function update(next: readonly Upload[]): void {
  uploads = next
  if (uploads.some(isUnderway)) window.addEventListener('beforeunload', warn)
  else window.removeEventListener('beforeunload', warn)
  for (const listener of listeners) listener()
}

const change = (key: string, changes: Partial<Upload>) =>
  update(uploads.map(upload => (upload.key === key ? { ...upload, ...changes } : upload)))

async function run({
  key,
  idempotencyKey,
  file,
  country,
  abort: { signal },
  send,
  onDone,
}: Upload): Promise<void> {
  if (signal.aborted) return
  change(key, { state: 'sending', progress: 0, error: undefined })
  const sending: Sending = {
    countryCode: country,
    idempotencyKey,
    signal,
    onProgress: ({ loaded, total = file.size }) => change(key, { progress: total ? loaded / total : 1 }),
  }
  try {
    await untilSent(() => send(file, sending), signal)
    change(key, { state: 'done', progress: 1 })
    onDone()
  } catch (error) {
    if (!signal.aborted)
      change(key, { state: 'failed', error, ...(wasRejected(error) && { idempotencyKey: newKey() }) })
  }
}

// One file at a time: several would share the bandwidth, and all of them would be late.
function enqueue(upload: Upload): void {
  chain = chain.then(() => run(upload))
}

export const uploadQueue = {
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  current: () => uploads,

  add(files: File[], given: Pick<Upload, 'country' | 'target' | 'send' | 'onDone'>) {
    const added = files.map<Upload>(file => ({
      ...given,
      key: newKey(),
      idempotencyKey: newKey(),
      file,
      state: 'waiting',
      progress: 0,
      abort: new AbortController(),
    }))
    update([...uploads, ...added])
    for (const upload of added) enqueue(upload)
  },
  retry(key: string) {
    const upload = uploads.find(candidate => candidate.key === key)
    if (!upload) return
    change(key, { state: 'waiting' })
    enqueue(upload)
  },
  /** Cancels an upload that is running, and removes the file from the list. */
  remove(key: string) {
    uploads.find(upload => upload.key === key)?.abort.abort()
    update(uploads.filter(upload => upload.key !== key))
  },
  /** Before the page is left for another person. */
  removeAll() {
    for (const { abort } of uploads) abort.abort()
    update([])
  },
  removeFinished: () => update(uploads.filter(({ state }) => state !== 'done')),
}
