// Malformed requests for every operation, derived from openapi.json. A request that openapi.json does not allow must be
// rejected with a documented error; none may cause a 5xx or a crash.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Attack } from '../attack.ts'
import { createDataset } from '../support/dataset.ts'
import { createRandom } from '../support/random.ts'
import { type Operation, operationsOf, type Request, render, validRequest } from '../support/requests.ts'
import { runConcurrently } from '../support/run-concurrently.ts'
import { startTarget, type Target } from '../support/target.ts'
import { openWire, type RawResponse, type Wire } from '../support/wire.ts'
import { mutateRequest } from './mutations.ts'

const CONNECTIONS = 16
const HALF_CLOSE_AFTER_MS = 1_000

export const malformedRequests: Attack = {
  name: 'malformed-requests',
  title: 'malformed requests',
  must: '0 responses with 5xx, 0 crashes, every rejection a problem document as in openapi.json',
  breaks: ['body-check'],

  async run(context) {
    const total = context.quick ? 3_000 : 100_000
    const random = createRandom()
    const target = await startTarget(context, { LOG_LEVEL: 'error' })
    const dataset = await createDataset(target)
    const operations = operationsOf(target.document)
    const check = createChecker(target)
    const findings = new Map<string, string>()
    const statuses = new Map<number, number>()
    let closed = 0
    let peak = 0

    const wires = Array.from({ length: CONNECTIONS }, () => openWire(target.service.port))
    const sent = await runConcurrently({
      total,
      concurrency: CONNECTIONS,
      until: () => findings.size >= 50 || target.service.child.exitCode !== null,
      progress: context.progress,
      more: () => `${findings.size} findings`,
      async each(index, worker) {
        const operation = operations[index % operations.length] as Operation
        const request = validRequest(operation, { target, dataset, random })
        mutateRequest(request, random)
        const bytes = render(request)
        const response = await (wires[worker] as Wire).exchange({
          bytes,
          method: request.method,
          halfCloseAfter: HALF_CLOSE_AFTER_MS,
        })
        const finding = check(operation, request, response)
        if (typeof response === 'string') closed += 1
        else statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        if (finding && !findings.has(finding)) findings.set(finding, `${finding}: ${printable(bytes)}`)
        if (index % 500 === 0) peak = Math.max(peak, target.memory())
      },
    })
    for (const wire of wires) wire.close()
    const heap = target.service.child.exitCode === null ? await target.heap() : 0

    if (target.service.child.exitCode !== null)
      findings.set('crash', `The service ended: ${target.service.output().slice(-2_000)}`)
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
    return {
      figures: `seed ${random.seed}: ${sent} requests to ${operations.length} operations; ${counts.join(', ')}; ${closed} closed without a response; at most ${peak} MiB, of which ${heap} in use at the end`,
      findings: [...findings.values()],
    }
  },
}

/** The request on one line, without its token. */
function printable(bytes: Buffer): string {
  const text = bytes.toString('latin1', 0, 2_000).replace(/(Bearer )\S+/, '$1…')
  return JSON.stringify(text.slice(0, 300))
}

/** Describes what is wrong with a response. Equal errors have equal texts, so that each is reported once. */
function createChecker({ contract, document }: Target) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'openapi')
  const problem = ajv.getSchema('openapi#/components/schemas/Problem') as ValidateFunction
  const codes = new Set(document['x-errors'].map(({ code }: { code: string }) => code))
  const bodies = new Map<string, ValidateFunction>()
  const bodyCheck = ({ operationId, schema }: Operation) => {
    const known = bodies.get(operationId)
    if (known) return known
    const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
    bodies.set(operationId, check)
    return check
  }

  return (
    operation: Operation,
    request: Request,
    response: RawResponse | 'closed' | 'timeout',
  ): string | undefined => {
    const name = `${operation.operationId}, mutations: ${request.mutations.join(', ')}`
    if (response === 'timeout') return `${name}: no response, and the connection stays open`
    // A client that half-closes its connection may get no response.
    if (response === 'closed') return undefined
    const { status, headers, bytes } = response
    if (status >= 500) return `${name}: ${status} ${bytes.toString().slice(0, 300)}`
    const type = headers.get('content-type')?.split(';')[0]
    const json = bytes.length > 0 && /[/+]json$/.test(type ?? '')
    const body = json ? JSON.parse(bytes.toString()) : undefined
    if (status >= 400 && request.method !== 'HEAD') {
      const oauth = operation.operationId === 'issueToken' && type === 'application/json'
      if (type !== 'application/problem+json' && !oauth) return `${name}: ${status} as ${type}`
      if (!oauth && !problem(body))
        return `${name}: ${status} is no problem document: ${ajv.errorsText(problem.errors)}`
      if (!oauth && (!codes.has(body.code) || body.status !== status))
        return `${name}: ${status} with the code ${body.code}`
    }
    if (headers.has('x-injected')) return `${name}: a header was injected`
    // A request that cannot be parsed belongs to no operation: its response has no id, or is about the Host header.
    const parsed = headers.has('x-request-id') && !request.mutations.includes('no Host')
    if (parsed && matchesTemplate(request)) {
      try {
        contract.check({ method: request.method, path: request.path, status, headers, body })
      } catch (error) {
        return `${name}: ${(error as Error).message.split(': {')[0]?.slice(0, 300)}`
      }
    }
    if (status < 300 && violatesSchema(request, operation, bodyCheck))
      return `${name}: ${status} for a body that openapi.json does not allow`
    return undefined
  }
}

/** Whether the path still matches the operation. */
function matchesTemplate({ path, template }: Request): boolean {
  return new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
}

function violatesSchema(
  request: Request,
  operation: Operation,
  checkOf: (operation: Operation) => ValidateFunction,
): boolean {
  if (request.json === undefined || request.method !== operation.method) return false
  try {
    // A byte order mark in front is allowed.
    return !checkOf(operation)(JSON.parse(request.body.toString().replace(/^\ufeff/, '')))
  } catch {
    return true
  }
}
