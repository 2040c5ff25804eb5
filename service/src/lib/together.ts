/**
 * Waits for statements that were sent without waiting for one another. When one is refused, all that follow in its
 * transaction fail too, and may do so first: it is the first in order that says why.
 */
export async function together<T extends readonly unknown[]>(
  sent: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const outcomes = await Promise.allSettled(sent)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return outcomes.map(outcome => (outcome as PromiseFulfilledResult<unknown>).value) as never
}
