import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The service replaces it by the nonce of each response. */
const NONCE = '{{NONCE}}'

const PDFJS = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')))
const { version } = JSON.parse(readFileSync(join(PDFJS, 'package.json'), 'utf8'))

/** What pdf.js loads where a file needs it: decoders of scanned pages, and the character maps of Asian texts. */
const pdfjsFiles: Plugin = {
  name: 'pdfjs-files',
  apply: 'build',
  generateBundle() {
    for (const folder of ['wasm', 'cmaps'])
      for (const name of readdirSync(join(PDFJS, folder)).filter(name =>
        /nowasm_fallback\.js$|\.bcmap$/.test(name),
      ))
        this.emitFile({
          type: 'asset',
          fileName: `assets/pdfjs-${version}/${name}`,
          source: readFileSync(join(PDFJS, folder, name)),
        })
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative: a proxy may serve the console below another path.
  base: './',
  plugins: [react(), pdfjsFiles],
  resolve: { conditions: ['@caseport/source', 'module', 'browser', 'development|production'] },
  html: { cspNonce: NONCE },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // A URL of data: would be a style or script that the policy forbids.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    // compress.ts reads from it what each screen needs.
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A screen is its own chunk and the kit, rather than forty small chunks: each costs the browser time, also from its cache.
          groups: [
            { name: 'entry', tags: ['$initial'], priority: 2 },
            { name: 'kit', minShareCount: 4, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/admin', '/auth', '/v2', '/sign-in', '/docs', '/openapi.json'].map(path => [
        path,
        { target: 'http://127.0.0.1:8080', changeOrigin: true },
      ]),
    ),
  },
})
