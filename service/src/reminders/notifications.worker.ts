// Sends notifications by e-mail, at least once. Each is claimed before it is sent and marked as sent right after the mail
// server accepted it. Only a crash in between sends it twice, with the same Message-ID.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Transporter } from 'nodemailer'
import type { Database } from '../db/database.ts'
import { retryAfter } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { isAddress, messageIdOf, messageOf } from './message.ts'
import * as store from './notifications.store.ts'

const BATCH_SIZE = 5
// Longer than all socket timeouts of one message together.
const CLAIM_MS = 300_000
const SHUTDOWN_TIMEOUT_MS = 10_000

interface Options {
  db: Database
  clock: Clock
  log: Log
  mail: MailSettings
}

export interface MailSettings {
  smtpUrl: string
  from: string
  cc: string | undefined
  /** Whether mail is sent over TLS only. */
  requireTls: boolean
}

export type Mailer = ReturnType<typeof createMailer>

export function createMailer({ db: { sql }, clock, log, mail }: Options) {
  const { from, cc } = mail
  let transport: Promise<Transporter> | undefined
  // Loaded lazily, with the first mail, for a faster cold start.
  const openTransport = () => {
    transport ??= import('nodemailer').then(({ createTransport }) => createTransport(settingsOf(mail)))
    return transport
  }
  let stopping = false
  let sending: Promise<void> = Promise.resolve()

  /** Why the notification need not be sent any more, or undefined. */
  const obsoleteReason = (
    { current, superseded }: store.Claimed,
    address: string | undefined,
  ): string | undefined => {
    if (!current) return 'The document or passport was changed before this could be sent.'
    if (superseded) return 'A later reminder replaced this one before it could be sent.'
    return address || cc ? undefined : 'There is no e-mail address to send it to.'
  }

  /** Returns whether the mail server responds. */
  const attempt = async (claimed: store.Claimed): Promise<boolean> => {
    const address = claimed.addresses.find(isAddress)
    const reason = obsoleteReason(claimed, address)
    if (reason) {
      await store.finishNotification(sql, { claimed, state: 'recorded', error: reason, now: clock.now() })
      return true
    }
    try {
      const opened = await openTransport()
      const { envelope, rejectedErrors } = await opened.sendMail({
        from,
        // As an object, so that an address with a comma is not parsed as two.
        to: address ? { name: '', address } : cc,
        ...(address && cc && { cc }),
        messageId: messageIdOf(claimed.notificationId, from),
        date: clock.now(),
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...messageOf(claimed, clock.now().toISOString().slice(0, 10)),
      })
      // With a CC, the server may accept that recipient alone. The first one is the person, as it was sent.
      const rejected = rejectedErrors?.find(({ recipient }: MailError) => recipient === envelope.to[0])
      if (rejected) throw rejected
    } catch (error) {
      await postpone(claimed, error as MailError)
      return (error as MailError).responseCode !== undefined
    }
    await store.finishNotification(sql, { claimed, state: 'sent', error: null, now: clock.now() })
    return true
  }

  const postpone = async (claimed: store.Claimed, { code, responseCode }: MailError) => {
    // The server's message may contain the address, so it is not stored.
    const error = `The mail was not sent: ${[code, responseCode].filter(Boolean).join(' ') || 'no reason given'}.`
    const { notificationId, attempts } = claimed
    log.warn({ notificationId, attempts, code, responseCode }, 'a reminder was not sent')
    const wait = retryAfter(attempts)
    const now = clock.now()
    if (wait === undefined) return store.finishNotification(sql, { claimed, state: 'failed', error, now })
    return store.postponeNotification(sql, { claimed, until: new Date(now.getTime() + wait * 1000), error })
  }

  const sendAll = async () => {
    while (!stopping) {
      const now = clock.now()
      const until = new Date(now.getTime() + CLAIM_MS)
      const claimed = await store.claimNotifications(sql, { limit: BATCH_SIZE, until, now })
      const responsive = await Promise.all(claimed.map(attempt))
      if (!responsive.includes(true)) return
    }
  }

  return {
    /** Sends what is due. Stops early where the mail server does not respond; the rest stays due. */
    send(): Promise<void> {
      sending = sendAll()
      return sending
    },
    /** Starts no new mail and waits for those under way: a mail that is cut off would be sent twice. */
    async stop(): Promise<void> {
      stopping = true
      await Promise.race([sending.catch(() => {}), sleep(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false })])
      const opened = await transport?.catch(() => undefined)
      opened?.close()
    },
  }
}

const settingsOf = ({ smtpUrl, requireTls }: MailSettings) => ({
  url: requireTls ? withTls(smtpUrl) : smtpUrl,
  pool: true as const,
  maxConnections: BATCH_SIZE,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  disableFileAccess: true,
  disableUrlAccess: true,
})

/** Requires TLS in the URL itself, because nodemailer prefers options in its query. smtps:// has TLS from the first byte. */
function withTls(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  for (const name of ['ignoreTLS', 'opportunisticTLS']) url.searchParams.delete(name)
  url.searchParams.set('requireTLS', 'true')
  return url.href
}

interface MailError extends Error {
  code?: string
  responseCode?: number
  /** Of an error of one recipient. */
  recipient?: string
}
