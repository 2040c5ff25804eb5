// Four times the load that the service can process, for a minute: it must keep its throughput and reject the rest at once.

import type { Attack } from './attack.ts'
import { generate } from './support/generate-load.ts'
import type { Seen } from './support/load-generator.ts'
import { startTarget, type Target } from './support/target.ts'

const MEMORY = 400
const CALLERS = 64

export const overload: Attack = {
  name: 'overload',
  title: 'overload',
  must: `memory below ${MEMORY} MiB, the excess refused within a second by 503 or 429, full rate again within 5 s`,
  breaks: ['load-shedding'],

  async run(context) {
    const target = await startTarget(context, { LOG_LEVEL: 'warn' })
    const seconds = context.quick ? 5 : 60
    context.progress(0, 4, 'warming up')
    await generate(target, { callers: CALLERS, seconds: context.quick ? 1 : 5, seed: true })
    const full = rateOf(await generate(target, { callers: CALLERS, seconds: context.quick ? 3 : 8 }))
    context.progress(1, 4, `it can serve ${full} a second`)
    const watch = watching(target)
    const under = await generate(target, { rate: full * 4, seconds })
    const { memory, health } = watch.stop()
    context.progress(2, 4, `served ${rateOf(under)} a second meanwhile`)
    const after = await generate(target, { callers: CALLERS, seconds: context.quick ? 6 : 12 })
    const again = Math.max(...after.perSecond.slice(0, 5))

    // A few seconds on a machine that does other things say less than a minute does.
    const leeway = context.quick ? 2 : 1
    const findings: string[] = []
    const { statuses, refused, good } = under
    const [, refusedLate] = refused
    if (!statuses['503'] && !statuses['429']) findings.push('nothing was refused')
    if (memory > MEMORY) findings.push(`memory rose to ${memory} MiB`)
    if (refusedLate > 1_000 * leeway) findings.push(`one refusal in a hundred took ${refusedLate} ms or more`)
    for (const [status, count] of Object.entries(statuses))
      if (!/^(2..|503|429)$/.test(status))
        findings.push(`${count} ${status === '0' ? 'requests without an answer' : `answers of ${status}`}`)
    if (rateOf(under) < (full * 0.4) / leeway)
      findings.push(`only ${rateOf(under)} a second of ${full} were served meanwhile`)
    if (again < (full * 0.85) / leeway)
      findings.push(`only ${again} a second of ${full} were served within 5 s afterwards`)
    if (health > 2_000) findings.push(`/healthz took ${health} ms`)
    return {
      figures:
        `${full}/s can be served; ${full * 4}/s sent for ${seconds} s: ${rateOf(under)}/s served (median ${good[0]} ms, p99 ${good[1]} ms), ` +
        `${(statuses['503'] ?? 0) + (statuses['429'] ?? 0)} refused (median ${refused[0]} ms, p99 ${refusedLate} ms), ${statuses['0'] ?? 0} unanswered; ` +
        `at most ${memory} MiB; /healthz within ${health} ms; afterwards ${again}/s within 5 s, ${rateOf({ ...after, perSecond: after.perSecond.slice(4) })}/s later; the generator itself was up to ${under.lag} ms late`,
      findings,
    }
  },
}

/** Whole seconds only: the first and the last are cut. */
function rateOf({ perSecond }: Seen): number {
  const whole = perSecond.length > 2 ? perSecond.slice(1, -1) : perSecond
  return Math.round(whole.reduce((sum, count) => sum + (count ?? 0), 0) / whole.length)
}

/** The most memory, and the longest that /healthz took. */
function watching({ service, memory }: Target) {
  const most = { memory: 0, health: 0 }
  const look = setInterval(async () => {
    most.memory = Math.max(most.memory, memory())
    const began = performance.now()
    const answer = await fetch(`${service.url}/healthz`).catch(() => undefined)
    const took = answer?.ok ? performance.now() - began : 99_999
    most.health = Math.max(most.health, Math.round(took))
  }, 500)
  return {
    stop() {
      clearInterval(look)
      return most
    },
  }
}
