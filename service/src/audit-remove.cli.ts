// `npm run audit:remove -- --before 2025-01` removes all entries of the audit from before a month, as the owner of the tables,
// on a running service or not. It verifies the hash chain of what it removes, and prints what was removed and the anchor
// that the rest of the chain is verified from.
//
//   --before YYYY-MM   the first month that stays
//   --dry-run          prints what would be removed
//   --unverified       does not verify the chain first, which takes about half a minute for a million entries
import { createAudit } from './audit/audit.service.ts'
import { verifyThrough } from './audit/chain-verification.ts'
import { ownsAudit } from './audit/retention.store.ts'
import { findFirstEnd, planRemoval, remove } from './audit/retention.ts'
import { loadEnvFile, readConfig } from './config.ts'
import { openAsOwner } from './database-setup.ts'
import { systemClock } from './lib/clock.ts'
import { StartError } from './lib/problem.ts'
import { createLog } from './log.ts'

const MAX_PRINTED = 20

const print = (text: string) => process.stdout.write(`${text}\n`)
const number = (value: number) => value.toLocaleString('en')
const monthOf = (date: Date) => date.toISOString().slice(0, 7)

interface Options {
  before: Date
  isDryRun: boolean
  isVerified: boolean
}

async function main({ before, isDryRun, isVerified }: Options): Promise<void> {
  loadEnvFile()
  const { db, stop } = await openAsOwner(readConfig(), createLog('warn'))
  try {
    const { sql } = db
    if (!(await ownsAudit(sql)))
      throw new StartError('Run the command with the DATABASE_URL of the owner of the tables.')
    const removal = await planRemoval(sql, before)
    if (!removal) {
      const first = await findFirstEnd(sql)
      print(
        `There is nothing to remove before ${monthOf(before)}${first ? `: the oldest partition has all entries before ${monthOf(first)}, and is removed as a whole` : ''}.`,
      )
      return
    }
    const tables = removal.partitions.map(({ name }) => name).join(', ')
    if (isDryRun) {
      print(`Would remove all entries before ${monthOf(removal.before)}: ${tables}.`)
      return
    }
    if (isVerified) await requireIntact(db.sql, removal.cut.block)
    const audit = createAudit({ sql, clock: systemClock })
    const { entries, anchor } = await remove(db, audit, { removal, now: systemClock.now() })
    print(`${number(entries)} entries before ${monthOf(removal.before)} were removed: ${tables}.`)
    print(`anchor ${anchor.block}:${anchor.hash.toString('hex')}`)
  } finally {
    await stop()
  }
}

async function requireIntact(sql: Parameters<typeof verifyThrough>[0], block: number): Promise<void> {
  let shown = performance.now()
  const findings = await verifyThrough(sql, {
    block,
    onBlock(entries) {
      if (!process.stderr.isTTY || performance.now() - shown < 1000) return
      shown = performance.now()
      process.stderr.write(`\r${number(entries)} entries verified `)
    },
  })
  if (findings.length === 0) return
  for (const finding of findings.slice(0, MAX_PRINTED)) print(`  ${finding}`)
  throw new StartError(
    `The chain is broken, with ${number(findings.length)} findings. Nothing was removed. Keep the database as it is and find out who had access to it.`,
  )
}

function optionsOf(args: string[]): Options {
  const text = args.join(' ')
  const [, month] = /--before[ =](\d{4}-(?:0[1-9]|1[0-2]))(?= |$)/.exec(text) ?? []
  const others = args.filter((arg, index) => !arg.startsWith('--before') && args[index - 1] !== '--before')
  const unknown = others.find(arg => !['--dry-run', '--unverified'].includes(arg))
  if (!month || unknown)
    throw new StartError(
      `${unknown ? `Unknown argument ${unknown}.` : 'Pass the first month that stays, such as --before 2025-01.'} There are: --before YYYY-MM, --dry-run, --unverified.`,
    )
  const before = new Date(`${month}-01T00:00:00Z`)
  if (before > new Date())
    throw new StartError(`--before ${month} is in the future. Entries of this month always stay.`)
  return { before, isDryRun: others.includes('--dry-run'), isVerified: !others.includes('--unverified') }
}

try {
  await main(optionsOf(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof StartError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
