// One person: identity, family, passports and permits on a time axis, documents, cases, and what happened.
import { SimpleGrid, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTexts } from '../../app/i18n.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { BackLink } from '../../app/router.tsx'
import { Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { CenteredLoader, ErrorState } from '../../app/states.tsx'
import { InlineField } from '../../fields/inline-field.tsx'
import { COUNTRY_FIELDS, fieldName } from '../../records/changes.ts'
import { countryOptionsWith } from '../../records/countries.ts'
import { type Company, ToneBadge, useCompanies } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { ArchivedPerson } from './archived-person.tsx'
import { ChangeNumberButton } from './change-number.tsx'
import { Family } from './family.tsx'
import { Papers } from './papers.tsx'
import { PersonCases } from './person-cases.tsx'
import { type Found, type Person, useFound, usePerson } from './person-record.ts'
import { PersonTimeline } from './person-timeline.tsx'

export default function PersonScreen() {
  const { applicantId } = useParams({ strict: false }) as { applicantId: string }
  const { data: found, error, refetch } = useFound(applicantId)
  // A refresh that fails takes nothing away that is shown, and nothing that is being typed.
  if (error && !found) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!found) return <CenteredLoader />
  if (found.archivedAt !== null) return <ArchivedPerson found={found} archivedAt={found.archivedAt} />
  // Another person starts anew: nothing of a half-edited field moves along.
  return <PersonView key={found.applicantId} found={found} />
}

type TextField = {
  [Field in keyof Person]: Person[Field] extends string | null ? Field : never
}[keyof Person] &
  string

const SECTIONS: {
  title: 'person.identity' | 'person.work' | 'person.contact' | 'person.address'
  fields: TextField[]
}[] = [
  {
    title: 'person.identity',
    fields: [
      'firstName',
      'middleName',
      'lastName',
      'dateOfBirth',
      'nationality',
      'countryOfBirth',
      'cityOfBirth',
      'gender',
      'maritalStatus',
    ],
  },
  { title: 'person.work', fields: ['employeeNumber', 'sendingCompany', 'jobTitle', 'hireDate', 'status'] },
  { title: 'person.contact', fields: ['email', 'alternateEmail', 'telephone', 'alternateTelephone'] },
  {
    title: 'person.address',
    fields: [
      'addressLine1',
      'addressLine2',
      'addressPostalCode',
      'addressCity',
      'addressState',
      'addressCountry',
    ],
  },
]
const DATES = new Set<string>(['dateOfBirth', 'hireDate'])
const REQUIRED = new Set<string>(['firstName', 'lastName'])
/** An employee number is an identity, which has an operation of its own. */
const FIXED = new Set<string>(['employeeNumber'])

function PersonView({ found }: { found: Found }) {
  const { t } = useTexts()
  const { can } = useSession()
  const edited = usePerson(found)
  const { record, error, refresh } = edited
  const mayEdit = can('applicants:write')
  if (error) return <ErrorState error={error} onRetry={refresh} />
  if (!record) return <CenteredLoader />
  const isPrimary = found.primaryApplicantId === null
  return (
    <PageFrame
      title={nameOf(record)}
      before={<BackLink to="/people">{t('people.title')}</BackLink>}
      aside={
        <>
          {record.employeeNumber && <ToneBadge tone="neutral">{record.employeeNumber}</ToneBadge>}
          {!isPrimary && record.relationship && <ToneBadge tone="info">{record.relationship}</ToneBadge>}
        </>
      }
    >
      <div className="person">
        <Stack gap="md" className="person-main">
          <Papers person={record} mayUpload={can('desk:write')} save={mayEdit ? edited.save : undefined} />
          <PersonCases applicantId={record.applicantId} />
          {SECTIONS.map(({ title, fields }) => (
            <Section
              key={title}
              title={t(title)}
              actions={
                title === 'person.work' &&
                mayEdit &&
                found.primaryApplicantId !== null &&
                record.employeeNumber !== null && (
                  <ChangeNumberButton person={record} primaryId={found.primaryApplicantId} />
                )
              }
            >
              <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md" verticalSpacing="sm">
                {fields.map(field => (
                  <PersonField
                    key={field}
                    field={field}
                    person={record}
                    onSave={
                      mayEdit && !FIXED.has(field) ? value => edited.save({ [field]: value }) : undefined
                    }
                  />
                ))}
              </SimpleGrid>
              {title === 'person.work' && mayEdit && isPrimary && record.employeeNumber !== null && (
                <Text size="sm" c="dimmed" mt="sm">
                  {t('person.numberByApi')}
                </Text>
              )}
            </Section>
          ))}
        </Stack>
        <Stack gap="md" className="person-side">
          <Family found={found} mayEdit={mayEdit} />
          {can('desk:read') && <PersonTimeline applicantId={record.applicantId} />}
        </Stack>
      </div>
    </PageFrame>
  )
}

interface PersonFieldProps {
  field: TextField
  person: Person
  onSave: ((value: string | null) => Promise<boolean>) | undefined
}

function PersonField({ field, person, onSave }: PersonFieldProps) {
  const texts = useTexts()
  const { companies, nameOfCompany } = useCompanies()
  const value = person[field]
  const common = { label: fieldName(`/${field}`, texts), value, onSave, isRequired: REQUIRED.has(field) }
  if (DATES.has(field)) return <InlineField {...common} kind="date" />
  if (COUNTRY_FIELDS.has(field))
    return (
      <InlineField
        {...common}
        kind="select"
        options={countryOptionsWith(texts.language, value)}
        display={texts.country(value)}
      />
    )
  if (field === 'sendingCompany')
    return (
      <InlineField
        {...common}
        kind="select"
        options={companyOptions(companies, value)}
        display={nameOfCompany(value)}
      />
    )
  return <InlineField {...common} />
}

/** The active companies by their names, and what the person has, which may be an id, a code or the name of none. */
function companyOptions(
  companies: readonly Company[],
  value: string | null,
): { value: string; label: string }[] {
  const isValue = ({ companyId, name }: Company) => companyId === value || name === value
  const known = companies.find(isValue)
  const others = companies.filter(company => company.active && company !== known)
  return [
    ...(value ? [{ value, label: known?.name ?? value }] : []),
    ...others.map(({ name }) => ({ value: name, label: name })),
  ]
}
