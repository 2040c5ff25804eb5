// The roles of people, as sets of scopes.
import { ALL_SCOPES, type Scope } from './scopes.ts'

const VIEWER = ['applicants:read', 'cases:read', 'documents:read', 'desk:read'] as const

export const ROLES = {
  viewer: [...VIEWER],
  'case-manager': [...VIEWER, 'applicants:write', 'cases:write', 'documents:write', 'desk:write'],
  auditor: [...VIEWER, 'audit:read'],
  admin: ALL_SCOPES,
} as const satisfies Record<string, readonly Scope[]>

export type Role = keyof typeof ROLES

export const ALL_ROLES = Object.keys(ROLES) as Role[]

export function isRole(text: unknown): text is Role {
  return typeof text === 'string' && Object.hasOwn(ROLES, text)
}

/** All scopes of these roles; unknown roles have none. */
export function scopesOf(roles: readonly string[]): ReadonlySet<Scope> {
  return new Set(roles.filter(isRole).flatMap(role => ROLES[role] as readonly Scope[]))
}
