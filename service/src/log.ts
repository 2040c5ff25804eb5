import { type DestinationStream, type Logger, pino } from 'pino'

/** One JSON object a line on standard output. What is logged holds route templates and ids, never personal data. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` }
  return destination ? pino(options, destination) : pino(options)
}
