// A database created by the first release, with the responses of its API: this release must migrate it and return the same.
// Fields that were added since do not count.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createExternalPostgres } from '../../service/test/support/external-postgres.ts'
import type { Context, Outcome } from '../attack.ts'
import { createClient } from '../support/client.ts'
import { launch } from '../support/service.ts'

const FIXTURES = join(import.meta.dirname, '..', 'fixtures')

export interface FirstRelease {
  client: { id: string; secret: string }
  /** Response bodies by path of the GET request. */
  answers: Record<string, unknown>
}

export async function firstRelease({ folder, after }: Context): Promise<Outcome> {
  const dump = readFileSync(join(FIXTURES, 'first-release.sql'), 'utf8')
  const { client: known, answers: responses } = JSON.parse(
    readFileSync(join(FIXTURES, 'first-release.json'), 'utf8'),
  ) as FirstRelease
  const server = await createExternalPostgres({ folder: join(folder, 'first') })
  after(server.kill)
  const sql = server.sql()
  await sql.unsafe(dump)
  await sql.end()
  const sqlAfter = server.sql()
  const [was] = await sqlAfter`select count(*)::int as versions from schema_migrations`

  const service = await launch({ DATABASE_URL: server.url, DATA_DIR: join(folder, 'third') })
  after(() => service.kill())
  await service.ready()
  const [is] = await sqlAfter`select count(*)::int as versions from schema_migrations`
  await sqlAfter.end()
  const token = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${known.id}:${known.secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token: text } = (await token.json()) as { access_token?: string }
  const findings = text ? [] : [`the client of the first release gets no token: ${token.status}`]
  const client = createClient(() => service.url, { token: text ?? '' })
  after(client.close)
  for (const [path, expected] of Object.entries(responses)) {
    const { status, body } = await client.call({ path })
    if (status !== 200) findings.push(`GET ${path}: ${status}`)
    else findings.push(...differences(expected, body, `GET ${path}`))
  }
  await service.kill('SIGTERM')
  return {
    figures: `first release: from version ${was?.['versions']} to ${is?.['versions']}, ${Object.keys(responses).length} responses compared, ${findings.length} differences`,
    findings,
  }
}

/** Differences of the response from the recorded one. After a change of the interface, update the recording. */
function differences(expected: unknown, actual: unknown, path: string): string[] {
  if (expected === null || typeof expected !== 'object')
    return Object.is(expected, actual)
      ? []
      : [`${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`]
  if (Array.isArray(expected) && expected.length !== (actual as unknown[])?.length)
    return [`${path}: ${(actual as unknown[])?.length} items, not ${expected.length}`]
  return Object.entries(expected).flatMap(([name, value]) =>
    differences(value, (actual as Record<string, unknown> | null)?.[name], `${path} ${name}`),
  )
}
