// The entries of some days as a file with one entry a line. The browser writes it as it arrives.
import { Anchor, Text } from '@mantine/core'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { servicePath } from '../../app/page.ts'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { DateField } from '../../fields/date-field.tsx'
import { parseDate, startOfDay, today } from '../../records/dates.ts'

export function ExportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts()
  const [from, setFrom] = useState<string | null>(parseDate('-30d') ?? today())
  const [to, setTo] = useState<string | null>(today())
  const [invalid, setInvalid] = useState<readonly string[]>([])
  const isReady = invalid.length === 0 && from !== null && to !== null && from <= to
  const fieldOf = (name: string, set: (value: string | null) => void) => ({
    onChange(value: string | null) {
      setInvalid(all => all.filter(other => other !== name))
      set(value)
    },
    onInvalid: () => setInvalid(all => [...all, name]),
  })
  // Days are those of the person. The API excludes the end.
  const range = new URLSearchParams({
    from: from === null ? '' : startOfDay(from),
    to: to === null ? '' : startOfDay(parseDate('+1d', 'en', to) ?? to),
  })
  const url = `${servicePath}/admin/v1/audit/export?${range}`
  const download = async () => {
    // A session that has ended is asked for here: the browser would save the error as the file.
    await caseport.api.GET('/admin/v1/me')
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
      <DateField label={t('audit.from')} value={from} {...fieldOf('from', setFrom)} data-autofocus />
      <DateField label={t('audit.to')} value={to} {...fieldOf('to', setTo)} />
      {isReady && (
        <Text size="xs" c="dimmed">
          {t('audit.exportAddress')} <Anchor href={url}>{url}</Anchor>
        </Text>
      )}
    </FormDialog>
  )
}
