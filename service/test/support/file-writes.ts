// Mocks the write of every open file, for disks that are full or that write only a part.
import { type FileHandle, open } from 'node:fs/promises'
import { mock } from 'node:test'

type Write = (...parameters: never[]) => unknown

/** Lasts until `mock.restoreAll()`. */
export async function replaceWrite(make: (write: FileHandle['write']) => Write): Promise<void> {
  const handle = await open('/dev/null', 'w')
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  mock.method(prototype, 'write', make(prototype.write) as never)
}

export const noRoom = async () => {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write', errno: -28 })
}
