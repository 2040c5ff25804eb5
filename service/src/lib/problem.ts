// How errors are declared and thrown. Knows nothing of HTTP servers: a Problem carries what an error response promises,
// and http/ turns it into that response.

export interface ProblemKind {
  /** Stable and kebab-case: clients branch on it, so it never changes once released. */
  code: string
  status: number
  title: string
  /** What the caller can do about it, for the documentation. */
  remedy: string
}

export interface FieldError {
  /** JSON pointer to the member of the body, or `/name` of the query parameter. */
  pointer: string
  detail: string
}

/** Most errors that a problem lists. */
export const MAX_ERRORS = 100

interface Extras {
  errors?: FieldError[]
  headers?: Record<string, string>
  /** Further members of the problem document (RFC 9457, section 3.2). */
  members?: Record<string, string>
}

export class Problem extends Error {
  readonly kind: ProblemKind
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string> | undefined
  readonly members: Record<string, string> | undefined

  constructor(kind: ProblemKind, detail: string, extras: Extras = {}) {
    super(detail)
    this.kind = kind
    this.errors = extras.errors?.slice(0, MAX_ERRORS)
    this.headers = extras.headers
    this.members = extras.members
  }
}

export interface DeclaredProblem {
  (detail?: string, extras?: Extras): Problem
  kind: ProblemKind
}

/** Declares an error once, beside its feature: `throw clientNotFound()`. */
export function declareProblem(kind: ProblemKind): DeclaredProblem {
  const declared = (detail?: string, extras?: Extras) => new Problem(kind, detail ?? kind.title, extras)
  return Object.assign(declared, { kind })
}

export const invalidRequest = declareProblem({
  code: 'invalid-request',
  status: 400,
  title: 'The request is invalid.',
  remedy: 'Fix every field listed in `errors`, then send the request again.',
})

/** The problem of a request with these field errors. */
export function invalid(errors: FieldError[]): Problem {
  const detail = errors.length === 1 ? 'One field is invalid.' : `${errors.length} fields are invalid.`
  return invalidRequest(detail, { errors })
}

/** An error that prevents the start and that the operator can fix: printed as one line, without a stack. */
export class StartError extends Error {}
