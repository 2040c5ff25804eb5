// The client that all examples use: address and credentials come from the environment.
import { type Caseport, createCaseport } from '@caseport/sdk'

export function connect(): Caseport {
  const { CASEPORT_URL, CASEPORT_CLIENT_ID = '', CASEPORT_CLIENT_SECRET = '' } = process.env
  if (!CASEPORT_URL) throw new Error('Set CASEPORT_URL, CASEPORT_CLIENT_ID and CASEPORT_CLIENT_SECRET.')
  const auth = { kind: 'client', clientId: CASEPORT_CLIENT_ID, clientSecret: CASEPORT_CLIENT_SECRET } as const
  return createCaseport({ baseUrl: CASEPORT_URL, auth })
}

export const log = (text: string): void => void process.stdout.write(`${text}\n`)
