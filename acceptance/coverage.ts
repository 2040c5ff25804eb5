// Writes COVERAGE.md: for every operation, which of its documented responses were seen in this run.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Contract, type Operation, type Seen } from './contract.ts'

/** Errors that a test cannot cause in a healthy service over HTTP. */
const UNREACHABLE = new Set([
  'internal-error',
  'database-unavailable',
  'overloaded',
  'too-busy',
  'request-timeout',
  'too-many-requests',
  'not-ready',
  'storage-full',
  'issuer-unavailable',
  'repository-unavailable',
  'scanner-unavailable',
  'file-infected',
  'file-too-large-to-scan',
  'file-damaged',
  'upload-expired',
  // A client that breaks off its upload gets no response.
  'import-interrupted',
  // The quota is off unless the operator sets one.
  'quota-exceeded',
  'sign-in-busy',
  'sign-in-again',
  'sign-in-method-off',
  'login-issuer-unavailable',
  // Needs events that are older than thirty days.
  'feed-expired',
  // Depends on who else administers the service.
  'last-admin',
])

/** Errors that depend on timing: another request has to be in progress. */
const TIMING_DEPENDENT = new Set(['idempotency-key-in-progress', 'document-moved'])

const countsFor = (code: string) => !UNREACHABLE.has(code) && !TIMING_DEPENDENT.has(code)

/** Returns whether every documented response that can be caused was seen. */
export async function writeCoverage({ baseUrl, seen }: { baseUrl: string; seen: string }): Promise<boolean> {
  const { operations } = await Contract.load(baseUrl)
  const all = readdirSync(seen).flatMap(file =>
    readFileSync(join(seen, file), 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Seen),
  )
  const byOperation = Map.groupBy(all, ({ operationId }) => operationId)
  const rows = operations.map(operation => row(operation, byOperation.get(operation.operationId) ?? []))
  const missing = rows.filter(({ unseen }) => unseen.length > 0)
  const text = [
    '# What the acceptance tests have seen',
    '',
    'Made by `npm run acceptance`; not edited by hand. Every documented response of every operation, and whether it was seen.',
    '',
    '| operation | success | no token | wrong scope | malformed | other documented errors |',
    '|---|---|---|---|---|---|',
    ...rows.map(({ cells }) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n')
  writeFileSync(join(import.meta.dirname, 'COVERAGE.md'), text)
  for (const { cells, unseen } of missing)
    process.stderr.write(`Not seen: ${cells[0]} ${unseen.join(', ')}\n`)
  return missing.length === 0
}

function row({ method, path, operationId, responses }: Operation, seen: Seen[]) {
  const successes = Object.keys(responses).filter(status => Number(status) < 400)
  const codes = Object.values(responses).flatMap(({ content }) =>
    Object.keys(content?.['application/problem+json']?.examples ?? {}),
  )
  const count = (matches: (one: Seen) => boolean) => seen.filter(matches).length
  const ofCode = (code: string) => count(one => one.code === code)
  const cell = (code: string) => (codes.includes(code) ? mark(ofCode(code)) : '–')
  const own = codes.filter(code => !COLUMNS.includes(code) && countsFor(code))
  const unseen = [
    ...(successes.some(status => count(one => one.status === Number(status)) > 0) ? [] : ['success']),
    ...codes.filter(code => countsFor(code) && code !== 'invalid-token' && ofCode(code) === 0),
  ]
  const cells = [
    `\`${method} ${path}\` ${operationId}`,
    successes.map(status => `${status} ${mark(count(one => one.status === Number(status)))}`).join(', '),
    cell('token-required'),
    cell('insufficient-scope'),
    cell('invalid-request'),
    own.map(code => `${code} ${mark(ofCode(code))}`).join(', ') || '–',
  ]
  return { cells, unseen }
}

const COLUMNS = ['token-required', 'insufficient-scope', 'invalid-request', 'invalid-token']

const mark = (times: number) => (times > 0 ? '✓' : '✗')
