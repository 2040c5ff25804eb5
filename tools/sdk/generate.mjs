// Writes sdk/src/api-types.ts from openapi.json: the types of every operation, the union of error codes, and the POSTs
// that accept an Idempotency-Key. With `--check` it writes nothing and fails if the file is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'

const ROOT = join(import.meta.dirname, '..', '..')
const TARGET = join(ROOT, 'sdk', 'src', 'api-types.ts')

const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'))

const acceptsKey = ({ parameters = [] }) =>
  parameters.some(
    ({ $ref, name }) =>
      name === 'Idempotency-Key' ||
      ($ref && document.components.parameters[$ref.split('/').at(-1)].name === 'Idempotency-Key'),
  )
const unkeyedPosts = Object.entries(document.paths)
  .filter(([, { post }]) => post && !acceptsKey(post))
  .map(([path]) => path)
  .sort()
const codes = document['x-errors'].map(({ code }) => code).sort()

const generated = [
  '// Generated from openapi.json by `npm run sdk:types`. Do not edit.',
  '',
  // A field with a default may be left out of a request.
  astToString(await openapiTS(document, { defaultNonNullable: false })).trim(),
  '',
  '/** Every `code` of a problem document. */',
  'export type ProblemCode =',
  ...codes.map(code => `    | ${JSON.stringify(code)}`),
  '',
  '/** The POSTs that ignore an Idempotency-Key. */',
  'export const UNKEYED_POSTS: readonly string[] = [',
  ...unkeyedPosts.map(path => `    ${JSON.stringify(path)},`),
  ']',
  '',
].join('\n')

if (!process.argv.includes('--check')) {
  writeFileSync(TARGET, generated)
} else if (readFileSync(TARGET, 'utf8') !== generated) {
  process.stderr.write('sdk/src/api-types.ts is out of date: run npm run sdk:types and commit it.\n')
  process.exitCode = 1
}
