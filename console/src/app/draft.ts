// What a person types and has not saved yet, kept for the tab, so that a reload or a restart does not lose it.
import { useCallback, useState } from 'react'
import { useSession } from './session.tsx'

const PREFIX = 'caseport-draft-'

/** Whether the tab keeps anything that was typed. */
export function hasDrafts(): boolean {
  try {
    return Object.keys(sessionStorage).some(key => key.startsWith(PREFIX))
  } catch {
    return false
  }
}

interface DraftOptions<T> {
  /** Belongs to the person: another one who signs in on this tab does not see it. */
  name: string
  initial(): T
  /** Whether nothing has been typed yet, or any more: then nothing is kept. */
  isEmpty(value: T): boolean
}

/** Like `useState`. `initial` and `isEmpty` are functions outside of the component. */
export function useDraft<T>({
  name,
  initial,
  isEmpty,
}: DraftOptions<T>): [T, (value: T) => void, () => void] {
  const { me } = useSession()
  const key = `${PREFIX}${me.userId ?? ''}-${name}`
  const [value, setValue] = useState<T>(() => {
    try {
      const stored = sessionStorage.getItem(key)
      return stored ? (JSON.parse(stored) as T) : initial()
    } catch {
      return initial()
    }
  })
  const set = useCallback(
    (next: T) => {
      setValue(next)
      try {
        if (isEmpty(next)) sessionStorage.removeItem(key)
        else sessionStorage.setItem(key, JSON.stringify(next))
      } catch {
        // Storage is full or forbidden: the draft lives as long as the page.
      }
    },
    [key, isEmpty],
  )
  const discard = useCallback(() => set(initial()), [set, initial])
  return [value, set, discard]
}
