/** An error's message and parameters may hold personal data, so a log line has its name, code and place only. */
export function faultForLog(error: Error & { code?: string; constraint_name?: string }) {
  // The stack begins with the message, which may look like a place.
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
