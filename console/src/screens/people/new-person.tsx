import { Button, Group, Modal, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { errorText } from '../../app/states.tsx'
import { DateField } from '../../fields/date-field.tsx'
import { countryOptions } from '../../records/countries.ts'
import { useCompanies } from '../../records/links.tsx'

interface NewPersonProps {
  /** The id of the record, or undefined where the person has changed their mind. */
  onClose(applicantId: string | undefined): void
}

export function NewPerson({ onClose }: NewPersonProps) {
  const texts = useTexts()
  const { t, language } = texts
  const client = useQueryClient()
  const { companies } = useCompanies()
  const [nationality, setNationality] = useState<string | null>(null)
  const [company, setCompany] = useState<string | null>(null)
  const [born, setBorn] = useState<string | null>(null)
  const create = useMutation({
    mutationFn: (fields: Record<string, string>) => {
      const filled = Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''))
      const { firstName = '', lastName = '', ...rest } = filled
      return caseport.applicants.create({
        primaryApplicant: {
          firstName,
          lastName,
          ...rest,
          ...(nationality && { nationality }),
          ...(company && { sendingCompany: company }),
          ...(born && { dateOfBirth: born }),
        },
      })
    },
    onSuccess({ primaryApplicant }) {
      void client.invalidateQueries({ queryKey: ['list', 'people'] })
      onClose(primaryApplicant.applicantId)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>)
  }
  return (
    <Modal
      opened
      size="lg"
      onClose={() => onClose(undefined)}
      title={t('people.new')}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('dialog.close') }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              name="firstName"
              label={t('person.firstName')}
              required
              withAsterisk={false}
              data-autofocus
            />
            <TextInput name="lastName" label={t('person.lastName')} required withAsterisk={false} />
            <TextInput name="employeeNumber" label={t('people.number')} />
            <TextInput name="email" type="email" label={t('people.email')} />
            <DateField label={t('people.born')} value={born} onChange={setBorn} />
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
            />
            <TextInput name="jobTitle" label={t('person.jobTitle')} />
          </SimpleGrid>
          {create.error && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {errorText(create.error, texts)}
            </Text>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => onClose(undefined)}>
              {t('dialog.cancel')}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t('people.create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
