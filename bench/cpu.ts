// CPU time of processes, from /proc. It hardly depends on what else the machine does, unlike throughput.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const TICK = 10_000

/** Microseconds of CPU time of these processes, with that of the children they have waited for. */
export function cpuTimeOf(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = statOf(pid)?.split(') ')[1]?.split(' ') ?? []
    const ticks = [11, 12, 13, 14].map(at => Number(fields[at] ?? 0))
    return sum + ticks.reduce((all, one) => all + one, 0) * TICK
  }, 0)
}

/** A backend that ends counts among the postmaster's children. */
export function postgresTimeOf(dataDir: string): number {
  const pids = readdirSync('/proc').map(Number)
  return cpuTimeOf(pids.filter(pid => pid > 0 && isIn(pid, `${dataDir}/postgres`)))
}

function statOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
}

function isIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder
  } catch {
    return false
  }
}
