// Serves the reference page and the document it is made from. The page needs nothing from outside.
import { readdirSync, readFileSync } from 'node:fs'
import { Type } from 'typebox'
import type { App, Operation } from './app-types.ts'

const FOLDER = new URL('./docs/', import.meta.url)
const TYPES: Record<string, string> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
}
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

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

export function docsRoutes(app: App, { document }: { document: () => object }): void {
  let text: string | undefined
  app.get('/openapi.json', { schema: getOpenApi, scope: 'public' }, async (_request, reply) => {
    text ??= JSON.stringify(document())
    return reply.header('content-type', 'application/json; charset=utf-8').send(text as never)
  })

  const page = (name: string) => {
    const content = readFileSync(new URL(name, FOLDER))
    const type = `${TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'}; charset=utf-8`
    return { content, type }
  }
  const html = page('docs.html')
  app.get('/docs', { schema: getDocs, scope: 'public' }, async (_request, reply) =>
    reply
      .headers({ 'content-type': html.type, 'content-security-policy': POLICY })
      .send(html.content as never),
  )
  for (const file of readdirSync(FOLDER).filter(name => !name.endsWith('.html'))) {
    const { content, type } = page(file)
    app.get(`/docs/${file}`, { scope: 'public' }, async (_request, reply) =>
      reply
        .headers({ 'content-type': type, 'content-security-policy': POLICY, 'cache-control': 'no-cache' })
        .send(content),
    )
  }
}
