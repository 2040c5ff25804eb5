// The primary process of a service with several workers: starts them, replaces those that end, restarts them one after the
// other, and stops them. One of them runs the background jobs. It serves no requests itself, but it has the port.
import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import type { FromWorker, Metrics, ToWorker } from './messages.ts'
import { createMetricsTotal, primaryMetrics } from './metrics-total.ts'
import { createSharedCounts } from './shared-counts.ts'

const BACKOFF_MS = { min: 100, max: 5_000 }
/** A worker that ends sooner than this still has the same problem, so that the delay keeps growing. */
const STABLE_AFTER_MS = 10_000
const START_MS = 120_000
/** More than a worker takes to end by itself. */
const END_MS = 40_000
/** A worker that does not report its metrics in time counts as it did before. */
const REPORT_MS = 1_000
const PING_MS = 2_000
/** A worker that has sent nothing for so many pings is frozen. The time in which the whole machine is paused does not count. */
const MAX_PINGS = 10

interface Member {
  worker: Worker
  state: 'starting' | 'ready' | 'leaving'
  since: number
  hasJobs: boolean
  /** Pings since its last message. */
  pings: number
  /** As reported last. */
  metrics: Metrics
  ready: Promise<void>
  exited: Promise<void>
}

interface Options<Access> {
  count: number
  /** How workers connect to the database. */
  database: Access
  log: Log
}

export interface Primary {
  /** Resolves when the first worker serves requests; rejects when it ends before. */
  start(): Promise<void>
  /** Replaces all workers, one after the other: a new one is ready before an old one ends. */
  restart(): Promise<void>
  /** Resolves when all workers have finished their requests and ended. */
  stop(): Promise<void>
  /** Ends all workers at once. */
  kill(): void
}

export class WorkerEndedError extends Error {}

export function createPrimary<Access>({ count, database, log }: Options<Access>): Primary {
  const members = new Set<Member>()
  const counts = createSharedCounts(Date.now)
  const total = createMetricsTotal()
  const reports = new Map<number, () => void>()
  let lastReport = 0
  let replacements = 0
  let stopping = false
  let delay = BACKOFF_MS.min
  let restarting: Promise<void> | undefined
  let isRestartWanted = false

  const send = ({ worker }: Member, message: ToWorker<Access>) => {
    // One that has just ended is noticed by its exit.
    if (worker.isConnected()) worker.send(message, () => {})
  }

  /** The jobs run in one worker. When it leaves or dies, another one takes over. */
  const assignJobs = () => {
    const all = [...members]
    if (stopping || all.some(({ hasJobs }) => hasJobs)) return
    const next = all.find(({ state }) => state === 'ready')
    if (!next) return
    next.hasJobs = true
    send(next, { type: 'start-jobs' })
  }

  /** A frozen worker keeps its connections and its share of the new ones, which nothing else would notice. */
  const pingAll = () => {
    for (const member of members) {
      if (member.state !== 'ready') continue
      member.pings += 1
      if (member.pings <= MAX_PINGS) send(member, { type: 'ping' })
      else {
        log.error({ pid: member.worker.process.pid }, 'a worker does not respond and is killed')
        member.worker.process.kill('SIGKILL')
      }
    }
  }

  const receive = (member: Member, message: FromWorker, { isFirst, onReady }: Fork) => {
    member.pings = 0
    switch (message.type) {
      case 'begun':
        return send(member, { type: 'begin', isFirst, database, counts: counts.list() })
      case 'ready':
        member.state = 'ready'
        onReady()
        return assignJobs()
      case 'published':
        counts.add(message.counts)
        for (const other of members) if (other !== member) send(other, message)
        return
      case 'metrics':
        member.metrics = message.metrics
        return message.request === undefined ? undefined : reports.get(message.request)?.()
      case 'get-metrics':
        return void collectMetrics().then(text =>
          send(member, { type: 'all-metrics', request: message.request, text }),
        )
      case 'jobs-stopped':
        member.hasJobs = false
        // Leaves because of a signal to it alone.
        if (member.state === 'ready') {
          member.state = 'leaving'
          void replace()
        }
        return assignJobs()
    }
  }

  const fork = ({ isFirst = false } = {}): Member => {
    const worker = cluster.fork()
    const ready = Promise.withResolvers<void>()
    ready.promise.catch(() => {})
    const exited = Promise.withResolvers<void>()
    const member: Member = {
      worker,
      state: 'starting',
      since: performance.now(),
      hasJobs: false,
      pings: 0,
      metrics: [],
      ready: ready.promise,
      exited: exited.promise,
    }
    members.add(member)
    worker.on('message', (message: FromWorker) =>
      receive(member, message, { isFirst, onReady: ready.resolve }),
    )
    // A process that cannot be forked has no exit.
    worker.on('error', error => {
      log.error({ code: (error as { code?: string }).code }, 'a worker cannot be reached')
      if (worker.process.pid === undefined) end(null, null)
    })
    const late = setTimeout(() => worker.process.kill('SIGKILL'), START_MS)
    // The first may load the demo data, which has no limit.
    if (isFirst) clearTimeout(late)
    void ready.promise.then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    )
    worker.on('exit', (code: number | null, signal: string | null) => end(code, signal))
    const end = (code: number | null, signal: string | null) => {
      if (!members.delete(member)) return
      void total.keep(member.metrics)
      const wasReady = member.state !== 'starting'
      ready.reject(new WorkerEndedError(`A worker has ended before it was ready (${signal ?? code}).`))
      exited.resolve()
      assignJobs()
      if (stopping || member.state === 'leaving' || !wasReady) return
      log.error({ pid: worker.process.pid, code, signal }, 'a worker has ended unexpectedly and is replaced')
      replacements += 1
      if (performance.now() - member.since > STABLE_AFTER_MS) delay = BACKOFF_MS.min
      void replace()
    }
    return member
  }

  const isShort = () => [...members].filter(({ state }) => state !== 'leaving').length < count

  /** Starts workers until there are enough. */
  const replace = async (): Promise<void> => {
    while (!stopping && isShort()) {
      await sleep(delay)
      delay = Math.min(delay * 2, BACKOFF_MS.max)
      if (stopping || !isShort()) return
      try {
        await fork().ready
        return
      } catch (error) {
        if (!stopping) log.warn({ reason: (error as Error).message }, 'a worker is not back yet')
      }
    }
  }

  const collectMetrics = async (): Promise<string> => {
    const asked = [...members].filter(({ state }) => state !== 'starting')
    await Promise.all(asked.map(report))
    const running = asked.filter(member => members.has(member))
    return total.textOf(
      running.map(({ metrics }) => metrics),
      primaryMetrics({ running: running.length, configured: count, replacements }),
    )
  }

  const report = async (member: Member): Promise<void> => {
    lastReport += 1
    const request = lastReport
    const reported = new Promise<void>(resolve => reports.set(request, resolve))
    send(member, { type: 'report-metrics', request })
    await Promise.race([reported, member.exited, sleep(REPORT_MS, undefined, { ref: false })])
    reports.delete(request)
  }

  const endWithin = async ({ worker, exited }: Member, milliseconds: number): Promise<void> => {
    const timer = setTimeout(() => {
      log.error({ pid: worker.process.pid }, 'a worker does not end and is killed')
      worker.process.kill('SIGKILL')
    }, milliseconds)
    await exited
    clearTimeout(timer)
  }

  const restartAll = async (): Promise<void> => {
    log.info({ workers: count }, 'restarting all workers, one after the other')
    for (const old of [...members].filter(({ state }) => state === 'ready')) {
      try {
        await fork().ready
      } catch (error) {
        if (stopping) return
        log.error(
          { reason: (error as Error).message },
          'the restart has stopped: a new worker did not start; the other workers keep running',
        )
        // One of the others may have ended meanwhile.
        return void replace()
      }
      if (stopping) return
      // It may have died meanwhile, and been replaced.
      if (!members.has(old)) continue
      old.state = 'leaving'
      send(old, { type: 'leave' })
      await endWithin(old, END_MS)
    }
    log.info({ workers: count }, 'all workers were restarted')
  }

  return {
    async start() {
      setInterval(pingAll, PING_MS).unref()
      await fork({ isFirst: true }).ready
      for (let more = 1; more < count && !stopping; more++)
        fork().ready.catch(error => {
          if (!stopping) log.warn({ reason: (error as Error).message }, 'a worker did not start')
          void replace()
        })
    },
    async restart() {
      // Another one that is wanted meanwhile begins when this one has ended.
      isRestartWanted = true
      restarting ??= (async () => {
        while (isRestartWanted && !stopping) {
          isRestartWanted = false
          await restartAll()
        }
      })().finally(() => {
        restarting = undefined
      })
      await restarting
    },
    async stop() {
      stopping = true
      const ending = [...members].map(member => {
        if (member.state === 'starting') member.worker.process.kill('SIGKILL')
        else send(member, { type: 'stop' })
        return endWithin(member, END_MS)
      })
      await Promise.all(ending)
    },
    kill() {
      stopping = true
      for (const { worker } of members) worker.process.kill('SIGKILL')
    },
  }
}

interface Fork {
  isFirst: boolean
  onReady: () => void
}
