// Attributes the CPU time of a workload: a CPU profile of the service under that workload, grouped by library, and the CPU
// time of the service and of PostgreSQL for one request.
import { cpuTimeOf, postgresTimeOf } from './cpu.ts'
import type { Service } from './service.ts'

export interface Shares {
  /** Microseconds of CPU time for one request. */
  service: number
  postgres: number
  /** Percent of the service's CPU time, by library. */
  parts: Record<string, number>
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  samples: number[]
  timeDeltas: number[]
}

const LIBRARIES: [RegExp, string][] = [
  [/^\(idle\)|^\(root\)/, 'idle'],
  [/^\(garbage collector\)/, 'garbage collection'],
  [
    /^(write|shutdown|readStop|readStart)\w* $|^writev? |^writeUtf8String|^writeLatin1String|^writeBuffer/,
    'system calls of sockets and files',
  ],
  [/^(update|digest|oneShotDigest|hash) /, 'SHA-256'],
  [/node_modules\/postgres\//, 'postgres.js'],
  [/node_modules\/(fastify|find-my-way|avvio|light-my-request|secure-json-parse|@fastify)\//, 'Fastify'],
  [/node_modules\/ajv|node_modules\/fast-json|^validate\d* $/, 'schema validation'],
  [/node_modules\/(pino|sonic-boom|quick-format)/, 'log'],
  [/node_modules\/prom-client/, 'metrics'],
  [/service\/src\//, 'Caseport'],
  [/node:/, 'Node: HTTP, streams, events'],
]

/** Profiles the service during `work`, which returns its number of requests. */
export async function profileDuring(service: Service, work: () => Promise<number>): Promise<Shares> {
  const before = {
    service: cpuTimeOf([service.pid]),
    postgres: postgresTimeOf(service.dataDir),
  }
  const debug = await openInspector(service.inspector)
  await debug('Profiler.enable')
  await debug('Profiler.setSamplingInterval', { interval: 500 })
  await debug('Profiler.start')
  const requests = await work()
  const { profile } = (await debug('Profiler.stop')) as { profile: Profile }
  await debug('close')
  const cost = (now: number, then: number) => (now - then) / requests
  return {
    service: cost(cpuTimeOf([service.pid]), before.service),
    postgres: cost(postgresTimeOf(service.dataDir), before.postgres),
    parts: partsOf(profile),
  }
}

function partsOf({ nodes, samples, timeDeltas }: Profile): Record<string, number> {
  const libraries = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => {
      const text = `${functionName} ${url}`
      return [id, LIBRARIES.find(([pattern]) => pattern.test(text))?.[1] ?? 'Node: native code']
    }),
  )
  const spent: Record<string, number> = {}
  let busy = 0
  for (const [at, node] of samples.entries()) {
    const library = libraries.get(node) ?? ''
    const time = timeDeltas[at] ?? 0
    if (library === 'idle') continue
    spent[library] = (spent[library] ?? 0) + time
    busy += time
  }
  return Object.fromEntries(Object.entries(spent).map(([library, time]) => [library, (100 * time) / busy]))
}

type Debug = (method: string, params?: object) => Promise<unknown>

async function openInspector(port: number): Promise<Debug> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
  await new Promise(resolve => socket.addEventListener('open', resolve, { once: true }))
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown }
    waiting.get(id)?.(result)
  })
  let last = 0
  return (method, params = {}) => {
    if (method === 'close') {
      socket.close()
      return Promise.resolve()
    }
    last += 1
    socket.send(JSON.stringify({ id: last, method, params }))
    return new Promise(resolve => waiting.set(last, resolve))
  }
}
