/** The part of pino's interface that code below HTTP needs. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** An error as a log line may hold it: name, code and stack frames. Message and parameters may be personal data. */
export function errorForLog(error: Error & { code?: string; constraint_name?: string }) {
  // The stack begins with the message, which may itself look like a frame.
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter(line => line.startsWith('    at '))
  return {
    error: error.name,
    code: error.code,
    constraint: error.constraint_name,
    at: frames.slice(0, 8).map(line => line.trim()),
  }
}
