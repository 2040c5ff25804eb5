// The people that work can be assigned to.
import { Select, type SelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { caseport } from '../app/connection.ts'
import { useTexts } from '../app/i18n.tsx'
import { useSession } from '../app/session.tsx'

export interface Colleague {
  userId: string
  name: string
}

/** All colleagues, the person first. */
export function useColleagues(): {
  colleagues: Colleague[]
  nameOfColleague(userId: string | null | undefined): string
} {
  const { me } = useSession()
  const { data = [] } = useQuery({
    queryKey: ['colleagues'],
    queryFn: ({ signal }) => caseport.colleagues.list({ signal }),
    staleTime: 300_000,
  })
  const colleagues = [...data].sort((a, b) => Number(b.userId === me.userId) - Number(a.userId === me.userId))
  return {
    colleagues,
    nameOfColleague: userId => colleagues.find(colleague => colleague.userId === userId)?.name ?? '',
  }
}

/** What a field for an assignee offers; `current` also where the person cannot choose them again. */
export function useAssigneeOptions(current?: Colleague | null): { value: string; label: string }[] {
  const { t } = useTexts()
  const { me } = useSession()
  const { colleagues } = useColleagues()
  const isMissing = current && !colleagues.some(({ userId }) => userId === current.userId)
  return [...colleagues, ...(isMissing ? [current] : [])].map(({ userId, name }) => ({
    value: userId,
    label: userId === me.userId ? t('assignee.me', { name }) : name,
  }))
}

interface ColleagueSelectProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  value: string | null
  current?: Colleague | null
  onChange(userId: string | null): void
}

export function ColleagueSelect({ current, ...rest }: ColleagueSelectProps) {
  const data = useAssigneeOptions(current)
  return <Select searchable clearable data={data} {...rest} />
}
