// `npm run openapi` writes openapi.json and docs/errors.md from what the routes declare; with --check it only says
// whether the files still tell the truth.
import { readFile, writeFile } from 'node:fs/promises'
import { buildApp } from './app.ts'
import { openRepositories } from './blobs/open-repository.ts'
import { readConfig } from './config.ts'
import { connect } from './db/database.ts'
import { systemClock } from './lib/clock.ts'
import type { ProblemKind } from './lib/problem.ts'
import { createLog } from './log.ts'

const log = createLog('silent')
// The driver connects when it is first asked something, and describing the routes asks nothing.
const db = connect({ connection: { url: 'postgres://nobody@127.0.0.1:1/none' }, log })
const config = readConfig({})
const { app, document } = buildApp({
  config,
  db,
  blobs: await openRepositories(config.repositories),
  log,
  clock: systemClock,
})
await app.ready()
const described = document() as { 'x-errors': ProblemKind[] }
await app.close()

const files = {
  'openapi.json': `${JSON.stringify(described, null, 2)}\n`,
  'docs/errors.md': errorsPage(described['x-errors']),
}
for (const [name, text] of Object.entries(files)) {
  const file = new URL(`../../${name}`, import.meta.url)
  if (!process.argv.includes('--check')) {
    await writeFile(file, text)
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${name} is not what the routes say. Run: npm run openapi\n`)
    process.exitCode = 1
  }
}

function errorsPage(errors: ProblemKind[]): string {
  const sections = errors.map(
    ({ code, status, title, remedy }) => `## ${code}\n\n**${status}.** ${title}\n\n${remedy}\n`,
  )
  return `# Errors

Made by \`npm run openapi\` from what the routes declare; not edited by hand.

Every error but those of \`POST /oauth/token\`, which follow RFC 6749, is a problem document (RFC 9457,
\`application/problem+json\`). Branch on \`code\`: it never changes. \`errors\`, where present, names every fault of the
request at once, each with a JSON pointer to the member (or \`/name\` of the query parameter) and what was expected.
\`requestId\` is also in the \`X-Request-Id\` header and in the log of the service.

${sections.join('\n')}`
}
