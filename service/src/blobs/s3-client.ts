// Owns how S3 is spoken to: the client's settings, and its faults as errors of ours.
import { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { NoRoom, PlaceUnavailable } from './blob-store.ts'

export interface S3Place {
  bucket: string
  endpoint?: string
  region?: string
}

/** Credentials, and the region where none is given, are found by the SDK: in its variables, files or roles. */
export function createClient({ endpoint, region }: S3Place): S3Client {
  return new S3Client({
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(region && { region }),
    // Stores other than Amazon's do not know the newer checksums. Every body is signed with its SHA-256 all the same.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Not every store answers an Expect, and the client would wait for that answer until the request's time is over.
    expectContinueHeader: false,
    maxAttempts: 4,
    requestHandler: {
      connectionTimeout: 5_000,
      // Until the head of the answer: time for a part to go out on a slow line.
      requestTimeout: 120_000,
      throwOnRequestTimeout: true,
      // None while a body is read: a slow reader lets the socket rest, and its download must not break off for that.
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

/** What the SDK or the network says becomes an error of ours; an error of ours stays what it is. */
export function faultOf({ bucket, endpoint }: S3Place, error: unknown): unknown {
  if (error instanceof NoRoom || error instanceof PlaceUnavailable || error instanceof RangeError)
    return error
  if (!(error instanceof Error)) return error
  const place = `s3://${bucket}${endpoint ? ` at ${endpoint}` : ''}`
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  if (status === 507 || /quota|storage.?full/i.test(error.name))
    return new NoRoom(`${place} has no room left (${error.name}).`, { cause: error })
  const code = (error as NodeJS.ErrnoException).code
  const words = [error.name, status, code, error.message.split('\n')[0]].filter(Boolean)
  return new PlaceUnavailable(`${place} cannot be used: ${words.join(', ')}.`, { cause: error })
}
