import { Group, Text } from '@mantine/core'
import { useTexts } from '../../app/i18n.tsx'
import { Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { ExpiryBadge, PersonLink, ToneBadge, useCompanies } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { type Case, COMPANY_LABELS } from '../cases/cases.ts'

const COMPANY_FIELDS = ['hostCompany', 'sendingCompany', 'billingCompany'] as const

/** The people and companies of a case, as they were sent when it was created. */
export function CaseParties({ record, hasCompanies }: { record: Case; hasCompanies: boolean }) {
  const { t, date, country } = useTexts()
  const { can } = useSession()
  const { nameOfCompany } = useCompanies()
  const { applicant, employeeNumber, applicantId } = record
  const person = { ...applicant, applicantId, employeeNumber }
  return (
    <Section title={t('parties.title')}>
      <dl className="parties">
        <div>
          <dt>{t('parties.applicant')}</dt>
          <dd>
            <Group gap={8}>
              {can('applicants:read') ? <PersonLink person={person} /> : nameOf(person)}
              {applicant.Vip && <ToneBadge tone="info">{t('case.vip')}</ToneBadge>}
            </Group>
            <Text size="xs" c="dimmed">
              {[
                employeeNumber,
                date(applicant.dateOfBirth),
                applicant.currentJobTitle,
                applicant.emailAddress,
              ]
                .filter(Boolean)
                .join(' · ')}
            </Text>
            {applicant.passports.map(passport => (
              <Group key={`${passport.passportNumber}-${passport.country}`} gap={8} mt={4}>
                <Text size="xs" c="dimmed">
                  {t('parties.passport', {
                    number: passport.passportNumber ?? '',
                    country: country(passport.country),
                  })}
                </Text>
                <ExpiryBadge date={passport.expirationDate} />
              </Group>
            ))}
          </dd>
        </div>
        <div>
          <dt>{t('parties.family')}</dt>
          <dd>
            {applicant.dependents.length === 0 && (
              <Text size="sm" c="dimmed">
                {t('parties.noFamily')}
              </Text>
            )}
            {applicant.dependents.map(dependent => (
              <div key={`${dependent.firstName} ${dependent.lastName} ${dependent.dateOfBirth}`}>
                <bdi>{nameOf(dependent)}</bdi>{' '}
                <Text span size="xs" c="dimmed">
                  {[dependent.relationship, date(dependent.dateOfBirth)].filter(Boolean).join(' · ')}
                </Text>
              </div>
            ))}
          </dd>
        </div>
        {(hasCompanies ? COMPANY_FIELDS : []).map(field => (
          <div key={field}>
            <dt>{t(COMPANY_LABELS[field])}</dt>
            <dd>{nameOfCompany(record[`${field}Id`])}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
