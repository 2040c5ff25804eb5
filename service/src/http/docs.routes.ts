// Serves the OpenAPI document and the reference page, which is Scalar. The page needs nothing from any other origin.
import { readFileSync } from 'node:fs'
import packageJson from '../../package.json' with { type: 'json' }
import { Type } from '../lib/json-schema.ts'
import type { App, Operation } from './app-types.ts'
import { loadReferenceBundle, type ReferenceBundle } from './reference-bundle.ts'

// Scalar writes style attributes, which no nonce can allow. Scripts are files of our own origin (decision 17).
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/** The version is part of the path, so that a browser may keep the file for good. */
const BUNDLE_PATH = `/docs/scalar-${packageJson.dependencies['@scalar/fastify-api-reference']}.js`
const ACCEPTS_GZIP = /(?:\bgzip|\*)\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))/i
const ASSETS = { 'docs.css': 'text/css', 'docs.js': 'text/javascript' }

const getOpenApi = {
  operationId: 'getOpenApi',
  tags: ['Service'],
  summary: 'Get this document',
  description:
    'Returns the OpenAPI 3.1 document of this version of the service. It needs no token. Generate a client from it, or open it in an API tool.',
  response: { 200: Type.Object({}, { additionalProperties: true }) },
} satisfies Operation

const getDocs = {
  operationId: 'getDocs',
  tags: ['Service'],
  summary: 'Open the API reference',
  description:
    'Returns the API reference as a web page, where operations can be tried. It needs no token to read, and loads nothing from other origins.',
  produces: 'text/html',
  response: { 200: Type.String() },
} satisfies Operation

const read = (name: string) => readFileSync(new URL(`./docs/${name}`, import.meta.url), 'utf8')

export function docsRoutes(app: App, { document }: { document: () => object }): void {
  let text: string | undefined
  app.get('/openapi.json', { schema: getOpenApi, scope: 'public' }, async (_request, reply) => {
    text ??= JSON.stringify(document())
    return reply.header('content-type', 'application/json; charset=utf-8').send(text as never)
  })

  const page = read('docs.html').replace('{bundle}', BUNDLE_PATH)
  app.get('/docs', { schema: getDocs, scope: 'public' }, async (_request, reply) =>
    reply
      .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
      .send(page as never),
  )

  for (const [name, type] of Object.entries(ASSETS)) {
    const content = read(name)
    app.get(`/docs/${name}`, { scope: 'public' }, async (_request, reply) =>
      reply.headers({ 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' }).send(content),
    )
  }

  // Made once, and shared by all responses.
  let bundle: Promise<ReferenceBundle> | undefined
  app.get(BUNDLE_PATH, { scope: 'public' }, async (request, reply) => {
    bundle ??= loadReferenceBundle()
    const { compressed, plain } = await bundle.catch(error => {
      bundle = undefined
      throw error
    })
    reply.headers({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
    if (!ACCEPTS_GZIP.test(request.headers['accept-encoding'] ?? '')) return reply.send(await plain())
    return reply.header('content-encoding', 'gzip').send(compressed)
  })
}
