// What a person types and has not saved yet, kept for the tab, so that a reload or a restart does not lose it.
import { useCallback, useState } from 'react'
import { useSession } from './session.tsx'

/** Like `useState`. The draft belongs to the person: another one who signs in on this tab does not see it. */
export function useDraft<T>(name: string, initial: () => T): [T, (value: T) => void, () => void] {
  const { me } = useSession()
  const key = `caseport-draft-${me.userId ?? ''}-${name}`
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
        sessionStorage.setItem(key, JSON.stringify(next))
      } catch {
        // Storage is full or forbidden: the draft lives as long as the page.
      }
    },
    [key],
  )
  const discard = useCallback(() => {
    sessionStorage.removeItem(key)
    setValue(initial())
  }, [key, initial])
  return [value, set, discard]
}
