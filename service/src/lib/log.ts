/** The part of pino's interface that code outside http/ needs. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The loggable part of an error: name, code and stack frames. Message and parameters may be personal data. */
export function errorForLog(error: Error & { code?: string; constraint_name?: string }) {
  // The stack begins with the message, which may contain lines that look like frames.
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
