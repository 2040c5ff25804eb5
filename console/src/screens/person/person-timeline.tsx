import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Section } from '../../app/section.tsx'
import { AuditLink, CaseLink } from '../../records/links.tsx'
import { Timeline } from '../../records/timeline.tsx'

export function PersonTimeline({ applicantId }: { applicantId: string }) {
  const { t } = useTexts()
  return (
    <Section title={t('timeline.title')} actions={<AuditLink recordId={applicantId} />}>
      <Timeline
        queryKey={['timeline', applicantId]}
        load={async (nextCursor, signal) => {
          const query = { maxRecords: 20, ...(nextCursor !== undefined && { nextCursor }) }
          return caseport.applicants.timeline(applicantId, query, { signal }).first()
        }}
        renderRecord={({ type, id }) =>
          type === 'case' ? <CaseLink caseId={id}>{t('timeline.openCase')}</CaseLink> : null
        }
      />
    </Section>
  )
}
