// The errors of users and invitations.
import { declareProblem } from '../lib/problem.ts'

export const userNotFound = declareProblem({
  code: 'user-not-found',
  status: 404,
  title: 'There is no user with this id.',
  remedy: 'List the users with GET /admin/v1/users.',
})
export const emailInUse = declareProblem({
  code: 'email-in-use',
  status: 409,
  title: 'Another user has this e-mail address.',
  remedy: 'Change that user instead, or use another address. Addresses that differ only in case are equal.',
})
export const userInactive = declareProblem({
  code: 'user-inactive',
  status: 409,
  title: 'The user is not active, and could not sign in with a link.',
  remedy: 'Activate the user first, with PATCH /admin/v1/users/{userId} and `active: true`.',
})
export const lastAdmin = declareProblem({
  code: 'last-admin',
  status: 409,
  title: 'This is the last active administrator of all companies.',
  remedy: 'Make another user an administrator first, and let that person sign in.',
})
export const invitationInvalid = declareProblem({
  code: 'invitation-invalid',
  status: 409,
  title: 'The invitation was used already, has expired, or never existed.',
  remedy: 'Ask an administrator for a new link, or run npm start -- --invite <email> on the server.',
})

export const userConstraints = { users_email: emailInUse }
