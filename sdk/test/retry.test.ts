import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CaseportError } from '../src/errors.ts'
import { delayAfter, mayRetry, Unsent, withRetries } from '../src/retry.ts'

const failure = (status: number, code = 'internal-error', retryAfter?: number) =>
  new CaseportError(code, { status, detail: 'failed', retryAfter })
const unreachable = () => new CaseportError('network-error', { detail: 'failed' })
const LIMITS = { deadline: 10_000, retries: 4, repeatable: true }

describe('mayRetry', () => {
  for (const status of [408, 500, 502, 503, 504])
    it(`retries ${status} only if the call is repeatable`, () => {
      assert.equal(mayRetry(failure(status), true), true)
      assert.equal(mayRetry(failure(status), false), false)
    })

  it('retries a network error only if the call is repeatable', () => {
    assert.equal(mayRetry(unreachable(), true), true)
    assert.equal(mayRetry(unreachable(), false), false)
  })

  it('retries what the service has not begun, whatever the call is', () => {
    for (const error of [
      failure(429, 'too-many-requests'),
      failure(503, 'too-busy'),
      failure(409, 'idempotency-key-in-progress'),
    ])
      assert.equal(mayRetry(error, false), true, error.code)
  })

  it('does not retry an overloaded service if the call is not repeatable: its change may have been made', () => {
    assert.equal(mayRetry(failure(503, 'overloaded', 1), false), false)
  })

  for (const status of [400, 401, 403, 404, 409, 412, 413, 415, 422, 507])
    it(`does not retry ${status}`, () => assert.equal(mayRetry(failure(status), true), false))

  it('does not retry a damaged file', () => {
    assert.equal(mayRetry(failure(500, 'file-damaged'), true), false)
  })
})

describe('delayAfter', () => {
  it('doubles its ceiling, up to twenty seconds', () => {
    const ceilings = [1, 2, 3, 4, 20].map(failures => delayAfter(failures, 0, () => 1))
    assert.deepEqual(ceilings, [200, 400, 800, 1_600, 20_000])
  })

  it('is never shorter than Retry-After', () => {
    assert.equal(
      delayAfter(1, 3, () => 0),
      3_000,
    )
  })

  it('is an hour at most, so that a timer can wait for it, whatever Retry-After is', () => {
    for (const seconds of [3_600, 86_400, 99_999_999_999])
      assert.equal(
        delayAfter(1, seconds, () => 0),
        3_600_000,
      )
  })
})

describe('withRetries', () => {
  it('returns the first success', async () => {
    let attempts = 0
    const result = await withRetries(LIMITS, async () => {
      attempts += 1
      if (attempts < 3) throw unreachable()
      return 'done'
    })
    assert.deepEqual([result, attempts], ['done', 3])
  })

  it('throws the last error after the last retry', async () => {
    let attempts = 0
    const call = withRetries({ ...LIMITS, retries: 2 }, async () => {
      attempts += 1
      throw failure(503, 'database-unavailable')
    })
    await assert.rejects(call, { code: 'database-unavailable' })
    assert.equal(attempts, 3)
  })

  it('throws at once if Retry-After exceeds the deadline', async () => {
    const started = Date.now()
    const call = withRetries({ ...LIMITS, deadline: 5_000 }, async () => {
      throw failure(429, 'too-many-requests', 60)
    })
    await assert.rejects(call, { code: 'too-many-requests', retryAfter: 60 })
    assert.ok(Date.now() - started < 2_000)
  })

  it('ends an attempt at the deadline', async () => {
    const call = withRetries({ ...LIMITS, deadline: 50 }, ({ signal }) => aborted(signal))
    await assert.rejects(call, { code: 'deadline-exceeded', status: 0 })
  })

  it('waits for a huge Retry-After if there is no deadline, instead of retrying at once', async () => {
    let attempts = 0
    const limits = { repeatable: true, deadline: 0, retries: 5, signal: AbortSignal.timeout(200) }
    const call = withRetries(limits, async () => {
      attempts += 1
      throw failure(503, 'too-busy', 99_999_999_999)
    })
    await assert.rejects(call, { name: 'TimeoutError' })
    assert.equal(attempts, 1)
  })

  it('does not end at once with a deadline that is longer than a timer can be', async () => {
    for (const deadline of [2 ** 31, Number.POSITIVE_INFINITY]) {
      const result = await withRetries({ ...LIMITS, deadline }, async ({ signal }) => {
        await new Promise(resolve => setTimeout(resolve, 30))
        return signal.aborted
      })
      assert.equal(result, false)
    }
  })

  it('throws the reason of the caller who aborts, while an attempt runs and while it waits', async () => {
    for (const attempt of [aborted, () => Promise.reject(failure(503, 'too-busy', 5))]) {
      const controller = new AbortController()
      const reason = new Error('the caller left')
      setTimeout(() => controller.abort(reason), 50)
      const call = withRetries({ ...LIMITS, signal: controller.signal }, ({ signal }) => attempt(signal))
      await assert.rejects(call, reason)
    }
  })

  it('tells an attempt whether an earlier one may have had its effect', async () => {
    const errors = [failure(429, 'too-many-requests'), unreachable()]
    const uncertain: boolean[] = []
    await withRetries(LIMITS, async attempt => {
      uncertain.push(attempt.uncertain)
      const error = errors.shift()
      if (error) throw error
    })
    assert.deepEqual(uncertain, [false, false, true])
  })

  it('repeats any call after a transient error from before it was sent', async () => {
    const uncertain: boolean[] = []
    await withRetries({ ...LIMITS, repeatable: false, once: true }, async attempt => {
      uncertain.push(attempt.uncertain)
      if (uncertain.length < 3) throw new Unsent(unreachable())
    })
    assert.deepEqual(uncertain, [false, false, false])
    let attempts = 0
    const rejected = withRetries(LIMITS, async () => {
      attempts += 1
      throw new Unsent(failure(401, 'invalid_client'))
    })
    await assert.rejects(rejected, { code: 'invalid_client' })
    assert.equal(attempts, 1)
  })

  it('does not repeat what can be sent only once', async () => {
    let attempts = 0
    const call = withRetries({ ...LIMITS, once: true }, async () => {
      attempts += 1
      throw failure(429, 'too-many-requests')
    })
    await assert.rejects(call, { code: 'too-many-requests' })
    assert.equal(attempts, 1)
  })
})

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
