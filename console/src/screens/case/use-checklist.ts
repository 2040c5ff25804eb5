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
import { askConflict, type Conflict } from '../../fields/conflict.tsx'
import { isEqual } from '../../fields/use-record.ts'
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

/** A document and its acceptance are one decision: another document is not accepted because the one before was. */
const fillingOf = ({ documentId, accepted }: ItemInput) => ({
  documentId: documentId ?? null,
  accepted: accepted ?? false,
})
const needOf = ({ required }: ItemInput) => required ?? true

const MAX_ATTEMPTS = 4

type Document = components['schemas']['ListedDocument']

/** `documents` are those of the case, to name them. */
export function useChecklist(caseId: string, documents: readonly Document[]) {
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

  const fillingText = (input: ItemInput, item: ChecklistItem): string => {
    // Without a choice the newest document of the type fills the item.
    const documentId = input.documentId ?? item.documentId
    if (!documentId) return t('checklist.missing')
    const document =
      documentId === item.documentId
        ? item.document
        : documents.find(candidate => candidate.documentId === documentId)
    const name = document?.name ?? document?.type ?? documentId
    return `${name} · ${t(input.accepted ? 'checklist.accepted' : 'checklist.received')}`
  }
  const needText = (input: ItemInput) => t(needOf(input) ? 'checklist.required' : 'checklist.optional')

  /** Where another person has decided the same about an item. Undefined: removed. */
  const conflictsOf = (
    before: ChecklistItem,
    theirs: ChecklistItem | undefined,
    mine: ItemInput | undefined,
  ): Conflict[] => {
    const was = inputOf(before)
    const now = theirs && inputOf(theirs)
    const label = before.name
    if (!now || !mine) {
      if (isEqual(now, mine) || isEqual(now, was)) return []
      const whole = (input: ItemInput | undefined, item: ChecklistItem) =>
        input ? `${fillingText(input, item)} · ${needText(input)}` : t('checklist.remove')
      return [{ label, mine: whole(mine, before), theirs: whole(now, theirs ?? before) }]
    }
    const isDisputed = (part: (input: ItemInput) => unknown) =>
      !isEqual(part(mine), part(was)) && !isEqual(part(now), part(was)) && !isEqual(part(now), part(mine))
    const filling = isDisputed(fillingOf)
      ? [{ label, mine: fillingText(mine, before), theirs: fillingText(now, theirs) }]
      : []
    const need = isDisputed(needOf) ? [{ label, mine: needText(mine), theirs: needText(now) }] : []
    return [...filling, ...need]
  }

  /**
   * Returns the list before and after the change, or undefined where the person keeps that of the other. An item that is added
   * comes where `order` has it, or last.
   */
  const apply = async (
    name: string,
    change: Change,
    seen: Checklist,
    order = seen,
  ): Promise<{ before: Checklist; saved: Checklist } | undefined> => {
    let base = seen
    for (let attempt = 1; ; attempt++) {
      const items = base.items.map(inputOf).flatMap(item => {
        const next = item.name === name ? change(item) : item
        return next ? [next] : []
      })
      if (!base.items.some(item => item.name === name)) {
        const known = seen.items.find(item => item.name === name)
        const added = change(known ? inputOf(known) : { name })
        const at = order.items.findIndex(item => item.name === name)
        const earlier = new Set(order.items.slice(0, at).map(item => item.name))
        const place = at === -1 ? items.length : items.findLastIndex(item => earlier.has(item.name)) + 1
        if (added) items.splice(place, 0, added)
      }
      try {
        return { before: base, saved: await replace(base, items) }
      } catch (cause) {
        if (!isCaseportError(cause, 'version-mismatch') || attempt >= MAX_ATTEMPTS) throw cause
        base = await caseport.cases.checklist.get(caseId)
        client.setQueryData(queryKey, base)
        const [before, theirs] = [seen, base].map(list => list.items.find(item => item.name === name))
        const conflicts = before ? conflictsOf(before, theirs, change(inputOf(before))) : []
        if (conflicts.length > 0 && (await askConflict(conflicts)) === 'theirs') return undefined
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
        const applied = await apply(name, change, data)
        if (!applied) return false
        const { before, saved } = applied
        const item = before.items.find(candidate => candidate.name === name)
        notifyWithUndo(message, t('undo.action'), () => {
          // Over the list that this change made: the newest one may have a later change of another person.
          apply(name, () => (item ? inputOf(item) : undefined), saved, before).catch((cause: unknown) =>
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
