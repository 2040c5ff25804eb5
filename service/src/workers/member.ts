// A worker's side of the connection to its primary process, over which it also reaches the other workers.
import type { Registry } from 'prom-client'
import type { SharedCounts, WorkerBus } from '../lib/worker-bus.ts'
import type { CountEntry, FromWorker, Published, ToWorker, WorkerStart } from './messages.ts'

/** What is published within this time is one message. */
const BATCH_MS = 10
const METRICS_TIMEOUT_MS = 5_000

export interface Member<Access> extends WorkerStart<Access> {
  bus: WorkerBus
  /** Tells the primary process that this one serves requests, and what to do when it says so. */
  ready(actions: Actions): void
  jobsStopped(): void
  /** The last figures of this process; resolves when they are sent. */
  sendMetrics(registry: Registry): Promise<void>
}

interface Actions {
  metrics: Registry
  startJobs(): void
  /** Serve what is connected, then end: another worker has the port. */
  leave(): void
  /** End as soon as the requests in flight have. */
  stop(): void
}

/** Resolves when the primary process has said how to begin. */
export function joinService<Access>(processes: number): Promise<Member<Access>> {
  const begun = Promise.withResolvers<WorkerStart<Access>>()
  const topics = createTopics()
  const scrapes = createScrapes()
  const early: ('startJobs' | 'leave' | 'stop')[] = []
  let actions: Actions | undefined

  const act = (what: 'startJobs' | 'leave' | 'stop') => {
    if (actions) actions[what]()
    else early.push(what)
  }
  const sendMetrics = async (registry: Registry, request?: number) =>
    send({ type: 'metrics', request, metrics: await registry.getMetricsAsJSON() })

  process.on('message', (message: ToWorker<Access>) => {
    switch (message.type) {
      case 'begin':
        topics.receive([], message.counts)
        return begun.resolve(message)
      case 'published':
        return topics.receive(message.published, message.counts)
      case 'report-metrics':
        return actions && void sendMetrics(actions.metrics, message.request)
      case 'all-metrics':
        return scrapes.resolve(message.request, message.text)
      case 'start-jobs':
        return act('startJobs')
      case 'ping':
        return void send({ type: 'pong' })
      default:
        return act(message.type)
    }
  })
  void send({ type: 'begun' })
  return begun.promise.then(start => ({
    ...start,
    bus: { ...topics.bus, processes, metrics: scrapes.request },
    ready(given) {
      actions = given
      void send({ type: 'ready' })
      for (const what of early.splice(0)) act(what)
    },
    jobsStopped: () => void send({ type: 'jobs-stopped' }),
    sendMetrics: registry => sendMetrics(registry),
  }))
}

/** Resolves when the message is sent, or cannot be: without its primary process, a worker ends. */
const send = (message: FromWorker): Promise<void> =>
  new Promise(resolve => {
    if (!process.send || !process.connected) return resolve()
    process.send(message, undefined, undefined, () => resolve())
  })

function createTopics() {
  const listeners = new Map<string, (value: string | undefined) => void>()
  const counters = new Map<string, Parameters<SharedCounts['subscribe']>[0]>()
  // What comes before there is a listener.
  const earlyPublished: Published[] = []
  const earlyCounts: CountEntry[] = []
  let published: Published[] = []
  let counts = new Map<string, CountEntry>()
  let isScheduled = false

  const flush = () => {
    isScheduled = false
    const message = { type: 'published' as const, published, counts: [...counts.values()] }
    published = []
    counts = new Map()
    void send(message)
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setTimeout(flush, BATCH_MS).unref()
  }

  const bus: Pick<WorkerBus, 'publish' | 'subscribe' | 'counts'> = {
    publish(topic, value) {
      published.push(value === undefined ? [topic] : [topic, value])
      schedule()
    },
    subscribe(topic, receive) {
      listeners.set(topic, receive)
      for (const [, value] of takeAll(earlyPublished, entry => entry[0] === topic)) receive(value)
    },
    counts: name => ({
      add(key, ends) {
        const id = JSON.stringify([name, key, ends])
        const entry = counts.get(id) ?? [name, key, ends, 0]
        entry[3] += 1
        counts.set(id, entry)
        schedule()
      },
      subscribe(receive) {
        counters.set(name, receive)
        for (const [, key, ends, events] of takeAll(earlyCounts, entry => entry[0] === name))
          receive(key, ends, events)
      },
    }),
  }

  return {
    bus,
    receive(fromOthers: Published[], counted: CountEntry[]): void {
      for (const entry of fromOthers) {
        const receive = listeners.get(entry[0])
        if (receive) receive(entry[1])
        else earlyPublished.push(entry)
      }
      for (const entry of counted) {
        const [name, key, ends, events] = entry
        const receive = counters.get(name)
        if (receive) receive(key, ends, events)
        else earlyCounts.push(entry)
      }
    },
  }
}

/** Removes the entries from the list, and returns them. */
function takeAll<T>(list: T[], isTaken: (entry: T) => boolean): T[] {
  const taken = list.filter(isTaken)
  const left = list.filter(entry => !isTaken(entry))
  list.splice(0, list.length, ...left)
  return taken
}

/** Requests for the metrics of all workers. */
function createScrapes() {
  const waiting = new Map<number, (text: string) => void>()
  let last = 0

  return {
    request(): Promise<string> {
      last += 1
      const request = last
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(request)
          reject(new Error('The primary process has sent no metrics.'))
        }, METRICS_TIMEOUT_MS)
        waiting.set(request, text => {
          clearTimeout(timer)
          resolve(text)
        })
        void send({ type: 'get-metrics', request })
      })
    },
    resolve(request: number, text: string): void {
      waiting.get(request)?.(text)
      waiting.delete(request)
    },
  }
}
