// Title, description and tags of the OpenAPI document.
import packageJson from '../package.json' with { type: 'json' }

const DESCRIPTION = `
Caseport keeps immigration cases: applicants and their dependents, passports and documents, cases with their steps and notes.

Programs get a token from \`POST /oauth/token\` and send it as \`Authorization: Bearer …\`. People sign in at \`/sign-in\`; their cookie opens the same operations. Branch on the \`code\` of the problem document when a request is rejected.

A client or user can be limited to some companies. What belongs to others does not exist for it: reads respond with 404, and lists, changes, webhooks and the audit leave it out. It still learns that an employee number, client id or e-mail address of others is in use or retired (409), that a case can name a company as \`hostCompany\` or \`billingCompany\`, and, of a case that it shares, the name, id and employee number of the person and the name of the assignee.`.trim()

const TAGS = [
  { name: 'Applicants', description: 'Primary applicants and their dependents.' },
  { name: 'Imports', description: 'Files of people: checked row by row, then applied.' },
  { name: 'Cases', description: 'Immigration cases, their steps and notes.' },
  { name: 'Documents', description: 'Document records and their files.' },
  {
    name: 'Changes',
    description: 'Every change in the order of commits, and a complete export to start from.',
  },
  { name: 'Authentication', description: 'Access tokens, and the metadata that OAuth libraries read.' },
  {
    name: 'Sign-in',
    description:
      'How people sign in: sessions, passwords, authenticator codes, passkeys, an external issuer.',
  },
  {
    name: 'Operator: applicants',
    description: 'Browsing and searching applicants, and restoring archived dependents.',
  },
  {
    name: 'Operator: duplicates',
    description: 'Records that may be the same person, merging them, and undoing a merge.',
  },
  { name: 'Operator: cases', description: 'Listing cases, and changing them, their steps and notes.' },
  {
    name: 'Operator: documents',
    description:
      'Listing documents and what expires; correcting, removing and restoring documents, files for people, versions of files.',
  },
  { name: 'Operator: calendars', description: 'The calendar of a person, for calendar programs.' },
  { name: 'Operator: desk', description: 'The overview, the search of everything, and saved views.' },
  { name: 'Operator: companies', description: 'The companies that cases can name.' },
  { name: 'Operator: processes', description: 'Templates of steps for new cases.' },
  { name: 'Operator: clients', description: 'Clients of the API, with their secrets, scopes and API keys.' },
  { name: 'Operator: users', description: 'People who sign in, with their roles and companies.' },
  {
    name: 'Operator: webhooks',
    description: 'Webhooks, the events they subscribe to, and their deliveries.',
  },
  { name: 'Operator: notifications', description: 'Renewal reminders and whether they were sent.' },
  {
    name: 'Operator: audit',
    description: 'Who read or changed which records, and which calls were rejected.',
  },
  { name: 'Service', description: 'Health, metrics and this reference.' },
]

export const API_INFO = { version: packageJson.version, description: DESCRIPTION, tags: TAGS }
