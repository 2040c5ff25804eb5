import { type DestinationStream, type Logger, pino } from 'pino'
import { createInstants } from './lib/instants.ts'
import { errorForLog } from './lib/log.ts'

/** Lines wait this long for others: writing each by itself would cost a busy service a tenth of its time. */
const GATHER_MS = 10

/** What libraries of ours log by themselves: an error without its words, and nothing of requests and answers. */
const serializers = { err: errorForLog, req: () => undefined, res: () => undefined }

const written = createInstants()

/** One JSON object a line on standard output. What is logged holds route templates and ids, never personal data. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${written(Date.now())}"`,
    serializers,
  }
  return pino(options, destination ?? gathered())
}

function gathered(): DestinationStream {
  let lines = ''
  const write = () => {
    const text = lines
    lines = ''
    if (text) process.stdout.write(text)
  }
  process.once('exit', write)
  return {
    write(line) {
      if (!lines) setTimeout(write, GATHER_MS)
      lines += line
    },
  }
}
