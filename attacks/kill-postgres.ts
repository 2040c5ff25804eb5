// Kills PostgreSQL in three set-ups: the embedded one, which the service restarts; an external one, which restarts by
// itself and is finally paused for a while; and a primary that stays down, so that its standby is promoted.
import type { Attack, Context, Outcome } from './attack.ts'
import { attackEmbedded, attackExternal, attackFailover, type Part } from './support/postgres-kills.ts'

async function run(context: Context): Promise<Outcome> {
  const { quick, progress } = context
  const plan: [(context: Context, rounds: number) => Promise<Part>, number][] = [
    [attackEmbedded, quick ? 2 : 25],
    [attackExternal, quick ? 1 : 20],
    [attackFailover, quick ? 1 : 5],
  ]
  const total = plan.reduce((sum, [, rounds]) => sum + rounds, 0)
  const parts: Part[] = []
  for (const [part, rounds] of plan) {
    const before = parts.reduce((sum, { kills }) => sum + kills, 0)
    const inPart = { ...context, progress: (done: number) => progress(before + done, total) }
    parts.push(await part(inPart, rounds))
  }
  const sum = (of: (part: Part) => number) => parts.reduce((all, part) => all + of(part), 0)
  const max = (of: (part: Part) => number) => Math.max(...parts.map(of))
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
  const [embedded, external, failover] = parts.map(part => seconds(part.longestOutage))
  return {
    figures: `${sum(part => part.kills)} kills${quick ? '' : ' and one freeze of 15 s'}; ${sum(part => part.acknowledged)} writes acknowledged, ${sum(part => part.rejected)} rejected meanwhile; of ${sum(part => part.checked)} records ${sum(part => part.lost)} lost; slowest response ${seconds(max(part => part.slowest))}; writes succeed again after at most ${embedded} (embedded), ${external} (external), ${failover} (failover, promoted after 1 s); 40 concurrent writes without a primary rejected within ${seconds(max(part => part.slowestWithoutPrimary))}`,
    findings: parts.flatMap(part => part.findings),
  }
}

export const killPostgres: Attack = {
  name: 'kill-postgres',
  title: 'kill -9 of PostgreSQL',
  must: '0 lost; 503 with Retry-After meanwhile; no request hangs, the service never exits',
  breaks: ['synchronous-commit'],
  run,
}
