// Finds a person while the name is typed.
import { Button, Group, Loader, Paper, Select, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { useCompanies } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import type { Person } from './new-case.ts'

interface PersonPickerProps {
  person: Person | null
  error: string | undefined
  onChange(person: Person | null): void
}

const MIN_LETTERS = 2

export function PersonPicker({ person, error, onChange }: PersonPickerProps) {
  const { t, date } = useTexts()
  const { nameOfCompany } = useCompanies()
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 150)
  const { data, isFetching } = useQuery({
    queryKey: ['person-search', q],
    queryFn: async ({ signal }) =>
      (
        await caseport.api.GET('/admin/v1/applicants', {
          params: { query: { q, maxRecords: 20 } },
          signal,
        })
      ).data,
    enabled: q.length >= MIN_LETTERS,
    placeholderData: keepPreviousData,
  })
  const found = q.length >= MIN_LETTERS ? (data?.records ?? []) : []
  const detailsOf = (one: Person) =>
    [one.employeeNumber, date(one.dateOfBirth), nameOfCompany(one.sendingCompany), one.email]
      .filter(Boolean)
      .join(' · ')

  if (person)
    return (
      <Paper withBorder p="sm" className="picked">
        <Group justify="space-between" gap="sm">
          <div>
            <Text fw={600}>{nameOf(person)}</Text>
            <Text size="xs" c="dimmed">
              {detailsOf(person)}
            </Text>
          </div>
          <Button variant="default" size="compact-sm" onClick={() => onChange(null)}>
            {t('newCase.change')}
          </Button>
        </Group>
      </Paper>
    )
  return (
    <Select
      label={t('newCase.search')}
      description={t('newCase.searchHelp')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      searchable
      searchValue={text}
      onSearchChange={setText}
      value={null}
      onChange={id => onChange(found.find(({ applicantId }) => applicantId === id) ?? null)}
      data={found.map(one => ({
        value: one.applicantId,
        label: nameOf(one),
        // A case is linked to a record by its number.
        disabled: !one.employeeNumber,
      }))}
      // The service has searched; names that sound alike match as well.
      filter={({ options }) => options}
      renderOption={({ option }) => {
        const one = found.find(({ applicantId }) => applicantId === option.value)
        return (
          <div>
            <Text size="sm">{option.label}</Text>
            <Text size="xs" c="dimmed">
              {one && (one.employeeNumber ? detailsOf(one) : t('newCase.noNumber'))}
            </Text>
          </div>
        )
      }}
      nothingFoundMessage={q.length >= MIN_LETTERS && !isFetching ? t('newCase.noMatch') : null}
      rightSection={isFetching ? <Loader size={14} /> : null}
      error={error}
      autoFocus
    />
  )
}
