// Runs the load generator in a process of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Orders, Seen } from './load-generator.ts'
import type { Target } from './target.ts'

export async function generate(
  { service, token }: Target,
  orders: Omit<Orders, 'url' | 'token'>,
): Promise<Seen> {
  const generator = join(import.meta.dirname, 'load-generator.ts')
  const child = spawn(process.execPath, [generator, JSON.stringify({ url: service.url, token, ...orders })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', data => {
    output += data
  })
  await once(child, 'close')
  return JSON.parse(output)
}
