// Chromium comes from Debian's package. Playwright's own download is not used.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

export const CHROMIUM = '/usr/bin/chromium'

/** Installs it if it is missing, as root; ends the run otherwise. */
export function ensureChromium(): void {
  if (!existsSync(CHROMIUM)) installChromium()
}

function installChromium(): void {
  if (process.getuid?.() !== 0) {
    process.stderr.write(`${CHROMIUM} is missing. Install it as root: apt-get install chromium\n`)
    process.exit(1)
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const options = { stdio: 'inherit', env } as const
  const install = () =>
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options)
  // A package list can be missing or stale; it is read only where the first attempt fails.
  if (install().status === 0) return
  spawnSync('apt-get', ['update'], options)
  if (install().status === 0) return
  process.stderr.write('apt-get could not install chromium.\n')
  process.exit(1)
}
