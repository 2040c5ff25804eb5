// What an entry of the audit is about, in words.
import type { Texts } from '../../app/i18n.tsx'

interface Audited {
  action: string
  operationId: string | null
}

/** `case.step_write` in words. What is only known as a call is named by its operation. */
export function actionOf({ action, operationId }: Audited, { t, tx }: Pick<Texts, 't' | 'tx'>): string {
  const what = tx(`action.${action}`, action.replaceAll(/[._-]/g, ' '))
  if (!action.startsWith('request.') || !operationId) return capitalized(what)
  const named = t('timeline.named', { what, name: operationId })
  return capitalized(action === 'request.handle' ? tx(`operation.${operationId}`, named) : named)
}

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
