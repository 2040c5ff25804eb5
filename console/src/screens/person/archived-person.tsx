// A dependent whom a replace of the family has left out: what is still read of the person, and the way back.
import { isCaseportError } from '@caseport/sdk'
import { Alert, Button, SimpleGrid, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { BackLink } from '../../app/router.tsx'
import { Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { errorText } from '../../app/states.tsx'
import { confirm } from '../../dialogs/confirm.tsx'
import { notifyDone, notifyError } from '../../dialogs/notify.tsx'
import { InlineField } from '../../fields/inline-field.tsx'
import { fieldName } from '../../records/changes.ts'
import { ToneBadge, useCompanies } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { Family } from './family.tsx'
import { Papers } from './papers.tsx'
import { PersonCases } from './person-cases.tsx'
import type { Found } from './person-record.ts'
import { PersonTimeline } from './person-timeline.tsx'

interface ArchivedPersonProps {
  found: Found
  archivedAt: string
}

export function ArchivedPerson({ found, archivedAt }: ArchivedPersonProps) {
  const texts = useTexts()
  const { t, time, date, country } = texts
  const { can } = useSession()
  const { nameOfCompany } = useCompanies()
  const { applicantId } = found
  const { restore, isBusy } = useRestore(found)
  const fact = (field: keyof Found, display: string) => (
    <InlineField label={fieldName(`/${field}`, texts)} value={found[field]} display={display} />
  )
  return (
    <PageFrame
      title={nameOf(found)}
      before={<BackLink to="/people">{t('people.title')}</BackLink>}
      aside={
        <>
          {found.employeeNumber && <ToneBadge tone="neutral">{found.employeeNumber}</ToneBadge>}
          {found.relationship && <ToneBadge tone="info">{found.relationship}</ToneBadge>}
          <ToneBadge tone="bad">{t('people.archivedOne')}</ToneBadge>
        </>
      }
    >
      <Alert color="red" icon={<Icon name="people" />} mb="md" title={t('archived.title')}>
        {t('archived.text', { time: time(archivedAt) })}
        {can('desk:write') && (
          <div>
            <Button
              variant="default"
              mt="xs"
              leftSection={<Icon name="undo" size={16} />}
              loading={isBusy}
              onClick={() => void restore()}
            >
              {t('archived.restore')}
            </Button>
          </div>
        )}
      </Alert>
      <div className="person">
        <Stack gap="md" className="person-main">
          <Papers person={{ ...found, passports: [] }} mayUpload={false} save={undefined} />
          <PersonCases applicantId={applicantId} />
          <Section title={t('person.identity')}>
            <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md" verticalSpacing="sm">
              {fact('dateOfBirth', date(found.dateOfBirth))}
              {fact('nationality', country(found.nationality))}
              {fact('sendingCompany', nameOfCompany(found.sendingCompany))}
              {fact('email', found.email ?? '')}
            </SimpleGrid>
          </Section>
        </Stack>
        <Stack gap="md" className="person-side">
          <Family found={found} mayEdit={false} />
          {can('desk:read') && <PersonTimeline applicantId={applicantId} />}
        </Stack>
      </div>
    </PageFrame>
  )
}

/** Restores the person; without the number, where that was given to another person and the user agrees. */
function useRestore({ applicantId, primaryApplicantId, employeeNumber }: Found) {
  const texts = useTexts()
  const { t } = texts
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const send = async (withoutEmployeeNumber: boolean): Promise<void> => {
    try {
      await caseport.applicants.restore(applicantId, { withoutEmployeeNumber })
      notifyDone(t('archived.restored'))
      const changed = [
        ['found', applicantId],
        ['timeline', applicantId],
        ['family', primaryApplicantId],
        ['list', 'people'],
      ]
      await Promise.all(changed.map(queryKey => client.invalidateQueries({ queryKey })))
    } catch (error) {
      const isTaken =
        isCaseportError(error, 'employee-number-in-use') || isCaseportError(error, 'employee-number-retired')
      if (!isTaken || withoutEmployeeNumber)
        return notifyError(t('archived.restore'), errorText(error, texts))
      const isSure = await confirm({
        title: t('archived.numberTaken'),
        text: t('archived.numberTakenText', { number: employeeNumber ?? '' }),
        action: t('archived.withoutNumber'),
        isDangerous: false,
      })
      if (isSure) await send(true)
    }
  }
  const restore = async () => {
    setBusy(true)
    await send(false)
    setBusy(false)
  }
  return { restore, isBusy }
}
