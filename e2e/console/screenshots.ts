// `npm run console:screenshots`: pictures of the screens for the documentation, from the demo data. Add a screen to SHOTS
// when it is there. A picture that looks like the one before stays as it is; `--all` writes all of them.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { startService } from '../../acceptance/service-under-test.ts'
import { CHROMIUM, ensureChromium } from '../chromium.ts'

interface Shot {
  name: string
  /** The part of the address before the @. */
  user: 'case-manager' | 'admin' | 'auditor' | 'hr' | undefined
  path: string
  /** Light on the left and dark on the right; light alone by default. */
  isBoth?: boolean
  width?: number
  /** Until the picture shows what it should. */
  prepare(page: Page): Promise<unknown>
}

const ROOT = join(import.meta.dirname, '..', '..')
const FOLDER = join(ROOT, 'docs', 'images')
const [WIDTH, HEIGHT] = [1280, 800]
const QUALITY = 0.8
const MAX_BYTES = 150_000
/** The demo data lie around the day on which they are loaded: dates alone differ in fewer points than this. */
const SAME = 0.03

const firstRow = (page: Page) => page.locator('.body-row').first().waitFor()

const SHOTS: Shot[] = [
  {
    name: 'sign-in',
    user: undefined,
    path: '/',
    prepare: page => page.getByRole('textbox', { name: 'E-mail' }).waitFor(),
  },
  {
    name: 'today',
    user: 'case-manager',
    path: '/',
    isBoth: true,
    prepare: page =>
      page.getByRole('region', { name: 'Expires next' }).getByRole('listitem').first().waitFor(),
  },
  {
    name: 'people',
    user: 'case-manager',
    path: '/people',
    async prepare(page) {
      await page
        .getByRole('button', { name: /^Family of Arjun|^Family of Salim/ })
        .first()
        .click()
      await page.locator('.is-member').first().waitFor()
    },
  },
  {
    name: 'person',
    user: 'case-manager',
    path: '/people?q=chen',
    async prepare(page) {
      await page.getByRole('link', { name: 'Mei Chen' }).click()
      await page.getByRole('list', { name: 'Timeline' }).waitFor()
      await page.getByRole('figure').waitFor()
    },
  },
  {
    name: 'cases',
    user: 'case-manager',
    path: '/cases?show=board',
    isBoth: true,
    prepare: page => page.getByRole('group', { name: 'Board', exact: true }).waitFor(),
  },
  {
    name: 'case',
    user: 'case-manager',
    path: '/cases?q=chen',
    async prepare(page) {
      await page.locator('.row-link').first().click()
      await page.getByText(/\d+ of \d+ done/).waitFor()
    },
  },
  { name: 'documents', user: 'case-manager', path: '/documents?show=months', prepare: settled },
  { name: 'duplicates', user: 'case-manager', path: '/duplicates', prepare: settled },
  {
    name: 'import',
    user: 'case-manager',
    path: '/imports?status=held',
    async prepare(page) {
      await page.locator('.row-link').first().click()
      await page.getByRole('alert').getByText('takes something from many people').waitFor()
      await firstRow(page)
    },
  },
  { name: 'audit', user: 'auditor', path: '/audit', prepare: firstRow },
  { name: 'connections', user: 'admin', path: '/connections?show=webhooks', prepare: settled },
  { name: 'setup', user: 'admin', path: '/setup?show=processes', prepare: settled },
  {
    name: 'contact',
    user: 'hr',
    path: '/',
    prepare: page =>
      page.getByRole('region', { name: 'Where each case stands' }).getByRole('listitem').first().waitFor(),
  },
]

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  // The stream of changes never ends, so that the network is never idle.
  await page.waitForTimeout(1_500)
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
}

ensureChromium()
if (spawnSync(join(ROOT, 'console', 'build-if-changed'), { stdio: 'inherit' }).status !== 0) process.exit(1)
mkdirSync(FOLDER, { recursive: true })
const service = await startService({}, ['--demo'])
const origin = service.env['BASE_URL']?.replace('127.0.0.1', 'localhost') ?? ''
const { users } = JSON.parse(readFileSync(join(service.dataDir, 'credentials.json'), 'utf8'))
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath: CHROMIUM, args })
let written = 0
try {
  const studio = await browser.newPage()
  for (const shot of SHOTS) {
    const light = await photograph(browser, shot, 'light')
    const dark = shot.isBoth ? await photograph(browser, shot, 'dark') : undefined
    const file = join(FOLDER, `${shot.name}.webp`)
    const before = existsSync(file) ? readFileSync(file) : undefined
    const { bytes, difference } = await develop(studio, { light, dark, before })
    if (bytes.length > MAX_BYTES)
      throw new Error(`${shot.name} has ${bytes.length} bytes, at most ${MAX_BYTES}`)
    if (difference <= SAME && !process.argv.includes('--all')) continue
    writeFileSync(file, bytes)
    written++
  }
} finally {
  await browser.close()
  await service.stop()
}
process.stdout.write(`${SHOTS.length} pictures in docs/images, ${written} of them new\n`)

async function photograph(
  chrome: Browser,
  { user, path, width = WIDTH, prepare }: Shot,
  colorScheme: 'light' | 'dark',
): Promise<Buffer> {
  const context = await chrome.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  if (user) {
    const { email, password } = users.find((one: { email: string }) => one.email.startsWith(`${user}@`))
    await page.request.post(`${origin}/auth/v1/session`, { data: { email, password }, headers: { origin } })
  }
  await page.goto(`${origin}/console${path}`)
  await prepare(page)
  await settled(page)
  const picture = await page.screenshot()
  await context.close()
  return picture
}

/** Puts both halves together, encodes the picture, and compares it with the one before. */
async function develop(
  page: Page,
  pictures: { light: Buffer; dark: Buffer | undefined; before: Buffer | undefined },
): Promise<{ bytes: Buffer; difference: number }> {
  const url = (bytes: Buffer | undefined, type: string) =>
    bytes ? `data:image/${type};base64,${bytes.toString('base64')}` : null
  const input = {
    light: url(pictures.light, 'png'),
    dark: url(pictures.dark, 'png'),
    before: url(pictures.before, 'webp'),
  }
  const { data, difference } = await page.evaluate<{ data: string; difference: number }>(`(async () => {
    const input = ${JSON.stringify(input)}
    const open = async url => createImageBitmap(await (await fetch(url)).blob())
    const light = await open(input.light)
    const { width, height } = light
    const paint = draw => {
      const canvas = new OffscreenCanvas(width, height)
      const context = canvas.getContext('2d')
      draw(context)
      return { canvas, points: context.getImageData(0, 0, width, height).data }
    }
    const dark = input.dark && await open(input.dark)
    const { canvas, points } = paint(context => {
      context.drawImage(light, 0, 0)
      if (!dark) return
      context.beginPath()
      context.moveTo(width * 0.62, 0)
      context.lineTo(width, 0)
      context.lineTo(width, height)
      context.lineTo(width * 0.46, height)
      context.clip()
      context.drawImage(dark, 0, 0)
    })
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: ${QUALITY} })
    const data = await new Promise(resolve => {
      const reader = new FileReader()
      reader.onload = () => resolve(reader.result.split(',')[1])
      reader.readAsDataURL(blob)
    })
    if (!input.before) return { data, difference: 1 }
    const before = await open(input.before)
    if (before.width !== width || before.height !== height) return { data, difference: 1 }
    const old = paint(context => context.drawImage(before, 0, 0)).points
    let different = 0
    for (let at = 0; at < points.length; at += 4)
      if ([0, 1, 2].some(part => Math.abs(points[at + part] - old[at + part]) > 48)) different++
    return { data, difference: different / (width * height) }
  })()`)
  return { bytes: Buffer.from(data, 'base64'), difference }
}
