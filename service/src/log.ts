import { type DestinationStream, type Logger, pino } from 'pino'
import { errorForLog } from './lib/log.ts'

/** Overrides pino's defaults, which would log personal data: error messages, URLs and headers. */
const serializers = { err: errorForLog, req: () => undefined, res: () => undefined }

/** One JSON object per line on standard output. Lines hold route templates and ids, never personal data. */
export function createLog(level: string, destination: DestinationStream = standardOutput()): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, destination)
}

/**
 * Writes in batches, because a write per line costs a busy service a tenth of its time. Pino flushes the rest when the
 * process exits, also after an uncaught error. `maxLength` bounds memory while the reader of standard output stalls:
 * further lines are dropped.
 */
const standardOutput = () =>
  pino.destination({ sync: false, minLength: 4_096, periodicFlush: 100, maxLength: 16 * 1024 * 1024 })
