// `npm run audit:verify` verifies the hash chain of the audit, on a running service or not. Prints what it counted, the first
// entries that were altered, and the head of the chain; exits with 1 if anything was altered.
//
//   --head BLOCK:HASH   also checks a head that was printed earlier: entries cut off at the end are noticed only by this
import { type Head, verifyChain } from './audit/chain-verification.ts'
import { loadEnvFile, readConfig } from './config.ts'
import { openSharedDatabase } from './database-setup.ts'
import { StartError } from './lib/problem.ts'
import { createLog } from './log.ts'

const MAX_PRINTED = 20

const log = createLog('warn')
const print = (text: string) => process.stdout.write(`${text}\n`)
const number = (value: number) => value.toLocaleString('en')

async function main(args: string[]): Promise<void> {
  const head = headOf(args)
  loadEnvFile()
  const { db, stop } = await openSharedDatabase(readConfig(), log, { poolSize: 1, responseMs: Infinity })
  try {
    const began = performance.now()
    let shown = began
    const result = await verifyChain(db.sql, {
      head,
      onBlock(entries) {
        if (!process.stderr.isTTY || performance.now() - shown < 1000) return
        shown = performance.now()
        process.stderr.write(`\r${number(entries)} entries `)
      },
    })
    const { findings, waiting, earlier, oldestWaiting } = result
    print(
      `${number(result.entries)} entries in ${number(result.blocks)} blocks, verified in ${((performance.now() - began) / 1000).toFixed(1)} s`,
    )
    const { anchor } = result
    if (anchor)
      print(
        `${number(anchor.entries)} entries before ${anchor.removedBefore.toISOString().slice(0, 10)} were removed last; the chain begins after block ${anchor.block}`,
      )
    if (earlier > 0) print(`${number(earlier)} entries of earlier releases, which have no hashes`)
    if (waiting > 0)
      print(`not chained yet: ${number(waiting)}, the oldest of ${oldestWaiting?.toISOString()}`)
    print(`head ${result.head.block}:${result.head.hash}`)
    if (findings.length === 0) {
      print('The chain is intact.')
      return
    }
    print(`The chain is broken, with ${number(findings.length)} findings. The first:`)
    for (const finding of findings.slice(0, MAX_PRINTED)) print(`  ${finding}`)
    process.exitCode = 1
  } finally {
    await stop()
  }
}

function headOf(args: string[]): Head | undefined {
  if (args.length === 0) return undefined
  const [, block, hash] = /^--head[ =](\d{1,15}):([\da-f]{64})$/.exec(args.join(' ')) ?? []
  if (!block || !hash)
    throw new StartError(
      `Unknown arguments ${args.join(' ')}. There is: --head BLOCK:HASH, a head that an earlier run has printed.`,
    )
  return { block: Number(block), hash }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof StartError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
