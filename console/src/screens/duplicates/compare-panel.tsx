// Two records side by side. The differing fields can be chosen one by one; the service shows what a merge would do before it
// is done.
import type { components } from '@caseport/sdk'
import { isCaseportError } from '@caseport/sdk'
import { Alert, Button, Group, Radio, Table, Text, Textarea } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { useSession } from '../../app/session.tsx'
import { ErrorState, errorText, SkeletonLines } from '../../app/states.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { notifyDone, notifyError, notifyWithUndo } from '../../dialogs/notify.tsx'
import { SplitPanel } from '../../list/split-panel.tsx'
import { COUNTRY_FIELDS, fieldName } from '../../records/changes.ts'
import { PersonLink } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'

type Result = components['schemas']['MergeResult']
type Difference = Result['differences'][number]
type Side = Difference['chosen']
type Choices = NonNullable<components['schemas']['MergeRecords']['choices']>

interface Comparison {
  target: Found
  source: Found
}
interface Found {
  applicantId: string
  employeeNumber: string | null
  firstName: string | null
  lastName: string | null
  /** Of the record, so that only what was compared is merged. */
  etag: string
}

async function readPerson(applicantId: string, signal: AbortSignal): Promise<Found> {
  const { primaryApplicantId } = await caseport.applicants.find(applicantId, { signal })
  const person =
    primaryApplicantId === null
      ? await caseport.applicants.get(applicantId, { signal })
      : await caseport.applicants.dependents.get(primaryApplicantId, applicantId, { signal })
  const { employeeNumber, firstName, lastName } = person
  return { applicantId, employeeNumber, firstName, lastName, etag: caseport.etagOf(person) }
}

interface ComparePanelProps {
  ids: [string, string]
  header: ReactNode
  onDone(): void
  onClose(): void
}

export function ComparePanel({ ids, header, onDone, onClose }: ComparePanelProps) {
  const texts = useTexts()
  const { t } = texts
  const { can } = useSession()
  const cache = useQueryClient()
  const canMerge = can('desk:write', 'applicants:write')
  const [isSwapped, setSwapped] = useState(false)
  const [choices, setChoices] = useState<Record<string, Side>>({})
  // Undefined until the person chooses: the only number is kept, on whichever record it is.
  const [number, setNumber] = useState<Side>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const [targetId, sourceId] = isSwapped ? [ids[1], ids[0]] : ids

  const people = useQuery({
    queryKey: ['compare', targetId, sourceId],
    queryFn: async ({ signal }): Promise<Comparison> => {
      const [target, source] = await Promise.all([readPerson(targetId, signal), readPerson(sourceId, signal)])
      return { target, source }
    },
    // What is being compared must not change below the hand.
    refetchOnWindowFocus: false,
    gcTime: 0,
  })
  const bodyOf = ({ source }: Comparison, dryRun: boolean) => ({
    from: source.applicantId,
    fromVersion: source.etag,
    choices: choices as Choices,
    ...(number && { employeeNumber: number }),
    dryRun,
  })
  const preview = useQuery({
    queryKey: ['merge-preview', people.data, choices, number],
    queryFn: ({ signal }) => {
      const comparison = people.data as Comparison
      return caseport.applicants.absorb(targetId, bodyOf(comparison, true), {
        ifMatch: comparison.target.etag,
        signal,
      })
    },
    enabled: people.data !== undefined && canMerge,
    retry: false,
    refetchOnWindowFocus: false,
    gcTime: 0,
  })

  const refreshLists = () => {
    void cache.invalidateQueries({ queryKey: ['list'] })
    void cache.invalidateQueries({ queryKey: ['overview'] })
  }
  const undo = async (mergeId: string) => {
    try {
      await caseport.merges.undo(mergeId)
      notifyDone(t('duplicates.undone'))
    } catch (cause) {
      notifyError(t('state.error'), errorText(cause, texts))
    }
    refreshLists()
  }
  const merge = async (comparison: Comparison) => {
    setBusy(true)
    setError(undefined)
    try {
      const { mergeId } = await caseport.applicants.absorb(targetId, bodyOf(comparison, false), {
        ifMatch: comparison.target.etag,
      })
      refreshLists()
      onDone()
      if (mergeId)
        notifyWithUndo(
          t('duplicates.merged', { name: nameOf(comparison.target) }),
          t('undo.action'),
          () => void undo(mergeId),
        )
    } catch (cause) {
      setError(cause)
    } finally {
      setBusy(false)
    }
  }
  const dismiss = async () => {
    const isDismissed = await openDialog<boolean>(close => <DismissDialog ids={ids} onClose={close} />)
    if (!isDismissed) return
    notifyDone(t('duplicates.dismissed'))
    refreshLists()
    onDone()
  }
  const compareAgain = async () => {
    setError(undefined)
    const { data, isError } = await people.refetch()
    // Other records have a preview of their own.
    if (!isError && data === people.data) void preview.refetch()
  }

  const swap = () => {
    setSwapped(!isSwapped)
    setChoices({})
    setNumber(undefined)
    setError(undefined)
  }

  const failure = people.error ?? (people.data ? preview.error : undefined)
  const isConflict = [failure, error].some(cause => isCaseportError(cause, 'version-mismatch'))
  const comparison = people.data
  // A choice that is rejected can be undone in the table it was made in.
  const previewed = useRef<{ targetId: string; result: Result }>(undefined)
  if (preview.data) previewed.current = { targetId, result: preview.data }
  const result = previewed.current?.targetId === targetId ? previewed.current.result : undefined
  return (
    <SplitPanel
      title={t('duplicates.compare')}
      isBusy={preview.isFetching}
      actions={
        can('desk:write') && (
          <Button variant="default" size="compact-md" onClick={() => void dismiss()}>
            {t('duplicates.dismiss')}
          </Button>
        )
      }
      onClose={onClose}
    >
      {header}
      {isConflict ? (
        <Alert color="yellow" icon={<Icon name="alert" />} title={t('conflict.title')} role="alert">
          {t('duplicates.changed')}
          <Button
            variant="default"
            size="compact-md"
            mt="xs"
            display="block"
            onClick={() => void compareAgain()}
          >
            {t('duplicates.compareAgain')}
          </Button>
        </Alert>
      ) : (
        <>
          {failure && <ErrorState error={failure} onRetry={() => void compareAgain()} />}
          {error !== undefined && (
            <Alert color="red" icon={<Icon name="alert" />} role="alert">
              {errorText(error, texts)}
            </Alert>
          )}
        </>
      )}
      {!comparison && !failure && <SkeletonLines lines={8} />}
      {comparison && !canMerge && (
        <Group gap="lg">
          <PersonLink person={comparison.target} />
          <PersonLink person={comparison.source} />
        </Group>
      )}
      {comparison && canMerge && !result && !failure && <SkeletonLines lines={8} />}
      {comparison && result && !isConflict && (
        <>
          <div className="table-wide">
            <Table verticalSpacing={6} horizontalSpacing="xs" className="compare">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('duplicates.field')}</Table.Th>
                  <Table.Th>
                    <Text size="xs" c="dimmed">
                      {t('duplicates.target')}
                    </Text>
                    <PersonLink person={comparison.target} />
                  </Table.Th>
                  <Table.Th>
                    <Text size="xs" c="dimmed">
                      {t('duplicates.source')}
                    </Text>
                    <PersonLink person={comparison.source} />
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {comparison.target.employeeNumber !== comparison.source.employeeNumber && (
                  <ChoiceRow
                    label={t('people.number')}
                    target={comparison.target.employeeNumber}
                    source={comparison.source.employeeNumber}
                    chosen={number ?? numberSideOf(result, comparison)}
                    isNeeded
                    onChoose={setNumber}
                  />
                )}
                {result.differences.map(({ field, target, source, chosen }) => (
                  <ChoiceRow
                    key={field}
                    label={fieldName(field, texts)}
                    target={valueText(field, target, texts)}
                    source={valueText(field, source, texts)}
                    chosen={choices[field] ?? chosen}
                    isNeeded={NEEDED_FIELDS.has(field)}
                    onChoose={side => setChoices(all => ({ ...all, [field]: side }))}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </div>
          {result.differences.length === 0 && <Text size="sm">{t('duplicates.noDifferences')}</Text>}
          {!preview.isError && <Outcome result={result} />}
        </>
      )}
      {comparison && canMerge && !isConflict && (
        <Group gap="xs">
          <Button
            loading={isBusy}
            disabled={!preview.data || preview.isFetching || preview.isError}
            onClick={() => void merge(comparison)}
          >
            {t('duplicates.merge')}
          </Button>
          <Button variant="default" onClick={swap}>
            {t('duplicates.swap')}
          </Button>
        </Group>
      )}
    </SplitPanel>
  )
}

/** A merge keeps none of these empty. */
const NEEDED_FIELDS: ReadonlySet<string> = new Set(['firstName', 'lastName', 'relationship'])

const numberSideOf = ({ applicant }: Result, { source }: Comparison): Side =>
  applicant.employeeNumber === source.employeeNumber ? 'source' : 'target'

function valueText(field: string, value: string | null, { country, date }: Texts): string | null {
  if (COUNTRY_FIELDS.has(field)) return country(value)
  return value && /^\d{4}-\d{2}-\d{2}(?:T00:00:00)?$/.test(value) ? date(value) : value
}

interface ChoiceRowProps {
  label: string
  target: string | null
  source: string | null
  chosen: Side
  /** Whether an empty value cannot be chosen. */
  isNeeded?: boolean
  onChoose(side: Side): void
}

function ChoiceRow({ label, target, source, chosen, isNeeded = false, onChoose }: ChoiceRowProps) {
  const { t } = useTexts()
  const cell = (side: Side, value: string | null) => (
    <Table.Td className={chosen === side ? 'is-chosen' : undefined}>
      <Radio
        size="xs"
        name={`choice-${label}`}
        label={value || t('edit.empty')}
        aria-label={`${label}: ${value || t('edit.empty')}`}
        checked={chosen === side}
        disabled={isNeeded && !value?.trim()}
        onChange={() => onChoose(side)}
      />
    </Table.Td>
  )
  return (
    <Table.Tr>
      <Table.Th scope="row">{label}</Table.Th>
      {cell('target', target)}
      {cell('source', source)}
    </Table.Tr>
  )
}

/** What the merge would do, as the dry run shows. */
function Outcome({ result }: { result: Result }) {
  const { t, tn } = useTexts()
  const { moved, mergedDependents, removedDocuments, retiredEmployeeNumber } = result
  const lines = [
    moved.cases.length > 0 && tn('duplicates.cases', moved.cases.length),
    moved.documents.length > 0 && tn('duplicates.documents', moved.documents.length),
    moved.dependents.length > 0 && tn('duplicates.dependents', moved.dependents.length),
    mergedDependents.length > 0 && tn('duplicates.mergedDependents', mergedDependents.length),
    removedDocuments.length > 0 && tn('duplicates.removedDocuments', removedDocuments.length),
    retiredEmployeeNumber && t('duplicates.retired', { number: retiredEmployeeNumber }),
  ].filter(line => typeof line === 'string')
  return (
    <Alert color="blue" icon={<Icon name="duplicates" />} title={t('duplicates.outcome')}>
      <ul className="outcome">
        {lines.map(line => (
          <li key={line}>{line}</li>
        ))}
        <li>{t('duplicates.canUndo')}</li>
      </ul>
    </Alert>
  )
}

function DismissDialog({ ids, onClose }: { ids: [string, string]; onClose: (isDone: boolean) => void }) {
  const { t } = useTexts()
  const [reason, setReason] = useState('')
  return (
    <FormDialog
      title={t('duplicates.dismiss')}
      action={t('duplicates.dismiss')}
      onSubmit={() => caseport.duplicates.dismiss({ applicantIds: ids, reason: reason.trim() || null })}
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
    >
      {errorOf => (
        <>
          <Text size="sm">{t('duplicates.dismissHelp')}</Text>
          <Textarea
            label={t('duplicates.dismissReason')}
            value={reason}
            maxLength={1000}
            autosize
            minRows={2}
            onChange={event => setReason(event.currentTarget.value)}
            error={errorOf('reason')}
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  )
}
