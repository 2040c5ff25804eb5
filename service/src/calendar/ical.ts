// Writes calendars (RFC 5545): all-day events, escaped and folded. Pure.

export interface CalendarEvent {
  /** Stable: a calendar program replaces the event that has the same one. */
  uid: string
  /** `YYYY-MM-DD` */
  day: string
  summary: string
  description: string
  /** When what the event shows was changed last. */
  changedAt: Date
}

const MAX_OCTETS = 75

export function calendarOf(name: string, events: CalendarEvent[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Caseport//Caseport//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escapeText(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...events.flatMap(event => [
      'BEGIN:VEVENT',
      `UID:${escapeText(event.uid)}`,
      `DTSTAMP:${event.changedAt.toISOString().replace(/[-:]|\.\d+/g, '')}`,
      `DTSTART;VALUE=DATE:${event.day.replaceAll('-', '')}`,
      `SUMMARY:${escapeText(event.summary)}`,
      `DESCRIPTION:${escapeText(event.description)}`,
      'CLASS:PRIVATE',
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
  return lines.map(line => `${fold(line)}\r\n`).join('')
}

/** Control characters but the line break, which is escaped, have no place in a text. */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\\;,]/g, char => `\\${char}`)
    .replace(/\r\n|\r|\n|\u2028|\u2029/g, '\\n')
    .replace(/\p{Cc}/gu, ' ')
}

/** Lines have at most 75 octets; a longer one continues on the next, after a space. No character is cut in two. */
export function fold(line: string): string {
  const parts: string[] = []
  let part = ''
  let octets = 0
  for (const char of line) {
    const size = Buffer.byteLength(char)
    if (octets + size > MAX_OCTETS) {
      parts.push(part)
      // The space at the beginning of the next line counts.
      part = ' '
      octets = 1
    }
    part += char
    octets += size
  }
  return [...parts, part].join('\r\n')
}

/** `A. S.`; a question mark for a person without a name. */
export function initialsOf(...names: (string | null)[]): string {
  const initials = names.flatMap(name => {
    const letter = name?.trim().match(/[\p{L}\p{N}]/u)?.[0]
    return letter ? `${letter.toUpperCase()}.` : []
  })
  return initials.join(' ') || '?'
}
