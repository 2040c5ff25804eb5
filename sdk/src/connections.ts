// What entry points beside the client share with it. They are apart so that pages load only what they use.
import type { CallOptions, Calls, PostOptions } from './calls.ts'
import { invalidArgument } from './errors.ts'

export interface Connection {
  calls: Calls
  baseUrl: string
  /** Whether the application brought a `fetch` of its own. */
  ownFetch: boolean
}

export const connections = new WeakMap<object, Connection>()

/** Of a client that `createCaseport` made. */
export function connectionOf(client: object): Connection {
  const connection = connections.get(client)
  if (!connection) throw invalidArgument('caseport', 'Expected the client that createCaseport returned.')
  return connection
}

type Params = Record<string, string>

/** Calls by paths that the generated types do not have. */
interface UntypedCalls {
  transport: Calls['transport']
  read<T>(path: string, params: Params, options?: CallOptions, query?: object): Promise<T>
  post<T>(path: string, params: Params, body?: unknown, options?: PostOptions): Promise<T>
}

export const untyped = (calls: Calls) => calls as unknown as UntypedCalls
