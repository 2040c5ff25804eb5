// Owns how an error is declared and thrown. Knows nothing of HTTP servers: a Problem is a value that carries
// what section "Errors" of the documentation promises, and http/ turns it into an answer.

export interface ProblemKind {
  /** Stable and kebab-case: clients branch on it, so it never changes once released. */
  code: string
  status: number
  title: string
  /** What the caller can do about it, for the documentation. */
  remedy: string
}

export interface Fault {
  /** JSON pointer to the member of the body, or `/name` of the query parameter. */
  pointer: string
  detail: string
}

interface Extras {
  errors?: Fault[]
  headers?: Record<string, string>
}

export class Problem extends Error {
  readonly kind: ProblemKind
  readonly errors: Fault[] | undefined
  readonly headers: Record<string, string> | undefined

  constructor(kind: ProblemKind, detail: string, extras: Extras = {}) {
    super(detail)
    this.kind = kind
    this.errors = extras.errors
    this.headers = extras.headers
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
