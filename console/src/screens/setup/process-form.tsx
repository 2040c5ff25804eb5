// A process: its steps in order, and the documents that its cases need.
import type { components } from '@caseport/sdk'
import {
  Alert,
  Button,
  Checkbox,
  Group,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import type { Search } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { errorText } from '../../app/states.tsx'
import { confirm } from '../../dialogs/confirm.tsx'
import { staysUnlessConfirmed } from '../../dialogs/leave.ts'
import { notifyDone, notifyError, notifyWithUndo } from '../../dialogs/notify.tsx'
import { OrderedList } from '../../fields/ordered-list.tsx'
import { isEqual } from '../../fields/use-record.ts'

export type Process = components['schemas']['Process']

type ChecklistItem = components['schemas']['ProcessChecklistItem']

export interface Loaded {
  process: Process
  checklist: ChecklistItem[]
}

export async function readProcess(name: string, signal?: AbortSignal): Promise<Loaded | undefined> {
  const process = (await caseport.processes.list(signal && { signal })).find(
    candidate => candidate.name === name,
  )
  if (!process) return undefined
  const { items } = await caseport.processes.checklist.get(name, signal && { signal })
  return { process, checklist: items }
}

interface Step {
  key: string
  name: string
  dueDays: number | null
}

type Item = ChecklistItem & { key: string }

let lastKey = 0

const newKey = () => {
  lastKey += 1
  return `row-${lastKey}`
}

interface Draft {
  name: string
  caseType: string
  hostCountry: string
  steps: Step[]
  items: Item[]
}

const draftOf = (loaded: Loaded | undefined): Draft => ({
  name: loaded?.process.name ?? '',
  caseType: loaded?.process.caseType ?? '',
  hostCountry: loaded?.process.hostCountry ?? '',
  steps: (loaded?.process.steps ?? ['']).map((name, index) => ({
    key: newKey(),
    name,
    dueDays: loaded?.process.dueDays[index] ?? null,
  })),
  items: (loaded?.checklist ?? []).map(item => ({ ...item, key: newKey() })),
})

/** What is sent, for a draft. Empty rows are left out. */
function bodiesOf({ caseType, hostCountry, steps, items }: Draft) {
  const named = steps.filter(({ name }) => name.trim())
  return {
    process: {
      caseType: caseType.trim() || null,
      hostCountry: hostCountry.trim().toUpperCase() || null,
      steps: named.map(({ name }) => name.trim()),
      dueDays: named.map(({ dueDays }) => dueDays),
    },
    checklist: {
      items: items
        .filter(({ name }) => name.trim())
        .map(({ name, type, required }) => ({ name: name.trim(), type: type?.trim() || null, required })),
    },
  }
}

type Bodies = ReturnType<typeof bodiesOf>

interface ProcessFormProps {
  loaded: Loaded | undefined
  onSaved(name: string): void
  onClose(): void
}

export function ProcessForm({ loaded, onSaved, onClose }: ProcessFormProps) {
  const texts = useTexts()
  const { t } = texts
  const { can } = useSession()
  const client = useQueryClient()
  const isReadOnly = !can('setup:write')
  const [draft, setDraft] = useState(() => draftOf(loaded))
  const [initial] = useState(() => bodiesOf(draft))
  /** What is known to be stored. */
  const [saved, setSaved] = useState<Partial<Bodies>>(loaded ? initial : {})
  const [version, setVersion] = useState(loaded?.process.updatedAt)
  const [error, setError] = useState<unknown>()
  const [isHalfSaved, setHalfSaved] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const set = (changes: Partial<Draft>) => setDraft(all => ({ ...all, ...changes }))
  const bodies = bodiesOf(draft)
  const name = draft.name.trim()
  const isTyped = !isEqual(bodies, loaded ? saved : initial) || (!loaded && name !== '')
  const isDirty = !loaded || isTyped
  const isReady = name !== '' && bodies.process.steps.length > 0

  /** Saved or deleted: there is nothing to lose. */
  const isDone = useRef(false)
  useBlocker({
    disabled: !isTyped || isReadOnly,
    enableBeforeUnload: () => !isDone.current,
    async shouldBlockFn({ current, next }) {
      const placeOf = ({ pathname, search }: { pathname: string; search: unknown }) => {
        const { show, process } = search as Search
        return [pathname, show, process]
      }
      if (isDone.current || isEqual(placeOf(current), placeOf(next))) return false
      return staysUnlessConfirmed({
        title: t('discard.leaveTitle'),
        text: t('processes.discardText'),
        action: t('discard.action'),
      })
    },
  })

  const refreshLists = () =>
    Promise.all(
      [['list', 'processes'], ['processes']].map(queryKey => client.invalidateQueries({ queryKey })),
    )
  const write = async ({ process, checklist }: Partial<Bodies>, to: string) => {
    if (process) {
      setHalfSaved(false)
      const { updatedAt } = await caseport.processes.replace(to, process)
      setSaved(all => ({ ...all, process }))
      setVersion(updatedAt)
      setHalfSaved(true)
    }
    try {
      if (checklist) {
        await caseport.processes.checklist.replace(to, checklist)
        setSaved(all => ({ ...all, checklist }))
      }
    } finally {
      await refreshLists()
    }
  }
  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      // Processes have no versions in the API: the time of the last change is compared.
      const current = await readProcess(name)
      const isKnown = current !== undefined && current.process.updatedAt === version
      if (current && !isKnown) {
        const isSure = await confirm({
          title: t('conflict.title'),
          text: t(loaded ? 'processes.changedMeanwhile' : 'processes.exists', { name }),
          action: t('conflict.takeMine'),
        })
        if (!isSure) return
      }
      const { process, checklist } = bodies
      await write(
        {
          ...(!(isKnown && isEqual(process, saved.process)) && { process }),
          ...(!(isKnown && isEqual(checklist, saved.checklist)) && { checklist }),
        },
        name,
      )
      if (loaded) setVersion((await readProcess(name).catch(() => undefined))?.process.updatedAt)
      else isDone.current = true
      notifyDone(t('setup.saved', { name }))
      onSaved(name)
    } catch (cause) {
      setError(cause)
    } finally {
      setBusy(false)
    }
  }
  const remove = async () => {
    try {
      await caseport.processes.delete(name)
    } catch (cause) {
      notifyError(t('state.error'), errorText(cause, texts))
      return
    }
    await refreshLists()
    isDone.current = true
    onClose()
    notifyWithUndo(t('processes.deleted', { name }), t('undo.action'), () => {
      write(saved, name).catch((cause: unknown) => notifyError(t('state.error'), errorText(cause, texts)))
    })
  }

  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (isReady && isDirty) void save()
      }}
    >
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} className="panel-title">
            {loaded ? loaded.process.name : t('processes.add')}
          </Title>
          <Group gap={6}>
            {loaded && !isReadOnly && (
              <Button variant="default" size="compact-md" onClick={() => void remove()}>
                {t('processes.delete')}
              </Button>
            )}
            <Button variant="default" size="compact-md" onClick={onClose}>
              {t('dialog.close')}
            </Button>
            {!isReadOnly && (
              <Button type="submit" size="compact-md" loading={isBusy} disabled={!isReady || !isDirty}>
                {t('edit.save')}
              </Button>
            )}
          </Group>
        </Group>
        {error !== undefined && (
          <Alert color="red" icon={<Icon name="alert" />} role="alert">
            {isHalfSaved && <Text size="sm">{t('processes.halfSaved')}</Text>}
            {errorText(error, texts)}
          </Alert>
        )}
        {!loaded && (
          <TextInput
            label={t('processes.name')}
            value={draft.name}
            maxLength={200}
            readOnly={saved.process !== undefined}
            onChange={event => set({ name: event.currentTarget.value })}
            autoFocus
          />
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            label={t('processes.caseType')}
            description={t('processes.caseTypeHelp')}
            value={draft.caseType}
            maxLength={200}
            readOnly={isReadOnly}
            onChange={event => set({ caseType: event.currentTarget.value })}
          />
          <TextInput
            label={t('processes.hostCountry')}
            description={t('setup.countryHelp')}
            value={draft.hostCountry}
            maxLength={3}
            readOnly={isReadOnly}
            onChange={event => set({ hostCountry: event.currentTarget.value })}
          />
        </SimpleGrid>
        <Part title={t('processes.steps')} help={t('processes.stepsHelp')}>
          <OrderedList<Step>
            label={t('processes.steps')}
            items={draft.steps}
            onChange={steps => set({ steps })}
            nameOf={(step, index) => step.name || t('processes.stepNumber', { number: index + 1 })}
            addLabel={t('processes.addStep')}
            create={() => ({ key: newKey(), name: '', dueDays: null })}
            isReadOnly={isReadOnly}
            render={(step, change, index) => (
              <Group gap="xs">
                <TextInput
                  flex="1 1 150px"
                  size="xs"
                  aria-label={t('processes.stepNumber', { number: index + 1 })}
                  value={step.name}
                  maxLength={300}
                  readOnly={isReadOnly}
                  onChange={event => change({ name: event.currentTarget.value })}
                />
                <NumberInput
                  w={96}
                  size="xs"
                  aria-label={t('processes.dueDaysOf', { name: step.name || String(index + 1) })}
                  placeholder={t('processes.days')}
                  min={0}
                  max={3650}
                  allowDecimal={false}
                  hideControls
                  readOnly={isReadOnly}
                  value={step.dueDays ?? ''}
                  onChange={value => change({ dueDays: value === '' ? null : Number(value) })}
                />
              </Group>
            )}
          />
        </Part>
        <Part title={t('processes.checklist')} help={t('processes.checklistHelp')}>
          <OrderedList<Item>
            label={t('processes.checklist')}
            items={draft.items}
            onChange={items => set({ items })}
            nameOf={(item, index) => item.name || t('processes.itemNumber', { number: index + 1 })}
            addLabel={t('processes.addItem')}
            create={() => ({ key: newKey(), name: '', type: null, required: true })}
            isReadOnly={isReadOnly}
            render={(item, change, index) => (
              <Group gap="xs">
                <TextInput
                  flex="2 1 130px"
                  size="xs"
                  aria-label={t('processes.itemNumber', { number: index + 1 })}
                  placeholder={t('documents.name')}
                  value={item.name}
                  maxLength={200}
                  readOnly={isReadOnly}
                  onChange={event => change({ name: event.currentTarget.value })}
                />
                <TextInput
                  flex="1 1 100px"
                  size="xs"
                  aria-label={t('processes.itemType', { name: item.name || String(index + 1) })}
                  placeholder={t('documents.type')}
                  value={item.type ?? ''}
                  maxLength={200}
                  readOnly={isReadOnly}
                  onChange={event => change({ type: event.currentTarget.value })}
                />
                <Checkbox
                  size="xs"
                  label={t('processes.required')}
                  checked={item.required}
                  disabled={isReadOnly}
                  onChange={event => change({ required: event.currentTarget.checked })}
                />
              </Group>
            )}
          />
        </Part>
      </Stack>
    </form>
  )
}

function Part({ title, help, children }: { title: string; help: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} mb={4}>
        {title}
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        {help}
      </Text>
      {children}
    </section>
  )
}
