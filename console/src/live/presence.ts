// Whether the person is there: the tab is shown, and was used within the last half hour. A tab that is left alone must not
// keep the session alive.
const IDLE_MS = 30 * 60_000
const CHECK_MS = 30_000
const USES = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'focusin'] as const

export function watchPresence() {
  const stopped = new AbortController()
  let usedAt = Date.now()
  let paused = new AbortController()
  let waiting: (() => void)[] = []

  const isActive = () => document.visibilityState === 'visible' && Date.now() - usedAt < IDLE_MS
  const update = () => {
    if (!isActive()) {
      paused.abort(new DOMException('The tab is not used.', 'AbortError'))
      return
    }
    if (paused.signal.aborted) paused = new AbortController()
    const resumed = waiting
    waiting = []
    for (const resume of resumed) resume()
  }
  const { signal } = stopped
  const options = { signal, capture: true, passive: true }
  for (const name of USES)
    document.addEventListener(
      name,
      () => {
        const wasIdle = Date.now() - usedAt >= IDLE_MS
        usedAt = Date.now()
        if (wasIdle) update()
      },
      options,
    )
  document.addEventListener('visibilitychange', update, { signal })
  const timer = setInterval(update, CHECK_MS)

  return {
    pauseSignal: () => paused.signal,
    untilActive: () =>
      isActive() && !paused.signal.aborted
        ? Promise.resolve()
        : new Promise<void>(resolve => {
            waiting.push(resolve)
          }),
    stop() {
      clearInterval(timer)
      stopped.abort()
    },
  }
}
