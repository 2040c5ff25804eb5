// The errors of sign-in, sessions and credentials.
import { declareProblem } from '../lib/problem.ts'

export const signInFailed = declareProblem({
  code: 'sign-in-failed',
  status: 401,
  title: 'The e-mail address, the password, the code or the passkey is wrong.',
  remedy: 'Try again, or ask an administrator for a new invitation.',
})
export const stepExpired = declareProblem({
  code: 'sign-in-expired',
  status: 409,
  title: 'This sign-in took too long, or was finished already.',
  remedy: 'Start again with the first step.',
})
export const methodOff = declareProblem({
  code: 'sign-in-method-off',
  status: 409,
  title: 'This way of signing in is switched off here.',
  remedy: 'Use one of the ways that GET /auth/v1/methods lists.',
})
export const signInAgain = declareProblem({
  code: 'sign-in-again',
  status: 409,
  title: 'Changing how you sign in needs a session that is at most 15 minutes old.',
  remedy: 'Sign out, sign in again, and repeat the change.',
})
export const sessionNotFound = declareProblem({
  code: 'session-not-found',
  status: 404,
  title: 'You have no session with this id, or it has ended.',
  remedy: 'List your sessions with GET /auth/v1/sessions.',
})
export const wrongPassword = declareProblem({
  code: 'wrong-password',
  status: 409,
  title: 'The current password is wrong.',
  remedy: 'Send your current password as currentPassword.',
})
export const wrongCode = declareProblem({
  code: 'wrong-code',
  status: 409,
  title: 'The code is wrong, too old, or was used before.',
  remedy: 'Wait for the next code of your authenticator app, and check the clock of the telephone.',
})
export const totpEnrolled = declareProblem({
  code: 'totp-enrolled',
  status: 409,
  title: 'Authenticator codes are set up already.',
  remedy: 'Remove them first.',
})
export const totpNotEnrolled = declareProblem({
  code: 'totp-not-enrolled',
  status: 409,
  title: 'Authenticator codes are not set up.',
  remedy: 'Begin with POST /auth/v1/totp.',
})
export const passkeyRejected = declareProblem({
  code: 'passkey-rejected',
  status: 409,
  title: 'The passkey could not be registered.',
  remedy: 'Begin again with POST /auth/v1/passkeys/options, on a page of this service.',
})
export const passkeyNotFound = declareProblem({
  code: 'passkey-not-found',
  status: 404,
  title: 'You have no passkey with this id.',
  remedy: 'List your passkeys with GET /auth/v1/passkeys.',
})
