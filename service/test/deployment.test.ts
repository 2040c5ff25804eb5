// What deploy/ says about the service, compared with the service.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { primaryMetrics } from '../src/workers/metrics-total.ts'
import { createTestApp } from './support/harness.ts'

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy')
const PATRONI = '/usr/lib/python3/dist-packages/patroni/api.py'

/** Metrics that other programs export. */
const EXTERNAL = new Set(['probe_success', 'node_filesystem_avail_bytes', 'node_filesystem_size_bytes'])

/** The names of metrics in an expression: no labels, functions, ranges or groupings. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/\{[^}]*\}/g, ' ')
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/\bby \([^)]*\)/g, ' ')
  return [...bare.matchAll(/\b[a-z][a-z\d]*(?:_[a-z\d]+)+\b(?!\s*\()/g)].map(([name]) => name)
}

const alerts = readFileSync(join(DEPLOY, 'prometheus', 'alerts.yaml'), 'utf8')
const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana', 'caseport.json'), 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[]
  templating: { list: { query: string | { query: string } }[] }
}
const inAlerts = [...alerts.matchAll(/^\s+expr: '(.*)'$/gm)].map(([, expression = '']) => expression)
const inPanels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
const inVariables = dashboard.templating.list.flatMap(({ query }) =>
  typeof query === 'string' ? [] : [query.query],
)

describe('metrics in alerts and dashboard', () => {
  it('are those that the service exports, or that another program is known for', async () => {
    assert.equal(
      inAlerts.length,
      alerts.split('- alert:').length - 1,
      'every alert has its expression in one line',
    )
    assert.ok(inPanels.length >= 10)
    const { call } = await createTestApp()
    const { text } = await call({ url: '/metrics', scopes: null })
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]))
    const state = { running: 1, configured: 1, replacements: 0 }
    for (const { name, type } of primaryMetrics(state)) types.set(name, String(type))
    const exported = (name: string) =>
      types.has(name) || types.get(name.replace(/_(?:bucket|sum|count)$/, '')) === 'histogram'
    const names = new Set([...inAlerts, ...inPanels, ...inVariables].flatMap(metricsIn))
    for (const name of ['http_request_duration_seconds_bucket', 'process_max_fds'])
      assert.ok(names.has(name), name)
    const unknown = [...names].filter(
      name =>
        !name.startsWith('patroni_') &&
        !name.startsWith('caseport_backup_') &&
        !EXTERNAL.has(name) &&
        !exported(name),
    )
    assert.deepEqual(unknown, [])
  })

  it('use labels that the service exports', async () => {
    const { call } = await createTestApp()
    await call({ url: '/healthz', scopes: null })
    const { text } = await call({ url: '/metrics', scopes: null })
    const [line = ''] = /^http_request_duration_seconds_bucket\{.*$/m.exec(text) ?? []
    for (const label of ['le', 'method', 'route', 'status']) assert.match(line, new RegExp(`[{,]${label}="`))
  })

  it('leave what lasts as long as its client out of CaseportSlow, and nothing else', async () => {
    const expression = inAlerts.find(each => each.startsWith('histogram_quantile')) ?? ''
    assert.match(expression, /http_request_duration_seconds_bucket\{job="caseport",long=""\}/)
    const { call } = await createTestApp()
    const requests = {
      'GET /v2/document/:documentId/file': true,
      'POST /v2/document': true,
      'POST /admin/v1/applicants/:applicantId/documents': true,
      'PUT /admin/v1/documents/:documentId/file': true,
      'GET /admin/v1/documents/:documentId/files/:fileVersion': true,
      'GET /v2/export': true,
      'GET /v2/changes': true,
      'GET /admin/v1/audit/export': true,
      'POST /v2/imports': true,
      'GET /v2/imports': false,
      'GET /v2/documents': false,
      'GET /v2/document/:documentId': false,
    }
    for (const name of Object.keys(requests)) {
      const [method, url = ''] = name.split(' ') as ['GET' | 'POST' | 'PUT', string]
      await call({ method, url, scopes: null })
    }
    const { text } = await call({ url: '/metrics', scopes: null })
    for (const [name, isLong] of Object.entries(requests)) {
      const [method, route] = name.split(' ')
      const start = `http_request_duration_seconds_count{method="${method}",route="${route}",`
      const line = text.split('\n').find(each => each.startsWith(start))
      assert.equal(line?.includes('long="true"'), isLong, `${name}: ${line}`)
    }
  })

  it('of backups are those that deploy/backup/status prints', () => {
    const script = readFileSync(join(DEPLOY, 'backup', 'status'), 'utf8')
    const names = new Set(inAlerts.flatMap(metricsIn).filter(name => name.startsWith('caseport_backup_')))
    const printed = [...script.matchAll(/^ +echo "(\w+) \$\{\w+:-0\}"$/gm)].map(([, name = '']) => name)
    assert.deepEqual([...names].sort(), printed.sort())
  })

  it('of Patroni are those of its package', {
    skip: existsSync(PATRONI) ? false : 'Patroni is not installed',
  }, () => {
    const source = readFileSync(PATRONI, 'utf8')
    const names = [...inAlerts, ...inPanels].flatMap(metricsIn).filter(name => name.startsWith('patroni_'))
    assert.ok(names.length > 0)
    for (const name of names) assert.match(source, new RegExp(`TYPE ${name} `), name)
  })
})
