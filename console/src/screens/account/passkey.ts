import type { components } from '@caseport/sdk'
import { caseport } from '../../app/connection.ts'

/** A passkey belongs to a domain name; addresses of machines have none. */
export const hasPasskeys =
  typeof PublicKeyCredential !== 'undefined' && !/^(?:\d+\.){3}\d+$|^\[/.test(location.hostname)

export async function createPasskey(name: string): Promise<void> {
  const { challenge, options } = await caseport.passkeys.options()
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
  const response = credential.toJSON() as unknown as components['schemas']['NewPasskey']['response']
  await caseport.passkeys.create({ challenge, name, response })
}
