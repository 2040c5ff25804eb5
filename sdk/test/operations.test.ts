// Every documented operation has a method, which fills the ids of its path in the order of its arguments.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createCaseport } from '../src/caseport.ts'
import { createChanges, createExport } from '../src/changes.ts'
import { createImports } from '../src/imports.ts'
import { Pages } from '../src/pages.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'))

/** Pages for people, documents for other programs, and what the client does itself. */
const NO_METHOD = new Set([
  'getJwks',
  'getAuthorizationServerMetadata',
  'getProtectedResourceMetadata',
  'getDocs',
  'getMetrics',
  'getOpenApi',
  'getSignInPage',
  'issueToken',
  'startExternalSignIn',
  'finishExternalSignIn',
  'readCalendar',
])

interface Operation {
  operationId: string
  method: string
  path: string
}

const operations: Operation[] = Object.entries(document.paths as Record<string, Record<string, Operation>>)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
    })),
  )
  // `/employeenumber/{employeeNumber}` must be found before `/{applicantId}/{…}`.
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length)

const UPLOAD = { caseId: 'c', countryCode: 'DE', file: new Blob(['%PDF-1.7']), fileName: 'a.pdf' }
const ARGUMENTS: Record<string, unknown[]> = {
  'documents.upload': [UPLOAD],
  'documents.uploadForApplicant': ['id1', UPLOAD],
  'documents.replaceFile': ['id1', UPLOAD],
  'imports.create': [{ file: new Blob(['a']), contentType: 'text/csv' }],
  'imports.list': [{}],
  'changes.page': [{}],
  'audit.export': [{ from: '2026-03-01', to: '2026-03-02' }],
}
const NO_OPERATION = new Set(['api', 'etagOf'])
/** Other ways to an operation that has a method. */
const FURTHER = new Set([
  'imports.allRows',
  'imports.finish',
  'changes.list',
  'changes.follow',
  'changes.stream',
])

function* methodsOf(
  value: object,
  path: string[] = [],
): Generator<[string, (...args: unknown[]) => unknown]> {
  for (const [name, member] of Object.entries(value)) {
    if (path.length === 0 && NO_OPERATION.has(name)) continue
    const here = [...path, name]
    if (typeof member === 'function') yield [here.join('.'), member]
    else yield* methodsOf(member, here)
  }
}

async function settle(result: unknown): Promise<void> {
  if (result instanceof Pages) await result.first()
  else if (result && typeof result === 'object' && Symbol.asyncIterator in result)
    await Array.fromAsync(result as AsyncIterable<unknown>)
  else await result
}

describe('the methods of the client', () => {
  const requests: { method: string; url: URL }[] = []
  const caseport = createCaseport({
    baseUrl: 'https://caseport.example.com',
    auth: { kind: 'cookie' },
    async fetch(input, init) {
      requests.push({ method: init?.method ?? 'GET', url: new URL(String(input)) })
      if (init?.body instanceof ReadableStream) await new Response(init.body).arrayBuffer()
      // The last line of an export.
      return new Response('{"cursor":"c"}')
    },
  })
  const called = new Map<string, string>()

  it('send one request each, to a documented operation, with the arguments in its path', async () => {
    const client = {
      ...caseport,
      imports: createImports(caseport),
      changes: createChanges(caseport),
      export: () => createExport(caseport, 'applicants'),
    }
    for (const [name, method] of methodsOf(client)) {
      if (FURTHER.has(name)) continue
      requests.length = 0
      await settle(method(...(ARGUMENTS[name] ?? ['id1', 'id2'])))
      const [request, ...others] = requests
      assert.ok(request && others.length === 0, name)
      const found = operations.find(
        ({ method, path }) =>
          method === request.method &&
          new RegExp(`^${path.replace(/\{\w+\}/g, 'id[12]')}$`).test(request.url.pathname),
      )
      assert.ok(found, `${name}: ${request.method} ${request.url.pathname}`)
      const ids = request.url.pathname.match(/\bid\d/g) ?? []
      assert.deepEqual(ids, ['id1', 'id2'].slice(0, ids.length), name)
      assert.equal(called.get(found.operationId), undefined, `${name} and ${called.get(found.operationId)}`)
      called.set(found.operationId, name)
    }
  })

  it('are all operations, but those for people and other programs', () => {
    const missing = operations
      .filter(({ operationId }) => !called.has(operationId) && !NO_METHOD.has(operationId))
      .map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(missing, [])
    assert.deepEqual(
      [...NO_METHOD].filter(id => !operations.some(({ operationId }) => operationId === id)),
      [],
    )
  })
})
