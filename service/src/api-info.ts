// What the OpenAPI document says of the API as a whole.
import packageJson from '../package.json' with { type: 'json' }

const DESCRIPTION = `
Caseport keeps immigration cases: applicants and their dependents, passports and documents, cases with their steps and notes.

Get a token from \`POST /oauth/token\`, send it as \`Authorization: Bearer …\`, and branch on the \`code\` of a problem document when something is refused.`.trim()

const TAGS = [
  { name: 'Applicants', description: 'Primary applicants and their dependents.' },
  { name: 'Cases', description: 'Immigration cases, their steps and notes.' },
  { name: 'Documents', description: 'Document records and their files.' },
  { name: 'Authentication', description: 'Access tokens and what describes them.' },
  {
    name: 'Operator: applicants',
    description: 'Searching for people, and bringing archived dependents back.',
  },
  { name: 'Operator: cases', description: 'Moving cases along: status, steps and notes.' },
  { name: 'Operator: companies', description: 'The companies that cases may name.' },
  { name: 'Operator: processes', description: 'Templates of steps for new cases.' },
  { name: 'Operator: clients', description: 'Who may call the service: clients, secrets and API keys.' },
  { name: 'Operator: webhooks', description: 'Who is told of what happens, and what was sent to them.' },
  { name: 'Operator: notifications', description: 'Who was reminded of which renewal.' },
  { name: 'Operator: audit', description: 'Who read or changed which record.' },
  { name: 'Service', description: 'Health, metrics and this reference.' },
]

export const API_INFO = { version: packageJson.version, description: DESCRIPTION, tags: TAGS }
