// Runs the acceptance tests, which validate every response against openapi.json: an undocumented status, media type, code
// or field fails the test that caused it, and a documented response that no test causes fails the run. The short form runs
// one file; CI runs all of them anyway.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Attack } from './attack.ts'

const ACCEPTANCE = join(import.meta.dirname, '..', 'acceptance')

export const contract: Attack = {
  name: 'contract',
  title: 'responses against openapi.json',
  must: '0 undocumented statuses or fields',

  async run(context) {
    const files = context.quick ? [join(ACCEPTANCE, 'companies.test.ts')] : []
    context.progress(0, 1)
    const child = spawn(process.execPath, [join(ACCEPTANCE, 'run.ts'), '--test-reporter=tap', ...files])
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', data => {
        output += data
      })
    const [code] = (await once(child, 'close')) as [number]
    const count = (name: string) =>
      Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? Number.NaN)
    const failed = [...output.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, name]) => `failed: ${name}`)
    const unseen = [...output.matchAll(/^Not seen: .*$/gm)].map(([line]) => line)
    return {
      figures: `${count('tests')} tests, ${count('pass')} passed, ${count('fail')} failed; ${unseen.length} operations with a documented response that was not seen${context.quick ? ' (the short form runs one file)' : ''}`,
      findings:
        code === 0
          ? []
          : [...failed, ...unseen, ...(failed.length + unseen.length ? [] : [output.slice(-1_000)])],
    }
  },
}
