import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import type { Key } from '../src/app/i18n.tsx'
import { de } from '../src/locales/de/index.ts'
import { en } from '../src/locales/en/index.ts'
import { actionOf } from '../src/screens/audit/action-texts.ts'
import { EVENT_TYPES } from '../src/screens/connections/event-types.ts'

const SERVICE = join(import.meta.dirname, '..', '..', 'service', 'src')
const NOUNS =
  'applicant|audit|calendar|caller|case|change|client|company|desk|document|duplicate|expiring|import|key|merge|notification|overview|passport|process|request|session|token|user|view|webhook'
const NAME = new RegExp(`'((?:${NOUNS})\\.[a-z_]+)'`, 'g')

it('Every action that the service writes to the audit has a text', async () => {
  const events = new Set<string>(EVENT_TYPES)
  const actions = new Set<string>()
  for await (const file of glob('**/*.ts', { cwd: SERVICE }))
    for (const [, name = ''] of readFileSync(join(SERVICE, file), 'utf8').matchAll(NAME))
      if (!events.has(name)) actions.add(name)
  assert.ok(actions.size > 100, `${actions.size} actions found`)
  assert.deepEqual(
    [...actions].filter(action => !(`action.${action}` in en)),
    [],
  )
})

it('A call that is known by its operation alone is told in words, or by the name of the operation', () => {
  const texts = {
    t: (key: Key, values = {}) =>
      de[key].replace(/\{(\w+)\}/g, (_mark, name) => String(values[name as never])),
    tx: (key: string, fallback: string) => (de as Record<string, string>)[key] ?? fallback,
  }
  const text = (action: string, operationId: string | null) => actionOf({ action, operationId }, texts)
  assert.equal(text('request.handle', 'getMe'), 'Las das eigene Konto')
  assert.equal(text('request.handle', 'getMetrics'), 'Machte einen Aufruf: getMetrics')
  assert.equal(text('request.reject', 'getMe'), 'Machte einen Aufruf, der abgelehnt wurde: getMe')
  assert.equal(text('applicant.find', 'getFoundApplicant'), 'Öffnete eine Person')
})
