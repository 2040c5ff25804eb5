// What users and clients have in common: the companies that they see.
import { MultiSelect, SegmentedControl, Stack, Text } from '@mantine/core'
import { useTexts } from '../../app/i18n.tsx'
import { useSession } from '../../app/session.tsx'
import { useCompanies } from '../../records/links.tsx'

interface CompanyAccessProps {
  /** Null is all companies. */
  value: string[] | null
  onChange(value: string[] | null): void
  error?: string | undefined
}

/** A limited user needs at least one company, or sees nobody. */
export const hasCompanies = (companies: string[] | null): boolean => companies?.length !== 0

/** A person of some companies cannot give access to all of them. */
export function CompanyAccess({ value, onChange, error }: CompanyAccessProps) {
  const { t } = useTexts()
  const { isLimited } = useSession()
  const { companies } = useCompanies()
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500} component="span" id="company-access">
        {t('access.companies')}
      </Text>
      {!isLimited && (
        <SegmentedControl
          aria-labelledby="company-access"
          value={value === null ? 'all' : 'some'}
          data={[
            { value: 'all', label: t('access.allCompanies') },
            { value: 'some', label: t('access.someCompanies') },
          ]}
          onChange={choice => onChange(choice === 'all' ? null : [])}
        />
      )}
      {(value !== null || isLimited) && (
        <MultiSelect
          aria-label={t('access.companies')}
          placeholder={value?.length ? '' : t('access.chooseCompanies')}
          searchable
          data={companies.map(({ companyId, name }) => ({ value: companyId, label: name }))}
          value={value ?? []}
          onChange={onChange}
          error={error}
        />
      )}
    </Stack>
  )
}

export function useCompanyNames(): (companies: string[] | null) => string {
  const { t } = useTexts()
  const { nameOfCompany } = useCompanies()
  return companies =>
    companies === null ? t('access.allCompanies') : companies.map(nameOfCompany).join(', ')
}
