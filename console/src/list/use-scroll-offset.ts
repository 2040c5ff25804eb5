// A list that is shown again by the browser's back button begins where the person left it.
import { useLocation } from '@tanstack/react-router'
import { type RefObject, useLayoutEffect } from 'react'

/** By entry of the browser's history and name of the list. Rows that were read are not kept longer than the page, either. */
const offsets = new Map<string, number>()

/** The offset that the list had. It is noted when the list is left. */
export function useScrollOffset(name: string, scroller: RefObject<HTMLElement | null>): number {
  const entry = useLocation({ select: ({ state }) => state.__TSR_key })
  const key = `${entry} ${name}`
  useLayoutEffect(
    () => () => {
      if (scroller.current) offsets.set(key, scroller.current.scrollTop)
    },
    [key, scroller],
  )
  return offsets.get(key) ?? 0
}
