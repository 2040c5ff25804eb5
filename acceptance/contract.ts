import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

interface Media {
  schema?: object
  examples?: Record<string, unknown>
}

export interface Operation {
  operationId: string
  method: string
  path: string
  /** The required scope, or undefined if the operation is public or for people alone. */
  scope: string | undefined
  /** Whether the cookie of a session opens it. */
  byCookie: boolean
  apiKey: boolean
  takesJson: boolean
  query: { name: string; required: boolean }[]
  responses: Record<string, { content?: Record<string, Media> }>
}

/** An observed response, for the coverage table. */
export interface Seen {
  operationId: string
  status: number
  code?: string
}

interface ReceivedResponse {
  method: string
  path: string
  status: number
  headers: Headers
  body: unknown
}

export class Contract {
  readonly operations: Operation[]
  readonly #ajv: Ajv2020
  readonly #validators = new Map<string, ValidateFunction>()

  // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document as it comes.
  constructor(document: any) {
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
    this.#ajv.addSchema(document, 'openapi')
    const resolve = (node: { $ref?: string }) => {
      const [, , section = '', name = ''] = node.$ref?.split('/') ?? []
      return node.$ref ? document.components[section][name] : node
    }
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document as it comes.
      Object.entries(methods as Record<string, any>).map(([method, operation]) => ({
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path,
        scope: operation.security?.[0]?.oauth2?.[0],
        byCookie: (operation.security ?? []).some((scheme: object) => 'session' in scheme),
        apiKey: operation.security?.[0]?.apiKey !== undefined,
        takesJson: operation.requestBody?.content?.['application/json'] !== undefined,
        query: (operation.parameters ?? [])
          .map(resolve)
          .filter((parameter: { in: string }) => parameter.in === 'query'),
        responses: Object.fromEntries(
          Object.entries(operation.responses as Record<string, { $ref?: string }>).map(
            ([status, response]) => [status, resolve(response)],
          ),
        ),
      })),
    )
  }

  static async load(baseUrl: string): Promise<Contract> {
    const response = await fetch(`${baseUrl}/openapi.json`)
    return new Contract(await response.json())
  }

  /** Throws if the response is not as documented. */
  check({ method, path, status, headers, body }: ReceivedResponse): Seen | undefined {
    const operation = this.find(method, path.split('?')[0] ?? '')
    if (!operation) {
      // Assets of the reference page are not documented, nor is HEAD, which every GET has. Any other operation that works
      // and is not documented is an error.
      if (/^\/(v2|admin)\//.test(path) && status < 400 && method !== 'HEAD')
        throw new Error(`${method} ${path} is not documented.`)
      return undefined
    }
    const name = `${method} ${operation.path} → ${status}`
    const documented = operation.responses[status]
    if (!documented) throw new Error(`${name} is not documented: ${JSON.stringify(body)}`)
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    const media = documented.content?.[type] ?? documented.content?.['*/*']
    if (documented.content && !media) throw new Error(`${name}: the media type ${type} is not documented.`)
    if (!documented.content && body !== undefined)
      throw new Error(`${name} has a body that is not documented.`)
    if (media?.schema && /[/+]json/.test(type) && body === undefined)
      throw new Error(`${name} lacks its documented body.`)
    if (media?.schema && body !== undefined)
      this.#checkBody(`${operation.method} ${operation.path} ${status} ${type}`, media.schema, body)
    const code = (body as { code?: string } | undefined)?.code
    if (type === 'application/problem+json' && !Object.hasOwn(media?.examples ?? {}, code ?? ''))
      throw new Error(`${name}: the code ${code} is not documented.`)
    return {
      operationId: operation.operationId,
      status,
      ...(type === 'application/problem+json' && code && { code }),
    }
  }

  find(method: string, path: string): Operation | undefined {
    const matches = this.operations.filter(
      operation => operation.method === method && matcher(operation.path).test(path),
    )
    // A literal path takes precedence over one with a parameter.
    return matches.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
  }

  #checkBody(key: string, schema: object, body: unknown): void {
    let validate = this.#validators.get(key)
    if (!validate) {
      validate = this.#ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
      this.#validators.set(key, validate)
    }
    if (!validate(body))
      throw new Error(`${key}: the body is not as documented: ${this.#ajv.errorsText(validate.errors)}`)
  }
}

function matcher(template: string): RegExp {
  return new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
}
