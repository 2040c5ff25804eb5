// `npm run openapi` writes openapi.json; with --check it only says whether the file still tells the truth.
import { readFile, writeFile } from 'node:fs/promises'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { connect } from './db/database.ts'
import { systemClock } from './lib/clock.ts'
import { createLog } from './log.ts'

const FILE = new URL('../../openapi.json', import.meta.url)

const log = createLog('silent')
// The driver connects when it is first asked something, and describing the routes asks nothing.
const db = connect({ connection: { url: 'postgres://nobody@127.0.0.1:1/none' }, log })
const { app, document } = buildApp({ config: readConfig({}), db, log, clock: systemClock })
await app.ready()
const text = `${JSON.stringify(document(), null, 2)}\n`
await app.close()

if (!process.argv.includes('--check')) {
  await writeFile(FILE, text)
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
  process.stderr.write('openapi.json is not what the routes say. Run: npm run openapi\n')
  process.exitCode = 1
}
