// The attacks of each command, in the order of their numbers.
import type { Attack } from './attack.ts'

export const suites: Record<string, Attack[]> = {
  faults: [],
  fuzz: [],
  load: [],
}
