// The shared parts of the OpenAPI document. Operations refer to them, so that a generator makes one type of each.
import { FIELD_KINDS, PORTABLE_PATTERNS } from './fields.ts'

export type Json = { [key: string]: unknown }

const SECTIONS = ['schemas', 'responses', 'parameters', 'headers', 'examples'] as const
type Section = (typeof SECTIONS)[number]

export type Components = ReturnType<typeof createComponents>

export function createComponents() {
  const sections = Object.fromEntries(SECTIONS.map(section => [section, {}])) as Record<Section, Json>

  /** Adds the component where it is new; returns a reference to it. */
  const share = (section: Section, name: string, value: Json): { $ref: string } => {
    const known = sections[section][name]
    if (known && JSON.stringify(known) !== JSON.stringify(value))
      throw new Error(`Two ${section} are called ${name}.`)
    sections[section][name] = value
    return { $ref: `#/components/${section}/${name}` }
  }

  /** Schemas with a title, and the kinds of field of fields.ts, become components. */
  const schema = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(schema)
    if (typeof given !== 'object' || given === null) return given
    const { documentedAs, title, ...rest } = given as Json
    if (documentedAs) return schema(documentedAs)
    const kind = kindOf(given as Json)
    if (kind) {
      const { description, example } = given as Json
      return {
        ...share('schemas', kind.name, plain(kind.schema)),
        ...(description !== undefined && { description }),
        ...(example !== undefined && example !== kind.schema['example'] && { examples: [example] }),
      }
    }
    const described = plain(rest)
    if (title === undefined) return described
    if (typeof title !== 'string' || rest['type'] === undefined) return { title, ...described }
    return share('schemas', title, described)
  }

  /** The keywords that only this service understands become standard ones: `expects` is part of the description. */
  const plain = ({ expects, example, pattern, ...rest }: Json): Json => {
    const described = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [
        key,
        // The names of properties are no keywords.
        key === 'properties' ? mapValues(value as Json, schema) : schema(value),
      ]),
    )
    return {
      ...described,
      ...(typeof pattern === 'string' && (PORTABLE_PATTERNS.get(pattern) ?? { pattern })),
      ...(expects !== undefined && { description: describe(rest['description'], expects) }),
      ...(example !== undefined && { examples: [example] }),
    }
  }

  /** NextCursor, or OtherNextCursor where that is something else: lists by date have cursors of their own. */
  const freeName = (section: Section, name: string, value: Json): string => {
    const text = JSON.stringify(value)
    for (let tried = name; ; tried = `Other${tried}`) {
      const known = sections[section][tried]
      if (!known || JSON.stringify(known) === text) return tried
    }
  }

  /** Replaces what occurs more than once by a reference. `nameOf` may return undefined to keep one inline. */
  const shareRepeated = (
    section: Section,
    lists: Json[],
    nameOf: (value: Json, key: string) => string | undefined,
  ): void => {
    const times = new Map<string, number>()
    const count = (value: unknown) => times.get(JSON.stringify(value)) ?? 0
    for (const value of lists.flatMap(Object.values)) times.set(JSON.stringify(value), count(value) + 1)
    for (const list of lists)
      for (const [key, value] of Object.entries(list) as [string, Json][]) {
        const name = '$ref' in value || count(value) < 2 ? undefined : nameOf(value, key)
        if (name) list[key] = share(section, freeName(section, name, value), value)
      }
  }

  return {
    share,
    shareRepeated,
    schema: (given: object) => schema(given) as Json,
    sections: () =>
      Object.fromEntries(SECTIONS.map(section => [section, sorted(sections[section])])) as Record<
        Section,
        Json
      >,
  }
}

export const describe = (description: unknown, expects: unknown): string | undefined =>
  [description, expects && `Accepts ${expects}.`].filter(Boolean).join(' ') || undefined

/** Everything but the description and the example: fields with the same constraints share a component. */
const constraintsOf = ({ description: _, example: __, ...rest }: Json) => JSON.stringify(sorted(rest))

const KINDS = new Map(
  Object.entries(FIELD_KINDS).map(([name, field]) => {
    const kind = { name, schema: { ...field } as Json }
    return [constraintsOf(kind.schema), kind]
  }),
)

function kindOf(schema: Json) {
  return 'expects' in schema || 'maxLength' in schema || 'readOnly' in schema
    ? KINDS.get(constraintsOf(schema))
    : undefined
}

function mapValues(object: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}

function sorted(object: Json): Json {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => a.localeCompare(b)))
}

/** IdempotencyKey for idempotency-key and Idempotency-Key; EmployeeNumber for employeeNumber. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
