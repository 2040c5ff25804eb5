// `npm run console:speed`: how long a person waits for the console. Medians of ten in one run, on a dataset of the bench.
//   --applicants N     people of the dataset (10,000); a million shows typing in a filter as a large office sees it
//   --datasets DIR     keeps the loaded dataset there, and reuses it
//   --rows N           rows to scroll through (10,000)
// Prints the figures with the load of the machine, and fails where a limit is passed. A machine that does other things
// gives figures of no use.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { dataDirOf, isLoaded, loadDataset, warmUp } from '../../bench/datasets.ts'
import { datasetOf, person } from '../../bench/records.ts'
import { type Service, settled, startService } from '../../bench/service.ts'
import { CHROMIUM, ensureChromium } from '../chromium.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const ROUNDS = 10
const PASSWORD = 'a ferry behind the lighthouse'
const PATH = '/console/people'
const LAUNCH = {
  executablePath: CHROMIUM,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
}
const LIMITS = { cold: 1_500, warm: 600, filter: 300, frame: 100 }

const { values } = parseArgs({
  options: {
    applicants: { type: 'string', default: '10000' },
    datasets: { type: 'string' },
    rows: { type: 'string', default: '10000' },
  },
})
const applicants = Number(values.applicants)
const wantedRows = Math.min(Number(values.rows), applicants)
const print = (text: string) => process.stdout.write(`${text}\n`)
const load = () => readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 2).join(' ')
const median = (numbers: number[]) => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2
}

/** A case manager, by an invitation; the cookies of the session are used in every context. */
async function signIn(browser: Browser, { port, token }: Service) {
  const origin = `http://localhost:${port}`
  const response = await fetch(`${origin}/admin/v1/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      email: `speed.${Date.now()}@example.com`,
      name: 'Sam Speed',
      roles: ['case-manager'],
    }),
  })
  if (!response.ok) throw new Error(await response.text())
  const { invitation } = (await response.json()) as { invitation: { url: string } }
  const context = await browser.newContext()
  const accepted = await context.request.post(`${origin}/auth/v1/invitation`, {
    data: { token: new URL(invitation.url).searchParams.get('invitation'), password: PASSWORD },
    headers: { origin },
  })
  if (accepted.status() !== 201) throw new Error(await accepted.text())
  const state = await context.storageState()
  await context.close()
  return { origin, state }
}

/**
 * Watches the page from its first moment: when the first row is painted, and every frame that takes long. A painted row is
 * one that was there in a frame, and whose next frame has begun.
 */
const WATCH = `
  globalThis.speed = { frames: [], firstRow: 0 }
  let last = performance.now()
  const onFrame = now => {
    speed.frames.push(now - last)
    last = now
    if (!speed.firstRow && document.querySelector('.body-row .row-link')) requestAnimationFrame(at => { speed.firstRow = at })
    requestAnimationFrame(onFrame)
  }
  requestAnimationFrame(onFrame)`

async function openList(context: BrowserContext, origin: string): Promise<{ page: Page; ms: number }> {
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  await page.goto(`${origin}${PATH}`)
  await page.locator('.body-row').first().waitFor()
  let ms = 0
  while (ms === 0) ms = await page.evaluate('speed.firstRow')
  return { page, ms }
}

/** Chromium stores the compiled code of a script with its second visit. */
const VISITS_UNTIL_WARM = 2
const PROFILE_WRITE_MS = 1_000

/**
 * From an empty profile, and with what earlier visits have stored, each from the start of the navigation. The profiles are on disk, as
 * people have them: a profile in memory, which other contexts of Playwright have, keeps files and never compiled code.
 */
async function measureLoads({ origin, state }: Awaited<ReturnType<typeof signIn>>) {
  const times = { cold: [] as number[], warm: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    const profile = mkdtempSync(join(tmpdir(), 'caseport-profile-'))
    const context = await chromium.launchPersistentContext(profile, LAUNCH)
    try {
      await context.addCookies(state.cookies)
      // The first page of a browser pays for its start.
      await context.pages()[0]?.goto('about:blank')
      for (let visit = 0; visit <= VISITS_UNTIL_WARM; visit++) {
        const { page, ms } = await openList(context, origin)
        if (visit === 0) times.cold.push(ms)
        if (visit === VISITS_UNTIL_WARM) times.warm.push(ms)
        await page.waitForTimeout(PROFILE_WRITE_MS)
        await page.close()
      }
    } finally {
      await context.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 20 })
    }
  }
  return times
}

/** From the last letter until the rows are those of the text, in a frame that has been painted. */
const TYPED = `(async () => {
  const wanted = text => [...document.querySelectorAll('.body-row .row-link')]
  const table = () => document.querySelector('[role=table]')
  const isDone = () => table()?.getAttribute('aria-busy') === 'false' && new URLSearchParams(location.search).get('q') === speed.typed
    && wanted().length > 0
  while (!isDone()) await new Promise(requestAnimationFrame)
  return new Promise(resolve => requestAnimationFrame(now => resolve(now - speed.typedAt)))
})()`

async function measureTyping(page: Page): Promise<number[]> {
  const times: number[] = []
  const field = page.getByRole('searchbox')
  await page.evaluate(`document.addEventListener('input', event => {
    speed.typedAt = performance.now()
    speed.typed = event.target.value
  }, { capture: true })`)
  for (let round = 0; round < ROUNDS; round++) {
    const { lastName } = person((round * 7919 + 13) % applicants)
    await field.fill('')
    await page.waitForTimeout(700)
    // As fast as people type.
    await field.pressSequentially(lastName, { delay: 60 })
    times.push(await page.evaluate<number>(TYPED))
  }
  await field.fill('')
  await page.waitForTimeout(700)
  return times
}

/** Scrolls with the wheel until the table has this many rows, and reports the frames meanwhile. */
async function measureScrolling(page: Page): Promise<{ frames: number[]; rows: number }> {
  await page.locator('.table-scroller').hover()
  await page.evaluate('speed.frames.length = 0')
  let rows = 0
  const end = Date.now() + 10 * 60_000
  while (rows < wantedRows && Date.now() < end) {
    await page.mouse.wheel(0, 900)
    await page.waitForTimeout(16)
    rows = Number(
      await page.evaluate(
        'Math.max(0, ...[...document.querySelectorAll(".body-row")].map(row => Number(row.dataset.index) + 1))',
      ),
    )
  }
  return { frames: await page.evaluate<number[]>('speed.frames'), rows }
}

ensureChromium()
if (spawnSync(join(ROOT, 'console', 'build-if-changed'), { stdio: 'inherit' }).status !== 0) process.exit(1)
const folder = values.datasets ?? mkdtempSync(join(tmpdir(), 'caseport-speed-'))
const dataset = datasetOf(applicants)
const dataDir = dataDirOf(folder, dataset)
const wasLoaded = isLoaded(dataDir)
await loadDataset(dataDir, dataset)
if (wasLoaded) warmUp(dataDir)
const service = await startService(dataDir)
const browser = await chromium.launch(LAUNCH)
let hasFailed = false
const report = (name: string, ms: number, limit: number, detail = '') => {
  hasFailed ||= ms > limit
  print(`${name.padEnd(46)} ${ms.toFixed(0).padStart(6)} ms   limit ${limit} ms${detail && `   ${detail}`}`)
}
try {
  await settled()
  print(`${applicants.toLocaleString('en')} people; load before: ${load()}`)
  const session = await signIn(browser, service)
  const loads = await measureLoads(session)
  const all = (times: number[]) => times.map(ms => ms.toFixed(0)).join(' ')
  report('first list on screen, cold load, median', median(loads.cold), LIMITS.cold, all(loads.cold))
  report('first list on screen, warm load, median', median(loads.warm), LIMITS.warm, all(loads.warm))
  const context = await browser.newContext({ storageState: session.state })
  const { page } = await openList(context, session.origin)
  const typing = await measureTyping(page)
  report('typing in a filter, from the last letter, median', median(typing), LIMITS.filter, all(typing))
  const { frames, rows } = await measureScrolling(page)
  const longest = Math.max(0, ...frames)
  const long = frames.filter(ms => ms > LIMITS.frame).length
  report(
    `scrolling ${rows} rows, longest frame`,
    longest,
    LIMITS.frame,
    `${frames.length} frames, ${long} over`,
  )
  if (rows < wantedRows) throw new Error(`Only ${rows} of ${wantedRows} rows were reached.`)
  print(`load after: ${load()}`)
} finally {
  await browser.close()
  await service.stop()
  if (!values.datasets) rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
}
if (hasFailed) process.exitCode = 1
