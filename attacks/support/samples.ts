// Generates values that are valid for a schema of openapi.json.
import type { Random } from './random.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document without static types.
export type Json = any

export interface Sampling {
  document: Json
  random: Random
  /** Text for a field without a pattern. */
  text?: (name: string, schema: Json) => string
  /** Overrides the text for a field with this pattern. */
  fit?: (pattern: string) => string | undefined
  /** Probability that an optional field is present. */
  optionalFields?: number
}

/** Recognises the patterns of our schemas, and generates text that matches them. */
const PATTERN_SAMPLES: [RegExp, (random: Random) => string][] = [
  [/@/, random => `p${random.below(1e6)}@example.com`],
  [/\[A-Za-z\]\{2,3\}/, random => random.pick(['DE', 'US', 'FRA'])],
  [/^\^\[A-Za-z\]\?\$$/, random => random.pick(['M', 'F', 'A'])],
  [/\{4,128\}/, random => `Zm9v${random.below(1e9)}`],
  [/\\S\(\.\*\\S\)/, random => `E-${random.below(1e9)}`],
  [/!-9;-~/, random => `client-${random.below(1e9)}`],
]

const FORMATS: Record<string, string> = {
  day: '2026-03-01',
  'wall-clock': '1990-05-31T00:00:00',
  reminder: '30',
  binary: '%PDF-1.7 a file',
}

export function resolve(document: Json, schema: Json): Json {
  const reference = schema?.$ref as string | undefined
  if (!reference) return schema
  return resolve(
    document,
    reference
      .slice(2)
      .split('/')
      .reduce((node, name) => node[name], document),
  )
}

export function sample(sampling: Sampling, given: Json, name = ''): Json {
  const { document, random, optionalFields = 0.5 } = sampling
  const schema = resolve(document, given)
  if (schema.enum) return random.pick(schema.enum)
  if (schema.const !== undefined) return schema.const
  const [alternative] = schema.anyOf ?? schema.oneOf ?? []
  if (alternative) return sample(sampling, alternative, name)
  const types = [schema.type ?? 'object'].flat()
  if (types.includes('object')) {
    const required: string[] = schema.required ?? []
    const fields = Object.entries(schema.properties ?? {}).filter(
      ([field, member]: [string, Json]) =>
        required.includes(field) || (!resolve(document, member).readOnly && random.chance(optionalFields)),
    )
    return Object.fromEntries(fields.map(([field, member]) => [field, sample(sampling, member, field)]))
  }
  if (types.includes('array')) {
    const length = Math.max(
      schema.minItems ?? 0,
      Math.min(schema.maxItems ?? 2, optionalFields === 1 ? 1 : random.below(3)),
    )
    const items = Array.from({ length }, () => sample(sampling, schema.items ?? {}, name))
    return schema.uniqueItems ? [...new Set(items)] : items
  }
  if (types.includes('string')) return text(sampling, schema, name)
  if (types.includes('boolean')) return random.chance(0.5)
  if (types.includes('integer') || types.includes('number'))
    return (
      (schema.minimum ?? 0) + random.below(Math.min(10, (schema.maximum ?? 10) - (schema.minimum ?? 0) + 1))
    )
  return null
}

function text(sampling: Sampling, schema: Json, name: string): string {
  if (schema.format) return FORMATS[schema.format] ?? ''
  if (schema.maxLength === 0) return ''
  const special = schema.pattern && sampling.fit?.(schema.pattern)
  if (special) return special
  const known = schema.pattern && PATTERN_SAMPLES.find(([pattern]) => pattern.test(schema.pattern))
  if (known) return known[1](sampling.random)
  if (/^url$/i.test(name)) return `https://hooks.invalid/${sampling.random.below(1e9)}`
  return (sampling.text?.(name, schema) ?? `text ${sampling.random.below(1e6)}`).slice(0, schema.maxLength)
}
