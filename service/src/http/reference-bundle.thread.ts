// Runs as a worker thread. The plugin carries Scalar's browser bundle inside its module; importing it blocks for a third of
// a second and takes 85 MB, most of which is free again when this thread ends.
import { parentPort } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'

const app = Fastify()
await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const { rawPayload } = await app.inject('/docs/js/scalar.js')
parentPort?.postMessage(gzipSync(rawPayload, { level: 9 }))
