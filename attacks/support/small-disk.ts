// A small disk that can be filled and emptied: a tmpfs, which only root can mount.
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface SmallDisk {
  folder: string
  /** Fills the disk up to `leave` free bytes. */
  fill(leave?: number): void
  /** Removes the file that `fill` wrote. */
  empty(): void
  unmount(): void
}

export const canMount = () => process.platform === 'linux' && process.getuid?.() === 0

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
      // Lazy, because a process killed a moment ago may still use the folder.
      execFileSync('umount', ['--lazy', folder])
    },
  }
}
