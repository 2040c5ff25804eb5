import { DateField } from '../../fields/date-field.tsx'
import type { List } from '../../list/use-list.ts'

interface DateFilterProps<T, F extends string> {
  list: List<T, F>
  filter: F
  label: string
}

/** A typed day among the filters of a list. */
export function DateFilter<T, F extends string>({ list, filter, label }: DateFilterProps<T, F>) {
  return (
    <DateField
      className="filter-date"
      aria-label={label}
      placeholder={label}
      value={list.query[filter] ?? null}
      onChange={value =>
        list.setQuery({ [filter]: value ?? undefined } as Partial<Record<F, string | undefined>>)
      }
    />
  )
}
