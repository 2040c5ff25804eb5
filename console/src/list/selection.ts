// Which rows of a list are selected: some of them, or all that match its filters, whether they are loaded or not.
import { useMemo, useState } from 'react'

export interface Selection {
  /** All that match, not only those that are loaded. */
  isAll: boolean
  size: number
  keys: ReadonlySet<string>
  has(key: string): boolean
  toggle(key: string): void
  /** Selects these, or none if all of them are selected. */
  toggleAll(keys: string[]): void
  selectAllMatching(): void
  clear(): void
}

/** `resetKey`: the filters. What was selected under other filters must not be changed by accident. */
export function useSelection(resetKey: string): Selection {
  const [state, setState] = useState({
    resetKey,
    isAll: false,
    keys: new Set<string>() as ReadonlySet<string>,
  })
  const current = state.resetKey === resetKey ? state : { resetKey, isAll: false, keys: new Set<string>() }
  return useMemo(() => {
    const { isAll, keys } = current
    const set = (next: { isAll: boolean; keys: ReadonlySet<string> }) => setState({ resetKey, ...next })
    return {
      isAll,
      keys,
      size: keys.size,
      has: key => isAll || keys.has(key),
      toggle(key) {
        const next = new Set(keys)
        if (!next.delete(key)) next.add(key)
        set({ isAll: false, keys: next })
      },
      toggleAll(all) {
        const areAll = isAll || (all.length > 0 && all.every(key => keys.has(key)))
        set({ isAll: false, keys: new Set(areAll ? [] : all) })
      },
      selectAllMatching: () => set({ isAll: true, keys }),
      clear: () => set({ isAll: false, keys: new Set() }),
    }
  }, [current, resetKey])
}
