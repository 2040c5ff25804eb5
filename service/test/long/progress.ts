/** Writes a progress line: updated in place on a terminal, otherwise one line every ten seconds. */
export function progress(name: string, total: number) {
  const began = Date.now()
  let next = 0
  return (done: number, more = '') => {
    const now = Date.now()
    if (now < next && done !== total) return
    next = now + (process.stderr.isTTY ? 500 : 10_000)
    const line = `${name}: ${done} of ${total}, ${Math.round((now - began) / 1000)} s${more}`
    process.stderr.write(process.stderr.isTTY ? `\r${line}${done === total ? '\n' : ''}` : `${line}\n`)
  }
}
