// What the OpenAPI document says of the API as a whole.
import packageJson from '../package.json' with { type: 'json' }

const DESCRIPTION = `
Caseport keeps immigration cases: applicants and their dependents, passports and documents, cases with their steps and notes.

Programs get a token from \`POST /oauth/token\` and send it as \`Authorization: Bearer …\`. People sign in at \`/sign-in\`; their cookie opens the same operations. Branch on the \`code\` of the problem document when a request is rejected.`.trim()

const TAGS = [
  { name: 'Applicants', description: 'Primary applicants and their dependents.' },
  { name: 'Cases', description: 'Immigration cases, their steps and notes.' },
  { name: 'Documents', description: 'Document records and their files.' },
  { name: 'Authentication', description: 'Access tokens, and the metadata that OAuth libraries read.' },
  {
    name: 'Sign-in',
    description: 'How people sign in: sessions, passwords, codes by app, passkeys, an external issuer.',
  },
  {
    name: 'Operator: applicants',
    description: 'Searching applicants, and restoring archived dependents.',
  },
  { name: 'Operator: cases', description: 'Changing the status, steps and notes of cases.' },
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
    description: 'Who read or changed which records, and which calls were refused.',
  },
  { name: 'Service', description: 'Health, metrics and this reference.' },
]

export const API_INFO = { version: packageJson.version, description: DESCRIPTION, tags: TAGS }
