// No caller grants another one more than it has itself.
import { declareProblem } from './problem.ts'
import { isScope } from './scopes.ts'

export const cannotGrant = declareProblem({
  code: 'cannot-grant',
  status: 403,
  title: 'A caller cannot grant what it lacks itself, nor change a client or user that has it.',
  remedy: 'Leave out what `detail` names, or ask a caller that has these scopes and companies.',
})

/** Throws unless the caller has all scopes that a request grants in the list at this pointer. */
export function requireGrantable(
  caller: ReadonlySet<string>,
  scopes: readonly string[],
  pointer: string,
): void {
  const lacking = lackingOf(caller, scopes)
  if (lacking.length === 0) return
  const errors = lacking.map(scope => ({
    pointer: `${pointer}/${scopes.indexOf(scope)}`,
    detail: `The caller lacks ${scope} itself.`,
  }))
  throw cannotGrant(`The caller cannot grant scopes that it lacks: ${lacking.join(', ')}.`, { errors })
}

/** Throws unless the caller has all scopes of the client that a request changes. */
export function requireScopesOfClient(caller: ReadonlySet<string>, scopes: readonly string[]): void {
  const lacking = lackingOf(caller, scopes)
  if (lacking.length > 0)
    throw cannotGrant(`The client has scopes that the caller lacks: ${lacking.join(', ')}.`)
}

const lackingOf = (caller: ReadonlySet<string>, scopes: readonly string[]) =>
  scopes.filter(scope => isScope(scope) && !caller.has(scope))

/** What a caller had when it began something that goes on without it. */
export interface Grant {
  scopes: readonly string[]
  companies: readonly string[] | null
}

/** Whether a caller with these scopes and companies has all of it. */
export const includesGrant = (
  has: { scopes: ReadonlySet<string>; companies: readonly string[] | null },
  { scopes, companies }: Grant,
): boolean =>
  scopes.every(scope => has.scopes.has(scope)) &&
  (has.companies === null || (companies?.every(id => has.companies?.includes(id)) ?? false))
