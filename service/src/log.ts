import { type DestinationStream, type Logger, pino } from 'pino'
import { faultForLog } from './lib/fault.ts'

/** What libraries of ours log by themselves: an error without its words, and nothing of requests and answers. */
const serializers = { err: faultForLog, req: () => undefined, res: () => undefined }

/** One JSON object a line on standard output. What is logged holds route templates and ids, never personal data. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: createTimestamp(),
    serializers,
  }
  return pino(options, destination ?? oncePerTurn())
}

/** Under load many lines are of the same millisecond, and writing a time out costs more than the rest of a line. */
function createTimestamp(): () => string {
  let last = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== last) {
      last = now
      text = `,"time":"${new Date(now).toISOString()}"`
    }
    return text
  }
}

/** The lines of one turn of the event loop are written together: under load a write for each would cost a tenth of it. */
function oncePerTurn(): DestinationStream {
  let lines = ''
  const write = () => {
    const text = lines
    lines = ''
    if (text) process.stdout.write(text)
  }
  process.once('exit', write)
  return {
    write(line) {
      if (!lines) setImmediate(write)
      lines += line
    },
  }
}
