// Sends notifications by e-mail. Each is claimed before it is sent and marked right after the mail server took it: only
// a crash between these two sends it again, with the same Message-ID, which is as near to once as SMTP comes.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Transporter } from 'nodemailer'
import type { Database } from '../db/database.ts'
import { retryAfter } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { messageIdOf, messageOf } from './message.ts'
import * as store from './notifications.store.ts'

const AT_ONCE = 5
// Longer than a mail server may be silent on each of the steps of one message.
const CLAIM = 300_000
const LAST_WAIT = 10_000

interface Options {
  db: Database
  clock: Clock
  log: Log
  mail: { smtpUrl: string; from: string; cc: string | undefined }
}

export type Mailer = ReturnType<typeof createMailer>

export function createMailer({ db: { sql }, clock, log, mail: { smtpUrl, from, cc } }: Options) {
  let transport: Promise<Transporter> | undefined
  // Read when there is a first mail to send: a start need not wait for it.
  const open = () => {
    transport ??= import('nodemailer').then(({ createTransport }) => createTransport(settingsOf(smtpUrl)))
    return transport
  }
  let stopping = false
  let sending: Promise<void> = Promise.resolve()

  /** Why there is nothing to send any more, or undefined. */
  const obsolete = ({ current, superseded, address }: store.Claimed): string | undefined => {
    if (!current) return 'The document was changed before this could be sent.'
    if (superseded) return 'A later reminder took its place before this could be sent.'
    return address || cc ? undefined : 'There is no e-mail address to send it to.'
  }

  /** Answers whether the mail server can be worked with. */
  const attempt = async (claimed: store.Claimed): Promise<boolean> => {
    const reason = obsolete(claimed)
    if (reason) {
      await store.endNotification(sql, { claimed, state: 'recorded', error: reason, now: clock.now() })
      return true
    }
    try {
      const opened = await open()
      await opened.sendMail({
        from,
        // As an object, so that a comma in an address cannot make two of it.
        to: claimed.address ? { name: '', address: claimed.address } : cc,
        ...(claimed.address && cc && { cc }),
        messageId: messageIdOf(claimed.notificationId, from),
        date: clock.now(),
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...messageOf(claimed, clock.now().toISOString().slice(0, 10)),
      })
    } catch (error) {
      await postpone(claimed, error as MailError)
      return (error as MailError).responseCode !== undefined
    }
    await store.endNotification(sql, { claimed, state: 'sent', error: null, now: clock.now() })
    return true
  }

  const postpone = async (claimed: store.Claimed, { code, responseCode }: MailError) => {
    // The server's own words may hold the address, so they are not kept.
    const error = `The mail was not taken: ${[code, responseCode].filter(Boolean).join(' ') || 'no reason given'}.`
    const { notificationId, attempts } = claimed
    log.warn({ notificationId, attempts, code, responseCode }, 'a reminder was not sent')
    const wait = retryAfter(attempts)
    const now = clock.now()
    if (wait === undefined) return store.endNotification(sql, { claimed, state: 'failed', error, now })
    return store.postpone(sql, { claimed, until: new Date(now.getTime() + wait * 1000), error })
  }

  const sendAll = async () => {
    while (!stopping) {
      const now = clock.now()
      const until = new Date(now.getTime() + CLAIM)
      const claimed = await store.claimNotifications(sql, { limit: AT_ONCE, until, now })
      const fine = await Promise.all(claimed.map(attempt))
      if (!fine.includes(true)) return
    }
  }

  return {
    /** Sends what is due. Ends early where the mail server is not there at all; what is left stays due. */
    send(): Promise<void> {
      sending = sendAll()
      return sending
    },
    /** Begins nothing new, and lets the server take what it is being given: a mail cut off is a mail sent twice. */
    async stop(): Promise<void> {
      stopping = true
      await Promise.race([sending.catch(() => {}), sleep(LAST_WAIT, undefined, { ref: false })])
      const opened = await transport?.catch(() => undefined)
      opened?.close()
    },
  }
}

const settingsOf = (url: string) => ({
  url,
  pool: true as const,
  maxConnections: AT_ONCE,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  disableFileAccess: true,
  disableUrlAccess: true,
})

interface MailError extends Error {
  code?: string
  responseCode?: number
}
