import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { logRequest, type RequestEntry } from '../../src/http/request-log.ts'
import { createLog } from '../../src/log.ts'

function written(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const lines: string[] = []
  write(createLog('info', { write: line => lines.push(line) }))
  return lines.map(line => ({ ...JSON.parse(line), time: '' }))
}

const ENTRY: RequestEntry = {
  requestId: '0b5b4c3e-1111-8222-9333-000000000001',
  method: 'GET',
  route: '/v2/applicant/:applicantId',
  status: 200,
  ms: 1.5,
  clientId: undefined,
  traceId: undefined,
}

describe('the line of a request', () => {
  it('is the one that the logger itself would write', () => {
    const entries: RequestEntry[] = [
      ENTRY,
      { ...ENTRY, route: null, status: 404, ms: 0 },
      ...['hr', 'hr', 'a "client" of\nours \\ Ä', 'hr'].map(clientId => ({ ...ENTRY, clientId })),
      { ...ENTRY, clientId: '', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
    ]
    for (const entry of entries) {
      const ours = written(log => logRequest(log, entry))
      assert.deepEqual(
        ours,
        written(log => log.info(entry, 'request')),
      )
      assert.equal(ours.length, 1)
    }
  })

  it('is left out where the log is to hold errors alone', () => {
    const lines: string[] = []
    logRequest(createLog('error', { write: line => lines.push(line) }), ENTRY)
    assert.deepEqual(lines, [])
  })
})
