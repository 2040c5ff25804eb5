import { useTexts } from '../../app/i18n.tsx'
import { daysUntil } from '../../records/dates.ts'
import { ToneBadge } from '../../records/links.tsx'

const SOON_DAYS = 7

/** When something is due, and how late it is on the day of the person. Colour repeats the text. */
export function DueBadge({
  date,
  isShort = false,
}: {
  date: string | null
  /** Without the date where there is a number of days. */
  isShort?: boolean
}) {
  const texts = useTexts()
  const { t, tn } = texts
  if (!date) return <span className="due-date dimmed">–</span>
  const days = daysUntil(date)
  const day = texts.date(date)
  if (days < 0) {
    return (
      <span title={day}>
        <ToneBadge tone="bad">
          {isShort ? tn('cases.lateShort', -days) : tn('cases.late', -days, { date: day })}
        </ToneBadge>
      </span>
    )
  }
  if (days > SOON_DAYS) return <span className="due-date">{day}</span>
  return (
    <span title={day}>
      <ToneBadge tone="warn">
        {days === 0
          ? t('cases.dueToday')
          : isShort
            ? tn('cases.dueInShort', days)
            : tn('cases.dueIn', days, { date: day })}
      </ToneBadge>
    </span>
  )
}
