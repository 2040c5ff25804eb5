// Starts an attacked service and loads its OpenAPI document.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Contract } from '../../acceptance/contract.ts'
import type { Context } from '../attack.ts'
import { envForBrokenGuard } from '../guards.ts'
import type { Json } from './samples.ts'
import { CLIENT, launch, type Service, tokenOf } from './service.ts'

export interface Target {
  service: Service
  document: Json
  contract: Contract
  token: string
  /** JSON in, JSON out, with every scope unless another token is given. */
  call(method: string, path: string, body?: unknown, token?: string): Promise<{ status: number; body: Json }>
  /** Resident memory of the service, in MiB. */
  memory(): number
  /** Used heap in MiB, without garbage that is not collected yet. */
  heap(): Promise<number>
}

export async function startTarget(context: Context, env: Record<string, string> = {}): Promise<Target> {
  const service = await launch({
    DATA_DIR: join(context.folder, 'data'),
    ...envForBrokenGuard(context.broken),
    ...env,
  })
  context.after(() => service.kill('SIGTERM'))
  await service.ready()
  const document = await (await fetch(`${service.url}/openapi.json`)).json()
  const token = await tokenOf(service.url)
  return {
    service,
    document,
    contract: new Contract(document),
    token,
    async call(method, path, body, other = token) {
      const response = await fetch(service.url + path, {
        method,
        headers: {
          authorization: `Bearer ${other}`,
          'x-api-key': CLIENT.apiKey,
          ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const json = /json/.test(response.headers.get('content-type') ?? '')
      return { status: response.status, body: json && text ? JSON.parse(text) : text }
    },
    async heap() {
      const text = await (await fetch(`${service.url}/metrics`)).text()
      return Math.round(Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1] ?? 0) / 2 ** 20)
    },
    memory() {
      if (service.child.exitCode !== null || service.child.signalCode !== null) return 0
      const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8')
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    },
  }
}
