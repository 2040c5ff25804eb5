// Finds a person by name, number, e-mail or passport.
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { caseport } from '../app/connection.ts'
import { useTexts } from '../app/i18n.tsx'
import { errorText } from '../app/states.tsx'
import { isolated, nameOf } from './names.ts'

interface PersonSelectProps {
  label: string
  value: string | null
  onChange(applicantId: string | null): void
}

const MIN_LETTERS = 2

export function PersonSelect({ label, value, onChange }: PersonSelectProps) {
  const texts = useTexts()
  const { t } = texts
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 150)
  const [chosen, setChosen] = useState<{ value: string; label: string }>()
  const {
    data = [],
    isFetching,
    error,
  } = useQuery({
    queryKey: ['person-select', q],
    queryFn: async ({ signal }) => (await caseport.search(q, { signal })).people,
    enabled: q.length >= MIN_LETTERS,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
  const found = data.map(person => ({
    value: person.applicantId,
    label: [isolated(nameOf(person)), person.employeeNumber].filter(Boolean).join(' · '),
  }))
  const options = chosen && !found.some(option => option.value === chosen.value) ? [chosen, ...found] : found
  return (
    <Select
      label={label}
      placeholder={t('people.search')}
      searchable
      clearable
      data={options}
      // The service has searched.
      filter={({ options: all }) => all}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      error={error && errorText(error, texts)}
      nothingFoundMessage={q.length < MIN_LETTERS || isFetching || error ? undefined : t('palette.empty')}
      onChange={next => {
        setChosen(options.find(option => option.value === next))
        onChange(next)
      }}
      data-autofocus
    />
  )
}
