// Passkeys (WebAuthn): registration and sign-in. A passkey always verifies its owner, by fingerprint or PIN, so that it is
// enough by itself.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Sql, Tx } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { newId } from '../lib/ids.ts'
import type { User } from '../users/users.service.ts'
import type { Challenges, WebAuthnChallenge } from './challenges.ts'
import * as store from './credentials.store.ts'
import { passkeyNotFound, passkeyRejected } from './sign-in.errors.ts'

export type { Passkey } from './credentials.store.ts'

// Loaded by the first request that needs it: its parsers of certificates would make each start slower.
const load = () => import('@simplewebauthn/server')

/** EdDSA, ES256 and RS256: what authenticators in use have. */
const ALGORITHMS = [-8, -7, -257]

const rpOf = (origin: string) => ({ origin, rpId: new URL(origin).hostname })

/** What browsers send, whatever it is: the library checks it, and throws where it is malformed. */
export type PasskeyResponse = Record<string, unknown>

export type Passkeys = ReturnType<typeof createPasskeys>

export function createPasskeys({ sql, challenges }: { sql: Sql; challenges: Challenges }) {
  return {
    list: (userId: string, from: Sql | Tx = sql) => store.listPasskeys(from, userId),

    /** Options for the browser, and the challenge that the second request has to name. */
    async registrationOptions(user: User, origin: string) {
      const { generateRegistrationOptions } = await load()
      const rp = rpOf(origin)
      const known = await store.listPasskeys(sql, user.userId)
      const options = await generateRegistrationOptions({
        rpName: 'Caseport',
        rpID: rp.rpId,
        userID: new TextEncoder().encode(user.userId),
        userName: user.email,
        userDisplayName: user.name,
        excludeCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports })),
        supportedAlgorithmIDs: ALGORITHMS,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      const data = { ...rp, challenge: options.challenge }
      return {
        challenge: await challenges.create('passkey-registration', data, { userId: user.userId }),
        options,
      }
    },

    async register(
      unit: UnitOfWork,
      userId: string,
      { challenge, name, response }: { challenge: string; name: string; response: PasskeyResponse },
    ): Promise<store.Passkey> {
      const taken = await challenges.take(unit.tx, challenge, 'passkey-registration')
      if (taken.userId !== userId) throw passkeyRejected()
      const { verifyRegistrationResponse } = await load()
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: response as unknown as RegistrationResponseJSON,
        expectedChallenge: taken.data.challenge,
        expectedOrigin: taken.data.origin,
        expectedRPID: taken.data.rpId,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(() => {
        throw passkeyRejected()
      })
      if (!verified) throw passkeyRejected()
      const { credential } = registrationInfo
      const passkey: store.Passkey = {
        passkeyId: newId<'passkey'>() as string,
        credentialId: credential.id,
        userId,
        name,
        publicKey: Buffer.from(credential.publicKey),
        counter: credential.counter,
        transports: credential.transports ?? [],
        createdAt: unit.now,
        lastUsedAt: null,
      }
      if (!(await store.insertPasskey(unit.tx, passkey))) throw passkeyRejected()
      unit.audit({ action: 'user.add_passkey', recordId: userId })
      return passkey
    },

    async remove({ tx, audit }: UnitOfWork, userId: string, passkeyId: string): Promise<void> {
      if (!(await store.deletePasskey(tx, userId, passkeyId))) throw passkeyNotFound()
      audit({ action: 'user.remove_passkey', recordId: userId })
    },

    /** Options for a sign-in; for a second factor, with the passkeys of this user. */
    async authenticationOptions(origin: string, passkeys: store.Passkey[] = []) {
      const { generateAuthenticationOptions } = await load()
      const rp = rpOf(origin)
      const options = await generateAuthenticationOptions({
        rpID: rp.rpId,
        userVerification: 'required',
        allowCredentials: passkeys.map(({ credentialId: id, transports }) => ({ id, transports })),
      })
      return { data: { ...rp, challenge: options.challenge } satisfies WebAuthnChallenge, options }
    },

    /** The passkey that has signed the challenge, or undefined. */
    async verify(
      response: PasskeyResponse,
      expected: WebAuthnChallenge,
    ): Promise<{ passkey: store.Passkey; counter: number } | undefined> {
      const { id } = response
      const passkey =
        typeof id === 'string' && !id.includes('\0') ? await store.findPasskey(sql, id) : undefined
      if (!passkey) return undefined
      const { verifyAuthenticationResponse } = await load()
      try {
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response: response as unknown as AuthenticationResponseJSON,
          expectedChallenge: expected.challenge,
          expectedOrigin: expected.origin,
          expectedRPID: expected.rpId,
          credential: {
            id: passkey.credentialId,
            publicKey: new Uint8Array(passkey.publicKey),
            counter: passkey.counter,
            transports: passkey.transports,
          },
        })
        return verified ? { passkey, counter: authenticationInfo.newCounter } : undefined
      } catch {
        // The library throws for every way in which a response can be wrong.
        return undefined
      }
    },

    /** Returns whether the person still has the passkey. */
    recordUse: ({ tx, now }: UnitOfWork, { credentialId, userId }: store.Passkey, counter: number) =>
      store.recordPasskeyUse(tx, { credentialId, userId, counter, now }),
  }
}
