// The port of the service: taken by the app, and looked at before a start changes anything.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from './config.ts'
import { StartError } from './lib/problem.ts'

/**
 * Fails where the service could not listen. A first start makes keys, credentials and the address that tokens name; it has
 * to fail before that.
 */
export async function requireFreePort({ host, port }: Config): Promise<void> {
  const server = createServer()
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    throw listenError(error, { host, port })
  }
  server.close()
  await once(server, 'close')
}

/** An error of `listen` with a remedy; others as they are. */
export function listenError(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'another program has this port. Stop it, or set PORT to another one.',
    EACCES: 'this user may not use this port. Set PORT to one above 1023.',
    EADDRNOTAVAIL: 'this machine does not have this address. Set HOST to one it has.',
    ENOTFOUND: 'there is no such host. Set HOST to an address of this machine.',
  }
  const reason = reasons[(error as { code?: string }).code ?? '']
  return reason ? new StartError(`Cannot listen on ${host}:${port}: ${reason}`) : error
}
