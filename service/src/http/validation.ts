// Validates bodies, queries and path parameters with Ajv, and words the errors. A schema may have `expects`, a phrase such
// as "a date, for example 1990-05-31", where a pattern or format does not explain itself.
import { setTimeout as pause } from 'node:timers/promises'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import buildSerializer from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import { parseWallClock } from '../lib/dates.ts'
import { nearest } from '../lib/nearest.ts'
import type { FieldError } from '../lib/problem.ts'
import { isSchedule } from '../lib/schedule.ts'
import type { App } from './app-types.ts'
import { VISIBLE_PATTERN } from './fields.ts'

const MAX_ERRORS = 100
/** Between two schemas that no request waits for, so that requests in between are hardly slower. */
const PAUSE_MS = 20

// Shared by all applications of a process, such as those of a test, because compiling is slow.
const strict = createAjv(false)
// Queries and paths are text, so numbers in them are coerced.
const coercing = createAjv(true)

export function installValidation(app: App): void {
  app.addHook('onRoute', route => {
    // A misspelled query parameter is an error, also where the operation has none.
    const query = (route.schema?.querystring ?? { type: 'object' }) as object
    if (route.scope !== 'public')
      route.schema = { ...route.schema, querystring: { ...query, additionalProperties: false } }
  })
  const { compileLazily, compileAll } = createBacklog()
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const validate = compileLazily(() =>
      httpPart === 'body' ? strict.compile(schema as object) : compileText(schema as { properties?: object }),
    )
    return validate as unknown as ReturnType<FastifySchemaCompiler<unknown>>
  })
  app.setSerializerCompiler(({ schema }) => {
    const serialize = compileLazily(() => buildSerializer(schema as object))
    return data => serialize(data as never) as string
  })
  app.addHook('onListen', compileAll)
}

type Compiled = ((data: never) => unknown) & { errors?: ErrorObject[] | null | undefined }

/**
 * Compiles a schema when the first request needs it, and the others one by one between requests once the service
 * listens. Compiling all of them first would double the time of a start.
 */
function createBacklog() {
  const backlog: (() => void)[] = []
  return {
    compileLazily(compile: () => Compiled): Compiled {
      let compiled: Compiled | undefined
      const get = () => {
        compiled ??= compile()
        return compiled
      }
      const lazy: Compiled = data => {
        const checked = get()
        const result = checked(data)
        lazy.errors = checked.errors
        return result
      }
      backlog.push(get)
      return lazy
    },
    async compileAll() {
      for (const compile of backlog.splice(0)) {
        await pause(PAUSE_MS)
        compile()
      }
    },
  }
}

/** Validates a path or a query. */
function compileText(schema: { properties?: object }): Compiled {
  const validate = coercing.compile(schema)
  if (!schema.properties) return unlessEmpty(validate)
  const integers = Object.entries(schema.properties).flatMap(([name, { type }]) =>
    type === 'integer' ? name : [],
  )
  return integers.length > 0 ? requireDigits(validate, integers) : validate
}

/** Skips an empty query, which most requests have. */
function unlessEmpty(validate: ValidateFunction): Compiled {
  const check: Compiled = (data: object) => {
    for (const _ in data) {
      const valid = validate(data)
      check.errors = validate.errors
      return valid
    }
    return true
  }
  return check
}

/** Ajv coerces all that JavaScript takes for a number: 0x10, 1e2, a space as 0, and 1e999 as Infinity. */
function requireDigits(validate: ValidateFunction, integers: string[]): Compiled {
  const check: Compiled = (data: Record<string, unknown>) => {
    const malformed = integers.filter(
      name => data[name] !== undefined && !/^-?\d{1,15}$/.test(String(data[name])),
    )
    const valid = validate(data)
    const errors = malformed.map(name => ({
      keyword: 'type',
      instancePath: `/${name}`,
      params: { type: 'integer' },
    }))
    check.errors = [...errors, ...(validate.errors ?? [])] as ErrorObject[]
    return valid && malformed.length === 0
  }
  return check
}

/** A day, or a time in UTC. */
const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    coerceTypes,
    useDefaults: true,
    allErrors: true,
    verbose: true,
    strict: 'log',
    logger: false,
  })
  ajv.addKeyword('expects')
  // Empty text is an empty field. A field that must not be empty has minLength.
  ajv.addFormat('wall-clock', text => text === '' || parseWallClock(text) !== undefined)
  ajv.addFormat('day', text => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseWallClock(text) !== undefined)
  ajv.addFormat('instant', text => INSTANT.test(text) && parseWallClock(text) !== undefined)
  ajv.addFormat('reminder', text => text === '' || isSchedule(text))
  ajv.addKeyword('example')
  ajv.addKeyword('documentedAs')
  return ajv
}

/** All errors at once, in plain words, with a pointer each. */
export function validationErrorsOf(validation: FastifySchemaValidationError[]): FieldError[] {
  const errors = new Map<string, string>()
  for (const error of validation as unknown as ErrorObject[]) {
    const { pointer, detail } = fieldErrorOf(error)
    if (!errors.has(pointer) && errors.size < MAX_ERRORS) errors.set(pointer, detail)
  }
  return [...errors].map(([pointer, detail]) => ({ pointer, detail }))
}

function fieldErrorOf(error: ErrorObject): FieldError {
  const { keyword, instancePath, params } = error
  const parent = (error.parentSchema ?? {}) as { expects?: string; properties?: object }
  if (keyword === 'required')
    return { pointer: join(instancePath, params['missingProperty']), detail: 'Required, but missing.' }
  if (keyword === 'additionalProperties') {
    const name = String(params['additionalProperty'])
    const meant = nearest(name, Object.keys(parent.properties ?? {}))
    const hint = meant ? `Did you mean ${meant}?` : 'Leave it out.'
    return { pointer: join(instancePath, name), detail: `There is no ${name} here. ${hint}` }
  }
  return {
    pointer: instancePath || '',
    detail: parent.expects ? `Expected ${parent.expects}.` : explain(error),
  }
}

function join(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function explain({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `Expected ${[params['type']].flat().join(' or ')}.`
    case 'enum':
      return `Expected one of ${params['allowedValues'].join(', ')}.`
    case 'const':
      return `Expected ${JSON.stringify(params['allowedValue'])}.`
    case 'minLength':
      return params['limit'] === 1
        ? 'Must not be empty.'
        : `Must have at least ${params['limit']} characters.`
    case 'maxLength':
      return `Must have at most ${params['limit']} characters.`
    case 'minItems':
      return `Must have at least ${params['limit']} items.`
    case 'maxItems':
      return `Must have at most ${params['limit']} items.`
    case 'minimum':
      return `Must be ${params['limit']} or more.`
    case 'maximum':
      return `Must be ${params['limit']} or less.`
    case 'pattern':
      return params['pattern'] === VISIBLE_PATTERN
        ? 'Must have at least one visible character.'
        : `This ${message}.`
    case 'uniqueItems':
      return 'Must not hold the same item twice.'
    default:
      return message ? `This ${message}.` : 'Not valid.'
  }
}
