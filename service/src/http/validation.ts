// Validates bodies, queries and path parameters with Ajv, and words the errors. A schema may have `expects`, a phrase such
// as "a date, for example 1990-05-31", where a pattern or format does not explain itself.
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import buildSerializer from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import { parseWallClock } from '../lib/dates.ts'
import { excerpt } from '../lib/excerpt.ts'
import { nearest } from '../lib/nearest.ts'
import { type FieldError, MAX_ERRORS } from '../lib/problem.ts'
import { isSchedule } from '../lib/schedule.ts'
import type { App } from './app-types.ts'
import { VISIBLE_EXPECTED, VISIBLE_PATTERN } from './fields.ts'

/** Errors that Ajv collects: several may be about one field, and only the first is reported. */
const MAX_COLLECTED = 4 * MAX_ERRORS
/** Longer text is not parsed as a reminder schedule. The fields have the same maximum. */
const MAX_SCHEDULE = 100

// Shared by all applications of a process, such as those of a test, because compiling is slow.
// Decides whether a body is valid, and stops at its first error.
const strict = createAjv({ allErrors: false })
// Finds the errors of a body that is not valid.
const reporting = createAjv({ allErrors: true, verbose: true, code: { process: stopCollecting } })
// Queries and paths are text, so numbers in them are coerced. They are short, so that their errors are few.
const coercing = createAjv({ allErrors: true, verbose: true, coerceTypes: true })

export function installValidation(app: App): void {
  app.addHook('onRoute', route => {
    // A misspelled query parameter is an error, also where the operation has none.
    const query = (route.schema?.querystring ?? { type: 'object' }) as object
    if (route.scope !== 'public')
      route.schema = { ...route.schema, querystring: { ...query, additionalProperties: false } }
  })
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const validate =
      httpPart === 'body'
        ? withAllErrors(
            compileLazily(() => strict.compile(schema as object)),
            compileLazily(() => reporting.compile(schema as object)),
          )
        : compileLazily(() => compileText(schema as { properties?: object }))
    return validate as unknown as ReturnType<FastifySchemaCompiler<unknown>>
  })
  app.setSerializerCompiler(({ schema }) => {
    const serialize = compileLazily(() => buildSerializer(schema as object))
    return data => serialize(data as never) as string
  })
}

/** Checks values that are no bodies themselves, such as the rows of a file, as the body of a request is checked. */
export function createBodyCheck(schema: object): (value: unknown) => FieldError[] {
  let validate: Compiled | undefined
  return value => {
    validate ??= withAllErrors(strict.compile(schema), reporting.compile(schema))
    return validate(value as never) ? [] : validationErrorsOf((validate.errors ?? []) as never)
  }
}

type Compiled = ((data: never) => unknown) & { errors?: ErrorObject[] | null | undefined }

/** Compiles a schema when the first request needs it. All of them take seconds, and more memory than the service itself. */
function compileLazily(compile: () => Compiled): Compiled {
  let compiled: Compiled | undefined
  const lazy: Compiled = data => {
    compiled ??= compile()
    const result = compiled(data)
    lazy.errors = compiled.errors
    return result
  }
  return lazy
}

/** The first validator decides, and the second one collects the errors of what that rejected. */
function withAllErrors(validate: Compiled, report: Compiled): Compiled {
  const check: Compiled = data => {
    check.errors = null
    if (validate(data)) return true
    check.errors = report(data) ? validate.errors : report.errors
    return false
  }
  return check
}

/**
 * Ends the loops over items and unknown names in the code that Ajv generates once there are more errors than a response
 * reports. Otherwise a body of a mebibyte can have half a million errors, which take seconds to collect.
 */
function stopCollecting(code: string): string {
  const enough = `errors>=${MAX_COLLECTED}`
  return code
    .replace(
      /for\((?:const key\d+ in data\d*|let i\d+=0; i\d+<len\d+; i\d+\+\+)\)\{/g,
      loop => `${loop}if(${enough})break;`,
    )
    .replace(
      /let (i\d+) = (data\d*)\.length;/g,
      (_, index, data) => `let ${index} = ${enough}?0:${data}.length;`,
    )
}

/** Validates a path or a query. */
function compileText(schema: { properties?: object }): Compiled {
  const validate = coercing.compile(schema)
  if (!schema.properties) return unlessEmpty(validate)
  const integers = Object.entries(schema.properties).flatMap(([name, { type }]) =>
    type === 'integer' ? name : [],
  )
  return requireOnce(integers.length > 0 ? requireDigits(validate, integers) : (validate as Compiled))
}

/** A parameter that was sent twice is a list, of which the schema says something else. */
function requireOnce(validate: Compiled): Compiled {
  const check: Compiled = (data: Record<string, unknown>) => {
    const valid = validate(data as never)
    check.errors = validate.errors?.map(error =>
      Array.isArray(data[error.instancePath.slice(1)])
        ? ({ ...error, keyword: 'repeated', parentSchema: {} } as ErrorObject)
        : error,
    )
    return valid
  }
  return check
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

function createAjv(options: Options): Ajv {
  const ajv = new Ajv({ ...options, useDefaults: true, strict: 'log', logger: false })
  ajv.addKeyword('expects')
  // Empty text is an empty field. A field that must not be empty has minLength.
  ajv.addFormat('wall-clock', text => text === '' || parseWallClock(text) !== undefined)
  ajv.addFormat('day', text => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseWallClock(text) !== undefined)
  ajv.addFormat('instant', text => INSTANT.test(text) && parseWallClock(text) !== undefined)
  ajv.addFormat('reminder', text => text.length <= MAX_SCHEDULE && (text === '' || isSchedule(text)))
  ajv.addKeyword('example')
  ajv.addKeyword('documentedAs')
  return ajv
}

/** All errors at once, up to a limit, in plain words and with a pointer each. */
export function validationErrorsOf(validation: FastifySchemaValidationError[]): FieldError[] {
  const errors = new Map<string, string>()
  for (const error of validation as unknown as ErrorObject[]) {
    if (errors.size === MAX_ERRORS) break
    const pointer = pointerOf(error)
    // Wording an error may search for a similar name, so it is done only for those that are reported.
    if (!errors.has(pointer)) errors.set(pointer, detailOf(error))
  }
  return [...errors].map(([pointer, detail]) => ({ pointer, detail }))
}

function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  if (keyword === 'required') return join(instancePath, params['missingProperty'])
  if (keyword === 'additionalProperties') return join(instancePath, String(params['additionalProperty']))
  return instancePath || ''
}

function detailOf(error: ErrorObject): string {
  const { keyword, params } = error
  const parent = (error.parentSchema ?? {}) as { expects?: string; properties?: object }
  if (keyword === 'required') return 'Required, but missing.'
  if (keyword === 'additionalProperties') {
    const name = String(params['additionalProperty'])
    const meant = nearest(name, Object.keys(parent.properties ?? {}))
    const hint = meant ? `Did you mean ${meant}?` : 'Leave it out.'
    return `There is no ${excerpt(name)} here. ${hint}`
  }
  // That there is text to see is not what is wrong with a text that is too long.
  const isTooLong = keyword === 'maxLength' && parent.expects === VISIBLE_EXPECTED
  return parent.expects && !isTooLong ? `Expected ${parent.expects}.` : explain(error)
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
    case 'minProperties':
      return params['limit'] === 1
        ? 'Must have at least one field.'
        : `Must have at least ${params['limit']} fields.`
    case 'minimum':
      return `Must be ${params['limit']} or more.`
    case 'maximum':
      return `Must be ${params['limit']} or less.`
    case 'pattern':
      return params['pattern'] === VISIBLE_PATTERN
        ? 'Must have at least one visible character.'
        : `This ${message}.`
    case 'repeated':
      return 'Was sent more than once. Send it once.'
    case 'uniqueItems':
      return 'Must not hold the same item twice.'
    default:
      return message ? `This ${message}.` : 'Not valid.'
  }
}
