// Forwards events to a local address, signed as webhooks are: a receiver can be tried without being reachable from outside.
import { createHmac, randomBytes } from 'node:crypto'
import { type Change, createChanges } from '@caseport/sdk/changes'
import { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { checkedReceiver } from '../credentials.ts'
import { EXIT, reasonOf, usageError } from '../exit-codes.ts'
import { untilStopped } from './changes.ts'

const PREFIX = 'whsec_'
const TIMEOUT_MS = 15_000

interface ListenOptions {
  forwardTo: string
  secret?: string
  after?: string
  types?: string
}

interface Forwarded {
  at: string
  id: string
  type: string
  /** Of the receiver's response; null if there was none. */
  status: number | null
  ms: number
  error: string | null
}

const COLUMNS = [
  { title: 'AT', width: 24, value: ({ at }: Forwarded) => at },
  { title: 'TYPE', width: 26, value: ({ type }: Forwarded) => type },
  { title: 'STATUS', width: 6, value: ({ status }: Forwarded) => status ?? '-' },
  { title: 'MS', width: 6, value: ({ ms }: Forwarded) => ms },
  { title: 'ERROR', width: 60, value: ({ error }: Forwarded) => error },
]

export const listenCommand = (cli: Cli) =>
  new Command('listen')
    .description('Forward events to a local address, signed as webhooks are. Ctrl-C ends it.')
    .requiredOption('--forward-to <url>', 'address of the receiver, such as http://localhost:3000/hooks')
    .option(
      '--secret <secret>',
      'secret to sign with, whsec_…; by default CASEPORT_WEBHOOK_SECRET, or a new one',
    )
    .option('--after <cursor>', 'begin after this cursor; the default is now')
    .option('--types <types>', 'only these types, with commas')
    .action((options: ListenOptions) => listen(cli, options))

async function listen(
  cli: Cli,
  { forwardTo, after = 'now', types, ...options }: ListenOptions,
): Promise<void> {
  const url = checkedReceiver(forwardTo)
  const given = options.secret ?? cli.env['CASEPORT_WEBHOOK_SECRET']
  const secret = given ?? PREFIX + randomBytes(32).toString('base64')
  const key = keyOf(secret)
  // Without a reader nothing is forwarded any more, which nobody has asked for.
  cli.exitCodeWithoutReader = EXIT.brokenPipe
  const changes = createChanges(await cli.connect())
  const query = { types: types?.split(',') as Change['type'][] | undefined }
  await untilStopped(cli, async () => {
    // The position is fixed before the receiver is told to be ready: no event after that is missed.
    const start = await changes.page({ ...query, after, maxRecords: 1000 }, { signal: cli.signal })
    cli.output.note(
      given ? `Forwarding to ${url}.` : `Forwarding to ${url}, signed with the secret ${secret}`,
    )
    const forwardAll = async (records: Change[]) => {
      for (const change of records)
        await cli.output.row(await forward(change, { url, key, signal: cli.signal }), COLUMNS)
    }
    await forwardAll(start.records)
    const feed = changes.follow({ ...query, after: start.nextCursor }, { signal: cli.signal })
    for await (const { records } of feed.pages()) await forwardAll(records)
  })
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  if (!secret.startsWith(PREFIX) || key.length < 24)
    throw usageError('The secret is not one of a webhook: whsec_ and the Base64 of at least 24 bytes.')
  return key
}

interface Receiver {
  url: string
  key: Buffer
  signal: AbortSignal
}

async function forward(
  { id, type, at, ...data }: Change,
  { url, key, signal }: Receiver,
): Promise<Forwarded> {
  const body = JSON.stringify({ type, timestamp: at, data })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Caseport-CLI',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  const started = performance.now()
  const result = (status: number | null, error: string | null): Forwarded => {
    const ms = Math.round(performance.now() - started)
    return { at: new Date().toISOString(), id, type, status, ms, error }
  }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return result(response.status, response.ok ? null : 'The receiver did not accept it.')
  } catch (error) {
    if (signal.aborted) throw error
    return result(null, reasonOf(error))
  }
}
