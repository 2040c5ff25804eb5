import type { FieldError } from '../lib/problem.ts'

/** A file that cannot be imported as a whole: nothing of it is kept. */
export class FileError extends Error {
  readonly errors: FieldError[] | undefined

  constructor(detail: string, errors?: FieldError[]) {
    super(detail)
    this.errors = errors
  }
}

export class FileTooLargeError extends Error {}
