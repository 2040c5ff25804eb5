// How an import stands.
import type { Import } from '@caseport/sdk/imports'
import { useTexts } from '../../app/i18n.tsx'
import { ToneBadge } from '../../records/links.tsx'
import { STATUS_TONES, shownStatus } from './imports.ts'

export function ImportStatusBadge({ one }: { one: Import }) {
  const { t } = useTexts()
  const status = shownStatus(one)
  return <ToneBadge tone={STATUS_TONES[status]}>{t(`imports.status.${status}`)}</ToneBadge>
}
