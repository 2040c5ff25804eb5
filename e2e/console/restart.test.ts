// A service of its own, which is stopped and started again while a person works.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import { launchBrowser } from '../browser.ts'
import type { Fields } from './case-data.ts'

const MAIN = join(import.meta.dirname, '../../service/src/main.ts')
const PASSWORD = 'a bakery in the fog'
const openPage = await launchBrowser()

async function startRestartable(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'caseport-console-'))
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const secret = randomBytes(24).toString('base64url')
  let service: ChildProcess | undefined
  const stop = async () => {
    const ended = new Promise(resolve => service?.once('exit', resolve))
    service?.kill('SIGTERM')
    await ended
  }
  const start = async () => {
    service = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        DATA_DIR: dataDir,
        PORT: String(port),
        LOG_LEVEL: 'error',
        BOOTSTRAP_CLIENT_ID: 'test',
        BOOTSTRAP_CLIENT_SECRET: secret,
      },
    })
    for (let tries = 0; tries < 1_200; tries++) {
      const isReady = await fetch(`${origin}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isReady) return
      await sleep(50)
    }
    throw new Error('The service did not start within a minute.')
  }
  t.after(async () => {
    await stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  await start()
  const credentials = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'test',
    client_secret: secret,
  })
  const granted = await fetch(`${origin}/oauth/token`, { method: 'POST', body: credentials })
  const { access_token: token } = (await granted.json()) as Fields
  /** Calls the API as the first client. */
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`)
    return (await response.json()) as Fields
  }
  return { origin, start, stop, call }
}

it('Restart: a note that is saved while the service restarts is saved once, and nothing typed is lost', async t => {
  const { origin, start, stop, call } = await startRestartable(t)
  const { companyId } = await call('POST', '/admin/v1/companies', { name: 'Aurora Shipping', country: 'DE' })
  const { caseId } = await call('POST', '/v2/case', {
    caseType: 'Work Permit',
    hostCompany: companyId,
    sendingCompany: companyId,
    billingCompany: companyId,
    applicant: { firstName: 'Mira', lastName: 'Novak' },
  })
  const { invitation } = await call('POST', '/admin/v1/users', {
    email: 'ruth@example.com',
    name: 'Ruth Okafor',
    roles: ['case-manager'],
  })
  const { page, incidents, close } = await openPage({ locale: 'en-GB' }, [origin])
  t.after(close)
  const accepted = await page.request.post(`${origin}/auth/v1/invitation`, {
    data: { token: new URL(invitation.url).searchParams.get('invitation'), password: PASSWORD },
    headers: { origin },
  })
  assert.equal(accepted.status(), 201, await accepted.text())
  await page.goto(`${origin}/console/cases/${encodeURIComponent(caseId)}`)
  await page.getByRole('heading', { name: 'Notes' }).waitFor()
  await page.keyboard.press('n')
  await page.keyboard.type('The embassy confirmed Monday.')
  await stop()
  await page.keyboard.press('Control+Enter')
  await page.getByText('The service does not respond').first().waitFor()
  assert.equal(
    await page.getByRole('textbox', { name: 'Note' }).inputValue(),
    'The embassy confirmed Monday.',
    'the text stays in its box',
  )
  await start()
  const saved = page.getByRole('listitem').getByText('The embassy confirmed Monday.').first()
  const button = page.getByRole('button', { name: 'Add note' })
  // The console has retried by itself, or the person does it.
  await Promise.race([saved.waitFor(), page.getByText('The note was not saved').waitFor()])
  if (!(await saved.isVisible())) await button.click()
  await saved.waitFor()
  const notes = await call('GET', `/v2/case/${encodeURIComponent(caseId)}/notes`)
  assert.equal(notes.length, 1)
  assert.equal(await page.getByRole('textbox', { name: 'Note' }).inputValue(), '')
  for (const incident of incidents) assert.match(incident, /^console: Failed to load resource/)
})
