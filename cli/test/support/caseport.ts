// Runs the command line as a process, with pipes, as a script would.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { createCaseport } from '@caseport/sdk'

export const BIN = join(import.meta.dirname, '..', '..', 'bin', 'caseport.js')
export const BASE_URL = process.env['BASE_URL'] ?? ''
export const CLIENT_ID = process.env['CLIENT_ID'] ?? ''
export const CLIENT_SECRET = process.env['CLIENT_SECRET'] ?? ''

export const CREDENTIALS = {
  CASEPORT_URL: BASE_URL,
  CASEPORT_CLIENT_ID: CLIENT_ID,
  CASEPORT_CLIENT_SECRET: CLIENT_SECRET,
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

interface Options {
  env?: Record<string, string>
  input?: string
  cwd?: string
}

export function start(args: string[], { env = CREDENTIALS, cwd }: Options = {}) {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: emptyFolder, ...env },
    ...(cwd && { cwd }),
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk
    })
  const ended = new Promise<Ended>(resolve => child.on('close', code => resolve({ code, ...output })))
  return { child, output, ended }
}

/** Runs a command to its end. */
export async function caseport(args: string[], options: Options = {}): Promise<Ended> {
  const { child, ended } = start(args, options)
  child.stdin.end(options.input ?? '')
  return ended
}

/** The records that a command printed. */
export const recordsIn = ({ stdout }: Ended): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

export const folderFor = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `caseport-cli-${name}-`))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const emptyFolder = folderFor('home')

export const newName = (prefix: string) => `${prefix}-${randomUUID().slice(0, 8)}`

export const sdk = createCaseport({
  baseUrl: BASE_URL,
  auth: { kind: 'client', clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
})

export const ANNA = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }

/** A case of a new person. */
export async function newCase() {
  const code = newName('CO').toUpperCase()
  const employeeNumber = newName('E')
  await sdk.companies.create({ name: `Company ${code}`, code, country: 'DE' })
  return sdk.cases.create({
    caseType: 'Work Permit',
    hostCountry: 'DE',
    hostCompany: code,
    sendingCompany: code,
    billingCompany: code,
    applicant: { employeeNumber, firstName: 'Anna', lastName: 'Schmidt' },
  })
}

/** A case, and the environment of a client that sees no other one. */
export async function newCaseOfOwnClient() {
  const { caseId, hostCompanyId } = await newCase()
  const { clientId, clientSecret } = await sdk.clients.create({
    name: newName('Client'),
    scopes: ['cases:read'],
    companies: [hostCompanyId],
  })
  const env = {
    CASEPORT_URL: BASE_URL,
    CASEPORT_CLIENT_ID: clientId,
    CASEPORT_CLIENT_SECRET: clientSecret ?? '',
  }
  return { caseId, env }
}

/** Waits for what a running command prints. */
export async function until(test: () => boolean, what: string, milliseconds = 30_000): Promise<void> {
  const end = Date.now() + milliseconds
  while (!test()) {
    if (Date.now() > end) throw new Error(`Timed out: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
