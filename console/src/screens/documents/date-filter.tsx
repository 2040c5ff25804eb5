import { Text } from '@mantine/core'
import { DateField } from '../../fields/date-field.tsx'
import type { List } from '../../list/use-list.ts'

interface DateFilterProps<T, F extends string> {
  list: List<T, F>
  filter: F
  label: string
  /** Whether the label stays beside the day: for filters that a link may have set. */
  isNamed?: boolean
}

/** A typed day among the filters of a list. */
export function DateFilter<T, F extends string>({
  list,
  filter,
  label,
  isNamed = false,
}: DateFilterProps<T, F>) {
  return (
    <DateField
      className={isNamed ? 'filter-date is-named' : 'filter-date'}
      aria-label={label}
      placeholder={label}
      {...(isNamed &&
        list.query[filter] && {
          leftSection: (
            <Text size="xs" c="dimmed">
              {label}
            </Text>
          ),
          leftSectionWidth: 44,
        })}
      value={list.query[filter] ?? null}
      onChange={value =>
        list.setQuery({ [filter]: value ?? undefined } as Partial<Record<F, string | undefined>>)
      }
    />
  )
}
