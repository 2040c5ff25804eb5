// Follows the change feed by one stream, and reports what has changed. It starts at the end of the feed; a pause keeps the position,
// so that what happens meanwhile is reported afterwards. A stream leaves one entry in the audit log, and further ones only for
// what it has reported.
import { type Caseport, isCaseportError } from '@caseport/sdk'
import { createChanges } from '@caseport/sdk/changes'
import { type Changed, changedBy, EVERYTHING } from './changed.ts'

const PAGE = 100
/** The service sends its position every 15 seconds. */
const SILENCE_MS = 50_000
/** After a stream that has ended or broken off. */
const RECONNECT_MS = 1_000
/** The SDK retries what is transient, with back-off. This is for the rest. */
const AFTER_ERROR_MS = 30_000
const PATIENT = { deadline: 0, retries: Number.POSITIVE_INFINITY }

interface Following {
  caseport: Caseport
  /** Waits while the feed is not to be read. */
  untilActive(): Promise<void>
  /** Ends with the next pause. */
  pauseSignal(): AbortSignal
  onChanged(changed: Changed): void
  signal: AbortSignal
}

/** Returns when the person may not read the feed, or the signal is aborted. */
export async function followChanges(following: Following): Promise<void> {
  const { caseport, untilActive, pauseSignal, onChanged, signal } = following
  const changes = createChanges(caseport)
  let after = 'now'
  let hasMissed = false

  const follow = async (paused: AbortSignal) => {
    const silence = watchSilence()
    try {
      const options = { ...PATIENT, signal: AbortSignal.any([signal, paused, silence.signal]) }
      for await (const { records, nextCursor } of changes.stream({ after, maxRecords: PAGE }, options)) {
        silence.heard()
        after = nextCursor
        // The position is known before the screen is read again.
        if (hasMissed) onChanged(EVERYTHING)
        hasMissed = false
        if (records.length < PAGE) onChanged(changedBy(records))
        else {
          // So much happens that reading it one by one would be of no use.
          skip()
          return
        }
      }
    } finally {
      silence.stop()
    }
  }
  const skip = () => {
    after = 'now'
    hasMissed = true
  }

  while (!signal.aborted) {
    await untilActive()
    const paused = pauseSignal()
    let wait = RECONNECT_MS
    try {
      await follow(paused)
    } catch (error) {
      if (signal.aborted) return
      if (paused.aborted) continue
      if (isCaseportError(error) && error.status === 403) return
      // The position is no longer kept.
      if (isCaseportError(error) && (error.status === 410 || error.status === 400)) skip()
      if (isCaseportError(error) && error.status !== 0) wait = AFTER_ERROR_MS
    }
    // Not all tabs at once.
    await new Promise(resolve => setTimeout(resolve, wait * (0.5 + Math.random())))
  }
}

/** Aborts its signal when nothing was heard for a while: a connection can be lost without an end. */
function watchSilence() {
  const silent = new AbortController()
  const timeout = () =>
    setTimeout(() => silent.abort(new DOMException('Nothing was heard.', 'TimeoutError')), SILENCE_MS)
  // The first response may wait for a service that restarts, or for a person who signs in again.
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    signal: silent.signal,
    heard() {
      clearTimeout(timer)
      timer = timeout()
    },
    stop: () => clearTimeout(timer),
  }
}
