// Compiles src to dist, from scratch: a file that was removed from src must not be published.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

rmSync(join(import.meta.dirname, 'dist'), { recursive: true, force: true })
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: import.meta.dirname, stdio: 'inherit' })
