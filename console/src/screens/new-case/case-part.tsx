// The part of a new case for the case itself: companies, process, country.
import { Paper, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useTexts } from '../../app/i18n.tsx'
import { countryOptionsWith } from '../../records/countries.ts'
import { useCompanies } from '../../records/links.tsx'
import { useProcesses } from '../../records/processes.ts'
import { COMPANY_LABELS } from '../cases/cases.ts'
import type { PartProps } from './new-person-part.tsx'

export function CasePart({ draft, errors, change, hasOneCompany }: PartProps & { hasOneCompany: boolean }) {
  const { t, country, language } = useTexts()
  const { companies } = useCompanies()
  const { processes } = useProcesses()
  const options = companies
    .filter(({ active }) => active)
    .map(({ companyId, name }) => ({ value: companyId, label: name }))
  const chosen = processes.find(({ name }) => name === draft.processName)
  const choose = (processName: string | null) => {
    const process = processes.find(({ name }) => name === processName)
    change({
      processName,
      ...(process?.caseType && { caseType: process.caseType }),
      ...(process?.hostCountry && { hostCountry: process.hostCountry }),
    })
  }
  const companySelect = (field: 'sendingCompany' | 'hostCompany' | 'billingCompany') => (
    <Select
      label={t(COMPANY_LABELS[field])}
      data={options}
      value={draft[field]}
      onChange={value =>
        // The first company is proposed for the others: most cases have one.
        change(
          field === 'sendingCompany'
            ? {
                sendingCompany: value,
                hostCompany: draft.hostCompany ?? value,
                billingCompany: draft.billingCompany ?? value,
              }
            : { [field]: value },
        )
      }
      error={errors[field]}
      searchable
      required
    />
  )
  return (
    <Paper withBorder p="md" component="section" aria-label={t('newCase.work')}>
      <Title order={2} mb="sm">
        {t('newCase.work')}
      </Title>
      <Stack gap="sm">
        {!hasOneCompany && (
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
            {companySelect('sendingCompany')}
            {companySelect('hostCompany')}
            {companySelect('billingCompany')}
          </SimpleGrid>
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <Select
            label={t('newCase.process')}
            description={t('newCase.processHelp')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data={processes.map(({ name, hostCountry }) => ({
              value: name,
              label: hostCountry ? `${name} (${country(hostCountry)})` : name,
            }))}
            value={draft.processName}
            onChange={choose}
            error={errors['processName']}
            searchable
            clearable
          />
          <TextInput
            label={t('field.caseType')}
            value={draft.caseType}
            onChange={event => change({ caseType: event.currentTarget.value })}
            error={errors['caseType']}
            required
            autoComplete="off"
          />
          <Select
            label={t('field.hostCountry')}
            data={countryOptionsWith(language, draft.hostCountry)}
            value={draft.hostCountry}
            onChange={hostCountry => change({ hostCountry })}
            error={errors['hostCountry']}
            searchable
            clearable
          />
          <TextInput
            label={t('field.hostCity')}
            value={draft.hostCity}
            onChange={event => change({ hostCity: event.currentTarget.value })}
            error={errors['hostCity']}
            autoComplete="off"
          />
        </SimpleGrid>
        {chosen && (
          <Text size="xs" c="dimmed">
            {chosen.steps.join(' → ')}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}
