import { Text, Tooltip } from '@mantine/core'
import { useTexts } from '../app/i18n.tsx'
import { today } from './dates.ts'
import { axisOf, type Bar, type Gap, type Validity } from './time-axis.ts'

const percent = (part: number) => `${(part * 100).toFixed(2)}%`

/** The same facts follow as text for people who do not see the picture. */
export function TimeAxis({ label, papers }: { label: string; papers: Validity[] }) {
  const { t, tn, date } = useTexts()
  const axis = axisOf(papers, today())
  if (!axis)
    return (
      <Text size="sm" c="dimmed">
        {t('axis.empty')}
      </Text>
    )
  const tellBar = ({ label: name, from, to, isOpen }: Bar) =>
    isOpen
      ? t('axis.until', { name, to: date(to) })
      : t('axis.range', { name, from: date(from), to: date(to) })
  const tellGap = ({ from, to, days }: Gap) => tn('axis.gap', days, { from: date(from), to: date(to) })
  return (
    <figure className="axis" aria-label={label}>
      <div className="axis-plot" aria-hidden="true">
        <div className="axis-years">
          {axis.years.map(({ year, at }) => (
            <span key={year} style={{ left: percent(at) }}>
              {year}
            </span>
          ))}
        </div>
        {axis.lanes.map(({ name, bars, gaps }) => (
          <div key={name} className="axis-lane">
            <span className="axis-name">{name}</span>
            <div className="axis-track">
              {axis.years.map(({ year, at }) => (
                <span key={year} className="axis-line" style={{ left: percent(at) }} />
              ))}
              {bars.map(bar => (
                <Tooltip key={bar.id} label={tellBar(bar)}>
                  <span
                    className={`axis-bar axis-${bar.state}${bar.isOpen ? ' axis-open' : ''}`}
                    style={{ left: percent(bar.start), width: percent(Math.max(0.006, bar.end - bar.start)) }}
                  >
                    {bar.end - bar.start > 0.14 && <span className="axis-text">{bar.label}</span>}
                  </span>
                </Tooltip>
              ))}
              {gaps.map(gap => (
                <Tooltip key={gap.from} label={tellGap(gap)}>
                  <span
                    className="axis-gap"
                    style={{ left: percent(gap.start), width: percent(Math.max(0.004, gap.end - gap.start)) }}
                  />
                </Tooltip>
              ))}
              <span className="axis-today" style={{ left: percent(axis.today) }} />
            </div>
          </div>
        ))}
        <div className="axis-legend">
          <span>
            <i className="axis-key axis-valid" /> {t('axis.valid')}
          </span>
          <span>
            <i className="axis-key axis-soon" /> {t('axis.soon')}
          </span>
          <span>
            <i className="axis-key axis-past" /> {t('axis.past')}
          </span>
          <span>
            <i className="axis-key axis-gap" /> {t('axis.gapKey')}
          </span>
          <span>
            <i className="axis-key axis-today" /> {t('axis.today')}
          </span>
        </div>
      </div>
      <ul className="visually-hidden">
        {axis.lanes.flatMap(({ name, bars, gaps }) => [
          ...bars.map(bar => (
            <li key={bar.id}>
              {name}: {tellBar(bar)}
            </li>
          )),
          ...gaps.map(gap => (
            <li key={`${name}-${gap.from}`}>
              {name}: {tellGap(gap)}
            </li>
          )),
        ])}
      </ul>
    </figure>
  )
}
