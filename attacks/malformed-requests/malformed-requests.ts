// Malformed requests for every operation, derived from openapi.json. A request that openapi.json does not allow must be
// rejected with a documented error; none may cause a 5xx or a crash.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Attack } from '../attack.ts'
import { createDataset } from '../support/dataset.ts'
import { drive } from '../support/drive.ts'
import { createRandom } from '../support/random.ts'
import { type Operation, operationsOf, type Request, render, validRequest } from '../support/requests.ts'
import { startTarget, type Target } from '../support/target.ts'
import { type Answer, openWire, type Wire } from '../support/wire.ts'
import { spoil } from './mutations.ts'

const CONNECTIONS = 16
const PATIENCE = 1_000

export const malformedRequests: Attack = {
  name: 'malformed-requests',
  title: 'malformed requests',
  must: '0 answers of 5xx, 0 crashes, every refusal a problem document as openapi.json describes it',
  breaks: ['body-check'],

  async run(context) {
    const total = context.quick ? 3_000 : 100_000
    const random = createRandom()
    const target = await startTarget(context, { LOG_LEVEL: 'error' })
    const dataset = await createDataset(target)
    const operations = operationsOf(target.document)
    const judge = createJudge(target)
    const findings = new Map<string, string>()
    const statuses = new Map<number, number>()
    let closed = 0
    let peak = 0

    const wires = Array.from({ length: CONNECTIONS }, () => openWire(target.service.port))
    const answered = await drive({
      total,
      atOnce: CONNECTIONS,
      until: () => findings.size >= 50 || target.service.child.exitCode !== null,
      progress: context.progress,
      more: () => `${findings.size} findings`,
      async each(index, lane) {
        const operation = operations[index % operations.length] as Operation
        const request = validRequest(operation, { target, dataset, random })
        spoil(request, random)
        const bytes = render(request)
        const answer = await (wires[lane] as Wire).exchange({
          bytes,
          method: request.method,
          patience: PATIENCE,
        })
        const told = judge(operation, request, answer)
        if (typeof answer === 'string') closed += 1
        else statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        if (told && !findings.has(told)) findings.set(told, `${told}: ${shown(bytes)}`)
        if (index % 500 === 0) peak = Math.max(peak, target.memory())
      },
    })
    for (const wire of wires) wire.close()
    const heap = target.service.child.exitCode === null ? await target.heap() : 0

    if (target.service.child.exitCode !== null)
      findings.set('crash', `The service ended: ${target.service.output().slice(-2_000)}`)
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
    return {
      figures: `seed ${random.seed}: ${answered} requests to ${operations.length} operations; ${counts.join(', ')}; ${closed} closed unanswered; at most ${peak} MiB, of which ${heap} in use at the end`,
      findings: [...findings.values()],
    }
  },
}

/** On one line, without the token. */
function shown(bytes: Buffer): string {
  const text = bytes.toString('latin1', 0, 2_000).replace(/(Bearer )\S+/, '$1…')
  return JSON.stringify(text.slice(0, 300))
}

/** Says what is wrong with an answer, in words that are the same for the same fault. */
function createJudge({ contract, document }: Target) {
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
    answer: Answer | 'closed' | 'silent',
  ): string | undefined => {
    const name = `${operation.operationId}, spoilt by ${request.spoilt.join(' and ')}`
    if (answer === 'silent') return `${name}: no answer, and the connection is kept`
    // Who hung up first may be left without an answer.
    if (answer === 'closed') return undefined
    const { status, headers, bytes } = answer
    if (status >= 500) return `${name}: ${status} ${bytes.toString().slice(0, 300)}`
    const type = headers.get('content-type')?.split(';')[0]
    const json = bytes.length > 0 && /json$/.test(type ?? '')
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
    // What cannot be read as a request at all belongs to no operation: its answer has no id, or tells of the Host.
    const read = headers.has('x-request-id') && !request.spoilt.includes('no Host')
    if (read && isOf(request)) {
      try {
        contract.check({ method: request.method, path: request.path, status, headers, body })
      } catch (error) {
        return `${name}: ${(error as Error).message.split(': {')[0]?.slice(0, 300)}`
      }
    }
    if (status < 300 && isAgainstSchema(request, operation, bodyCheck))
      return `${name}: ${status} for a body that openapi.json does not allow`
    return undefined
  }
}

/** Whether the path is still that of the operation. */
function isOf({ path, template }: Request): boolean {
  return new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
}

function isAgainstSchema(
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
