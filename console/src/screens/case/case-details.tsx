// The fields of a case, each edited where it is read.
import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { Section } from '../../app/section.tsx'
import { askConflict } from '../../fields/conflict.tsx'
import { InlineField } from '../../fields/inline-field.tsx'
import { isEqual } from '../../fields/use-record.ts'
import { useAssigneeOptions, useColleagues } from '../../records/colleagues.tsx'
import { countryOptionsWith } from '../../records/countries.ts'
import { useCompanies } from '../../records/links.tsx'
import { useProcesses } from '../../records/processes.ts'
import { COMPANY_LABELS } from '../cases/cases.ts'
import { DueBadge } from '../cases/due-badge.tsx'
import type { CaseActions, EditedCase } from './use-case.ts'

const TEXT_FIELDS = [
  'hostCity',
  'newJobTitle',
  'department',
  'placeOfWork',
  'payrollLocation',
  'salary',
  'assignmentId',
  'authorizingPerson',
  'costCenter',
  'billingReference',
] as const
const COMPANIES = ['hostCompany', 'sendingCompany', 'billingCompany'] as const
const COUNTRIES = ['hostCountry', 'homeCountry'] as const

export function CaseDetails({ work, canWrite }: { work: CaseActions; canWrite: boolean }) {
  const { t, tn, country, language } = useTexts()
  const [areAllShown, setAllShown] = useState(false)
  const { companies, nameOfCompany } = useCompanies()
  const { processes } = useProcesses()
  const record = work.record as EditedCase
  const assignees = useAssigneeOptions(record.assignee)
  const { nameOfColleague } = useColleagues()
  const save = <F extends keyof EditedCase & string>(field: F) =>
    canWrite
      ? (value: string | null) => work.save({ [field]: value } as unknown as Partial<EditedCase>)
      : undefined
  // A field that another person empties stays where it is: it may be being edited.
  const filled = useRef(new Set<string>())
  for (const field of TEXT_FIELDS) if (record[field]) filled.current.add(field)
  const shown = areAllShown ? TEXT_FIELDS : TEXT_FIELDS.filter(field => filled.current.has(field))
  const empty = TEXT_FIELDS.filter(field => !filled.current.has(field))
  const companyOptions = companies.map(({ companyId, name }) => ({ value: companyId, label: name }))
  const processOptions = [...new Set([...processes.map(({ name }) => name), record.processName])]
    .filter((name): name is string => !!name)
    .map(value => ({ value, label: value }))

  return (
    <Section title={t('case.details')}>
      <div className="details">
        <InlineField
          label={t('field.assignee')}
          kind="select"
          options={assignees}
          value={record.assigneeId}
          display={
            (record.assignee?.userId === record.assigneeId && record.assignee?.name) ||
            nameOfColleague(record.assigneeId)
          }
          onSave={save('assigneeId')}
        />
        <InlineField
          label={t('field.dueDate')}
          kind="date"
          value={record.dueDate}
          display={
            record.dueDate && (record.status === 'closed' ? undefined : <DueBadge date={record.dueDate} />)
          }
          onSave={save('dueDate')}
        />
        <InlineField
          label={t('field.caseType')}
          value={record.caseType}
          isRequired
          onSave={save('caseType')}
        />
        <InlineField
          label={t('field.processName')}
          kind="select"
          options={processOptions}
          value={record.processName}
          onSave={save('processName')}
        />
        {COUNTRIES.map(field => (
          <InlineField
            key={field}
            label={t(`field.${field}`)}
            kind="select"
            options={countryOptionsWith(language, record[field])}
            value={record[field]}
            display={country(record[field])}
            onSave={save(field)}
          />
        ))}
        {(canWrite ? COMPANIES : []).map(field => {
          const id = record[`${field}Id`]
          // While a change is saved, the field has the id that was chosen.
          const value = companies.some(({ companyId }) => companyId === record[field]) ? record[field] : id
          return (
            <InlineField
              key={field}
              label={t(COMPANY_LABELS[field])}
              kind="select"
              isRequired
              options={
                companyOptions.some(option => option.value === value)
                  ? companyOptions
                  : [...companyOptions, { value, label: record[field] }]
              }
              value={value}
              display={nameOfCompany(value)}
              onSave={save(field)}
            />
          )
        })}
        {shown.map(field => (
          <InlineField key={field} label={t(`field.${field}`)} value={record[field]} onSave={save(field)} />
        ))}
      </div>
      {canWrite && empty.length > 0 && (
        <Button
          className="no-print"
          mt="sm"
          size="compact-sm"
          variant="subtle"
          aria-expanded={areAllShown}
          onClick={() => setAllShown(!areAllShown)}
        >
          {areAllShown ? t('case.fewerFields') : tn('case.moreFields', empty.length)}
        </Button>
      )}
      <Tags work={work} canWrite={canWrite} />
    </Section>
  )
}

type Tag = EditedCase['metadata'][number]

const textOf = ({ tagName, value }: Tag) => `${tagName}: ${value}`

function Tags({ work, canWrite }: { work: CaseActions; canWrite: boolean }) {
  const { t } = useTexts()
  const tags = work.record?.metadata ?? []
  const [draft, setDraft] = useState<(Tag & { key: number })[]>()
  const change = (key: number, changes: Partial<Tag>) =>
    setDraft(all => all?.map(tag => (tag.key === key ? { ...tag, ...changes } : tag)))
  const seen = useRef(tags)
  const begin = () => {
    seen.current = tags
    setDraft(tags.map((tag, key) => ({ ...tag, key })))
  }
  const save = async () => {
    const metadata = (draft ?? [])
      .map(({ tagName, value }) => ({ tagName: tagName?.trim() || null, value: value?.trim() || null }))
      .filter(({ tagName, value }) => tagName || value)
    if (!isEqual(tags, seen.current) && !isEqual(tags, metadata)) {
      const [mine, theirs] = [metadata, tags].map(all => all.map(textOf).join(', '))
      const choice = await askConflict([{ label: t('tags.title'), mine: mine ?? '', theirs: theirs ?? '' }])
      if (choice === 'theirs') return setDraft(undefined)
    }
    if (await work.save({ metadata })) setDraft(undefined)
  }
  if (!canWrite && tags.length === 0) return null
  return (
    <div className="tags">
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {t('tags.title')}
        </Text>
        {canWrite && !draft && (
          <Button
            className="no-print"
            size="compact-xs"
            variant="subtle"
            onClick={begin}
            aria-label={t('tags.edit')}
          >
            {t('tags.edit')}
          </Button>
        )}
      </Group>
      {!draft && tags.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('tags.none')}
        </Text>
      )}
      {!draft && tags.length > 0 && (
        <dl className="changes">
          {tags.map(({ tagName, value }, index) => (
            <div key={index}>
              <dt>{tagName}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {draft && (
        <Stack gap={6} mt={4}>
          {draft.map(({ key, tagName, value }, index) => (
            <Group key={key} gap={6} wrap="nowrap">
              <TextInput
                size="xs"
                flex={1}
                aria-label={t('tags.name', { number: index + 1 })}
                value={tagName ?? ''}
                maxLength={200}
                onChange={event => change(key, { tagName: event.currentTarget.value })}
              />
              <TextInput
                size="xs"
                flex={2}
                aria-label={t('tags.value', { number: index + 1 })}
                value={value ?? ''}
                maxLength={4_000}
                onChange={event => change(key, { value: event.currentTarget.value })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('tags.remove', { number: index + 1 })}
                onClick={() => setDraft(draft.filter(tag => tag.key !== key))}
              >
                <Icon name="close" size={14} />
              </ActionIcon>
            </Group>
          ))}
          <Group gap="xs" justify="space-between">
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => setDraft([...draft, { key: Date.now(), tagName: '', value: '' }])}
            >
              {t('tags.add')}
            </Button>
            <Group gap="xs">
              <Button size="compact-sm" variant="default" onClick={() => setDraft(undefined)}>
                {t('dialog.cancel')}
              </Button>
              <Button size="compact-sm" onClick={() => void save()}>
                {t('edit.save')}
              </Button>
            </Group>
          </Group>
        </Stack>
      )}
    </div>
  )
}
