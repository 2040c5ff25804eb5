import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import packageJson from '../../package.json' with { type: 'json' }
import { PORTABLE_PATTERNS } from '../../src/http/fields.ts'
import { parseWallClock } from '../../src/lib/dates.ts'
import { EVENT_FIELDS, EVENT_TYPES, type EventType, TEST_EVENT } from '../../src/lib/event-types.ts'
import { isSchedule } from '../../src/lib/schedule.ts'
import { ALL_SCOPES, SCOPES } from '../../src/lib/scopes.ts'
import { createTestApp } from '../support/harness.ts'

const { app, document: describeRoutes } = await createTestApp()
await app.ready()

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: object; example?: unknown }> }
  responses: Record<string, { description: string; content?: Record<string, Media> }>
  security: Record<string, string[]>[]
}
interface Parameter {
  name: string
  in: string
  required: boolean
  description: string
  schema: object
}
interface Media {
  schema: object
  examples?: Record<string, { value: Record<string, unknown> }>
}
interface Document {
  webhooks: Record<string, { post: Operation }>
  openapi: string
  info: Record<string, string> & { contact: { name: string }; license: { identifier: string } }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, object>
    responses: Operation['responses']
    parameters: Record<string, Parameter>
    headers: Record<string, object>
    examples: Record<string, object>
    securitySchemes: Record<string, object>
  }
  'x-errors': { code: string; status: number; title: string; remedy: string }[]
}

const document = JSON.parse(JSON.stringify(describeRoutes())) as Document
/** A node of the document, or the component that it refers to. */
function resolve<T>(node: T): T {
  const { $ref } = node as { $ref?: string }
  if (!$ref) return node
  const [, , section, name] = $ref.split('/') as [string, string, keyof Document['components'], string]
  return document.components[section][name] as T
}
const resolveValues = <T>(object: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, resolve(value)]))

function resolveResponse(response: Operation['responses'][string]): Operation['responses'][string] {
  const { content, ...rest } = resolve(response)
  if (!content) return rest
  const media = Object.entries(content).map(([type, { schema, examples }]) => [
    type,
    { schema, ...(examples && { examples: resolveValues(examples) }) },
  ])
  return { ...rest, content: Object.fromEntries(media) }
}

function resolveOperation({ parameters = [], responses, ...rest }: Operation): Operation {
  const resolved = Object.entries(responses).map(([status, response]) => [status, resolveResponse(response)])
  return { ...rest, parameters: parameters.map(resolve), responses: Object.fromEntries(resolved) }
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    name: `${method.toUpperCase()} ${path}`,
    operation: resolveOperation(operation),
  })),
)

/** Method and path of every route, from the tree that the router prints. */
function registeredRoutes(): string[] {
  const above: string[] = []
  const lines = app.printRoutes({ commonPrefix: false }).split('\n')
  return lines.flatMap(line => {
    const [, indent = '', part = '', methods = ''] = /^([│├└─ ]+)(\S+)(?: \((.*)\))?$/.exec(line) ?? []
    const depth = indent.length / 4
    const path = `${above[depth - 1] ?? ''}${part.replaceAll(/:\w+(?:\|:\w+)*/g, '{}')}`
    above[depth] = path
    const own = methods.split(', ').filter(method => method && method !== 'HEAD')
    return own.map(method => `${method.toLowerCase()} ${path}`)
  })
}

/** Every object in the document, with the way to it. */
function* objectsIn(value: unknown, path = '#'): Generator<[Record<string, unknown>, string]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [value as Record<string, unknown>, path]
  for (const [key, member] of Object.entries(value)) yield* objectsIn(member, `${path}/${key}`)
}

/** Checks values against schemas of the document, with the formats of the service. */
function createAjv() {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addFormat('wall-clock', text => text === '' || parseWallClock(text) !== undefined)
  ajv.addFormat('day', text => parseWallClock(text) !== undefined)
  ajv.addFormat('reminder', text => text === '' || isSchedule(text))
  ajv.addFormat('date-time', text => !Number.isNaN(Date.parse(text)))
  ajv.addFormat('binary', true)
  ajv.addSchema(document, 'openapi')
  return ajv
}

function errorsOf(schema: object, value: unknown, ajv = createAjv()): string | undefined {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'))
  const validate = ajv.compile(absolute)
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}

/** Actions whose body has optional members only. */
const OPTIONAL_BODIES = new Set([
  'restoreApplicant',
  'completeCaseStep',
  'rotateClientSecret',
  'undoMerge',
  'rotateWebhookSecret',
])

describe('the OpenAPI document', () => {
  it('has version 3.1, the required metadata and no unexpected member', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/)
    assert.ok(document.info['title'] && document.info['version'] && document.info['description'])
    assert.ok(document.info.contact.name)
    assert.equal(document.info.license.identifier, 'MIT')
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      ['/'],
    )
    assert.deepEqual(Object.keys(document).sort(), [
      'components',
      'info',
      'openapi',
      'paths',
      'servers',
      'tags',
      'webhooks',
      'x-errors',
    ])
    for (const path of Object.keys(document.paths))
      assert.match(path, /^\/([\w.-]+|\{\w+\})(\/([\w.-]+|\{\w+\}))*$/)
    const methods = new Set(operations.map(({ method }) => method))
    for (const method of methods) assert.ok(['get', 'post', 'put', 'patch', 'delete'].includes(method))
  })

  it('has no dangling reference', () => {
    let count = 0
    for (const [object, path] of objectsIn(document)) {
      if (!('$ref' in object)) continue
      count += 1
      const [, section, name] = /^#\/components\/(\w+)\/([\w.-]+)$/.exec(String(object['$ref'])) ?? []
      const known = document.components[section as keyof Document['components']] ?? {}
      assert.ok(name && Object.hasOwn(known, name), `${path}: ${object['$ref']}`)
    }
    assert.ok(count > 50)
  })

  it('has no component that nothing refers to', () => {
    const text = JSON.stringify(document)
    for (const section of ['schemas', 'responses', 'parameters', 'headers', 'examples'] as const)
      for (const name of Object.keys(document.components[section]))
        assert.ok(text.includes(`"#/components/${section}/${name}"`), name)
  })

  it('has names of components that are identifiers, but for the examples, which have the codes', () => {
    for (const section of ['schemas', 'responses', 'parameters', 'headers'] as const)
      for (const name of Object.keys(document.components[section])) assert.match(name, /^[A-Z][A-Za-z]+$/)
  })

  it('has at most 6.2 kB an operation, indented', () => {
    const { length } = Buffer.from(JSON.stringify(document, null, 2))
    const operations = Object.values(document.paths).flatMap(methods => Object.keys(methods)).length
    assert.ok(length <= 6_200 * operations, `${length} bytes, ${operations} operations`)
  })

  it('has every parameter that two operations share as a component', () => {
    const inline = Object.values(document.paths).flatMap(methods =>
      Object.values(methods).flatMap(({ parameters = [] }) =>
        parameters.filter(parameter => !('$ref' in parameter)).map(parameter => JSON.stringify(parameter)),
      ),
    )
    assert.equal(new Set(inline).size, inline.length)
  })

  it('has no two templates of one path', () => {
    const shapes = Object.keys(document.paths).map(path => path.replaceAll(/\{\w+\}/g, '{}'))
    assert.equal(new Set(shapes).size, shapes.length)
  })

  it('has no example that its own schema rejects', () => {
    const ajv = createAjv()
    let count = 0
    for (const [object, path] of objectsIn(document)) {
      const isSchema = /\/(schema|items|properties\/[^/]+)$|^#\/components\/schemas\/\w+$/.test(path)
      const values = isSchema && Array.isArray(object['examples']) ? object['examples'] : []
      const isParameter = /\/parameters\/\w+$/.test(path) && 'example' in object
      if (isParameter) values.push(object['example'])
      for (const value of values) {
        count += 1
        const schema = (isParameter ? object['schema'] : object) as object
        assert.equal(errorsOf(schema, value, ajv), undefined, path)
      }
    }
    for (const [name, response] of Object.entries(document.components.responses)) {
      const { content = {} } = resolveResponse(response)
      for (const { schema, examples = {} } of Object.values(content))
        for (const { value } of Object.values(examples)) {
          count += 1
          assert.equal(errorsOf(schema, value, ajv), undefined, name)
        }
    }
    assert.ok(count > 100, String(count))
  })

  it('has schemas that JSON Schema 2020-12 understands', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    let count = 0
    for (const [object, path] of objectsIn(document)) {
      if (!/\/schema$/.test(path) && !/^#\/components\/schemas\/\w+$/.test(path)) continue
      count += 1
      assert.ok(ajv.validateSchema(object), `${path}: ${ajv.errorsText()}`)
    }
    assert.ok(count > 50)
  })

  it('has every registered route but the console, and the files of the reference page and the sign-in page', () => {
    const documented = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
    const undocumented = registeredRoutes().filter(route => !documented.includes(route))
    const bundle = `scalar-${packageJson.dependencies['@scalar/fastify-api-reference']}.js`
    assert.deepEqual(undocumented.sort(), [
      ...['/', '/console', '/console*'].map(path => `get ${path}`),
      ...['docs.css', 'docs.js', bundle].map(file => `get /docs/${file}`),
      ...['sign-in.css', 'sign-in.js'].map(file => `get /sign-in/${file}`),
    ])
    assert.deepEqual(
      documented.filter(route => !registeredRoutes().includes(route)),
      [],
    )
  })

  it('is what GET /openapi.json returns', async () => {
    const response = await app.inject('/openapi.json')
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(response.json(), document)
  })

  it('names all scopes and how to get a token', () => {
    const { oauth2, apiKey } = document.components.securitySchemes as Record<string, unknown>
    const { description: token, ...scheme } = oauth2 as Record<string, unknown>
    assert.deepEqual(scheme, {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: SCOPES } },
    })
    const { description: key, ...keyScheme } = apiKey as Record<string, unknown>
    assert.deepEqual(keyScheme, { type: 'apiKey', in: 'header', name: 'X-API-Key' })
    const { description: cookie, ...cookieScheme } = document.components.securitySchemes['session'] as Record<
      string,
      unknown
    >
    assert.deepEqual(cookieScheme, { type: 'apiKey', in: 'cookie', name: '__Host-caseport' })
    assert.ok(token && key && cookie)
  })
})

const NOT_PORTABLE = /\\p\{|\(\?[=!<]|\\u/

describe('the patterns of the document', () => {
  const patterns = new Set(
    [...objectsIn(document)].map(([{ pattern }]) => pattern).filter(pattern => typeof pattern === 'string'),
  )
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('a', 'C', 'p', '1', ' ', '\u200b', '\u00a0', '😀', '-', '@', '=', '\n'),
    }),
    fc.constantFrom('C100', 'p{C}', 'DE', 'health', '.', '', ' ', 'E-10042'),
  )

  it('mean the same with the flag u and without it', () => {
    assert.ok(patterns.size > 5)
    for (const pattern of patterns) {
      const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')]
      fc.assert(fc.property(texts, text => plain.test(text) === unicode.test(text)))
    }
  })

  it('have no property escape and no lookaround, which other languages lack', () => {
    for (const pattern of patterns) assert.doesNotMatch(pattern, NOT_PORTABLE)
  })

  it('accept at least what the service accepts', () => {
    for (const [exact, { pattern = '', maxLength = Number.POSITIVE_INFINITY }] of PORTABLE_PATTERNS) {
      const [service, documented] = [new RegExp(exact, 'u'), new RegExp(pattern)]
      fc.assert(
        fc.property(texts, text => {
          fc.pre(service.test(text))
          return documented.test(text) && [...text].length <= maxLength
        }),
        { maxSkipsPerRun: 10_000 },
      )
    }
  })

  it('accept the employee number C100, in a path and in a body', () => {
    const { operation } =
      operations.find(({ name }) => name === 'PUT /v2/applicant/employeenumber/{employeeNumber}') ??
      assert.fail()
    const [parameter] = operation.parameters
    const { pattern } = (parameter ?? assert.fail()).schema as { pattern: string }
    assert.match('C100', new RegExp(pattern))
    const body = operation.requestBody?.content['application/json']?.schema as object
    const names = { firstName: 'Anna', lastName: 'Schmidt' }
    const withoutFlag = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: false })
    withoutFlag.addSchema(document, 'openapi')
    assert.equal(
      errorsOf(body, { primaryApplicant: { employeeNumber: 'C100', ...names } }, withoutFlag),
      undefined,
    )
    assert.ok(errorsOf(body, { primaryApplicant: { employeeNumber: ' C100', ...names } }, withoutFlag))
  })
})

describe('every operation', () => {
  it('has a unique id', () => {
    const webhooks = Object.values(document.webhooks).map(({ post }) => post.operationId)
    const ids = [...operations.map(({ operation }) => operation.operationId), ...webhooks]
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('that a page of the documentation prints in full exists', async () => {
    const known = operations.map(
      ({ method, path }) => new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`, 'i'),
    )
    const root = `${import.meta.dirname}/../../..`
    const pages = await Array.fromAsync<string>(
      glob(['{README,ARCHITECTURE,SECURITY}.md', 'docs/**/*.md', '{sdk,cli,console}/README.md'], {
        cwd: root,
      }),
    )
    const printed =
      /\b(GET|POST|PUT|PATCH|DELETE)\s+(\/(?:v2|admin\/v1|auth\/v1|oauth)\/[\w/{}-]*[\w}])(?![\w/{}…-])/g
    let count = 0
    for (const page of pages)
      for (const [, method, path] of (await readFile(`${root}/${page}`, 'utf8')).matchAll(printed)) {
        count++
        const operation = `${method} ${path}`
        assert.ok(
          known.some(pattern => pattern.test(operation)),
          `${page}: ${operation}`,
        )
      }
    assert.ok(count > 100, String(count))
  })

  it('has a summary and one tag that the document describes', () => {
    const known = new Set(document.tags.map(tag => tag.name))
    for (const tag of document.tags) assert.ok(tag.description)
    for (const { name, operation } of operations) {
      assert.ok(operation.summary?.length > 3 && operation.summary.length <= 80, name)
      assert.ok(
        operation.description?.length > 60 && !operation.description.startsWith(operation.summary),
        name,
      )
      assert.match(operation.description, /\.$/, name)
      assert.equal(operation.tags.length, 1, name)
      assert.ok(known.has(operation.tags[0] as string), `${name}: ${operation.tags[0]}`)
    }
  })

  it('declares every parameter of its path, once, and no other', () => {
    for (const { name, path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
      const declared = operation.parameters.filter(parameter => parameter.in === 'path')
      assert.deepEqual(declared.map(parameter => parameter.name).sort(), inPath.sort(), name)
      for (const parameter of declared) assert.equal(parameter.required, true, name)
      const all = operation.parameters.map(parameter => `${parameter.in} ${parameter.name}`)
      assert.equal(new Set(all).size, all.length, name)
      for (const parameter of operation.parameters)
        assert.ok(parameter.schema && parameter.description, `${name} ${parameter.name}`)
    }
  })

  it('has a successful response, and a description of every response', () => {
    for (const { name, operation } of operations) {
      const statuses = Object.keys(operation.responses)
      assert.ok(
        statuses.some(status => /^[23]\d\d$/.test(status)),
        name,
      )
      for (const [status, response] of Object.entries(operation.responses))
        assert.ok(response.description, `${name} ${status}`)
    }
  })

  it('lists every error by its code, with an example', () => {
    const known = new Map(document['x-errors'].map(error => [error.code, error]))
    for (const { name, operation } of operations) {
      const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)
      assert.ok(errors.length > 0, name)
      for (const [status, { description, content }] of errors) {
        const problem = content?.['application/problem+json']
        if (!problem) {
          assert.equal(operation.operationId, 'issueToken', `${name} ${status}`)
          continue
        }
        const examples = Object.entries(problem.examples ?? {})
        assert.ok(examples.length > 0)
        for (const [code, { value }] of examples) {
          assert.ok(description.includes(`\`${code}\``), `${name} ${status}`)
          assert.equal(value['code'], code)
          assert.equal(value['status'], Number(status))
          assert.equal(known.get(code)?.status, Number(status), `${name} ${code}`)
        }
      }
    }
  })

  it('that requires a token or a session declares it, and lists the errors 401 and 403', () => {
    // They verify credentials, or the origin of a page, themselves.
    const SIGN_IN = ['issueToken', 'createSession', 'acceptInvitation', 'getPasskeySignInOptions']
    // Their scope depends on what is asked for.
    const BY_REQUEST = ['listChanges', 'exportRecords']
    for (const { name, method, operation } of operations) {
      const secured = operation.security.length > 0
      const isByRequest = BY_REQUEST.includes(operation.operationId)
      const [{ oauth2 = undefined, session = undefined } = {}] = operation.security
      if (!SIGN_IN.includes(operation.operationId)) {
        assert.equal(Object.hasOwn(operation.responses, '401'), secured, `${name} 401`)
        // A read that needs no scope, only a session or any token, has nothing to forbid.
        const forbids = secured && (method !== 'get' || isByRequest || (oauth2?.length ?? 0) > 0)
        assert.equal(Object.hasOwn(operation.responses, '403'), forbids, `${name} 403`)
      }
      if (!secured || session !== undefined || operation.operationId === 'getMe' || isByRequest) continue
      assert.ok((ALL_SCOPES as string[]).includes(oauth2?.[0] as string), name)
    }
  })

  it('with a body has an example', () => {
    for (const { name, operation } of operations) {
      if (!operation.requestBody) continue
      assert.equal(operation.requestBody.required, !OPTIONAL_BODIES.has(operation.operationId), name)
      for (const [type, media] of Object.entries(operation.requestBody.content))
        assert.ok(media.example || type === 'multipart/form-data', name)
    }
  })

  it('has an example of a body that its own schema accepts', () => {
    const ajv = createAjv()
    let count = 0
    for (const { name, operation } of operations)
      for (const { schema, example } of Object.values(operation.requestBody?.content ?? {})) {
        if (example === undefined) continue
        count += 1
        assert.equal(errorsOf(schema, example, ajv), undefined, name)
      }
    assert.ok(count > 20)
  })
})

describe('x-errors', () => {
  it('has every error once, with its remedy', () => {
    const codes = document['x-errors'].map(error => error.code)
    assert.equal(new Set(codes).size, codes.length)
    for (const { code, status, title, remedy } of document['x-errors']) {
      assert.match(code, /^[a-z]+(-[a-z]+)*$/)
      assert.ok(status >= 400 && status < 600, code)
      assert.match(title, /\.$/, code)
      assert.match(remedy, /\.$/, code)
    }
  })

  it('has every code that the service can return', async () => {
    const listed = new Set(document['x-errors'].map(error => error.code))
    const declared = new Set<string>()
    const folder = new URL('../../src/', import.meta.url)
    for await (const file of glob('**/*.ts', { cwd: folder })) {
      const source = await readFile(new URL(file, folder), 'utf8')
      for (const match of source.matchAll(/declareProblem\(\{\s*code: '([\w-]+)'/g))
        declared.add(match[1] as string)
    }
    assert.ok(declared.size > 15)
    assert.deepEqual(
      [...declared].filter(code => !listed.has(code)),
      [],
    )
  })
})

describe('the webhooks of the document', () => {
  it('are one for each type of event, with a schema of its data', () => {
    assert.deepEqual(Object.keys(document.webhooks).sort(), [...EVENT_TYPES, TEST_EVENT].sort())
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'openapi')
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const { schema } = post.requestBody?.content['application/json'] ?? {}
      const { $ref } = (schema ?? {}) as { $ref?: string }
      const validate = ajv.compile({ $ref: `openapi${$ref}` })
      const data =
        type === TEST_EVENT
          ? { webhookId: 'x' }
          : { ...EVENT_FIELDS[type as EventType], employeeNumber: null }
      const event = { type, timestamp: '2026-03-02T10:15:00.000Z', data }
      assert.ok(validate(event), ajv.errorsText(validate.errors))
      assert.ok(!validate({ ...event, data: {} }))
      assert.ok(!validate({ ...event, type: 'case.closed' }))
    }
  })
})

describe('the error responses of the document', () => {
  it('name the codes that can be returned with each status', () => {
    for (const { name, operation } of operations)
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const media = content?.['application/problem+json']
        if (!media) continue
        const [, codes] = (media.schema as { allOf: [object, { properties: { code: { enum: string[] } } }] })
          .allOf
        assert.deepEqual(codes.properties.code.enum, Object.keys(media.examples ?? {}), `${name} ${status}`)
      }
  })
})
