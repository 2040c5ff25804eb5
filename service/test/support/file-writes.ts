// Stands in for the system call behind every file that is open, for disks that are full or take only a part of a write.
import { type FileHandle, open } from 'node:fs/promises'
import { mock } from 'node:test'

type Write = (...parameters: never[]) => unknown

/** Until `mock.restoreAll()`. */
export async function replaceWrite(make: (write: FileHandle['write']) => Write): Promise<void> {
  const any = await open('/dev/null', 'w')
  const prototype = Object.getPrototypeOf(any) as FileHandle
  await any.close()
  mock.method(prototype, 'write', make(prototype.write) as never)
}

export const noRoom = async () => {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write', errno: -28 })
}
