/** The OAuth scopes. Every route declares one of these, or 'public'. */
export const SCOPES = {
  'applicants:read': 'Read applicants and dependents.',
  'applicants:write': 'Create, replace, merge and renumber applicants and dependents.',
  'cases:read': 'Read cases, steps and notes.',
  'cases:write': 'Create cases.',
  'documents:read': 'List, read and download documents.',
  'documents:write': 'Upload documents and change their expiry.',
  'access:write': 'Manage clients, API keys, users and blocked callers.',
  admin: 'Use the operator API.',
} as const

export type Scope = keyof typeof SCOPES

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[]

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}
