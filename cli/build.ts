// Compiles src to dist, from scratch: a file that was removed from src must not be published. The types of the SDK are those of
// its build.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname
execFileSync('node', ['build.ts'], { cwd: join(folder, '..', 'sdk'), stdio: 'inherit' })
rmSync(join(folder, 'dist'), { recursive: true, force: true })
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: folder, stdio: 'inherit' })
