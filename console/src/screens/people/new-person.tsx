import { Select, SimpleGrid, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useAttempts } from '../../app/attempts.ts'
import { caseport } from '../../app/connection.ts'
import { type Key, useTexts } from '../../app/i18n.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { DateField } from '../../fields/date-field.tsx'
import { countryOptions } from '../../records/countries.ts'
import { useCompanies } from '../../records/links.tsx'

const TEXTS = {
  firstName: 'person.firstName',
  lastName: 'person.lastName',
  employeeNumber: 'people.number',
  email: 'people.email',
  jobTitle: 'person.jobTitle',
} as const satisfies Record<string, Key>

interface NewPersonProps {
  /** The id of the record, or undefined where the person has changed their mind. */
  onClose(applicantId: string | undefined): void
}

export function NewPerson({ onClose }: NewPersonProps) {
  const { t, language } = useTexts()
  const client = useQueryClient()
  const attempt = useAttempts()
  const { companies } = useCompanies()
  const [texts, setTexts] = useState({
    firstName: '',
    lastName: '',
    employeeNumber: '',
    email: '',
    jobTitle: '',
  })
  const [nationality, setNationality] = useState<string | null>(null)
  const [company, setCompany] = useState<string | null>(null)
  const [born, setBorn] = useState<string | null>(null)
  const created = useRef<string>(undefined)
  const submit = async () => {
    const { firstName, lastName, ...rest } = texts
    const trimmed = Object.entries(rest).map(([field, value]) => [field, value.trim()])
    const filled = Object.fromEntries(trimmed.filter(([, value]) => value !== ''))
    const body = {
      primaryApplicant: {
        firstName: firstName.trim(),
        lastName: lastName.trim(),
        ...filled,
        ...(nationality && { nationality }),
        ...(company && { sendingCompany: company }),
        ...(born && { dateOfBirth: born }),
      },
    }
    const { primaryApplicant } = await attempt(body, idempotencyKey =>
      caseport.applicants.create(body, { idempotencyKey }),
    )
    created.current = primaryApplicant.applicantId
    void client.invalidateQueries({ queryKey: ['list', 'people'] })
  }
  return (
    <FormDialog
      title={t('people.new')}
      action={t('people.create')}
      size="lg"
      isReady={texts.firstName.trim() !== '' && texts.lastName.trim() !== ''}
      onSubmit={submit}
      onDone={() => onClose(created.current)}
      onClose={() => onClose(undefined)}
    >
      {errorOf => {
        const text = (field: keyof typeof texts, isRequired = false) => (
          <TextInput
            type={field === 'email' ? 'email' : 'text'}
            label={t(TEXTS[field])}
            value={texts[field]}
            onChange={event => setTexts({ ...texts, [field]: event.currentTarget.value })}
            error={errorOf(`primaryApplicant/${field}`)}
            required={isRequired}
            withAsterisk={false}
            data-autofocus={field === 'firstName' || undefined}
          />
        )
        return (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {text('firstName', true)}
            {text('lastName', true)}
            {text('employeeNumber')}
            {text('email')}
            <DateField
              label={t('people.born')}
              value={born}
              onChange={setBorn}
              error={errorOf('primaryApplicant/dateOfBirth')}
            />
            <Select
              label={t('people.nationality')}
              searchable
              clearable
              data={countryOptions(language)}
              value={nationality}
              onChange={setNationality}
            />
            <Select
              label={t('people.company')}
              searchable
              clearable
              data={companies.filter(({ active }) => active).map(({ name }) => name)}
              value={company}
              onChange={setCompany}
              error={errorOf('primaryApplicant/sendingCompany')}
            />
            {text('jobTitle')}
          </SimpleGrid>
        )
      }}
    </FormDialog>
  )
}
