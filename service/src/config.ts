// The only reader of process.env. Reads every setting once and reports all invalid ones at once.
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { readTls } from './db/tls.ts'
import { COUNTRY_CODES, type CountryCode } from './lib/countries.ts'
import { StartError } from './lib/problem.ts'

type RepositoryLocation =
  | { kind: 'file'; dir: string }
  | { kind: 's3'; bucket: string; endpoint?: string; region?: string }

export interface Config {
  host: string
  port: number
  /** How many processes serve requests behind the port. */
  workers: number
  publicUrl: string | undefined
  /** How many proxies there are in front, or their addresses and networks. */
  trustProxy: false | number | string[]
  dataDir: string
  /** The folder of the built console. */
  consoleDir: string
  databaseUrl: string | undefined
  /** The file with the keys that seal secrets in the database; undefined where there is none. */
  encryptionKeyFile: string | undefined
  repositories: Record<CountryCode, RepositoryLocation>
  bootstrap: { clientId: string; clientSecret: string; apiKey: string | undefined } | undefined
  oidc: { issuer: string; audience: string } | undefined
  /** The external issuer that people sign in with. */
  loginIssuer:
    | { issuer: string; clientId: string; clientSecret: string | undefined; rolesClaim: string }
    | undefined
  /** Whether people can sign in by password. */
  loginPassword: boolean
  tokenTtl: number
  mail: { smtpUrl: string; from: string; cc: string | undefined; requireTls: boolean } | undefined
  reminderDays: number[]
  /** Days before the expiry of a passport; none where reminders of passports are off. */
  passportReminderDays: number[]
  /** Whether webhooks may lead to private addresses. */
  webhookAllowPrivate: boolean
  maxUploadBytes: number
  /** Most bytes of the file of an import, packed and unpacked. */
  maxImportBytes: number
  /** Most bytes of live documents that one client may have uploaded. */
  uploadQuotaBytes: number | undefined
  clamdUrl: string | undefined
  rateLimit: number | undefined
  logLevel: string
  /** The collector of traces, and the share of requests that is traced. */
  tracing:
    | { endpoint: string; headers: Record<string, string>; serviceName: string; ratio: number }
    | undefined
  /** Whether the parent process is `npm start`; the service stops when that has ended. */
  startedByNpm: boolean
}

type Env = Record<string, string | undefined>

/** Where `npm run console:build` puts it. */
const BUILT_CONSOLE = resolve(import.meta.dirname, '..', '..', 'console', 'dist')

const builtConsole = (folder: string) =>
  existsSync(join(folder, 'index.html')) ? resolve(folder) : undefined

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

export function loadEnvFile(path = '.env'): void {
  if (existsSync(path)) process.loadEnvFile(path)
}

export function readConfig(env: Env = process.env): Config {
  const errors: string[] = []
  const setting = <T>(name: string, parse: (text: string) => T | undefined, expected: string) => {
    const text = env[name]?.trim()
    if (!text) return undefined
    const value = parse(text)
    if (value === undefined) errors.push(`${name}: expected ${expected}.`)
    return value
  }
  /** Whether one of the names is set; all required ones must be set then. */
  const requireTogether = (names: string[], required: string[]) => {
    const given = names.filter(name => env[name]?.trim())
    const missing = given.length ? required.filter(name => !env[name]?.trim()) : []
    for (const name of missing)
      errors.push(
        `${name}: expected a value, because ${given.join(' and ')} ${given.length === 1 ? 'is' : 'are'} set.`,
      )
    return given.length > 0 && missing.length === 0
  }

  const dataDir = resolve(setting('DATA_DIR', text => text, 'a folder') ?? './data')
  const locations =
    setting('REPOSITORIES', parseLocation, LOCATION_EXPECTED) ?? parseLocation(`file:${dataDir}/files`)
  const repositories = {} as Record<CountryCode, RepositoryLocation>
  for (const code of COUNTRY_CODES) {
    const own = setting(`REPOSITORY_${code}`, parseLocation, LOCATION_EXPECTED)
    const location = own ?? locations
    if (location) repositories[code] = locationFor(code, location, own === undefined)
  }
  for (const name of Object.keys(env)) {
    const code = /^REPOSITORY_(.+)$/.exec(name)?.[1]
    if (code && !(COUNTRY_CODES as readonly string[]).includes(code))
      errors.push(`${name}: expected one of ${COUNTRY_CODES.join(', ')} after REPOSITORY_.`)
  }
  const bootstrapGiven = requireTogether(
    ['BOOTSTRAP_CLIENT_ID', 'BOOTSTRAP_CLIENT_SECRET', 'BOOTSTRAP_API_KEY'],
    ['BOOTSTRAP_CLIENT_ID', 'BOOTSTRAP_CLIENT_SECRET'],
  )
  const bootstrap = {
    clientId: setting('BOOTSTRAP_CLIENT_ID', clientId, '1 to 128 printable characters without a colon') ?? '',
    clientSecret: setting('BOOTSTRAP_CLIENT_SECRET', longSecret, SECRET_EXPECTED) ?? '',
    apiKey: setting('BOOTSTRAP_API_KEY', longSecret, SECRET_EXPECTED),
  }
  const oidcGiven = requireTogether(['OIDC_ISSUER', 'OIDC_AUDIENCE'], ['OIDC_ISSUER', 'OIDC_AUDIENCE'])
  const oidc = {
    issuer: setting('OIDC_ISSUER', httpUrl, 'an http or https URL') ?? '',
    audience: setting('OIDC_AUDIENCE', text => text, 'an audience') ?? '',
  }
  const loginGiven = requireTogether(
    ['LOGIN_OIDC_ISSUER', 'LOGIN_OIDC_CLIENT_ID', 'LOGIN_OIDC_CLIENT_SECRET', 'LOGIN_OIDC_ROLES_CLAIM'],
    ['LOGIN_OIDC_ISSUER', 'LOGIN_OIDC_CLIENT_ID'],
  )
  const loginIssuer = {
    issuer: setting('LOGIN_OIDC_ISSUER', secureUrl, 'an https URL (http only on localhost)') ?? '',
    clientId: setting('LOGIN_OIDC_CLIENT_ID', text => text, 'the client id of this service') ?? '',
    clientSecret: setting('LOGIN_OIDC_CLIENT_SECRET', text => text, 'a secret'),
    rolesClaim: setting('LOGIN_OIDC_ROLES_CLAIM', text => text, 'the name of a claim') ?? 'roles',
  }
  const mailGiven = requireTogether(['SMTP_URL'], ['SMTP_URL', 'MAIL_FROM'])
  const mail = {
    smtpUrl: setting('SMTP_URL', smtpUrl, 'smtp://[user:password@]host[:port] or smtps://…') ?? '',
    from: setting('MAIL_FROM', mailAddress, 'an e-mail address, with or without a name') ?? '',
    cc: setting('REMINDER_CC', mailAddress, 'an e-mail address, with or without a name'),
    requireTls: setting('SMTP_TLS', tlsMode, 'required or off') !== 'off',
  }

  const otlpEndpoint = setting('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl, 'an http or https URL')
  setting('OTEL_EXPORTER_OTLP_PROTOCOL', text => (text === 'http/json' ? text : undefined), 'http/json')
  const tracing = {
    endpoint: otlpEndpoint ?? '',
    headers: setting('OTEL_EXPORTER_OTLP_HEADERS', headerList, 'name=value,name=value') ?? {},
    serviceName: setting('OTEL_SERVICE_NAME', text => text, 'a name') ?? 'caseport',
    ratio: setting('OTEL_TRACES_SAMPLER_ARG', ratio, 'a number from 0 to 1, such as 0.1') ?? 1,
  }

  const withValidTls = (url: string | undefined) => {
    if (url) errors.push(...tlsErrors(url))
    return url
  }

  const config: Config = {
    host:
      setting('HOST', text => (/^[\w.:-]+$/.test(text) ? text : undefined), 'a host name or address') ??
      '127.0.0.1',
    port: setting('PORT', wholeNumber(0, 65_535), 'a port from 0 to 65535') ?? 8080,
    workers: setting('WORKERS', workerCount, `a number from 1 to ${MAX_WORKERS}, or auto`) ?? 1,
    publicUrl: setting('PUBLIC_URL', publicUrl, 'an http or https URL without ? and #')?.replace(/\/+$/, ''),
    trustProxy:
      setting(
        'TRUST_PROXY',
        trustedProxies,
        'off, the number of proxies in front (on is 1), or their addresses and networks, such as 10.0.0.0/8,fd00::/8',
      ) ?? false,
    dataDir,
    consoleDir:
      setting('CONSOLE_DIR', builtConsole, 'the folder of a built console, with its index.html') ??
      BUILT_CONSOLE,
    databaseUrl: withValidTls(
      setting('DATABASE_URL', postgresUrl, 'postgres://user:password@host[:port][,host2[:port]]/database'),
    ),
    encryptionKeyFile: setting('ENCRYPTION_KEY_FILE', text => resolve(text), 'a file'),
    repositories,
    bootstrap: bootstrapGiven ? bootstrap : undefined,
    oidc: oidcGiven ? oidc : undefined,
    loginIssuer: loginGiven ? loginIssuer : undefined,
    loginPassword: setting('LOGIN_PASSWORD', onOff, 'on or off') ?? true,
    tokenTtl: setting('TOKEN_TTL', wholeNumber(60, 86_400), 'seconds from 60 to 86400') ?? 3600,
    mail: mailGiven ? mail : undefined,
    reminderDays: setting('REMINDER_DAYS', dayList, 'days before expiry, such as 90,30,7') ?? [90, 30, 7],
    passportReminderDays:
      setting(
        'PASSPORT_REMINDER_DAYS',
        text => (text === 'off' ? [] : dayList(text)),
        'days before expiry, such as 180,90,30, or off',
      ) ?? [],
    webhookAllowPrivate: setting('WEBHOOK_ALLOW_PRIVATE', onOff, 'on or off') ?? false,
    maxUploadBytes: setting('MAX_UPLOAD_BYTES', wholeNumber(1, 2 ** 43), 'a number of bytes') ?? 2 ** 30,
    maxImportBytes: setting('MAX_IMPORT_BYTES', wholeNumber(1, 2 ** 40), 'a number of bytes') ?? 2 ** 30,
    uploadQuotaBytes:
      setting(
        'UPLOAD_QUOTA_BYTES',
        text => (text === 'off' ? 0 : wholeNumber(1, 2 ** 50)(text)),
        'a number of bytes, or off',
      ) || undefined,
    clamdUrl: setting('CLAMD_URL', clamdUrl, 'tcp://host:port or unix:/path'),
    rateLimit:
      setting(
        'RATE_LIMIT',
        text => (text === 'off' ? 0 : wholeNumber(1, 1e9)(text)),
        'requests a minute, or off',
      ) || undefined,
    logLevel:
      setting(
        'LOG_LEVEL',
        text => (LOG_LEVELS.includes(text) ? text : undefined),
        `one of ${LOG_LEVELS.join(', ')}`,
      ) ?? 'info',
    tracing: otlpEndpoint ? tracing : undefined,
    startedByNpm: env['npm_lifecycle_event'] === 'start',
  }
  if (errors.length) throw new StartError(errors.map(error => `Bad setting ${error}`).join('\n'))
  return config
}

const LOCATION_EXPECTED = 'file:<folder> or s3://<bucket>?endpoint=<URL>&region=<name>'

function parseLocation(text: string): RepositoryLocation | undefined {
  if (text.startsWith('file:')) {
    const dir = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
    return dir ? { kind: 'file', dir: resolve(dir) } : undefined
  }
  const s3 = /^s3:\/\/([a-z0-9.{}-]{3,63})\/?(?:\?(.*))?$/.exec(text)
  if (!s3?.[1]) return undefined
  const query = new URLSearchParams(s3[2])
  const endpoint = query.get('endpoint')
  const region = query.get('region')
  if ([...query.keys()].some(key => key !== 'endpoint' && key !== 'region')) return undefined
  if (endpoint && !httpUrl(endpoint)) return undefined
  return { kind: 's3', bucket: s3[1], ...(endpoint && { endpoint }), ...(region && { region }) }
}

/** Where a folder is shared by several codes each gets a folder of its own, so that no two repositories mix. */
function locationFor(code: CountryCode, location: RepositoryLocation, shared: boolean): RepositoryLocation {
  const fill = (text: string) => text.replaceAll('{code}', code.toLowerCase())
  if (location.kind === 's3') return { ...location, bucket: fill(location.bucket) }
  const dir = shared && !location.dir.includes('{code}') ? `${location.dir}/{code}` : location.dir
  return { ...location, dir: fill(dir) }
}

function wholeNumber(min: number, max: number) {
  return (text: string) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  }
}

function parseUrl(text: string, protocols: string[]): string | undefined {
  const url = URL.parse(text)
  return url?.hostname && protocols.includes(url.protocol) ? text : undefined
}

const httpUrl = (text: string) => parseUrl(text, ['http:', 'https:'])
const secureUrl = (text: string) =>
  parseUrl(text, ['https:']) ??
  (/^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/.test(text) ? httpUrl(text) : undefined)
// It becomes the issuer of tokens, which has no query or fragment (RFC 8414).
const publicUrl = (text: string) => (/[?#]/.test(text) ? undefined : httpUrl(text))
const clamdUrl = (text: string) => (/^unix:\/|^tcp:\/\/[^/:]+:\d+$/.test(text) ? text : undefined)
const smtpUrl = (text: string) => parseUrl(text, ['smtp:', 'smtps:'])

/** libpq allows several hosts, which the URL standard does not: the URL must be valid with each of them. */
function postgresUrl(text: string): string | undefined {
  const [, before = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^/]*@)?)([^/?]*)(\/[^/?]+(?:\?.*)?)$/.exec(text) ?? []
  const several = hosts.includes(',')
  const valid = hosts.split(',').every(host => (host || !several) && URL.canParse(`${before}${host}${rest}`))
  return before && valid && isDecodable(before) ? text : undefined
}

function tlsErrors(url: string): string[] {
  try {
    readTls(url)
    return []
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [error.message]
  }
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

const clientId = (text: string) => (/^[\x21-\x39\x3b-\x7e]{1,128}$/.test(text) ? text : undefined)
const SECRET_EXPECTED = 'at least 16 characters, such as the output of: openssl rand -base64 24'
const longSecret = (text: string) => ([...text].length >= 16 ? text : undefined)
const mailAddress = (text: string) => (/^[^\r\n]*\S+@\S+[^\r\n]*$/.test(text) ? text : undefined)
const tlsMode = (text: string) => (text === 'required' || text === 'off' ? text : undefined)
const onOff = (text: string) => text === 'on' || (text === 'off' ? false : undefined)

const ratio = (text: string) =>
  /^(?:0|1|0?\.\d+|[01]\.\d+)$/.test(text) && Number(text) <= 1 ? Number(text) : undefined

/** As OpenTelemetry writes them: percent-encoded values. */
function headerList(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').map(part => /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/.exec(part))
  if (pairs.some(pair => !pair || !isDecodable(pair[2] || '-'))) return undefined
  return Object.fromEntries(pairs.map(pair => [pair?.[1] ?? '', decodeURIComponent(pair?.[2] ?? '')]))
}

const MAX_WORKERS = 64

/** `auto` is one for each core. */
const workerCount = (text: string) =>
  text === 'auto' ? Math.min(MAX_WORKERS, availableParallelism()) : wholeNumber(1, MAX_WORKERS)(text)

const MAX_PROXIES = 32

function trustedProxies(text: string): false | number | string[] | undefined {
  if (text === 'off' || text === 'on') return text === 'on' ? 1 : false
  if (/^\d+$/.test(text)) return wholeNumber(1, MAX_PROXIES)(text)
  const networks = text.split(',').map(part => part.trim())
  return networks.every(isNetwork) ? networks : undefined
}

/** An address, or a network that is not all addresses. */
function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  return bits > 0 && (prefix === undefined || (Number(prefix) >= 1 && Number(prefix) <= bits))
}

function dayList(text: string): number[] | undefined {
  const days = text.split(',').map(part => wholeNumber(1, 3650)(part.trim()))
  return days.every(day => day !== undefined)
    ? [...new Set(days as number[])].sort((a, b) => b - a)
    : undefined
}
