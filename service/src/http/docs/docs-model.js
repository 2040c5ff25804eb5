/** Reads the OpenAPI document into what the page shows. Nothing in here touches the page itself. */

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/**
 * @param {any} doc an OpenAPI 3.1 document
 */
export function createModel(doc) {
  const resolve = createResolver(doc)
  const schemes = Object.fromEntries(
    Object.entries(doc.components?.securitySchemes ?? {}).map(([name, scheme]) => [name, resolve(scheme)]),
  )
  const operations = []
  for (const [path, item] of Object.entries(doc.paths ?? {})) {
    for (const method of METHODS) {
      if (item[method]) operations.push(readOperation({ doc, resolve, schemes, path, method, item }))
    }
  }
  const flow = Object.values(schemes).find(scheme => scheme.type === 'oauth2')?.flows?.clientCredentials
  return {
    info: doc.info ?? {},
    resolve,
    operations,
    tags: groupByTag(doc.tags ?? [], operations),
    errors: (doc['x-errors'] ?? []).map(error => ({
      ...error,
      operations: operations.filter(op => op.errors.some(known => known.code === error.code)),
    })),
    scopes: Object.entries(flow?.scopes ?? {}).map(([name, description]) => ({ name, description })),
    tokenUrl: pathOf(flow?.tokenUrl ?? '/oauth/token'),
    keyHeaders: Object.values(schemes).flatMap(scheme => (scheme.type === 'apiKey' ? [scheme.name] : [])),
    basePath: pathOf(doc.servers?.[0]?.url ?? '/').replace(/\/$/, ''),
  }
}

/** Calls go to the host that served this page, whatever host an address in the document names. */
function pathOf(address) {
  try {
    return new URL(address, 'http://localhost').pathname
  } catch {
    return '/'
  }
}

function groupByTag(declared, operations) {
  const tags = new Map(declared.map(tag => [tag.name, { ...tag, operations: [] }]))
  for (const op of operations) {
    if (!tags.has(op.tag)) tags.set(op.tag, { name: op.tag, operations: [] })
    tags.get(op.tag).operations.push(op)
  }
  return [...tags.values()]
    .filter(tag => tag.operations.length > 0)
    .map(tag => ({ ...tag, id: `tag-${tag.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}` }))
}

function readOperation({ doc, resolve, schemes, path, method, item }) {
  const raw = item[method]
  const parameters = new Map()
  for (const parameter of [...(item.parameters ?? []), ...(raw.parameters ?? [])].map(resolve)) {
    // The Authorize panel answers for this header.
    if (parameter.in === 'header' && parameter.name.toLowerCase() === 'authorization') continue
    const schema = parameter.schema ?? {}
    const repeated =
      parameter.in === 'query' && hasType(resolve(schema), 'array') && parameter.explode !== false
    parameters.set(`${parameter.in}:${parameter.name}`, { ...parameter, schema, repeated })
  }
  const responses = Object.entries(raw.responses ?? {}).map(([status, response]) => ({
    status,
    ...resolve(response),
  }))
  const body = raw.requestBody && resolve(raw.requestBody)
  return {
    id: raw.operationId ?? `${method}${path.replace(/[^a-zA-Z0-9]+/g, '-')}`,
    method,
    path,
    tag: raw.tags?.[0] ?? 'Other',
    summary: raw.summary ?? `${method.toUpperCase()} ${path}`,
    description: raw.description,
    deprecated: raw.deprecated === true,
    parameters: [...parameters.values()],
    body: body && {
      description: body.description,
      required: body.required === true,
      types: Object.entries(body.content ?? {}).map(([type, media]) => ({
        type,
        media,
        kind: bodyKind(type),
      })),
    },
    responses,
    access: readSecurity(raw.security ?? doc.security ?? [], schemes),
    errors: responses.flatMap(response => readErrors(response, resolve)),
  }
}

/** @returns {'json' | 'form' | 'multipart' | 'text' | 'file'} how a body of that type is typed in */
function bodyKind(type) {
  if (type.includes('json')) return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (type.startsWith('multipart/')) return 'multipart'
  return type.startsWith('text/') ? 'text' : 'file'
}

/** The alternatives of a `security` list; none at all, or an empty one, means anybody may call. */
function readSecurity(security, schemes) {
  return security
    .map(entry => {
      const access = { oauth: false, scopes: [], keys: [] }
      for (const [name, scopes] of Object.entries(entry)) {
        const scheme = schemes[name]
        if (scheme?.type === 'apiKey') access.keys.push(scheme.name)
        else access.oauth = true
        access.scopes.push(...scopes)
      }
      return access
    })
    .filter(access => access.oauth || access.keys.length > 0)
}

function readErrors(response, resolve) {
  const problem = Object.entries(response.content ?? {}).find(([type]) => type.includes('problem'))?.[1]
  if (!problem) return []
  const examples = Object.entries(problem.examples ?? {}).map(([code, example]) => ({
    status: response.status,
    code,
    summary: resolve(example).summary ?? resolve(example).value?.title ?? '',
  }))
  if (examples.length > 0 || !problem.example?.code) return examples
  return [{ status: response.status, code: problem.example.code, summary: problem.example.title ?? '' }]
}

/** A function that follows `$ref` within the document; keywords beside a `$ref` win over the referenced ones. */
function createResolver(doc) {
  return node => {
    let current = node
    for (let hops = 0; hops < 16 && typeof current?.$ref === 'string'; hops++) {
      const { $ref, ...beside } = current
      const steps = $ref.startsWith('#/') ? $ref.slice(2).split('/') : ['']
      const target = steps.reduce(
        (at, step) => at?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
        doc,
      )
      current = { ...target, ...beside }
    }
    return current ?? {}
  }
}

/**
 * The examples of a media type: its own, else its schema's, else one made up from the schema.
 * @returns {{ name: string, summary: string, value: unknown }[]}
 */
export function examplesOf(media, resolve) {
  const named = Object.entries(media?.examples ?? {}).map(([name, example]) => {
    const { summary, value } = resolve(example)
    return { name, summary: summary ?? name, value }
  })
  if (named.length > 0) return named
  if (media?.example !== undefined) return [{ name: 'example', summary: 'Example', value: media.example }]
  const value = media?.schema ? sample(media.schema, resolve) : undefined
  return value === undefined ? [] : [{ name: 'example', summary: 'Example', value }]
}

const FORMATS = {
  date: '2026-03-31',
  'date-time': '2026-03-31T09:30:00Z',
  email: 'name@example.com',
  uri: 'https://example.com',
  uuid: '3f0c9a52-7d0e-4b5e-9c1a-2f6f6f0b8a11',
}

/** A value of the kind a schema describes, for documents that give no example. */
export function sample(node, resolve, depth = 0) {
  const schema = resolve(node)
  for (const value of [
    schema.examples?.[0],
    schema.example,
    schema.default,
    schema.const,
    schema.enum?.[0],
  ]) {
    if (value !== undefined) return value
  }
  const choice = (schema.anyOf ?? schema.oneOf)?.find(option => option.type !== 'null')
  if (choice) return sample(choice, resolve, depth)
  const type =
    [schema.type].flat().find(name => name !== 'null') ??
    (schema.properties || schema.allOf ? 'object' : undefined)
  if (type === 'object') return depth > 4 ? {} : sampleObject(schema, resolve, depth)
  if (type === 'array') return depth > 4 ? [] : [sample(schema.items ?? {}, resolve, depth + 1)]
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'boolean') return true
  if (type === 'string') return FORMATS[schema.format] ?? 'text'
  return null
}

function sampleObject(schema, resolve, depth) {
  const members = membersOf(schema, resolve).filter(member => !resolve(member.schema).readOnly)
  return Object.fromEntries(members.map(({ name, schema: of }) => [name, sample(of, resolve, depth + 1)]))
}

/** The members of an object schema, `allOf` included. */
export function membersOf(schema, resolve) {
  const members = new Map()
  for (const part of [...(schema.allOf ?? []).map(resolve), schema]) {
    if (part !== schema && part.allOf)
      for (const member of membersOf(part, resolve)) members.set(member.name, member)
    for (const [name, of] of Object.entries(part.properties ?? {})) members.set(name, { name, schema: of })
  }
  const required = new Set(
    [schema, ...(schema.allOf ?? []).map(resolve)].flatMap(part => part.required ?? []),
  )
  return [...members.values()].map(member => ({
    ...member,
    required: member.required || required.has(member.name),
  }))
}

const isNull = option => option.type === 'null' || option.const === null

/** The alternatives of a schema, `null` aside. */
export const choicesOf = schema => (schema.oneOf ?? schema.anyOf ?? []).filter(option => !isNull(option))

/**
 * A schema with its reference followed, the name it is known by, and whether it may be null. What is one
 * schema or null counts as that schema.
 */
export function readSchema(node, resolve) {
  const schema = resolve(node === true ? {} : node)
  const name = node?.$ref?.split('/').pop()
  const options = schema.oneOf ?? schema.anyOf ?? []
  const nullable = hasType(schema, 'null') || options.some(isNull)
  const choices = choicesOf(schema)
  if (choices.length !== 1) return { schema, name, nullable }
  const { oneOf, anyOf, ...beside } = schema
  const only = readSchema(choices[0], resolve)
  return {
    schema: { ...only.schema, ...beside },
    name: only.name ?? name,
    nullable: nullable || only.nullable,
  }
}

export const hasType = (schema, type) => [schema.type].flat().includes(type)

/** Whether a schema stands for the bytes of a file. */
export const isBinary = schema =>
  schema.format === 'binary' ||
  (hasType(schema, 'string') && 'contentMediaType' in schema && !schema.contentEncoding)
