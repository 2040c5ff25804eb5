import type { Actor } from '../db/unit-of-work.ts'
import type { User } from '../users/users.service.ts'
import type { Device, Session } from './sessions.service.ts'

/** Why the external issuer's response does not sign a person in; the page explains it. */
export const EXTERNAL_REASONS = {
  'issuer-rejected': 'The sign-in was cancelled, took too long, or its response could not be verified.',
  'issuer-no-role': 'Your account has no role in Caseport. Ask the administrator of your organisation.',
  'issuer-no-email': 'Your account has no e-mail address that Caseport can use.',
  'issuer-email-in-use': 'Another user has your e-mail address. Ask an administrator of Caseport.',
  'issuer-user-inactive': 'Your user in Caseport is switched off. Ask an administrator.',
} as const
export type ExternalReason = keyof typeof EXTERNAL_REASONS

/** The person, or program, that signs in. */
export interface Visitor {
  actor: Actor
  device: Device
  /** The origin of our pages, as the visitor's browser sees it. */
  origin: string
  /** The token of a session that the browser has already; a new one replaces it. */
  sessionToken: string | undefined
  /** Called once the audit has entries of the request. */
  onAudited: () => void
  /** The user that a rejected attempt was about, if there is one, for the audit. */
  onRejected: (userId: string | undefined) => void
}

export interface SignedIn {
  kind: 'session'
  token: string
  session: Session
  user: User
}

interface NextStep {
  kind: 'next'
  next: 'totp' | 'passkey'
  challenge: string
  methods: ('totp' | 'recovery-code' | 'passkey')[]
  passkey: object | null
}

export type SignInResult = SignedIn | NextStep
