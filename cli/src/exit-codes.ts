// How a command ends: its exit code, and the one line that explains a failure.
import { isCaseportError } from '@caseport/sdk'

export const EXIT = {
  ok: 0,
  /** The service rejected the call, cannot be reached, or a check of `doctor` failed. */
  rejected: 1,
  /** Wrong command, option or argument, or a file that cannot be read. */
  usage: 2,
  /** Some rows of an import, or some of several files, failed. */
  someFailed: 3,
  notSignedIn: 4,
  /** Ctrl-C. */
  interrupted: 130,
  /** The reader of the output has ended, as by SIGPIPE. */
  brokenPipe: 141,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** An error that the command found itself. */
export class CommandError extends Error {
  readonly exitCode: ExitCode
  constructor(message: string, exitCode: ExitCode = EXIT.rejected) {
    super(message)
    this.exitCode = exitCode
  }
}

export const usageError = (message: string) => new CommandError(message, EXIT.usage)

export const notSignedIn = (message: string) => new CommandError(message, EXIT.notSignedIn)

const CREDENTIAL_CODES = ['invalid_client', 'invalid-token', 'token-required', 'unauthenticated']

export interface Failure {
  message: string
  exitCode: number
}

export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) return { message: error.message, exitCode: error.exitCode }
  if (isCaseportError(error, 'file-error')) return failureOf(error.cause)
  if (isCaseportError(error)) {
    const isCredential = error.status === 401 || CREDENTIAL_CODES.includes(error.code)
    if (!isCredential) return { message: error.message, exitCode: EXIT.rejected }
    const remedy =
      error.code === 'api-key-required'
        ? 'Set CASEPORT_API_KEY to an API key of this client.'
        : 'Run "caseport login", or check the CASEPORT_ variables.'
    return { message: `${error.message} ${remedy}`, exitCode: EXIT.notSignedIn }
  }
  const { code, path, message } = error as NodeJS.ErrnoException
  const reason = (code !== undefined && FILE_ERRORS[code]) || undefined
  if (reason && path) return { message: `${path}: ${reason}`, exitCode: EXIT.usage }
  return { message: message ?? String(error), exitCode: EXIT.rejected }
}

/** Why a request got no response. For a name with several addresses, Node has an error for each, and an empty message. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: AggregateError }
  return cause?.message || cause?.errors?.map(each => each.message).join(', ') || message
}

const IS_FOLDER = 'It is a folder; a file is needed.'

/** Puts the path that the user gave into a file-system error, which names a temporary file, or none. */
export const naming = (path: string) => (error: unknown) => {
  const found = isCaseportError(error, 'file-error') ? error.cause : error
  throw found instanceof Error && 'syscall' in found ? Object.assign(found, { path }) : found
}

export const folderError = (path: string) => usageError(`${path}: ${IS_FOLDER}`)

const FILE_ERRORS: Record<string, string> = {
  ENOENT: 'There is no such file or folder.',
  EACCES: 'You may not read or write it.',
  EISDIR: IS_FOLDER,
  ENOTDIR: 'A part of the path is a file.',
  ENOSPC: 'The disk is full.',
  EROFS: 'The file system is read-only.',
}
