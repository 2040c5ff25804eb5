// The e-mail of a renewal reminder, as plain text and as HTML. All of its text is ours but the date: a client that
// can write a record could otherwise send its own words and links, from our address, to any other address.

export interface Reminder {
  notificationId: string
  /** `YYYY-MM-DD` */
  expiry: string
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
export function messageOf({ notificationId, expiry }: Reminder, today: string): Message {
  const expires = `${expiry < today ? 'expired' : 'expires'} on ${DATE.format(new Date(`${expiry}T00:00:00Z`))}`
  const paragraphs = [
    `A document that is kept for you or for a member of your family ${expires}.`,
    'For your protection this message does not say which one. Ask your case team, and give them this id; case teams find the document by it in Caseport.',
    `Notification: ${notificationId}`,
    'Please see to the renewal in time. If the document has been renewed already, have the new expiry date entered, and these reminders stop. This message contains no links and asks for no data.',
  ]
  return {
    subject: `A document ${expires}`,
    text: `${paragraphs.join('\n\n')}\n`,
    html: [
      '<!doctype html><html lang="en"><body>',
      ...paragraphs.map(paragraph => `<p>${paragraph}</p>`),
      '</body></html>',
    ].join('\n'),
  }
}

/** An address that is one recipient and nothing else. Others could add recipients or headers. */
export const isAddress = (text: string): boolean =>
  text.length <= 320 && /^[^\s\p{Cc}<>()[\]\\:;"@]+@[^\s\p{Cc}<>()[\]\\,:;"@]+$/u.test(text)

/** The same for every attempt, so that the receiver can drop duplicates. */
export function messageIdOf(notificationId: string, from: string): string {
  const domain = /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'localhost'
  return `<renewal.${notificationId.replaceAll('=', '')}@${domain}>`
}
