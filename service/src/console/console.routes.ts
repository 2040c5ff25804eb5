// Serves the web console: one page for all of its screens, and the assets that the page names. Browsers that open the
// address of the service are led there.
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http/app-types.ts'
import { routeNotFound } from '../http/problems.ts'
import { type ConsoleFiles, encodingOf, readConsoleFiles, screenAssets } from './console-files.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'
const NOT_BUILT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Caseport</title></head>
<body><h1>The console is not built yet</h1>
<p>Run <code>npm run console:build</code> in the folder of Caseport, or start it with <code>npm start</code>, and load this page again.</p>
</body>
</html>
`

interface Options {
  /** The folder of the build. */
  folder: string
  /** The address of the service as this browser sees it. */
  publicBase: (request: FastifyRequest) => string
  /** The scopes of the session; undefined without one. */
  findScopes: (request: FastifyRequest) => Promise<Iterable<string> | undefined>
}

/** A script runs only if the page names it, or a script of the page loads it: an uploaded file never does. */
const policyOf = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** For the worker of pdf.js, which loads the decoder of a scanned page. */
const assetPolicyOf = (base: string) => `default-src 'none'; script-src ${base}/console/assets/`

/** Loads an asset with the page, and not when the first script asks for it. */
const linkTo = (asset: string) =>
  asset.endsWith('.css')
    ? `<link rel="stylesheet" crossorigin href="./${asset}" nonce="{{NONCE}}">\n`
    : `<link rel="modulepreload" crossorigin href="./${asset}" nonce="{{NONCE}}">\n`

export function consoleRoutes(app: App, { folder, publicBase, findScopes }: Options): void {
  let files: ConsoleFiles | undefined
  // A build that ends after the start is found by the next request.
  const built = () => {
    files ??= readConsoleFiles(folder)
    return files
  }

  const page = async (req: FastifyRequest) => {
    const found = built()
    if (!found) return undefined
    const nonce = randomBytes(16).toString('base64')
    const base = new URL(publicBase(req)).pathname.replace(/\/+$/, '')
    const scopes = await findScopes(req)
    const values: Record<string, string> = {
      NONCE: nonce,
      BASE: base,
      SIGNED_IN: scopes ? 'yes' : 'no',
      SCOPES: [...(scopes ?? [])].join(' '),
    }
    // A person who has to sign in first gets another screen.
    const links = scopes ? screenAssets(found, (req.params as { '*'?: string })['*'] ?? '').map(linkTo) : []
    const html = found.page
      .replace('</head>', `${links.join('')}</head>`)
      .replaceAll('="./assets/', `="${base}/console/assets/`)
      .replace(/\{\{(\w+)\}\}/g, (whole, name) => values[name] ?? whole)
    return { html, policy: policyOf(nonce) }
  }

  app.get('/', { scope: 'public' }, async (req, reply) => {
    if (!/\btext\/html\b/.test(req.headers.accept ?? '')) throw routeNotFound()
    return reply.code(302).headers({ location: 'console', vary: 'accept' }).send()
  })

  const sendPage = async (req: FastifyRequest, reply: FastifyReply) => {
    const rendered = await page(req)
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    if (!rendered)
      return reply
        .code(503)
        .headers({ ...headers, 'content-security-policy': NOT_BUILT_POLICY })
        .send(NOT_BUILT)
    return reply.headers({ ...headers, 'content-security-policy': rendered.policy }).send(rendered.html)
  }

  app.get('/console', { scope: 'public' }, sendPage)
  app.get('/console/*', { scope: 'public' }, async (req, reply) => {
    const path = (req.params as { '*': string })['*']
    if (!path.startsWith('assets/')) return sendPage(req, reply)
    const asset = built()?.assets.get(path)
    if (!asset) throw routeNotFound()
    const encoding = encodingOf(asset, req.headers['accept-encoding'])
    reply.headers({
      'content-type': asset.type,
      'cache-control': IMMUTABLE,
      'content-security-policy': assetPolicyOf(publicBase(req).replace(/\/+$/, '')),
      vary: 'accept-encoding',
    })
    if (encoding) reply.header('content-encoding', encoding)
    return reply.send(encoding ? asset.compressed[encoding] : asset.plain)
  })
}
