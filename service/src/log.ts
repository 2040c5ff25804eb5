import { type DestinationStream, type Logger, pino } from 'pino'
import { errorForLog } from './lib/log.ts'

/** Overrides pino's defaults, which would log personal data: error messages, URLs and headers. */
const serializers = { err: errorForLog, req: () => undefined, res: () => undefined }

/** One JSON object per line on standard output. Lines hold route templates and ids, never personal data. */
export function createLog(level: string, destination: DestinationStream = standardOutput()): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, destination)
}

/** A write per line costs a busy service a tenth of its time. */
const BATCH_MS = 10

/**
 * Writes lines in batches, and the rest when the process exits, also after an uncaught error. Pino's own asynchronous
 * destination is not used: at exit it retries a failed write for ever, so that a process with a full disk or a closed pipe
 * behind standard output never ends (pino 10, sonic-boom 4).
 */
function standardOutput(): DestinationStream {
  let lines = ''
  const flush = () => {
    const batch = lines
    lines = ''
    if (batch) process.stdout.write(batch)
  }
  process.once('exit', flush)
  return {
    write(line) {
      if (!lines) setTimeout(flush, BATCH_MS)
      lines += line
    },
  }
}
