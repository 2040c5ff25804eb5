#!/usr/bin/env node
// Starts the command line: the compiled one of the published package, or the sources of the repository, which need no build.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { constants, homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Of commander. */
const OLDEST_NODE = [22, 12]
/** Runs TypeScript as it is. */
const OLDEST_NODE_OF_SOURCES = [24, 0]

const pathOf = relative => fileURLToPath(new URL(relative, import.meta.url))

function isAtLeast([major, minor]) {
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

function fail(message) {
  process.stderr.write(`caseport: ${message}\n`)
  process.exit(1)
}

/** The SDK is used from its sources, too. */
async function runSources() {
  const withSources = ({ conditions, ...context }) => ({
    ...context,
    conditions: [...conditions, '@caseport/source'],
  })
  module.registerHooks({ resolve: (name, context, next) => next(name, withSources(context)) })
  await import('../src/main.ts')
}

/** The repository brings the right Node along. */
function runWithPinnedNode() {
  const node = pathOf('../../node_modules/.bin/node')
  if (!existsSync(node)) fail('Run npm ci in the repository first.')
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both; the child decides when to end.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', error => fail(error.message))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

// A start takes a quarter of the time. The cache is in a folder of the user, because others could write to the default one.
module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'caseport'))

if (existsSync(pathOf('../src/main.ts'))) {
  if (isAtLeast(OLDEST_NODE_OF_SOURCES)) await runSources()
  else runWithPinnedNode()
} else if (isAtLeast(OLDEST_NODE)) await import('../dist/main.js')
else fail(`Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.version}.`)
