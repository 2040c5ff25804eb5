// A WebAuthn authenticator in software, for tests without a browser: ES256, attestation `none`, the owner always verified.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

interface Options {
  challenge: string
  rp?: { id?: string }
  rpId?: string
  user?: { id: string }
}

const UP = 0x01
const UV = 0x04
const AT = 0x40

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const encode = (data: Buffer | string) => Buffer.from(data).toString('base64url')

export function createAuthenticator(origin: string, { verifiesOwner = true } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  const flags = UP | (verifiesOwner ? UV : 0)
  let counter = 0
  let userHandle = ''

  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const head = (rpId: string, extra = 0) => {
    counter += 1
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags | extra]), count])
  }
  const credential = (response: object) => ({
    id: encode(id),
    rawId: encode(id),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  })

  return {
    id: encode(id),

    /** What `navigator.credentials.create()` returns. */
    create({ challenge, rp, user }: Options) {
      userHandle = user?.id ?? ''
      const cose = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
        Buffer.from(x, 'base64url'),
        Buffer.from([0x22, 0x58, 0x20]),
        Buffer.from(y, 'base64url'),
      ])
      const authData = Buffer.concat([
        head(rp?.id ?? '', AT),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        cose,
      ])
      const attestation = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        Buffer.from([0x64]),
        Buffer.from('none'),
        Buffer.from([0x67]),
        Buffer.from('attStmt'),
        Buffer.from([0xa0, 0x68]),
        Buffer.from('authData'),
        Buffer.from([0x58, authData.length]),
        authData,
      ])
      return credential({
        clientDataJSON: encode(clientData('webauthn.create', challenge)),
        attestationObject: encode(attestation),
        transports: ['internal'],
      })
    },

    /** What `navigator.credentials.get()` returns. */
    get({ challenge, rpId = '' }: Options) {
      const authData = head(rpId)
      const client = clientData('webauthn.get', challenge)
      const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), privateKey)
      return credential({
        clientDataJSON: encode(client),
        authenticatorData: encode(authData),
        signature: encode(signature),
        userHandle,
      })
    },
  }
}
