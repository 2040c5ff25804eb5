// `npm run check:guards`: fails when a text that an attack changes on purpose is no longer in the source.
import { GUARDS, guardErrors } from './guards.ts'
import { suites } from './suites.ts'

const errors = guardErrors()
const used = new Set(Object.values(suites).flatMap(suite => suite.flatMap(({ breaks = [] }) => breaks)))
for (const name of Object.keys(GUARDS))
  if (!used.has(name)) errors.push(`Guard ${name}: no attack of attacks/suites.ts breaks it.`)
for (const error of errors) process.stderr.write(`${error}\n`)
process.stdout.write(
  `${Object.keys(GUARDS).length} guards of attacks/guards.ts: ${errors.length || 'no'} errors.\n`,
)
process.exit(errors.length > 0 ? 1 : 0)
