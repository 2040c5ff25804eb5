// The command palette: actions by name, and people, cases, documents and companies from the search of the service.
import { Group, Kbd, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.layer.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { isolated, nameOf } from '../records/names.ts'
import { type Action, keysOf, useActionList } from './actions.tsx'
import { caseport } from './connection.ts'
import { useTexts } from './i18n.tsx'
import { Icon, type IconName } from './icons.tsx'
import { useGo } from './router.tsx'
import { useSession } from './session.tsx'
import { errorText } from './states.tsx'

interface Hit {
  id: string
  label: string
  description: string
  icon: IconName
  run(): void
}

const MIN_LETTERS = 2
const ACTIONS = '.mantine-Spotlight-actionsList'

interface PaletteProps {
  /** It opens anew with each. */
  openings: number
  /** What was typed while it was being opened. From then on its field has what is typed. */
  takeTyped(): string
}

export default function Palette({ openings, takeTyped }: PaletteProps) {
  const texts = useTexts()
  const { t } = texts
  const [query, setQuery] = useState('')
  useEffect(() => spotlight.open(), [openings])
  const actions = useActionList().filter(
    ({ id, label }) => id !== 'palette' && label.toLowerCase().includes(query.trim().toLowerCase()),
  )
  const { groups, isSearching, error } = useHits(query.trim())
  const first = groups[0]?.[1][0]?.id
  // Results come after the key that asked for them, and Enter should open the first of them.
  const keys = useRef({ hasMoved: false, isEnterHeld: false })
  useEffect(() => {
    const list = first === undefined || isSearching ? null : document.querySelector(ACTIONS)
    const selected = list?.querySelector('[data-selected]')
    if (list && (!selected || !keys.current.hasMoved)) {
      selected?.removeAttribute('data-selected')
      list.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
    }
    if (isSearching || !keys.current.isEnterHeld) return
    keys.current.isEnterHeld = false
    document.querySelector<HTMLElement>(`${ACTIONS} [data-selected]`)?.click()
  }, [first, isSearching])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.startsWith('Arrow')) keys.current.hasMoved = true
    if (event.key !== 'Enter' || !isSearching || event.nativeEvent.isComposing) return
    // What is shown was found for other letters.
    event.preventDefault()
    event.stopPropagation()
    keys.current.isEnterHeld = true
  }
  const onQueryChange = (next: string) => {
    keys.current = { hasMoved: false, isEnterHeld: false }
    setQuery(next)
  }
  const shown = [...Map.groupBy(actions, action => action.group)].filter(([, list]) => list.length > 0)
  const isEmpty = groups.length === 0 && shown.length === 0
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={onQueryChange}
      scrollable
      maxHeight={460}
      shortcut={null}
      onSpotlightClose={takeTyped}
      // While it fades it would keep Ctrl-K from opening it again, and what is typed next would be shortcuts.
      transitionProps={{ transition: 'pop', duration: 200, exitDuration: 0 }}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
    >
      <Spotlight.Search
        placeholder={t('palette.placeholder')}
        aria-label={t('palette.placeholder')}
        leftSection={<Icon name="search" />}
        onKeyDownCapture={onKeyDown}
        onFocus={() => setQuery(query + takeTyped())}
      />
      <Spotlight.ActionsList>
        {groups.map(([label, hits]) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {hits.map(hit => (
              <Spotlight.Action key={hit.id} onClick={hit.run}>
                <Icon name={hit.icon} />
                <div>
                  <Text size="sm">{hit.label}</Text>
                  <Text size="xs" c="dimmed">
                    {hit.description}
                  </Text>
                </div>
              </Spotlight.Action>
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {shown.map(([group, list]) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {list.map(action => (
              <PaletteAction key={action.id} action={action} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {error ? (
          <Text size="sm" role="alert" p="md" c="var(--mantine-color-error)">
            {t('palette.failed')} {errorText(error, texts)}
          </Text>
        ) : (
          isEmpty && <Spotlight.Empty>{t(isSearching ? 'state.loading' : 'palette.empty')}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

function PaletteAction({ action: { label, icon, shortcut, run } }: { action: Action }) {
  return (
    <Spotlight.Action onClick={run}>
      <Icon name={icon} />
      <Group justify="space-between" wrap="nowrap" flex={1}>
        <Text size="sm">{label}</Text>
        {shortcut && (
          <Group gap={4} wrap="nowrap">
            {keysOf(shortcut).map(key => (
              <Kbd key={key} size="xs">
                {key}
              </Kbd>
            ))}
          </Group>
        )}
      </Group>
    </Spotlight.Action>
  )
}

interface Hits {
  groups: [string, Hit[]][]
  /** Whether the hits are not those of the query yet. */
  isSearching: boolean
  error: unknown
}

function useHits(query: string): Hits {
  const { t, country, date } = useTexts()
  const { can } = useSession()
  const go = useGo()
  const [q] = useDebouncedValue(query, 150)
  const isSearchable = query.length >= MIN_LETTERS && can('desk:read')
  const { data, isPending, isPlaceholderData, error } = useQuery({
    queryKey: ['search', q],
    queryFn: async ({ signal }) =>
      (await caseport.api.GET('/admin/v1/search', { params: { query: { q } }, signal })).data,
    enabled: q.length >= MIN_LETTERS && can('desk:read'),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
  if (!isSearchable) return { groups: [], isSearching: false, error: null }
  const isSearching = q !== query || isPending || isPlaceholderData
  if (error || !data) return { groups: [], isSearching, error }
  const people = data.people.map(person => ({
    id: person.applicantId,
    label: isolated(nameOf(person)),
    description: [person.employeeNumber, country(person.nationality)].filter(Boolean).join(' · '),
    icon: 'person' as const,
    run: () => go(`/people/${person.applicantId}`),
  }))
  const cases = data.cases.map(found => ({
    id: found.caseId,
    label: [found.processName ?? found.caseType, isolated(nameOf(found.applicant))]
      .filter(Boolean)
      .join(' · '),
    description: [country(found.hostCountry), t(`caseStatus.${found.status}`)].filter(Boolean).join(' · '),
    icon: 'cases' as const,
    run: () => go(`/cases/${found.caseId}`),
  }))
  const documents = data.documents.map(found => ({
    id: found.documentId,
    label: found.name ?? found.type,
    description: [isolated(nameOf(found.applicant)), date(found.expiryDate)].filter(Boolean).join(' · '),
    icon: 'document' as const,
    run: () => go('/documents', { open: found.documentId }),
  }))
  const companies = data.companies.map(company => ({
    id: company.companyId,
    label: company.name,
    description: company.code ?? '',
    icon: 'setup' as const,
    run: () => go('/people', { company: company.companyId }),
  }))
  const groups: [string, Hit[]][] = [
    [t('people.title'), people],
    [t('palette.cases'), cases],
    [t('palette.documents'), documents],
    [t('palette.companies'), companies],
  ]
  return { groups: groups.filter(([, hits]) => hits.length > 0), isSearching, error }
}
