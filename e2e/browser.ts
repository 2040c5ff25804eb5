// One browser for a test file. Every page notes what must not happen: an error in the console, a violation of the
// Content-Security-Policy, a request to another origin.
import { after } from 'node:test'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { CHROMIUM } from './chromium.ts'

export const BASE_URL = process.env['BASE_URL'] ?? ''
export const CLIENT_ID = process.env['CLIENT_ID'] ?? ''
export const CLIENT_SECRET = process.env['CLIENT_SECRET'] ?? ''
export const API_KEY = process.env['API_KEY'] ?? ''
const TIMEOUT = 60_000

export interface WatchedPage {
  page: Page
  /** What went wrong so far. */
  incidents: string[]
  close(): Promise<void>
}

type OpenPage = (options?: BrowserContextOptions, origins?: string[]) => Promise<WatchedPage>

/** Opens pages in a browser that is closed after the tests of the file. Requests to other origins than these are incidents. */
export async function launchBrowser(): Promise<OpenPage> {
  // Chromium's sandbox does not work for root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath: CHROMIUM, args })
  after(() => browser.close())

  return async (options = {}, origins = [BASE_URL]) => {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options })
    const page = await context.newPage()
    const incidents: string[] = []
    page.setDefaultTimeout(TIMEOUT)
    page.on('pageerror', error => incidents.push(`uncaught: ${error.message}`))
    page.on('console', message => {
      if (message.type() === 'error') incidents.push(`console: ${message.text()}`)
    })
    page.on('request', request => {
      const { origin } = new URL(request.url())
      // `data:` and `blob:` URLs lead nowhere; their origin is null or our own.
      if (!origins.includes(origin) && origin !== 'null') incidents.push(`request: ${request.url()}`)
    })
    await page.addInitScript(`
      document.addEventListener('securitypolicyviolation', event =>
        console.error('policy: ' + event.effectiveDirective + ' ' + event.blockedURI))`)
    return {
      page,
      incidents,
      async close() {
        // A handler may still work on a request of the last screen.
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        await context.close()
      },
    }
  }
}
