import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { readMultipart, StalledUploadError } from '../../src/documents/upload.ts'

const HEAD = '--b\r\nContent-Disposition: form-data; name="document"; filename="a.pdf"\r\n\r\n'

/** Sends a file at this number of bytes per second of a manual clock. */
async function sendAt(bytesPerSecond: number, seconds: number): Promise<string> {
  const message = Object.assign(new PassThrough(), {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  }) as unknown as IncomingMessage & PassThrough
  let outcome = 'open'
  const reading = readMultipart({
    message,
    maxBytes: 2 ** 30,
    fields: [],
    ready: () => true,
    store: async ({ content }) => {
      for await (const _ of content);
    },
    spoolFolder: tmpdir(),
  }).then(
    () => {
      outcome = 'done'
    },
    error => {
      outcome = error instanceof StalledUploadError ? 'stalled' : 'failed'
    },
  )
  message.write(HEAD)
  for (let second = 0; second < seconds && outcome === 'open'; second++) {
    message.write('x'.repeat(bytesPerSecond))
    await new Promise(setImmediate)
    mock.timers.tick(1_000)
  }
  if (outcome === 'open') message.end('\r\n--b--\r\n')
  await reading
  return outcome
}

describe('an upload', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }))
  afterEach(() => mock.timers.reset())

  it('is accepted at a low rate', async () => {
    assert.equal(await sendAt(2_048, 120), 'done')
  })

  it('ends as stalled when it arrives a byte at a time', async () => {
    assert.equal(await sendAt(1, 120), 'stalled')
  })
})
