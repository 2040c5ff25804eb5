// Runs load-generator-process.ts, so that generating load does not block the attack.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { LoadOptions, LoadResult } from './load-generator-process.ts'
import type { Target } from './target.ts'

export async function generateLoad(
  { service, token }: Target,
  options: Omit<LoadOptions, 'url' | 'token'>,
): Promise<LoadResult> {
  const generator = join(import.meta.dirname, 'load-generator-process.ts')
  const child = spawn(
    process.execPath,
    [generator, JSON.stringify({ url: service.url, token, ...options })],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let output = ''
  child.stdout.on('data', data => {
    output += data
  })
  await once(child, 'close')
  return JSON.parse(output)
}
