// Peak memory of a process.
import { readFileSync } from 'node:fs'

const SAMPLE_INTERVAL_MS = 50

export const MIB = 2 ** 20

export function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) * 1024
}

/** Peak resident memory during the work, sampled twenty times a second. */
export async function peakDuring<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ peak: number; result: T }> {
  let peak = residentBytes(pid)
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid))
  }, SAMPLE_INTERVAL_MS)
  try {
    const result = await work()
    return { peak, result }
  } finally {
    clearInterval(timer)
  }
}
