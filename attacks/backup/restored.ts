// Checks of a restored database: who is in it, its audit, and its change feed.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExternalPostgres } from '../../service/test/support/external-postgres.ts'
import type { Client } from '../support/client.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)

/** Starts PostgreSQL on a data directory, on a socket alone, and returns the employee numbers in it. */
export async function peopleIn(
  databaseDir: string,
  { programs, owner }: { programs: string; owner: string },
): Promise<Set<string>> {
  const script = `
    trap '"$0/pg_ctl" -D "$1" -m immediate -s stop' EXIT
    "$0/pg_ctl" -D "$1" -w -s -l "$1/log" -o "-c listen_addresses='' -c unix_socket_directories='$1'" start
    "$0/psql" -XAtq -h "$1" -U caseport -d caseport -c 'select employee_number from applicants where employee_number is not null'`
  const asOwner =
    process.getuid?.() === 0 ? ['setpriv', `--reuid=${owner}`, `--regid=${owner}`, '--init-groups'] : []
  const [program = '', ...args] = [...asOwner, 'sh', '-eu', '-c', script, programs, databaseDir]
  const { stdout } = await run(program, args, { cwd: '/' })
  return new Set(stdout.trim().split('\n'))
}

export async function auditFindings(databaseUrl: string, dataDir: string): Promise<string[]> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, DATA_DIR: dataDir }
  const args = [join(ROOT, 'service', 'src', 'audit-verify.cli.ts')]
  const { stdout, stderr } = await run(process.execPath, args, { cwd: ROOT, env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return /^The chain is intact\.$/m.test(stdout) ? [] : [`audit:verify: ${stdout}${stderr}`]
}

export async function endOfFeed(client: Client): Promise<string> {
  const { status, body, text } = await client.call({ path: '/v2/changes?after=now' })
  if (status !== 200) throw new Error(`The end of the feed: ${status} ${text}`)
  return body.nextCursor
}

/** The number of the last change. */
export async function headOfFeed(server: ExternalPostgres): Promise<number> {
  const sql = server.sql()
  const [row] = await sql<{ head: string }[]>`select head from change_feed`
  await sql.end()
  return Number(row?.head)
}

/** A cursor from before the moment goes on. One from after it is never taken for a position of the restored feed. */
export async function feedFindings(
  client: Client,
  { cursorBefore, cursorAfter }: { cursorBefore: string; cursorAfter: string },
): Promise<string[]> {
  const read = (after: string) => client.call({ path: `/v2/changes?after=${encodeURIComponent(after)}` })
  const before = await read(cursorBefore)
  const later = await read(cursorAfter)
  return [
    ...(before.status === 200 && before.body.records.length > 0
      ? []
      : [`the cursor from before the moment: ${before.status} ${before.text.slice(0, 200)}`]),
    ...(later.status === 410 && later.body.code === 'feed-expired'
      ? []
      : [`the cursor from after the moment: ${later.status} ${later.text.slice(0, 200)}`]),
  ]
}
