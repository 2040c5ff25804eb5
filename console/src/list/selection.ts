// Which rows of a list are selected: some of them, or all that match its filters, whether they are loaded or not.
import { useMemo, useState } from 'react'

export interface Selection {
  /** All that match but the excluded ones, not only those that are loaded. */
  isAll: boolean
  /** How many of all that match are not selected. */
  excluded: number
  /** How many are selected, where so many match and these are loaded. */
  countOf(total: number | undefined, loaded: readonly string[]): number
  has(key: string): boolean
  toggle(key: string): void
  /** Selects these, or none if all of them are selected. */
  toggleAll(keys: string[]): void
  selectAllMatching(): void
  clear(): void
}

interface State {
  isAll: boolean
  /** The selected rows; those that are not selected, where `isAll`. */
  keys: ReadonlySet<string>
}

const NONE: State = { isAll: false, keys: new Set() }

/** `resetKey`: the filters. What was selected under other filters must not be changed by accident. */
export function useSelection(resetKey: string): Selection {
  const [state, setState] = useState<State & { resetKey: string }>({ resetKey, ...NONE })
  // Not only hidden: the same filters again begin with nothing selected.
  if (state.resetKey !== resetKey) setState({ resetKey, ...NONE })
  const { isAll, keys } = state.resetKey === resetKey ? state : NONE
  return useMemo(() => {
    const set = (next: State) => setState({ resetKey, ...next })
    const has = (key: string) => keys.has(key) !== isAll
    return {
      isAll,
      excluded: isAll ? keys.size : 0,
      // A selected row that matches no more is not there to be changed.
      countOf: (total = 0, loaded) => (isAll ? Math.max(0, total - keys.size) : loaded.filter(has).length),
      has,
      toggle(key) {
        const next = new Set(keys)
        if (!next.delete(key)) next.add(key)
        set({ isAll, keys: next })
      },
      toggleAll(all) {
        const areAll = isAll || (all.length > 0 && all.every(key => keys.has(key)))
        set(areAll ? NONE : { isAll: false, keys: new Set(all) })
      },
      selectAllMatching: () => set({ isAll: true, keys: new Set() }),
      clear: () => set(NONE),
    }
  }, [isAll, keys, resetKey])
}
