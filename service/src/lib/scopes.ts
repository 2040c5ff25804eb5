/** The OAuth scopes. Every route declares one of these, 'public', 'any' or 'session'. */
export const SCOPES = {
  'applicants:read': 'Read applicants and dependents.',
  'applicants:write': 'Create, replace, merge and renumber applicants and dependents.',
  'cases:read': 'Read cases, steps and notes.',
  'cases:write': 'Create cases.',
  'documents:read': 'List, read and download documents.',
  'documents:write': 'Upload documents and change their expiry.',
  'desk:read':
    'List and search applicants, cases and documents, and read companies, processes, timelines, notes of the team, notifications, duplicates and merges.',
  'desk:write':
    'Change cases, their steps, notes and checklists, correct and remove documents, restore archived dependents, and merge duplicates.',
  'setup:write': 'Create and change companies and processes.',
  'webhooks:write': "Use the caller's own webhooks.",
  'access:write': 'Manage clients, API keys, users and blocked callers.',
  'audit:read': 'Read the audit log.',
  admin: 'All of the above, and the webhooks of all clients.',
} as const

export type Scope = keyof typeof SCOPES

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[]

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}

/** What a caller with these scopes has: `admin` contains all others, and unknown ones are dropped. */
export function expandScopes(scopes: readonly string[]): ReadonlySet<Scope> {
  return new Set(scopes.includes('admin') ? ALL_SCOPES : scopes.filter(isScope))
}

/** The scopes that contain this one: itself and `admin`. */
export function scopesWith(scope: Scope): Scope[] {
  return ALL_SCOPES.filter(other => expandScopes([other]).has(scope))
}
