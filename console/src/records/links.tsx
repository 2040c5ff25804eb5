// Links to records, and the badges that show how they stand.
import type { components } from '@caseport/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { AppLink } from '../app/router.tsx'
import { useSession } from '../app/session.tsx'
import { daysUntil, parseDate, today } from './dates.ts'
import { nameOf } from './names.ts'
import { companiesQuery } from './queries.ts'

export type Company = components['schemas']['Company']

interface PersonRef {
  applicantId: string
  firstName?: string | null
  lastName?: string | null
  employeeNumber?: string | null
}

export function PersonLink({ person }: { person: PersonRef }) {
  return <AppLink to={`/people/${encodeURIComponent(person.applicantId)}`}>{nameOf(person)}</AppLink>
}

export function CaseLink({ caseId, children }: { caseId: string; children: ReactNode }) {
  return <AppLink to={`/cases/${encodeURIComponent(caseId)}`}>{children}</AppLink>
}

/** Of the audit: what a link looks for may be older than the days that the screen shows by itself. */
export const longRange = () => ({ startDate: parseDate('-90d') ?? today() })

/** For those who may read the audit: who saw or changed this record. */
export function AuditLink({ recordId }: { recordId: string }) {
  const { t } = useTexts()
  const { can } = useSession()
  if (!can('audit:read')) return null
  return (
    <AppLink to="/audit" search={{ recordId, ...longRange() }}>
      {t('audit.ofRecord')}
    </AppLink>
  )
}

export function useCompanies(): {
  companies: Company[]
  nameOfCompany(idOrName: string | null | undefined): string
} {
  const { data } = useQuery(companiesQuery)
  return useMemo(() => {
    const companies = data ?? []
    const names = new Map(companies.map(({ companyId, name }) => [companyId, name]))
    return { companies, nameOfCompany: id => (id && names.get(id)) || id || '' }
  }, [data])
}

export type Tone = 'neutral' | 'good' | 'info' | 'warn' | 'bad'

/**
 * A badge whose colours have enough contrast in light and dark. The text tells what the tone shows. It is no component of
 * Mantine, because every row of a list has some.
 */
export function ToneBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`tone tone-${tone}`}>{children}</span>
}

export type CaseStatus = 'open' | 'pending' | 'closed'
const CASE_TONES: Record<CaseStatus, Tone> = { open: 'info', pending: 'warn', closed: 'neutral' }

export function CaseStatusBadge({ status }: { status: CaseStatus }) {
  const { t } = useTexts()
  return <ToneBadge tone={CASE_TONES[status]}>{t(`caseStatus.${status}`)}</ToneBadge>
}

export type StepStatus = 'notStarted' | 'inProgress' | 'completed' | 'waived'
const STEP_TONES: Record<StepStatus, Tone> = {
  notStarted: 'neutral',
  inProgress: 'info',
  completed: 'good',
  waived: 'neutral',
}

export function StepStatusBadge({ status }: { status: StepStatus }) {
  const { t } = useTexts()
  return <ToneBadge tone={STEP_TONES[status]}>{t(`stepStatus.${status}`)}</ToneBadge>
}

/** When something expires: the date, and how soon. Colour repeats the text. */
export function ExpiryBadge({ date }: { date: string | null | undefined }) {
  const texts = useTexts()
  if (!date) return null
  const days = daysUntil(date)
  const tone = days < 0 ? 'bad' : days <= 90 ? 'warn' : 'neutral'
  const text =
    days < 0
      ? texts.t('expiry.expired', { date: texts.date(date) })
      : days <= 90
        ? texts.tn('expiry.soon', days, { date: texts.date(date) })
        : texts.date(date)
  return <ToneBadge tone={tone}>{text}</ToneBadge>
}

interface MoreDocumentsProps {
  shown: number
  total: number | undefined
  /** The filters under which the list of documents has all of them. */
  search: Record<string, string>
}

/** Says that a short list of documents is not all of them. */
export function MoreDocuments({ shown, total, search }: MoreDocumentsProps) {
  const { t, number, capped } = useTexts()
  if (total === undefined || total <= shown) return null
  return (
    <AppLink to="/documents" search={{ show: 'list', ...search }}>
      {t('documents.partial', { shown: number(shown), total: capped(total) })}
    </AppLink>
  )
}
