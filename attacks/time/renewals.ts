// The documents of the time attack, and the days on which each is due for a reminder. The days were worked out by hand with
// a calendar, not with the service's code.
import type { Target } from '../support/uploads.ts'

/** The times to which the attack sets the clock, in order. */
export const DAYS: { from: string; kills: number; what: string; late?: boolean }[] = [
  { from: '2028-01-25T12:00:00Z', kills: 0, what: 'an ordinary day' },
  { from: '2028-01-30T23:59:30Z', kills: 0, what: 'into the last day of a month' },
  { from: '2028-01-31T23:59:30Z', kills: 4, what: 'across the end of a month' },
  { from: '2028-02-27T23:59:30Z', kills: 4, what: 'the day before a leap day' },
  { from: '2028-02-28T23:59:30Z', kills: 6, what: 'into a leap day' },
  { from: '2028-02-29T23:59:30Z', kills: 0, what: 'out of a leap day' },
  { from: '2028-02-28T12:00:00Z', kills: 0, what: 'back by a day and a half', late: true },
  { from: '2028-03-25T22:59:30Z', kills: 0, what: 'past midnight in Berlin, where it is not yet in UTC' },
  { from: '2028-03-26T00:59:30Z', kills: 6, what: 'into summer time' },
  { from: '2028-10-29T00:59:30Z', kills: 0, what: 'out of summer time' },
  { from: '2028-10-28T23:30:00Z', kills: 0, what: 'back by an hour and a half, into the day before' },
  { from: '2028-12-31T23:59:30Z', kills: 0, what: 'across the end of a year' },
]

export const ZONE = 'Europe/Berlin'

interface Kind {
  expiry: string
  reminder: number | string
  /** Indexes of DAYS at which a reminder is sent. */
  on: number[]
}

const KINDS: Kind[] = [
  { expiry: '2028-01-31', reminder: 0, on: [0] }, // 90, 30 and 7 days before: the last of them was yesterday
  { expiry: '2028-02-07', reminder: 7, on: [1] }, // on January 31
  { expiry: '2028-03-02', reminder: 30, on: [2] }, // on February 1, over a leap day
  { expiry: '2028-05-01', reminder: '90', on: [2] }, // on February 1, too
  { expiry: '2029-02-28', reminder: 'P1Y', on: [3] }, // on February 28
  { expiry: '2028-03-01', reminder: '7,1', on: [3, 4] }, // the first of the two was due on February 23
  { expiry: '2028-03-31', reminder: 'P1M', on: [4] }, // February has no 31st, nor a 30th
  { expiry: '2028-06-30', reminder: '2028-02-29', on: [4] },
  { expiry: '2028-03-30', reminder: 30, on: [4] },
  { expiry: '2029-03-01', reminder: 'P1Y', on: [5] }, // on March 1
  { expiry: '2028-04-25', reminder: 0, on: [1, 8] }, // January 26, March 26, and April 18, which the clock skips
  { expiry: '2028-04-26', reminder: 'P1M', on: [8] }, // on March 26
  { expiry: '2028-03-27', reminder: '1', on: [8] }, // on March 26, too
  { expiry: '2028-10-30', reminder: 1, on: [9] },
  { expiry: '2029-01-08', reminder: 'P1W', on: [11] }, // on January 1
]

/** Documents without a reminder, mixed in at intervals. */
const WITHOUT_REMINDER: (Omit<Kind, 'on'> & { remind: boolean })[] = [
  { expiry: '2028-01-20', reminder: 30, remind: true }, // expired before it was entered
  { expiry: '2028-03-02', reminder: 30, remind: false },
]

/** Entered after the clock was set back by a day and a half. */
const LATE: Kind = { expiry: '2028-03-06', reminder: 7, on: [6] }

export interface Watched {
  documentId: string
  name: string
  on: number[]
}

const PER_PERSON = 50

/** Enters documents through the API, fifty to a person. */
export async function enterDocuments(
  { url, token }: Target,
  { count, late = false }: { count: number; late?: boolean },
): Promise<Watched[]> {
  const watched: Watched[] = []
  for (let from = 0; from < count; from += PER_PERSON) {
    const documents = Array.from({ length: Math.min(PER_PERSON, count - from) }, (_, index) =>
      documentOf(from + index, late),
    )
    const response = await fetch(`${url}/v2/applicant`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        primaryApplicant: {
          firstName: 'Ana',
          lastName: 'Weber',
          email: `ana${from}@example.com`,
          documents: documents.map(({ document }) => document),
        },
        dependents: [],
      }),
    })
    if (response.status !== 201) throw new Error(`No applicant: ${response.status} ${await response.text()}`)
    const { primaryApplicant } = (await response.json()) as {
      primaryApplicant: { documents: { documentId: string; name: string }[] }
    }
    const days = new Map(documents.map(({ document, on }) => [document.name, on]))
    for (const { documentId, name } of primaryApplicant.documents)
      watched.push({ documentId, name, on: days.get(name) ?? [] })
  }
  return watched
}

function documentOf(index: number, late: boolean) {
  const withoutReminder =
    !late && index % 97 === 96 ? WITHOUT_REMINDER[index % WITHOUT_REMINDER.length] : undefined
  const kind = late ? LATE : KINDS[index % KINDS.length]
  const { expiry, reminder } = withoutReminder ?? kind ?? LATE
  const document = {
    name: `${late ? 'Late permit' : 'Permit'} ${index}`,
    expiryDate: expiry,
    remindAboutRenewal: withoutReminder?.remind ?? true,
    expiryReminder: reminder,
  }
  return { document, on: withoutReminder ? [] : (kind?.on ?? []) }
}
