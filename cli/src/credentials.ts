// The address and the credentials: of the environment, or stored by `login` in a file that only its owner can read.
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Auth } from '@caseport/sdk'
import { naming, notSignedIn, usageError } from './exit-codes.ts'

export type Environment = Record<string, string | undefined>

export interface Credentials {
  url: string
  clientId?: string | undefined
  clientSecret?: string | undefined
  token?: string | undefined
}

export interface FoundCredentials extends Credentials {
  /** Where they come from, for people. */
  source: string
}

export function credentialsPath(env: Environment): string {
  // The specification tells to ignore relative paths.
  const given = env['XDG_CONFIG_HOME']
  const base = given?.startsWith('/') ? given : join(env['HOME'] ?? homedir(), '.config')
  return join(base, 'caseport', 'credentials.json')
}

export async function findCredentials(env: Environment): Promise<FoundCredentials> {
  return ofEnvironment(env) ?? (await ofFile(env))
}

/** Variables are used as a set: a stored secret is never sent to an address of the environment. */
function ofEnvironment(env: Environment): FoundCredentials | undefined {
  const [url, clientId, clientSecret, token] = [
    env['CASEPORT_URL'],
    env['CASEPORT_CLIENT_ID'],
    env['CASEPORT_CLIENT_SECRET'],
    env['CASEPORT_TOKEN'],
  ]
  if (!url && !clientId && !clientSecret && !token) return undefined
  const missing = [
    ...(url ? [] : ['CASEPORT_URL']),
    ...(token || clientId ? [] : ['CASEPORT_CLIENT_ID']),
    ...(token || clientSecret ? [] : ['CASEPORT_CLIENT_SECRET']),
  ]
  if (!url || missing.length > 0)
    throw notSignedIn(`The environment has no ${missing.join(' and no ')}. Set it, or unset the others.`)
  const source = 'environment'
  return token
    ? { url: checkedUrl(url), token, source }
    : { url: checkedUrl(url), clientId, clientSecret, source }
}

async function ofFile(env: Environment): Promise<FoundCredentials> {
  const source = credentialsPath(env)
  const text = await readFile(source, 'utf8').catch(error => {
    if (error.code === 'ENOENT') throw notSignedIn('You are not signed in. Run "caseport login".')
    return naming(source)(error)
  })
  try {
    const { url, clientId, clientSecret, token } = JSON.parse(text)
    if (typeof token === 'string' || typeof clientSecret === 'string')
      return { url: checkedUrl(url), clientId, clientSecret, token, source }
  } catch {
    // Reported below, like JSON without credentials.
  }
  throw notSignedIn(`${source} has no credentials. Run "caseport login" again.`)
}

export async function storeCredentials(env: Environment, credentials: Credentials): Promise<string> {
  const path = credentialsPath(env)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // The mode of writeFile is for new files only, so that the file is always a new one.
  const temporary = `${path}.${process.pid}.tmp`
  await rm(temporary, { force: true })
  await writeFile(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await chmod(temporary, 0o600)
  await rename(temporary, path)
  return path
}

/** Returns whether there was something to remove. */
export async function removeCredentials(env: Environment): Promise<boolean> {
  return rm(credentialsPath(env)).then(
    () => true,
    error => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}

/** The address of the service. */
export function checkedUrl(given: string): string {
  const url = checkedReceiver(given)
  if (/[?#]/.test(url))
    throw usageError('The address must have no query and no fragment, such as https://caseport.example.com.')
  return url.replace(/\/+$/, '')
}

/** An address of any kind. It is printed, so that it must have no password. */
export function checkedReceiver(given: string): string {
  if (!URL.canParse(given) || !/^https?:/i.test(given)) {
    const shown = given.includes('@') ? 'This' : `"${given}"`
    throw usageError(`${shown} is no address. Expected one such as https://caseport.example.com.`)
  }
  const { username, password } = new URL(given)
  if (username || password)
    throw usageError('The address must have no user and no password, such as https://caseport.example.com.')
  return given
}

export const authOf = ({ clientId = '', clientSecret = '', token }: Credentials): Auth =>
  token === undefined ? { kind: 'client', clientId, clientSecret } : { kind: 'token', token }
