// The e-mail of a renewal reminder, as plain text and as HTML.

export interface Reminder {
  notificationId: string
  /** `YYYY-MM-DD` */
  expiry: string
  documentName: string | null
  referenceNumber: string | null
  country: string | null
  firstName: string | null
  lastName: string | null
}

export interface Message {
  subject: string
  text: string
  html: string
}

const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** `today` decides between "expires" and "expired". */
export function messageOf(reminder: Reminder, today: string): Message {
  const { expiry, documentName, referenceNumber, country } = reminder
  const person = [reminder.firstName, reminder.lastName].filter(Boolean).join(' ')
  const date = DATE.format(new Date(`${expiry}T00:00:00Z`))
  const name = documentName || 'A document'
  const expires = `${expiry < today ? 'expired' : 'expires'} on ${date}`
  const opening = person ? `${name} of ${person} ${expires}.` : `${name} ${expires}.`
  const facts = [
    ['Document', documentName],
    ['Reference number', referenceNumber],
    ['Country', country],
    ['Person', person],
    ['Expiry date', date],
  ].filter((fact): fact is [string, string] => Boolean(fact[1]))
  const closing =
    'Please see to its renewal in time. If it has been renewed already, have the new expiry date entered, and these reminders stop.'
  return {
    subject: oneLine(`${name} ${expires}`),
    text: [
      opening,
      '',
      ...facts.map(([label, value]) => `${label}: ${oneLine(value)}`),
      '',
      closing,
      '',
    ].join('\n'),
    html: [
      '<!doctype html><html lang="en"><body>',
      `<p>${escaped(opening)}</p>`,
      '<table>',
      ...facts.map(
        ([label, value]) =>
          `<tr><th scope="row" align="left">${label}</th><td>${escaped(oneLine(value))}</td></tr>`,
      ),
      '</table>',
      `<p>${closing}</p>`,
      '</body></html>',
    ].join('\n'),
  }
}

/** Line breaks in a record's text could pass for lines of the message. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replace(/[&<>"']/g, character => ENTITIES[character] ?? '')

/** The same for every attempt, so that the receiver can drop duplicates. */
export function messageIdOf(notificationId: string, from: string): string {
  const domain = /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'localhost'
  return `<renewal.${notificationId.replaceAll('=', '')}@${domain}>`
}
