/** Runs the work again and again, never two at once, until stopped; answers the function that stops it. */
export function every(
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
