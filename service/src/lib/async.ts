/** Runs the work periodically, never two runs at once, until the returned function is called. */
export function runPeriodically(
  milliseconds: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout
  let stopped = false
  const next = () => {
    timer = setTimeout(async () => {
      await work().catch(onError)
      if (!stopped) next()
    }, milliseconds)
    timer.unref()
  }
  next()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** The same work, but each call begins only when the previous one has ended. */
export function serialize<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const next = last.then(work, work)
    last = next
    return next
  }
}

/**
 * Waits for pipelined statements of one transaction. When one fails, all later ones fail too, and may settle first. The
 * error thrown is that of the first in order, which is the cause.
 */
export async function allInOrder<T extends readonly unknown[]>(
  sent: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const outcomes = await Promise.allSettled(sent)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return outcomes.map(outcome => (outcome as PromiseFulfilledResult<unknown>).value) as never
}

/**
 * The same work, but concurrent calls share one run. Later calls get its outcome too: a result for `resultMs`
 * milliseconds, an error for `errorMs`.
 */
export function shareOutcome<T>(
  work: () => Promise<T>,
  { resultMs, errorMs }: { resultMs: number; errorMs: number },
): () => Promise<T> {
  let latest: Promise<T> | undefined
  let expiresAt = 0
  const expireAfter = (milliseconds: number) => {
    expiresAt = performance.now() + milliseconds
  }
  return () => {
    if (latest && performance.now() < expiresAt) return latest
    expiresAt = Number.POSITIVE_INFINITY
    latest = work()
    latest.then(
      () => expireAfter(resultMs),
      () => expireAfter(errorMs),
    )
    return latest
  }
}
