// The entries of some days as a file with one entry a line. The browser writes it as it arrives.
import { Anchor, Text } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../../app/i18n.tsx'
import { servicePath } from '../../app/page.ts'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { DateField } from '../../fields/date-field.tsx'
import { parseDate, today } from '../../records/dates.ts'

export function ExportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts()
  const [from, setFrom] = useState<string | null>(parseDate('-30d') ?? today())
  const [to, setTo] = useState<string | null>(today())
  const isReady = from !== null && to !== null && from <= to
  // The API excludes the end.
  const end = to === null ? '' : (parseDate('+1d', 'en', to) ?? to)
  const url = `${servicePath}/admin/v1/audit/export?${new URLSearchParams({ from: from ?? '', to: end })}`
  const download = async () => {
    const link = document.createElement('a')
    link.href = url
    link.download = `audit-${from}-${to}.ndjson`
    link.click()
  }
  return (
    <FormDialog
      title={t('audit.exportTitle')}
      action={t('preview.download')}
      isReady={isReady}
      onSubmit={download}
      onDone={onClose}
      onClose={onClose}
    >
      <Text size="sm">{t('audit.exportHelp')}</Text>
      <DateField label={t('audit.from')} value={from} onChange={setFrom} data-autofocus />
      <DateField label={t('audit.to')} value={to} onChange={setTo} />
      {isReady && (
        <Text size="xs" c="dimmed">
          {t('audit.exportAddress')} <Anchor href={url}>{url}</Anchor>
        </Text>
      )}
    </FormDialog>
  )
}
