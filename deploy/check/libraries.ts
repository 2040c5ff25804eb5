// The packages of tools/deploy-lint, which the root package does not have.
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(join(import.meta.dirname, '..', '..', 'tools', 'deploy-lint', 'package.json'))

interface Yaml {
  parse(text: string, options?: { merge?: boolean }): unknown
  parseAllDocuments(text: string): { errors: Error[]; toJS(): unknown }[]
  stringify(value: unknown): string
}

interface Problem {
  message: string
  severity?: number
  range: { start: { line: number } }
}

export const yaml: Yaml = require('yaml')
export const { validate: lintDockerfile }: { validate(text: string): Problem[] } = require('dockerfile-utils')
