// Sends one workload to a port, in a process of its own.
import { serve } from './children.ts'
import { applyLoad, requestBytes } from './http-load.ts'
import { type Fixture, workloads } from './workloads.ts'

export interface LoadMessage {
  workload: string
  fixture: Fixture
  port: number
  token: string
  connections: number
  seconds: number
  /** Stops after this many requests, if given. */
  requests?: number
}

serve(
  ({
    workload,
    fixture,
    port,
    token,
    connections,
    seconds,
    requests = Number.POSITIVE_INFINITY,
  }: LoadMessage) => {
    const found = workloads.find(one => one.name === workload)
    if (!found) throw new Error(`There is no workload ${workload}.`)
    let sent = 0
    const used = found.isLimited ? fixture.limitedToken : token
    if (used === undefined) throw new Error(`${workload} needs a client that is limited to a company.`)
    const next = () =>
      sent++ < requests ? requestBytes({ ...found.request(fixture), token: used }) : undefined
    return applyLoad({ port, connections, seconds, next })
  },
)
