// The settings of the S3 client, and the translation of its errors.
import { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { RepositoryFullError, RepositoryUnavailableError } from './blob-store.ts'

export interface S3Location {
  bucket: string
  endpoint?: string
  region?: string
}

/** The SDK finds credentials, and a region that is not set, in its own variables, files or roles. */
export function createClient({ endpoint, region }: S3Location): S3Client {
  return new S3Client({
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(region && { region }),
    // Stores other than Amazon's do not know the newer checksums. Every body is still signed with its SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Some stores ignore `Expect: 100-continue`; the client would wait until the request times out.
    expectContinueHeader: false,
    maxAttempts: 4,
    requestHandler: {
      connectionTimeout: 5_000,
      // Until the response headers arrive: long enough to send a part over a slow line.
      requestTimeout: 120_000,
      throwOnRequestTimeout: true,
      // Off: the socket of a slow download is idle while its reader is busy.
      socketTimeout: 0,
      httpAgent: { keepAlive: true, maxSockets: 256 },
      httpsAgent: { keepAlive: true, maxSockets: 256 },
    },
  })
}

export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.name === 'NoSuchKey' || error.name === 'NotFound')
}

export function isForbidden(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403
}

export function isBeyondEnd(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 416
}

/** Errors of the SDK or the network become repository errors; repository errors are returned unchanged. */
export function toRepositoryError({ bucket, endpoint }: S3Location, error: unknown): unknown {
  if (error instanceof RepositoryFullError || error instanceof RepositoryUnavailableError) return error
  if (error instanceof RangeError) return error
  if (!(error instanceof Error)) return error
  const location = `s3://${bucket}${endpoint ? ` at ${endpoint}` : ''}`
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  if (status === 507 || /quota|storage.?full/i.test(error.name))
    return new RepositoryFullError(`${location} has no room left (${error.name}).`, { cause: error })
  const code = (error as NodeJS.ErrnoException).code
  const words = [error.name, status, code, error.message.split('\n')[0]].filter(Boolean)
  return new RepositoryUnavailableError(`${location} cannot be used: ${words.join(', ')}.`, { cause: error })
}
