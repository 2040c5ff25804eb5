// Which document fills an item of a checklist: any one of the case or of its person.
import { Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { errorText } from '../../app/states.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { caseKey } from '../cases/cases.ts'
import type { Document } from './case-checklist.tsx'
import type { ChecklistItem } from './use-checklist.ts'

/** Drawn at once; typing finds the others. */
const SHOWN = 100

interface ChooseDocumentProps {
  item: ChecklistItem
  caseId: string
  applicantId: string | null
  onClose(documentId: string | undefined): void
}

export function ChooseDocument({ item, caseId, applicantId, onClose }: ChooseDocumentProps) {
  const texts = useTexts()
  const { t, date } = texts
  const [chosen, setChosen] = useState<string | null>(null)
  const { data, error } = useQuery({
    queryKey: [...caseKey(caseId), 'documents-to-choose'],
    async queryFn({ signal }) {
      const of = (owner: { caseId: string } | { applicantId: string }) =>
        Array.fromAsync(
          caseport.documents.search({ ...owner, sort: '-updatedAt', maxRecords: 200 }, { signal }),
        )
      const [ofCase, ofPerson] = await Promise.all([of({ caseId }), applicantId ? of({ applicantId }) : []])
      return [...new Map([...ofCase, ...ofPerson].map(found => [found.documentId, found])).values()]
    },
  })
  const documents = (data ?? []).filter(({ documentId }) => documentId !== item.documentId)
  const labelOf = ({ name, fileName, type }: Document) => name ?? fileName ?? type
  const detailOf = (found: Document | undefined) =>
    [
      found?.type,
      found?.fileName,
      found?.expiryDate && t('checklist.expiresOn', { date: date(found.expiryDate) }),
    ]
      .filter(part => part && part !== (found && labelOf(found)))
      .join(' · ')
  return (
    <FormDialog
      title={t('checklist.chooseFor', { name: item.name })}
      action={t('checklist.use')}
      isReady={chosen !== null}
      onSubmit={async () => undefined}
      onDone={() => onClose(chosen ?? undefined)}
      onClose={() => onClose(undefined)}
    >
      <Select
        label={t('checklist.document')}
        searchable
        limit={SHOWN}
        data={documents.map(found => ({ value: found.documentId, label: labelOf(found) }))}
        renderOption={({ option }) => (
          <div>
            <Text size="sm">{option.label}</Text>
            <Text size="xs" c="dimmed">
              {detailOf(documents.find(({ documentId }) => documentId === option.value))}
            </Text>
          </div>
        )}
        value={chosen}
        onChange={setChosen}
        error={error && !data ? errorText(error, texts) : undefined}
        nothingFoundMessage={data ? t('palette.empty') : t('state.loading')}
        data-autofocus
      />
    </FormDialog>
  )
}
