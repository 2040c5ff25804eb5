// Checks everything between here and the service, and says what to do about what is wrong.
import { type Caseport, isCaseportError } from '@caseport/sdk'
import { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { EXIT, reasonOf } from '../exit-codes.ts'
import { dayIn } from '../options.ts'

interface Check {
  check: string
  /** `warning` and `skipped` leave the exit code at 0. */
  result: 'ok' | 'warning' | 'failed' | 'skipped'
  detail: string
}

const COLUMNS = [
  { title: 'CHECK', value: ({ check }: Check) => check },
  { title: 'RESULT', value: ({ result }: Check) => result },
  { title: 'DETAIL', value: ({ detail }: Check) => detail },
]

/** Receivers of webhooks reject deliveries that are older. */
const MAX_SKEW_SECONDS = 300
const WARN_SKEW_SECONDS = 30
const TIMEOUT_MS = 10_000
const LOCAL = /^(localhost|127\.|\[?::1)/

export const doctorCommand = (cli: Cli) =>
  new Command('doctor')
    .description('Check the address, clock, token, scopes, database, repositories and webhooks.')
    .action(async () => {
      const checks: Check[] = []
      for await (const check of examine(cli)) {
        // A check that Ctrl-C ended says nothing.
        cli.signal.throwIfAborted()
        checks.push(check)
      }
      await cli.output.list(checks, COLUMNS)
      if (checks.some(({ result }) => result === 'failed')) cli.exitCode = EXIT.rejected
    })

async function* examine(cli: Cli): AsyncGenerator<Check> {
  const { url } = await cli.credentials()
  const caseport = await cli.connect()
  const reached = await reach(url, cli.signal)
  yield reached.check
  if (!reached.response) {
    for (const check of ['clock', 'token', 'scopes', 'database', 'repositories', 'webhooks'])
      yield { check, result: 'skipped', detail: 'The address does not respond.' }
    return
  }
  yield clockOf(reached.response, reached.sentAt)
  const me = await tried(() => caseport.me.get({ retries: 0, signal: cli.signal }))
  if ('error' in me) {
    yield { check: 'token', result: 'failed', detail: me.error }
    yield { check: 'scopes', result: 'skipped', detail: 'There is no valid token.' }
  } else {
    yield { check: 'token', result: 'ok', detail: `${me.value.name} (${me.value.clientId})` }
    yield scopesOf(me.value)
  }
  yield* await readiness(caseport, cli.signal)
  yield await webhooksOf(caseport, 'value' in me ? me.value.scopes : [], cli.signal)
}

async function reach(url: string, signal: AbortSignal) {
  const sentAt = Date.now()
  const { protocol, hostname } = new URL(url)
  try {
    const response = await fetch(`${url}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const body = (await response.json().catch(() => ({}))) as { status?: string }
    if (!response.ok || body.status !== 'ok') {
      const detail = `${url}/healthz returned ${response.status}, and not what Caseport returns. Check the address.`
      return { check: { check: 'address', result: 'failed', detail } as Check, sentAt }
    }
    const isPlain = protocol === 'http:' && !LOCAL.test(hostname)
    const check: Check = isPlain
      ? { check: 'address', result: 'warning', detail: `${url} is not encrypted. Use https.` }
      : { check: 'address', result: 'ok', detail: url }
    return { check, response, sentAt }
  } catch (error) {
    const detail = `${url}: ${reasonOf(error)}`
    return { check: { check: 'address', result: 'failed', detail } as Check, sentAt }
  }
}

function clockOf({ headers }: Response, sentAt: number): Check {
  const check = 'clock'
  const there = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(there)) return { check, result: 'skipped', detail: 'The response has no date.' }
  const here = (sentAt + Date.now()) / 2
  // The header has whole seconds.
  const skew = Math.max(0, Math.abs(here - there) / 1000 - 1)
  const detail = `This clock is ${Math.round(skew)} seconds ${here > there ? 'ahead of' : 'behind'} the one of the service.`
  if (skew > MAX_SKEW_SECONDS)
    return { check, result: 'failed', detail: `${detail} Webhooks would be rejected.` }
  if (skew > WARN_SKEW_SECONDS) return { check, result: 'warning', detail: `${detail} Set it by NTP.` }
  return { check, result: 'ok', detail: 'It is the same as that of the service.' }
}

function scopesOf({ scopes, companies }: { scopes: string[]; companies: string[] | null }): Check {
  const limit = companies ? `; limited to ${companies.length} companies` : ''
  if (scopes.length === 0)
    return { check: 'scopes', result: 'failed', detail: 'The caller has none. Let an operator add some.' }
  return { check: 'scopes', result: 'ok', detail: `${scopes.join(' ')}${limit}` }
}

/** The service names what is not ready. */
async function readiness(caseport: Caseport, signal: AbortSignal): Promise<Check[]> {
  const ready = await tried(() => caseport.health.ready({ retries: 0, signal }))
  const detail = 'error' in ready ? ready.error : ''
  const names = ['database', 'repositories']
  const isNamed = names.some(name => detail.includes(name))
  return names.map((check): Check => {
    if (!('error' in ready)) return { check, result: 'ok', detail: 'It responds.' }
    if (isNamed && !detail.includes(check)) return { check, result: 'ok', detail: 'It responds.' }
    return { check, result: 'failed', detail }
  })
}

async function webhooksOf(caseport: Caseport, scopes: string[], signal: AbortSignal): Promise<Check> {
  const check = 'webhooks'
  if (!scopes.some(scope => scope === 'webhooks:write' || scope === 'admin'))
    return { check, result: 'skipped', detail: 'Needs the scope webhooks:write.' }
  const found = await tried(() => caseport.webhooks.list({ signal }))
  if ('error' in found) return { check, result: 'failed', detail: found.error }
  const disabled = found.value.filter(({ disabledReason }) => disabledReason !== null)
  const active = found.value.filter(webhook => webhook.active)
  const failing: string[] = []
  for (const { webhookId, url } of active) {
    const lastWeek = { startDate: dayIn(-7), endDate: dayIn(0) }
    const query = { ...lastWeek, state: 'failed', maxRecords: 1 } as const
    const page = await tried(() => caseport.webhooks.deliveries(webhookId, query, { signal }).first())
    if ('value' in page && page.value.records.length > 0) failing.push(url)
  }
  if (disabled.length > 0)
    return {
      check,
      result: 'failed',
      detail: `Made inactive by the service: ${disabled.map(w => w.url).join(', ')}`,
    }
  if (failing.length > 0)
    return { check, result: 'warning', detail: `Deliveries failed within a week: ${failing.join(', ')}` }
  return { check, result: 'ok', detail: `${active.length} active of ${found.value.length}` }
}

async function tried<T>(run: () => Promise<T>): Promise<{ value: T } | { error: string }> {
  try {
    return { value: await run() }
  } catch (error) {
    return { error: isCaseportError(error) ? error.message : String(error) }
  }
}
