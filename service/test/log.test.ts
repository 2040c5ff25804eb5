import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const MODULE = join(import.meta.dirname, '../src/log.ts')

/** The messages that a process has written to standard output when it has ended. */
function logged(code: string): string[] {
  const source = `import { createLog } from ${JSON.stringify(MODULE)}\nconst log = createLog('info')\n${code}`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
  })
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line).msg)
}

describe('createLog', () => {
  for (const [how, end] of Object.entries({
    'exits by itself': '',
    'calls process.exit': 'process.exit(1)',
    'ends with an uncaught error': "throw new Error('crash')",
    'ends with an unhandled rejection': "Promise.reject(new Error('crash'))",
  }))
    it(`writes every buffered line when the process ${how}`, () => {
      assert.deepEqual(logged(`log.info({}, 'first'); log.error({}, 'last'); ${end}`), ['first', 'last'])
    })

  it('writes a buffered line of a running process within a second', () => {
    const code = "log.info({}, 'first'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1_000)"
    assert.deepEqual(logged(code), ['first'])
  })

  for (const [how, command] of Object.entries({
    'is on a full disk': '"$0" "$@" > /dev/full',
    'was closed by its reader': '"$0" "$@" | true',
  }))
    it(`lets the process end when standard output ${how}`, () => {
      const source = `import { createLog } from ${JSON.stringify(MODULE)}\nconst log = createLog('info')
        setTimeout(() => { log.info({}, 'last'); process.exit(0) }, 200)`
      const { error } = spawnSync(
        'sh',
        ['-c', command, process.execPath, '--input-type=module', '--eval', source],
        { timeout: 20_000 },
      )
      assert.equal(error, undefined)
    })
})
