// The checklist of a case. A change concerns one item; it is made on the newest list, so that two people who work on
// different items do not disturb each other.
import type { components } from '@caseport/sdk'
import { isCaseportError } from '@caseport/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { errorText } from '../../app/states.tsx'
import { notifyError, notifyWithUndo } from '../../dialogs/notify.tsx'
import { askConflict } from '../../fields/conflict.tsx'
import { caseKey } from '../cases/cases.ts'

export type Checklist = components['schemas']['CaseChecklist']
export type ChecklistItem = Checklist['items'][number]
type ItemInput = components['schemas']['CaseChecklistItemInput']

/** Undefined removes the item. */
type Change = (item: ItemInput) => ItemInput | undefined

const inputOf = ({
  name,
  type,
  required,
  chosen,
  documentId,
  state,
  acceptedAt,
}: ChecklistItem): ItemInput => {
  const isAccepted = state === 'accepted' || acceptedAt !== null
  return {
    name,
    type,
    required,
    documentId: chosen || isAccepted ? documentId : null,
    accepted: isAccepted && documentId !== null,
  }
}

const MAX_ATTEMPTS = 4

export function useChecklist(caseId: string) {
  const texts = useTexts()
  const { t } = texts
  const client = useQueryClient()
  const queryKey = [...caseKey(caseId), 'checklist']
  const [busyItem, setBusyItem] = useState<string>()
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => caseport.cases.checklist.get(caseId, { signal }),
    // The SDK knows the version of the object that it returned, not of a copy.
    structuralSharing: false,
  })

  const replace = async (base: Checklist, items: ItemInput[]) => {
    const saved = await caseport.cases.checklist.replace(caseId, { items }, { ifMatch: base })
    client.setQueryData(queryKey, saved)
    void client.invalidateQueries({ queryKey: [...caseKey(caseId), 'timeline'] })
    return saved
  }

  /** Returns the list before the change, or undefined where the person keeps that of the other. */
  const apply = async (name: string, change: Change, seen: Checklist): Promise<Checklist | undefined> => {
    let base = seen
    for (let attempt = 1; ; attempt++) {
      const items = base.items.map(inputOf).flatMap(item => {
        const next = item.name === name ? change(item) : item
        return next ? [next] : []
      })
      if (!base.items.some(item => item.name === name)) {
        const added = change({ name })
        if (added) items.push(added)
      }
      try {
        await replace(base, items)
        return base
      } catch (cause) {
        if (!isCaseportError(cause, 'version-mismatch') || attempt >= MAX_ATTEMPTS) throw cause
        base = await caseport.cases.checklist.get(caseId)
        client.setQueryData(queryKey, base)
        const [before, theirs] = [seen, base].map(list => list.items.find(item => item.name === name))
        if (before && theirs && before.state !== theirs.state) {
          const mine = change(inputOf(before))
          const choice = await askConflict([
            {
              label: name,
              mine: mine
                ? t(mine.accepted ? 'checklist.accepted' : 'checklist.received')
                : t('checklist.remove'),
              theirs: t(`checklist.${theirs.state}`),
            },
          ])
          if (choice === 'theirs') return undefined
        }
      }
    }
  }

  return {
    checklist: data,
    error,
    refresh: () => void refetch(),
    busyItem,
    /** Resolves to whether it was saved. */
    async change(name: string, message: string, change: Change): Promise<boolean> {
      if (!data) return false
      setBusyItem(name)
      try {
        const before = await apply(name, change, data)
        if (!before) return false
        const item = before.items.find(candidate => candidate.name === name)
        notifyWithUndo(message, t('undo.action'), () => {
          const now = client.getQueryData<Checklist>(queryKey) ?? data
          apply(name, () => (item ? inputOf(item) : undefined), now).catch((cause: unknown) =>
            notifyError(t('checklist.failed'), errorText(cause, texts)),
          )
        })
        return true
      } catch (cause) {
        notifyError(t('checklist.failed'), errorText(cause, texts))
        return false
      } finally {
        setBusyItem(undefined)
      }
    },
  }
}
