// A list that is shown again by the browser's back button begins where the person left it.
import { useLocation } from '@tanstack/react-router'
import { type RefObject, useLayoutEffect } from 'react'

/** By entry of the browser's history and name of the list. Rows that were read are not kept longer than the page, either. */
const offsets = new Map<string, number>()

const useKey = (name: string) => `${useLocation({ select: ({ state }) => state.__TSR_key })} ${name}`

/** The offset that the list had. It is noted when the list is left. */
export function useScrollOffset(name: string, scroller: RefObject<HTMLElement | null>): number {
  const key = useKey(name)
  useLayoutEffect(
    () => () => {
      if (scroller.current) offsets.set(key, scroller.current.scrollTop)
    },
    [key, scroller],
  )
  return offsets.get(key) ?? 0
}

/** The same for a board, which scrolls to the side, and each of its columns down. It has cards when `isShown`. */
export function useBoardOffsets(name: string, board: RefObject<HTMLElement | null>, isShown: boolean): void {
  const key = useKey(name)
  useLayoutEffect(() => {
    if (!isShown) return
    const columns = () => [...(board.current?.querySelectorAll<HTMLElement>('[data-column]') ?? [])]
    const keyOf = (column: HTMLElement) => `${key} ${column.dataset['column']}`
    if (board.current) board.current.scrollLeft = offsets.get(key) ?? 0
    for (const column of columns()) column.scrollTop = offsets.get(keyOf(column)) ?? 0
    return () => {
      if (board.current) offsets.set(key, board.current.scrollLeft)
      for (const column of columns()) offsets.set(keyOf(column), column.scrollTop)
    }
  }, [key, board, isShown])
}
