// A disk that can be filled and emptied: a tmpfs of a given size, which only root may mount.
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface SmallDisk {
  folder: string
  /** Leaves no more than these bytes. */
  fill(leave?: number): void
  /** Takes away what `fill` put there. */
  empty(): void
  unmount(): void
}

export const mayMount = () => process.platform === 'linux' && process.getuid?.() === 0

export function mountSmallDisk(folder: string, megabytes: number): SmallDisk {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder])
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill(leave = 0) {
      const { bavail, bsize } = statfsSync(folder)
      const file = openSync(ballast, 'a')
      const block = Buffer.alloc(65_536)
      let left = bavail * bsize - leave
      try {
        for (; left > 0; left -= block.length) writeSync(file, block, 0, Math.min(block.length, left))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    unmount: () => {
      // A process that was killed a moment ago may still stand in it.
      execFileSync('umount', ['--lazy', folder])
    },
  }
}
