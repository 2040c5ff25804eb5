// TLS to the PostgreSQL of DATABASE_URL: sslmode and its companions, as libpq means them. The driver knows fewer modes, and
// compares the name of the server with 'localhost' where the host is an IP address.
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, getCACertificates, rootCertificates } from 'node:tls'
import { StartError } from '../lib/problem.ts'

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof MODES)[number]

const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword', 'ssl_min_protocol_version']

interface Tls {
  /** The URL without the parameters of TLS, which the driver would send to the server. */
  url: string
  /** Whether a connection without TLS is never made. */
  required: boolean
  /** The driver's option for this host. */
  forHost(host: string): false | 'prefer' | ConnectionOptions
}

/** Throws a StartError that names the parameter and what it may be. The password of the URL is not in it. */
export function readTls(url: string): Tls {
  const { rest, parameters } = splitParameters(url)
  const given = parameters.get('sslmode')
  const rootcert = parameters.get('sslrootcert')
  const mode = (given ?? (rootcert === 'system' ? 'verify-full' : 'prefer')) as Mode
  if (!MODES.includes(mode)) fail(`sslmode to be one of ${MODES.join(', ')}`)
  if (rootcert === 'system' && mode !== 'verify-full')
    fail(
      'sslmode=verify-full with sslrootcert=system, because anyone can get a certificate of a public authority',
    )
  const unknown = [...parameters.keys()].find(name => !PARAMETERS.includes(name))
  if (unknown) fail(`no ${unknown}, which is not supported; there are ${PARAMETERS.join(', ')}`)

  if (mode === 'disable') return { url: rest, required: false, forHost: () => false }
  // The first attempt is with TLS in both modes; libpq makes it last in the mode `allow`.
  if (mode === 'allow' || mode === 'prefer') return { url: rest, required: false, forHost: () => 'prefer' }

  const ca = authoritiesOf(mode, rootcert)
  const options: ConnectionOptions = {
    // As in libpq, `require` verifies the certificate where there is a CA file.
    rejectUnauthorized: ca !== undefined,
    ...(ca && { ca }),
    ...clientCertificate(parameters),
    minVersion: minVersionOf(parameters.get('ssl_min_protocol_version')),
  }
  return {
    url: rest,
    required: true,
    forHost: host => ({
      ...options,
      // Node compares the certificate with this, a name or an IP address.
      ...(mode === 'verify-full' ? { host } : { checkServerIdentity: () => undefined }),
    }),
  }
}

/** Whether the handshake failed, or the certificate of the server was rejected. */
export function isTlsError(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && TLS_ERROR.test(code)
}

const TLS_ERROR = /^(ERR_SSL|ERR_TLS|EPROTO|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const PROBE_MS = 2_000

/** Whether a server says that it does not support TLS; false when it does not respond. */
export async function lacksTls(address: { host: string; port: number }): Promise<boolean> {
  const socket = connect(address)
  try {
    const signal = AbortSignal.timeout(PROBE_MS)
    await once(socket, 'connect', { signal })
    socket.write(SSL_REQUEST)
    const [response] = (await once(socket, 'data', { signal })) as [Buffer]
    return response.toString('latin1', 0, 1) === 'N'
  } catch {
    return false
  } finally {
    socket.on('error', () => {}).destroy()
  }
}

function splitParameters(url: string) {
  const [base = '', query = ''] = url.split(/\?(.*)/s)
  const others: string[] = []
  const parameters = new Map<string, string>()
  for (const part of query.split('&').filter(Boolean)) {
    const [[name = '', value = '']] = new URLSearchParams(part) as unknown as [[string, string]]
    if (/^ssl(?!negotiation$)/.test(name)) parameters.set(name, value)
    else others.push(part)
  }
  return { rest: others.length > 0 ? `${base}?${others.join('&')}` : base, parameters }
}

/** The certificates of the authorities to trust; undefined when the server's certificate is not verified. */
function authoritiesOf(mode: Mode, rootcert: string | undefined): string | string[] | undefined {
  if (rootcert === 'system') {
    const system = getCACertificates('system')
    return system.length > 0 ? system : [...rootCertificates]
  }
  const standard = join(homedir(), '.postgresql', 'root.crt')
  if (!rootcert && !existsSync(standard)) {
    if (mode === 'require') return undefined
    fail(
      `sslrootcert=<file with the certificate of the authority> with sslmode=${mode}, or sslrootcert=system with sslmode=verify-full; ${standard} does not exist either`,
    )
  }
  return readCertificate('sslrootcert', rootcert ?? standard)
}

function clientCertificate(parameters: Map<string, string>): ConnectionOptions {
  const [cert, key] = [parameters.get('sslcert'), parameters.get('sslkey')]
  if (!cert !== !key) fail('sslcert and sslkey together')
  if (!cert || !key) return {}
  const passphrase = parameters.get('sslpassword')
  return {
    cert: readCertificate('sslcert', cert),
    key: readCertificate('sslkey', key),
    ...(passphrase && { passphrase }),
  }
}

function minVersionOf(version = 'TLSv1.2') {
  if (version !== 'TLSv1.2' && version !== 'TLSv1.3')
    return fail('ssl_min_protocol_version to be TLSv1.2 or TLSv1.3')
  return version
}

function readCertificate(name: string, path: string): string {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.includes('-----BEGIN ')) return text
  } catch (error) {
    return fail(
      `${name} ${path} to be a file that the service can read (${(error as NodeJS.ErrnoException).code})`,
    )
  }
  return fail(`${name} ${path} to be a file in PEM format`)
}

function fail(expected: string): never {
  throw new StartError(`DATABASE_URL: expected ${expected}.`)
}
