// The attacks of each command, in the order of their numbers.
import { largeFile } from './21-large-file.ts'
import type { Attack } from './attack.ts'

export const suites: Record<string, Attack[]> = {
  faults: [largeFile],
  fuzz: [],
  load: [],
}
