// What the screens of imports share: the clients, the states, and how they are shown.
import { createImports, type Import, type ImportOutcome } from '@caseport/sdk/imports'
import { caseport } from '../../app/connection.ts'
import type { Key } from '../../app/i18n.tsx'
import { uploadClient } from '../../files/upload-client.ts'
import type { Tone } from '../../records/links.tsx'

export const imports = createImports(caseport)
/** Sends with progress. It does not wait for a new session by itself: `untilSent` does. */
export const sendingImports = createImports(uploadClient)

export const STATUSES = [
  'receiving',
  'checking',
  'held',
  'running',
  'completed',
  'cancelled',
  'failed',
] as const
export const OUTCOMES = ['created', 'updated', 'unchanged', 'rejected', 'missing'] as const

/** `checked` is a dry run that was not applied: nothing was changed yet. */
export type ShownStatus = Import['status'] | 'checked'

export const shownStatus = ({ status, dryRun, releasedAt }: Import): ShownStatus =>
  status === 'completed' && dryRun && releasedAt === null ? 'checked' : status

export const isWorking = ({ status }: Import): boolean =>
  status === 'receiving' || status === 'checking' || status === 'running'

export const STATUS_TONES: Record<ShownStatus, Tone> = {
  receiving: 'info',
  checking: 'info',
  checked: 'warn',
  held: 'bad',
  running: 'info',
  completed: 'good',
  cancelled: 'neutral',
  failed: 'bad',
}

export const OUTCOME_TONES: Record<ImportOutcome, Tone> = {
  created: 'good',
  updated: 'info',
  unchanged: 'neutral',
  rejected: 'bad',
  missing: 'warn',
}

export const outcomeKey = (outcome: ImportOutcome): Key => `imports.outcome.${outcome}`

export const importKey = (importId: string) => ['import', importId] as const
export const IMPORT_LIST = ['list', 'imports'] as const
export const importPath = (importId: string) => `/imports/${encodeURIComponent(importId)}`
