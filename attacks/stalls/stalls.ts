// Requests that would block the event loop, while another client reads: the reads must not wait for them.
import { once } from 'node:events'
import { connect } from 'node:net'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Attack } from '../attack.ts'
import { createDataset } from '../support/dataset.ts'
import { startTarget } from '../support/target.ts'
import { createProbes, type Probe } from './probes.ts'
import type { Reading } from './reader.ts'

const MAX_WAIT_MS = 250
/** Runnable threads per core up to which the limit holds as it is. Beyond, everything takes longer in proportion. */
const MAX_LOAD = 2
const RESPONSE_LIMIT_MS = 60_000
/** A stall of the service is there every time, one of a busy machine is not: a probe is repeated until none is seen. */
const MAX_ROUNDS = 6
/** A wait of this many times the limit is a stall, however busy the machine is. */
const CERTAIN = 8

export const stalls: Attack = {
  name: 'stalls',
  title: 'requests that are slow to process',
  must: `no read waits longer than ${MAX_WAIT_MS} ms, and every request gets a response`,
  breaks: ['error-limit'],

  async run(context) {
    const target = await startTarget(context, { LOG_LEVEL: 'error' })
    const dataset = await createDataset(target)
    const probes = createProbes(target.token, dataset)
    const path = '/v2/applicant/employeenumber/STALL'
    await target.call('PUT', path, { primaryApplicant: { firstName: 'Anna', lastName: 'Reader' } })
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${target.token}\r\n\r\n`
    const { port } = target.service
    const reader = new Worker(new URL('./reader.ts', import.meta.url), { workerData: { port, request } })
    context.after(() => reader.terminate())
    const ask = async (message: 'begin' | 'end'): Promise<Reading> => {
      reader.postMessage(message)
      return (await once(reader, 'message'))[0]
    }
    const measure = async (work: () => Promise<unknown>): Promise<Reading> => {
      await ask('begin')
      await work()
      return ask('end')
    }

    // The service compiles its schemas in the first seconds, one by one.
    await sleep(context.quick ? 4_000 : 8_000)
    const idle = await measure(() => sleep(1_000))
    const findings: string[] = []
    const waits: { name: string; wait: number }[] = []
    let reads = 0
    for (const [index, probe] of probes.entries()) {
      context.progress(index, probes.length, probe.name)
      let wait = Number.POSITIVE_INFINITY
      for (let round = 0; round < MAX_ROUNDS && wait > limit(); round++) {
        let statuses: number[] = []
        const reading = await measure(async () => {
          statuses = await Promise.all(probe.requests.map(bytes => send(port, bytes)))
        })
        reads += reading.reads
        wait = Math.min(wait, reading.longest)
        const bad = statuses.find(status => status === 0 || status >= 500)
        if (bad !== undefined) findings.push(`${probe.name}: ${bad === 0 ? 'no response' : bad}`)
        if (reading.failed > 0) findings.push(`${probe.name}: ${reading.failed} reads failed meanwhile`)
        if (wait > limit() * CERTAIN) break
      }
      if (wait > limit()) findings.push(`${probe.name}: a read waited ${Math.round(wait)} ms`)
      waits.push({ name: probe.name, wait })
    }
    const longest = waits.toSorted((a, b) => b.wait - a.wait).slice(0, 3)
    return {
      figures:
        `${probes.length} kinds of request, ${reads} reads; longest wait ` +
        `${longest.map(({ name, wait }) => `${Math.round(wait)} ms (${name})`).join(', ')}; ` +
        `${Math.round(idle.longest)} ms without them, at a load of ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores; ${target.memory()} MiB`,
      findings: [...new Set(findings)],
    }
  },
}

function limit(): number {
  const [running = 0] = loadavg()
  return MAX_WAIT_MS * Math.max(1, running / availableParallelism() / MAX_LOAD)
}

/** The status of the response, or 0 if there was none in time. */
async function send(port: number, bytes: Probe['requests'][number]): Promise<number> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  const ended = new Promise<void>(resolve => {
    socket.on('data', data => {
      if (text.length < 100) text += data.toString('latin1')
    })
    for (const event of ['end', 'error', 'close']) socket.once(event, () => resolve())
  })
  // The service may close the connection before it has read everything.
  socket.on('error', () => {})
  socket.write(bytes)
  await Promise.race([ended, sleep(RESPONSE_LIMIT_MS, undefined, { ref: false })])
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
}
