import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import packageJson from '../package.json' with { type: 'json' }
import { EVENT_FIELDS, EVENT_TYPES, type EventType } from '../src/lib/event-types.ts'
import { ALL_SCOPES, SCOPES } from '../src/lib/scopes.ts'
import { createTestApp } from './harness.ts'

const { app, document: describeRoutes } = await createTestApp()
await app.ready()

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  parameters: { name: string; in: string; required: boolean; schema: object }[]
  requestBody?: { required: boolean; content: Record<string, { schema: object; example?: unknown }> }
  responses: Record<string, { description: string; content?: Record<string, Media> }>
  security: Record<string, string[]>[]
}
interface Media {
  schema: object
  examples?: Record<string, { value: Record<string, unknown> }>
}
interface Document {
  webhooks: Record<string, { post: Operation }>
  openapi: string
  info: Record<string, string>
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, object>
    responses: Operation['responses']
    securitySchemes: Record<string, object>
  }
  'x-errors': { code: string; status: number; title: string; remedy: string }[]
}

const document = JSON.parse(JSON.stringify(describeRoutes())) as Document
/** The responses of an operation, those included that many operations share. */
const responsesOf = (operation: Operation): Operation['responses'] =>
  Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => {
      const { $ref } = response as { $ref?: string }
      const shared = $ref && document.components.responses[$ref.replace('#/components/responses/', '')]
      return [status, shared || response]
    }),
  )

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    name: `${method.toUpperCase()} ${path}`,
    operation: { ...operation, responses: responsesOf(operation) },
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

describe('the OpenAPI document', () => {
  it('is one of version 3.1 with what that asks for', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/)
    assert.ok(document.info['title'] && document.info['version'] && document.info['description'])
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

  it('has no reference that leads nowhere', () => {
    let count = 0
    for (const [object, path] of objectsIn(document)) {
      if (!('$ref' in object)) continue
      count += 1
      const [, kind, name] =
        /^#\/components\/(schemas|responses)\/([\w.-]+)$/.exec(String(object['$ref'])) ?? []
      const known = document.components[kind as 'schemas' | 'responses'] ?? {}
      assert.ok(name && Object.hasOwn(known, name), `${path}: ${object['$ref']}`)
    }
    assert.ok(count > 50)
  })

  it('has no component that nothing refers to', () => {
    const text = JSON.stringify(document)
    for (const kind of ['schemas', 'responses'] as const)
      for (const name of Object.keys(document.components[kind]))
        assert.ok(text.includes(`"#/components/${kind}/${name}"`), name)
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

  it('holds every registered route but the files of the reference page', () => {
    const documented = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
    const undocumented = registeredRoutes().filter(route => !documented.includes(route))
    const bundle = `scalar-${packageJson.dependencies['@scalar/fastify-api-reference']}.js`
    assert.deepEqual(
      undocumented.sort(),
      ['docs.css', 'docs.js', bundle].map(file => `get /docs/${file}`),
    )
    assert.deepEqual(
      documented.filter(route => !registeredRoutes().includes(route)),
      [],
    )
  })

  it('is what GET /openapi.json answers', async () => {
    const response = await app.inject('/openapi.json')
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(response.json(), document)
  })

  it('names all scopes and how to get a token', () => {
    const { oauth2, apiKey } = document.components.securitySchemes as Record<string, unknown>
    assert.deepEqual(oauth2, {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: SCOPES } },
    })
    assert.deepEqual(apiKey, { type: 'apiKey', in: 'header', name: 'X-API-Key' })
  })
})

describe('every operation', () => {
  it('has an id of its own', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('has a summary and one tag that the document describes', () => {
    const known = new Set(document.tags.map(tag => tag.name))
    for (const tag of document.tags) assert.ok(tag.description)
    for (const { name, operation } of operations) {
      assert.ok(operation.summary?.length > 3 && operation.summary.length <= 80, name)
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
      for (const parameter of operation.parameters) assert.ok(parameter.schema, name)
    }
  })

  it('has a successful answer, and a description with every answer', () => {
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

  it('tells every error by its code, with an example that is one', () => {
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

  it('that needs a token says so, and which answers follow from that', () => {
    for (const { name, operation } of operations) {
      const secured = operation.security.length > 0
      for (const status of ['401', '403'] as const)
        if (operation.operationId !== 'issueToken')
          assert.equal(Object.hasOwn(operation.responses, status), secured, `${name} ${status}`)
      const [scope] = operation.security[0]?.['oauth2'] ?? []
      if (secured) assert.ok((ALL_SCOPES as string[]).includes(scope as string), name)
    }
  })

  it('with a body has an example', () => {
    for (const { name, operation } of operations) {
      if (!operation.requestBody) continue
      assert.equal(operation.requestBody.required, true, name)
      for (const [type, media] of Object.entries(operation.requestBody.content))
        assert.ok(media.example || type === 'multipart/form-data', name)
    }
  })

  it('has an example of a body that its own schema takes', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    const { components } = document
    let count = 0
    for (const { name, operation } of operations) {
      const media = operation.requestBody?.content['application/json']
      if (!media) continue
      count += 1
      const validate = ajv.compile({ ...media.schema, components })
      assert.ok(validate(media.example), `${name}: ${ajv.errorsText(validate.errors)}`)
    }
    assert.ok(count >= 3)
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

  it('has every code that the service can answer with', async () => {
    const listed = new Set(document['x-errors'].map(error => error.code))
    const declared = new Set<string>()
    const folder = new URL('../src/', import.meta.url)
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
  it('are one for each type of event, with a schema that holds the data it carries', () => {
    assert.deepEqual(Object.keys(document.webhooks).sort(), [...EVENT_TYPES].sort())
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'openapi')
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const { schema } = post.requestBody?.content['application/json'] ?? {}
      const { $ref } = (schema ?? {}) as { $ref?: string }
      const validate = ajv.compile({ $ref: `openapi${$ref}` })
      const data = { ...EVENT_FIELDS[type as EventType], employeeNumber: null }
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
