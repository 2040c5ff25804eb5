// Passports, permits and other documents of a person: on a time axis, and as a list in which dates are edited.
import type { components } from '@caseport/sdk'
import { Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { AppLink } from '../../app/router.tsx'
import { Muted, Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { ErrorState, SkeletonLines } from '../../app/states.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { DateField } from '../../fields/date-field.tsx'
import { InlineField } from '../../fields/inline-field.tsx'
import type { EditedRecord } from '../../fields/use-record.ts'
import { uploadClient } from '../../files/upload-client.ts'
import { DropAnywhere, UploadButton, useUploads } from '../../files/upload-queue.tsx'
import { countryOptions } from '../../records/countries.ts'
import { daysUntil } from '../../records/dates.ts'
import { ExpiryBadge, MoreDocuments, ToneBadge } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import type { Validity } from '../../records/time-axis.ts'
import { TimeAxis } from '../../records/time-axis.tsx'
import type { Person } from './person-record.ts'

type Document = components['schemas']['ListedDocument']
type Passport = Person['passports'][number]

type Save = EditedRecord<Person>['save']

interface PapersProps {
  person: Pick<Person, 'applicantId' | 'firstName' | 'lastName' | 'employeeNumber' | 'passports'>
  mayUpload: boolean
  /** Undefined where passports cannot be changed. */
  save: Save | undefined
}

export function Papers({ person, mayUpload, save }: PapersProps) {
  const { t, country } = useTexts()
  const { can } = useSession()
  const { applicantId, passports } = person
  const documentsKey = ['documents-of', applicantId]
  const {
    data: page,
    error,
    refetch,
  } = useQuery({
    queryKey: documentsKey,
    queryFn: ({ signal }) =>
      caseport.documents.search({ applicantId, sort: 'expiryDate', maxRecords: 100 }, { signal }).first(),
    enabled: can('desk:read'),
  })
  const uploads = useUploads({
    target: { path: `/people/${encodeURIComponent(applicantId)}`, label: nameOf(person) },
    invalidates: [documentsKey, ['timeline', applicantId]],
    send: async (file, { countryCode, ...sending }) =>
      uploadClient.documents.uploadForApplicant(applicantId, { file, countryCode }, sending),
  })
  const documents = page?.records ?? []
  const validity: Validity[] = [
    ...passports.map((passport, index) => ({
      id: passport.passportId ?? `passport-${index}`,
      lane: [t('papers.passport'), country(passport.country)].filter(Boolean).join(' '),
      label: passport.passportNumber ?? t('papers.passport'),
      from: passport.issueDate ?? null,
      to: passport.expiryDate ?? null,
    })),
    ...documents.map(document => ({
      id: document.documentId,
      // Documents of the record have no type of their own.
      lane: document.type === 'Applicant document' ? (document.name ?? document.type) : document.type,
      label: document.name ?? document.type,
      from: document.issueDate,
      to: document.expiryDate,
    })),
  ]
  return (
    <>
      <Section
        title={t('papers.title')}
        actions={
          <Group gap="xs" className="no-print">
            {save && (
              <Button
                variant="default"
                size="sm"
                leftSection={<Icon name="plus" size={14} />}
                onClick={() =>
                  void openDialog<void>(close => (
                    <AddPassport known={passports} save={save} onClose={() => close()} />
                  ))
                }
              >
                {t('papers.addPassport')}
              </Button>
            )}
            {mayUpload && <UploadButton uploads={uploads} />}
          </Group>
        }
      >
        <Stack gap="md">
          <TimeAxis label={t('papers.title')} papers={validity} />
          {passports.length > 0 && <Passports passports={passports} save={save} />}
          {error && !page ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : !page && can('desk:read') ? (
            <SkeletonLines lines={3} />
          ) : documents.length === 0 ? (
            <Muted>
              {t('papers.noDocuments')} {mayUpload && t('papers.dropHelp')}
            </Muted>
          ) : (
            <>
              <Documents documents={documents} />
              <MoreDocuments shown={documents.length} total={page?.total} search={{ applicantId }} />
            </>
          )}
        </Stack>
      </Section>
      {mayUpload && <DropAnywhere onDrop={uploads.add} />}
    </>
  )
}

function Passports({ passports, save }: { passports: Passport[]; save: Save | undefined }) {
  const { t, country } = useTexts()
  const changeOf = (passport: Passport, field: 'issueDate' | 'expiryDate') =>
    save &&
    ((value: string | null) => {
      const passportId = passport.passportId ?? null
      const shown = passports.map(other => (other === passport ? { ...other, [field]: value } : other))
      const undo = { passports: [{ passportId, [field]: passport[field] ?? null }] }
      return save({ passports: [{ passportId, [field]: value }] }, { shown: { passports: shown }, undo })
    })
  return (
    <Stack gap="xs">
      {passports.map((passport, index) => (
        <div key={passport.passportId ?? index} className="paper-row">
          <Group gap="xs">
            <Text fw={600} size="sm">
              {t('papers.passport')} {passport.passportNumber}
            </Text>
            <ToneBadge tone="neutral">{country(passport.country)}</ToneBadge>
            {passport.expiryDate && daysUntil(passport.expiryDate) <= 90 && (
              <ExpiryBadge date={passport.expiryDate} />
            )}
          </Group>
          <Group gap="lg" className="paper-fields">
            <InlineField
              label={t('papers.issued')}
              kind="date"
              value={passport.issueDate}
              onSave={changeOf(passport, 'issueDate')}
            />
            <InlineField
              label={t('papers.expires')}
              kind="date"
              value={passport.expiryDate}
              onSave={changeOf(passport, 'expiryDate')}
            />
          </Group>
        </div>
      ))}
    </Stack>
  )
}

function Documents({ documents }: { documents: Document[] }) {
  const { t, date } = useTexts()
  return (
    <Table verticalSpacing={6} aria-label={t('papers.documents')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('papers.document')}</Table.Th>
          <Table.Th visibleFrom="sm">{t('papers.type')}</Table.Th>
          <Table.Th visibleFrom="sm">{t('papers.issued')}</Table.Th>
          <Table.Th>{t('papers.expires')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {documents.map(document => (
          <Table.Tr key={document.documentId}>
            <Table.Td>
              <AppLink to="/documents" search={{ open: document.documentId }}>
                {document.name ?? document.fileName ?? document.type}
              </AppLink>
            </Table.Td>
            <Table.Td visibleFrom="sm">{document.type}</Table.Td>
            <Table.Td visibleFrom="sm">{date(document.issueDate)}</Table.Td>
            <Table.Td>
              <ExpiryBadge date={document.expiryDate} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

interface AddPassportProps {
  known: Passport[]
  save: Save
  onClose(): void
}

function AddPassport({ known, save, onClose }: AddPassportProps) {
  const { t, language } = useTexts()
  const [passportNumber, setNumber] = useState('')
  const [country, setCountry] = useState<string | null>(null)
  const [issueDate, setIssued] = useState<string | null>(null)
  const [expiryDate, setExpires] = useState<string | null>(null)
  const isSaved = useRef(false)
  const submit = async () => {
    const added = { passportNumber: passportNumber.trim(), country, issueDate, expiryDate }
    isSaved.current = await save(
      { passports: [added] },
      { shown: { passports: [...known, added] }, undo: null },
    )
  }
  return (
    <FormDialog
      title={t('papers.addPassport')}
      action={t('person.add')}
      isReady={passportNumber.trim() !== '' && country !== null}
      onSubmit={submit}
      // Why it was not saved is said by a notification.
      onDone={() => isSaved.current && onClose()}
      onClose={onClose}
    >
      <TextInput
        label={t('papers.number')}
        value={passportNumber}
        onChange={event => setNumber(event.currentTarget.value)}
        data-autofocus
      />
      <Select
        label={t('papers.country')}
        searchable
        data={countryOptions(language)}
        value={country}
        onChange={setCountry}
      />
      <DateField label={t('papers.issued')} value={issueDate} onChange={setIssued} />
      <DateField label={t('papers.expires')} value={expiryDate} onChange={setExpires} />
    </FormDialog>
  )
}
