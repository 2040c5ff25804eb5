// Kills PostgreSQL in three set-ups: the embedded one, which the service restarts; an external one, which restarts by itself
// and is finally paused for a while; and a primary that stays down, so that its standby is promoted.
import type { Attack, Context, Outcome } from './attack.ts'
import { attackEmbedded, attackFailover, attackOutside, type Part } from './support/postgres-kills.ts'

async function run(context: Context): Promise<Outcome> {
  const { quick, progress } = context
  const plan: [(context: Context, rounds: number) => Promise<Part>, number][] = [
    [attackEmbedded, quick ? 2 : 25],
    [attackOutside, quick ? 1 : 20],
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
  const most = (of: (part: Part) => number) => Math.max(...parts.map(of))
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
  const [embedded, outside, failover] = parts.map(part => seconds(part.longestOutage))
  return {
    figures: `${sum(part => part.kills)} kills${quick ? '' : ' and one silence of 15 s'}; ${sum(part => part.acknowledged)} writes acknowledged, ${sum(part => part.refused)} refused meanwhile; of ${sum(part => part.checked)} records ${sum(part => part.lost)} lost; slowest answer ${seconds(most(part => part.slowest))}; writing again after at most ${embedded} (embedded), ${outside} (outside), ${failover} (failover, promoted after 1 s); a crowd of 40 without a primary refused within ${seconds(most(part => part.crowd))}`,
    findings: parts.flatMap(part => part.findings),
  }
}

export const killPostgres: Attack = {
  name: 'kill-postgres',
  title: 'kill -9 of PostgreSQL',
  must: '0 lost; 503 with Retry-After meanwhile, never a hang, never a dead service',
  breaks: ['synchronous-commit'],
  run,
}
