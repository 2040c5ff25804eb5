import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The service replaces it by the nonce of each response. */
const NONCE = '{{NONCE}}'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative: a proxy may serve the console below another path.
  base: './',
  plugins: [react()],
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
