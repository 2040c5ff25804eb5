// The columns of the list of people.
import { useMemo } from 'react'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { useSession } from '../../app/session.tsx'
import type { Column } from '../../list/data-table.tsx'
import { ExpiryBadge, ToneBadge, useCompanies } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import type { Person } from './families.ts'

type NextExpiry = NonNullable<Person['nextExpiries']>[number]

/** A contact of one company sees until when each person may work, and no company. */
export function usePeopleColumns(): Column<Person>[] {
  const texts = useTexts()
  const { isContact } = useSession()
  const { nameOfCompany } = useCompanies()
  return useMemo(() => columnsOf(texts, isContact, nameOfCompany), [texts, isContact, nameOfCompany])
}

function columnsOf(
  { t, tn, country }: Texts,
  isContact: boolean,
  nameOfCompany: ReturnType<typeof useCompanies>['nameOfCompany'],
): Column<Person>[] {
  const of = (kind: NextExpiry['kind']) => (person: Person) => (
    <Expiry expiry={person.nextExpiries?.find(one => one.kind === kind)} isNamed={kind === 'passport'} />
  )
  const name: Column<Person> = {
    id: 'name',
    header: t('people.name'),
    width: 'minmax(165px, 2fr)',
    narrow: 'title',
    cell: nameOf,
  }
  const relationship: Column<Person> = {
    id: 'relationship',
    header: t('people.relationship'),
    width: '95px',
    cell: person =>
      person.primaryApplicantId === null ? (
        <span className="dimmed">{t('people.primary')}</span>
      ) : (
        <ToneBadge tone="neutral">{person.relationship}</ToneBadge>
      ),
  }
  const employeeNumber: Column<Person> = {
    id: 'number',
    header: t('people.number'),
    width: 'minmax(90px, 1fr)',
    cell: person => person.employeeNumber ?? '',
  }
  const nationality: Column<Person> = {
    id: 'nationality',
    header: t('people.nationality'),
    width: 'minmax(80px, 1fr)',
    cell: person => country(person.nationality),
  }
  const openCases: Column<Person> = {
    id: 'cases',
    header: t('people.cases'),
    width: '84px',
    align: 'right',
    cell: ({ openCases = 0 }) => openCases > 0 && <OpenCases count={openCases} tn={tn} />,
  }
  if (isContact)
    return [
      name,
      relationship,
      employeeNumber,
      { id: 'permit', header: t('people.permit'), width: 'minmax(270px, 2fr)', cell: of('document') },
      { id: 'passport', header: t('papers.passport'), width: 'minmax(185px, 1.2fr)', cell: of('passport') },
      openCases,
    ]
  return [
    name,
    relationship,
    employeeNumber,
    {
      id: 'company',
      header: t('people.company'),
      width: 'minmax(90px, 1.3fr)',
      cell: person => nameOfCompany(person.sendingCompany),
    },
    nationality,
    {
      id: 'expiry',
      header: t('people.nextExpiry'),
      width: 'minmax(300px, 2fr)',
      cell: person => <Expiry expiry={person.nextExpiries?.[0]} />,
    },
    openCases,
  ]
}

/** What expires, and when. `isNamed`: the header of the column names it, where there are headers. */
function Expiry({ expiry, isNamed = false }: { expiry: NextExpiry | undefined; isNamed?: boolean }) {
  const { t, country } = useTexts()
  if (!expiry) return null
  const { kind, name, type, expiryDate } = expiry
  const what = kind === 'passport' ? t('papers.passport') : name || type
  return (
    <span className="expiry-cell">
      <ExpiryBadge date={expiryDate} />
      <span
        className={isNamed ? 'dimmed mantine-hidden-from-sm' : 'dimmed'}
        title={[what, country(expiry.country)].filter(Boolean).join(' · ')}
      >
        {what}
      </span>
    </span>
  )
}

/** A card in a narrow window has no headers: it needs the words. */
const OpenCases = ({ count, tn }: { count: number } & Pick<Texts, 'tn'>) => (
  <>
    <span className="mantine-visible-from-sm">{count}</span>
    <span className="mantine-hidden-from-sm">{tn('people.openCases', count)}</span>
  </>
)
