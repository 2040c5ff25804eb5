// A TCP proxy in front of the test database. It can reject, cut, delay or freeze connections.
import { once } from 'node:events'
import net from 'node:net'
import { Transform } from 'node:stream'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectOptions, connect, type Database } from '../../src/db/database.ts'
import { isUnavailable } from '../../src/db/sqlstate.ts'
import { silent, testConnection } from '../support/harness.ts'

/** One connection through the proxy. */
export interface Proxied {
  client: net.Socket
  upstream: net.Socket
  /** Data from the server passes through here. */
  delay: Transform
}

export type DatabaseProxy = Awaited<ReturnType<typeof createDatabaseProxy>>

export async function createDatabaseProxy(database: string) {
  const { path, user, password } = testConnection('postgres')
  const clients = new Set<net.Socket>()
  const connections = new Set<Proxied>()
  const state = {
    /** New connections are accepted, but no data is forwarded. */
    silent: false,
    /** Milliseconds before a new connection is forwarded. */
    acceptDelay: 0,
    /** Milliseconds by which each chunk from the server is delayed. */
    latency: 0,
    /** Called with each chunk from a client and its number, before it is forwarded. */
    onChunk: undefined as ((connection: Proxied, number: number, chunk: Buffer) => void) | undefined,
  }
  const server = net.createServer({ pauseOnConnect: true }, async client => {
    clients.add(client.on('error', () => client.destroy()))
    client.once('close', () => clients.delete(client))
    if (state.silent) return
    if (state.acceptDelay > 0) await sleep(state.acceptDelay, undefined, { ref: false })
    if (client.destroyed) return
    const upstream = net.connect(path).on('error', () => client.destroy())
    const delay = new Transform({
      transform(chunk, _encoding, done) {
        if (state.latency > 0) setTimeout(done, state.latency, null, chunk)
        else done(null, chunk)
      },
    })
    const connection = { client, upstream, delay }
    connections.add(connection)
    client.once('close', () => {
      upstream.destroy()
      connections.delete(connection)
    })
    let chunks = 0
    client.on('data', chunk => {
      chunks += 1
      state.onChunk?.(connection, chunks, chunk)
    })
    client.pipe(upstream).pipe(delay).pipe(client)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as net.AddressInfo

  /** Stops forwarding without closing the connection. */
  const freezeOne = ({ client, upstream, delay }: Proxied) => {
    client.unpipe(upstream).pause()
    upstream.unpipe(delay).pause()
    delay.unpipe(client)
  }
  const cut = (how: 'destroy' | 'resetAndDestroy' = 'destroy') => {
    for (const client of clients) client[how]()
  }
  const shut = async () => {
    cut()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  after(shut)

  const connectWith = (options: Partial<ConnectOptions>, others: number[] = []) => {
    const hosts = [port, ...others].map(each => `127.0.0.1:${each}`).join(',')
    const url = `postgres://${user}:${password}@${hosts}/${database}`
    const db = connect({ connection: { url }, log: silent, ...options })
    after(() => db.close())
    return db
  }

  return {
    port,
    state,
    connections,
    freezeOne,
    /** Freezes all connections, also new ones, like a machine that was switched off. */
    freeze() {
      state.silent = true
      for (const connection of connections) freezeOne(connection)
    },
    cut,
    shut,
    open: () => listen(port),
    /** A database connected through this proxy, and through those on the other ports. */
    connect(...others: number[]) {
      return connectWith({}, others)
    },
    connectWith,
  }
}

/** Retries the work until the database is available, for at most fifteen seconds. */
export async function eventually(work: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + 15_000
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error
      await sleep(50)
    }
  }
}

/** Uses all connections of the pool, those for reads and those for writes. */
export async function useAll(database: Database): Promise<void> {
  const each = Array.from({ length: 20 })
  await Promise.all([
    ...each.map(() => database.sql`select pg_sleep(0.03)`),
    ...each.map(() => database.transaction(async tx => tx`select pg_sleep(0.03)`)),
  ])
}
