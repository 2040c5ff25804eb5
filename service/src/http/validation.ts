// Owns how bodies, queries and parameters are checked, and how a fault is put in words. A schema may carry
// `expects`, a phrase such as "a date, for example 1990-05-31", for faults that a pattern or format cannot explain.
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

const MAX_FAULTS = 100
/** Between two schemas that nobody waits for, so that requests which come meanwhile are hardly slower. */
const PAUSE_MS = 20

// Compiling is slow, so that several applications in one process, as in the tests, share what was compiled.
const strict = createAjv(false)
// Queries and paths are text, so numbers in them have to be read as numbers first.
const coercing = createAjv(true)

export function installValidation(app: App): void {
  app.addHook('onRoute', route => {
    // A caller who misspells a query parameter should hear of it, also where the operation takes none.
    const query = (route.schema?.querystring ?? { type: 'object' }) as object
    if (route.scope !== 'public')
      route.schema = { ...route.schema, querystring: { ...query, additionalProperties: false } }
  })
  const { whenFirstUsed, compileAll } = createBacklog()
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const validate = whenFirstUsed(() =>
      httpPart === 'body' ? strict.compile(schema as object) : checkText(schema as { properties?: object }),
    )
    return validate as unknown as ReturnType<FastifySchemaCompiler<unknown>>
  })
  app.setSerializerCompiler(({ schema }) => {
    const serialize = whenFirstUsed(() => buildSerializer(schema as object))
    return data => serialize(data as never) as string
  })
  app.addHook('onListen', compileAll)
}

type Compiled = ((data: never) => unknown) & { errors?: ErrorObject[] | null | undefined }

/**
 * Compiling every schema takes as long as all the rest of a start, so none waits for it: a schema is compiled when the
 * first request needs it, and those that are left one by one between requests once the service listens.
 */
function createBacklog() {
  const backlog: (() => void)[] = []
  return {
    whenFirstUsed(compile: () => Compiled): Compiled {
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

/** The check of a path or a query; only one that may hold numbers has to look at how they are written. */
function checkText(schema: { properties?: object }): Compiled {
  const validate = coercing.compile(schema)
  if (!schema.properties) return unlessEmpty(validate)
  const integers = Object.entries(schema.properties).flatMap(([name, { type }]) =>
    type === 'integer' ? name : [],
  )
  return integers.length > 0 ? requireDigits(validate, integers) : validate
}

/** Most requests have no query, and most operations take none. */
function unlessEmpty(validate: ValidateFunction): Compiled {
  const check: Compiled = (data: object) => {
    for (const _ in data) {
      const good = validate(data)
      check.errors = validate.errors
      return good
    }
    return true
  }
  return check
}

/** Ajv reads all that JavaScript takes for a number: 0x10, 1e2, a space as 0, and 1e999 as Infinity. */
function requireDigits(validate: ValidateFunction, integers: string[]): Compiled {
  const check: Compiled = (data: Record<string, unknown>) => {
    const odd = integers.filter(name => data[name] !== undefined && !/^-?\d{1,15}$/.test(String(data[name])))
    const good = validate(data)
    const errors = odd.map(name => ({
      keyword: 'type',
      instancePath: `/${name}`,
      params: { type: 'integer' },
    }))
    check.errors = [...errors, ...(validate.errors ?? [])] as ErrorObject[]
    return good && odd.length === 0
  }
  return check
}

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
  // Empty text is an empty field: what must not be empty says so with minLength.
  ajv.addFormat('wall-clock', text => text === '' || parseWallClock(text) !== undefined)
  ajv.addFormat('day', text => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseWallClock(text) !== undefined)
  ajv.addFormat('reminder', text => text === '' || isSchedule(text))
  ajv.addKeyword('example')
  ajv.addKeyword('documentedAs')
  return ajv
}

/** All faults at once, in plain words, with a pointer each. */
export function faultsOf(validation: FastifySchemaValidationError[]): FieldError[] {
  const faults = new Map<string, string>()
  for (const error of validation as unknown as ErrorObject[]) {
    const { pointer, detail } = faultOf(error)
    if (!faults.has(pointer) && faults.size < MAX_FAULTS) faults.set(pointer, detail)
  }
  return [...faults].map(([pointer, detail]) => ({ pointer, detail }))
}

function faultOf(error: ErrorObject): FieldError {
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
