// Four times the load that the service can process, for a minute: it must keep its throughput and reject the rest at once.

import type { Attack } from './attack.ts'
import { generateLoad } from './support/load-generator.ts'
import type { LoadResult } from './support/load-generator-process.ts'
import { startTarget, type Target } from './support/target.ts'

const MAX_MEMORY_MIB = 400
const CALLERS = 64

export const overload: Attack = {
  name: 'overload',
  title: 'overload',
  must: `memory below ${MAX_MEMORY_MIB} MiB, the excess rejected with 503 or 429 within a second, full rate again within 5 s`,
  breaks: ['load-shedding'],

  async run(context) {
    const target = await startTarget(context, { LOG_LEVEL: 'warn' })
    const seconds = context.quick ? 5 : 60
    context.progress(0, 4, 'warming up')
    await generateLoad(target, { callers: CALLERS, seconds: context.quick ? 1 : 5, seed: true })
    const full = rateOf(await generateLoad(target, { callers: CALLERS, seconds: context.quick ? 3 : 8 }))
    context.progress(1, 4, `capacity ${full} requests/s`)
    const watch = watchService(target)
    const under = await generateLoad(target, { rate: full * 4, seconds })
    const { memory, health } = watch.stop()
    context.progress(2, 4, `served ${rateOf(under)} requests/s under overload`)
    const after = await generateLoad(target, { callers: CALLERS, seconds: context.quick ? 6 : 12 })
    const recovered = Math.max(...after.perSecond.slice(0, 5))

    // A short run on a busy machine varies more, so that it gets looser limits.
    const tolerance = context.quick ? 2 : 1
    const findings: string[] = []
    const { statuses, rejected, good } = under
    const [, rejectedP99] = rejected
    if (!statuses['503'] && !statuses['429']) findings.push('nothing was rejected')
    if (memory > MAX_MEMORY_MIB) findings.push(`memory rose to ${memory} MiB`)
    if (rejectedP99 > 1_000 * tolerance) findings.push(`the p99 of rejections was ${rejectedP99} ms`)
    for (const [status, count] of Object.entries(statuses))
      if (!/^(2..|503|429)$/.test(status))
        findings.push(
          `${count} ${status === '0' ? 'requests without a response' : `responses with ${status}`}`,
        )
    if (rateOf(under) < (full * 0.4) / tolerance)
      findings.push(`throughput under overload was only ${rateOf(under)} of ${full} requests/s`)
    if (recovered < (full * 0.85) / tolerance)
      findings.push(`throughput within 5 s after the overload was only ${recovered} of ${full} requests/s`)
    if (health > 2_000) findings.push(`/healthz took ${health} ms`)
    return {
      figures:
        `capacity ${full}/s; ${full * 4}/s sent for ${seconds} s: ${rateOf(under)}/s served (median ${good[0]} ms, p99 ${good[1]} ms), ` +
        `${(statuses['503'] ?? 0) + (statuses['429'] ?? 0)} rejected (median ${rejected[0]} ms, p99 ${rejectedP99} ms), ${statuses['0'] ?? 0} without a response; ` +
        `at most ${memory} MiB; /healthz within ${health} ms; afterwards ${recovered}/s within 5 s, ${rateOf({ ...after, perSecond: after.perSecond.slice(4) })}/s later; the load generator itself lagged by up to ${under.lag} ms`,
      findings,
    }
  },
}

/** Mean rate over whole seconds: the first and the last are partial and do not count. */
function rateOf({ perSecond }: LoadResult): number {
  const whole = perSecond.length > 2 ? perSecond.slice(1, -1) : perSecond
  return Math.round(whole.reduce((sum, count) => sum + (count ?? 0), 0) / whole.length)
}

/** Samples memory and the latency of /healthz; returns the peaks. */
function watchService({ service, memory }: Target) {
  const peak = { memory: 0, health: 0 }
  const timer = setInterval(async () => {
    peak.memory = Math.max(peak.memory, memory())
    const began = performance.now()
    const response = await fetch(`${service.url}/healthz`).catch(() => undefined)
    const took = response?.ok ? performance.now() - began : 99_999
    peak.health = Math.max(peak.health, Math.round(took))
  }, 500)
  return {
    stop() {
      clearInterval(timer)
      return peak
    },
  }
}
