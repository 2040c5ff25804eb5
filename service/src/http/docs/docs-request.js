import { examplesOf, hasType, isBinary, membersOf, readSchema } from './docs-model.js'

/**
 * What a person has typed for one operation, and what becomes of it: a request to send, and a curl line that
 * never holds a secret.
 */

const SECRET = /secret|password|(^|_)token$|assertion/i

export const paramKey = parameter => `${parameter.in}:${parameter.name}`

/** The body type chosen at the moment. */
export const chosenBody = (op, state) => op.body?.types.find(({ type }) => type === state.type)

/** Whether what is typed into a form field must not be shown. */
export const isSecret = (name, schema) => schema.format === 'password' || SECRET.test(name)

/** A form before anybody typed: path parameters and required ones carry their examples. */
export function initialState(op, resolve) {
  const state = { params: new Map(), type: undefined, text: '', fields: new Map(), file: undefined }
  for (const parameter of op.parameters) {
    const example = exampleOf(parameter, resolve)
    const typed = parameter.in === 'path' || parameter.required ? example : undefined
    state.params.set(paramKey(parameter), typed === undefined ? '' : [typed].flat().join(','))
  }
  if (op.body?.types.length) chooseBody(op, state, op.body.types[0].type, resolve)
  return state
}

export function exampleOf(parameter, resolve) {
  const { schema } = readSchema(parameter.schema, resolve)
  const named = Object.values(parameter.examples ?? {})[0]
  return (
    parameter.example ??
    (named && resolve(named).value) ??
    schema.examples?.[0] ??
    schema.default ??
    schema.enum?.[0]
  )
}

/** Switches to another type of body, or to another of its examples. */
export function chooseBody(op, state, type, resolve, exampleName) {
  state.type = type
  const { media, kind } = chosenBody(op, state)
  const examples = examplesOf(media, resolve)
  const example = (examples.find(({ name }) => name === exampleName) ?? examples[0])?.value
  if (kind === 'json') state.text = JSON.stringify(example ?? {}, null, 2)
  if (kind === 'text') state.text = typeof example === 'string' ? example : ''
  if (kind !== 'form' && kind !== 'multipart') return
  state.fields = new Map()
  for (const { name, schema } of bodyFields(media, resolve)) {
    const given = example?.[name]
    if (given === undefined || given === null || isBinary(schema) || isSecret(name, schema)) continue
    state.fields.set(name, typeof given === 'object' ? JSON.stringify(given) : String(given))
  }
}

/** The fields of a form body, each with its resolved schema. */
export function bodyFields(media, resolve) {
  return membersOf(resolve(media.schema ?? {}), resolve).map(member => {
    const { schema } = readSchema(member.schema, resolve)
    const items = hasType(schema, 'array') && schema.items ? resolve(schema.items) : undefined
    const file = isBinary(items ?? schema)
    return {
      ...member,
      schema,
      file,
      many: file && items !== undefined,
      type: media.encoding?.[member.name]?.contentType,
    }
  })
}

/** The address of the call, without the origin; a path parameter left empty stays in braces. */
export function addressOf(op, state, basePath) {
  const value = parameter => state.params.get(paramKey(parameter)) ?? ''
  let path = op.path
  const query = []
  for (const parameter of op.parameters) {
    const typed = value(parameter)
    if (typed === '') continue
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(typed))
    if (parameter.in !== 'query') continue
    for (const item of parameter.repeated ? typed.split(',').map(part => part.trim()) : [typed]) {
      query.push(`${encodeURIComponent(parameter.name)}=${encodeURIComponent(item).replaceAll('%2C', ',')}`)
    }
  }
  return `${basePath}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

export const emptyPathParameters = (op, state) =>
  op.parameters.filter(parameter => parameter.in === 'path' && !state.params.get(paramKey(parameter)))

const headerParameters = (op, state) =>
  op.parameters.flatMap(parameter => {
    const typed = parameter.in === 'header' ? state.params.get(paramKey(parameter)) : ''
    return typed ? [[parameter.name, typed]] : []
  })

/** The way of access to use: the one the caller can satisfy, else the first. */
export function accessFor(op, credentials) {
  const satisfied = ({ oauth, keys }) =>
    (!oauth || credentials?.token) && (keys.length === 0 || credentials?.apiKey)
  return op.access.find(satisfied) ?? op.access[0] ?? { oauth: false, scopes: [], keys: [] }
}

/** Everything `fetch` needs for the call. */
export function requestOf(op, state, { basePath, resolve, credentials }) {
  const headers = new Headers(headerParameters(op, state))
  const access = accessFor(op, credentials)
  if (access.oauth && credentials.token) headers.set('Authorization', `Bearer ${credentials.token}`)
  for (const key of access.keys) if (credentials.apiKey) headers.set(key, credentials.apiKey)
  const chosen = chosenBody(op, state)
  const body = chosen && bodyOf(chosen, state, resolve)
  // A multipart body names its own type, with the boundary the browser picks.
  if (body !== undefined && chosen.kind !== 'multipart') headers.set('Content-Type', chosen.type)
  return { method: op.method.toUpperCase(), address: addressOf(op, state, basePath), headers, body }
}

function bodyOf({ kind, media }, state, resolve) {
  if (kind === 'json' || kind === 'text') return state.text === '' ? undefined : state.text
  if (kind === 'file') return state.file
  const body = kind === 'form' ? new URLSearchParams() : new FormData()
  for (const { name, type } of bodyFields(media, resolve)) {
    for (const part of [state.fields.get(name) ?? []].flat()) {
      if (part === '') continue
      if (part instanceof File) body.append(name, part, part.name)
      else body.append(name, type && kind === 'multipart' ? new Blob([part], { type }) : part)
    }
  }
  return body
}

const quote = text => `'${text.replaceAll("'", `'\\''`)}'`
const variable = name => name.replace(/[^a-zA-Z0-9]+/g, '_').toUpperCase()

/**
 * The call as a curl command for a POSIX shell. Credentials are shell variables, never their values.
 * @returns {string}
 */
export function curlOf(op, state, { origin, basePath, resolve }) {
  const method = op.method === 'get' ? '' : `-X ${op.method.toUpperCase()} `
  const lines = [`curl ${method}${quote(`${origin}${addressOf(op, state, basePath)}`)}`]
  const access = accessFor(op)
  if (access.oauth) lines.push('-H "Authorization: Bearer $TOKEN"')
  for (const key of access.keys) lines.push(`-H "${key}: $API_KEY"`)
  for (const [name, typed] of headerParameters(op, state)) lines.push(`-H ${quote(`${name}: ${typed}`)}`)
  lines.push(...curlBody(op, state, resolve))
  if (answersWithFile(op)) lines.push('--remote-name --remote-header-name')
  return lines.join(' \\\n  ')
}

function curlBody(op, state, resolve) {
  const chosen = chosenBody(op, state)
  if (!chosen) return []
  const { kind, type, media } = chosen
  const typeLine = `-H ${quote(`Content-Type: ${type}`)}`
  if (kind === 'json' || kind === 'text')
    return state.text === '' ? [] : [typeLine, `--data-raw ${quote(state.text)}`]
  if (kind === 'file') return [typeLine, `--data-binary ${quote(`@${state.file?.name ?? 'file'}`)}`]
  return bodyFields(media, resolve).flatMap(field => curlField(field, kind, state.fields.get(field.name)))
}

function curlField({ name, schema, file, type, required }, kind, typed) {
  if (file) {
    const names = [typed ?? []].flat().map(part => part.name)
    if (names.length === 0 && required) names.push(`${name}.pdf`)
    return names.map(
      fileName => `-F ${quote(`${name}=@${/[;,"]/.test(fileName) ? JSON.stringify(fileName) : fileName}`)}`,
    )
  }
  const flag = kind === 'form' ? '--data-urlencode' : '--form-string'
  if (isSecret(name, schema)) return typed || required ? [`${flag} "${name}=$${variable(name)}"`] : []
  if (!typed) return []
  if (type && kind === 'multipart') return [`-F ${quote(`${name}=${JSON.stringify(typed)};type=${type}`)}`]
  return [`${flag} ${quote(`${name}=${typed}`)}`]
}

const answersWithFile = op => {
  const success = op.responses.find(({ status }) => status.startsWith('2'))
  const types = Object.keys(success?.content ?? {})
  return types.length > 0 && types.every(type => !type.includes('json') && !type.startsWith('text/'))
}
