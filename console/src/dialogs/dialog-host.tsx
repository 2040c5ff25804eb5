// Dialogs that are opened by a call and give back what the person chose:
// `const isSure = await openDialog<boolean>(close => <MyDialog onClose={close} />)`.
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'

interface OpenDialog {
  key: number
  content: ReactNode
  /** For another screen, which has no use for it. */
  cancel?: (() => void) | undefined
}

let dialogs: readonly OpenDialog[] = []
let lastKey = 0
/** What had the focus last outside of dialogs. */
let outside: Element | null = null
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof Element && !target.closest('[role=dialog]')) outside = target
})
const listeners = new Set<() => void>()

function update(next: readonly OpenDialog[]): void {
  dialogs = next
  for (const listener of listeners) listener()
}

/** `cancelled` is the result of a dialog that must not outlive its screen, when that is left. */
export function openDialog<T>(
  render: (close: (result: T) => void) => ReactNode,
  { cancelled }: { cancelled?: T } = {},
): Promise<T> {
  return new Promise(resolve => {
    lastKey += 1
    const key = lastKey
    const focused = document.activeElement
    const close = (result: T) => {
      update(dialogs.filter(dialog => dialog.key !== key))
      resolve(result)
      // Mantine returns the focus of a dialog that closes, but not of one that is taken away.
      setTimeout(() => {
        if (document.activeElement === document.body) [focused, outside].find(canFocus)?.focus()
      })
    }
    const cancel = cancelled === undefined ? undefined : () => close(cancelled)
    update([...dialogs, { key, content: render(close), cancel }])
  })
}

const canFocus = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLElement && element !== document.body && element.isConnected

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const useOpenDialogs = () => useSyncExternalStore(subscribe, () => dialogs)

export const useHasDialog = (): boolean => useOpenDialogs().length > 0

/** Shows the dialogs that are open. The shell has one. */
export function DialogHost() {
  const { pathname } = useLocation()
  // What is open belongs to the screen before.
  useEffect(() => {
    for (const { cancel } of dialogs) cancel?.()
  }, [pathname])
  return useOpenDialogs().map(({ key, content }) => <div key={key}>{content}</div>)
}
