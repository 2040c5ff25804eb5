// Parses the Range header (RFC 9110, section 14). Only a single range is supported; anything else selects the whole file.

export interface Part {
  start: number
  /** Included. */
  end: number
  partial: boolean
}

interface Conditions {
  size: number
  ifRange: string | undefined
  etag: string
}

export function spanOf(
  header: string | undefined,
  { size, ifRange, etag }: Conditions,
): Part | 'unsatisfiable' {
  const whole = { start: 0, end: size - 1, partial: false }
  if (header === undefined || (ifRange !== undefined && ifRange !== etag)) return whole
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header.trim())
  if (!match) return whole
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return whole
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1, partial: true }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return whole
  return start >= size ? 'unsatisfiable' : { start, end, partial: true }
}
