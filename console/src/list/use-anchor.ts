// Keeps the rows that a person sees where they are, when others appear or disappear above them.
import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef } from 'react'

interface AnchorOptions {
  /** Keys of the rows, in their order. Another list of keys means other rows. */
  keys: readonly string[]
  virtual: Virtualizer<HTMLDivElement, Element>
  /** Whether the rows are those of other filters: then there is nothing to keep. */
  isStale: boolean
}

export function useAnchor({ keys, virtual, isStale }: AnchorOptions): void {
  const anchor = useRef<{ key: string; start: number }>(undefined)

  useLayoutEffect(() => {
    const { scrollElement } = virtual
    const kept = anchor.current
    // At the top, new rows are to be seen.
    if (!kept || !scrollElement || scrollElement.scrollTop === 0) return
    const index = keys.indexOf(kept.key)
    const start = index < 0 ? undefined : virtual.measurementsCache[index]?.start
    // By as much as the row has moved: the person may have scrolled since it was noted.
    if (start !== undefined && start !== kept.start) scrollElement.scrollTop += start - kept.start
  }, [keys, virtual])

  useEffect(() => {
    // The offset that the last scroll event told. Asking the element would lay out the page once more.
    const first = isStale ? undefined : virtual.getVirtualItemForOffset(virtual.scrollOffset ?? 0)
    anchor.current = first && { key: String(first.key), start: first.start }
  })
}
