// Dialogs that are opened by a call and give back what the person chose:
// `const isSure = await openDialog<boolean>(close => <MyDialog onClose={close} />)`.
import { type ReactNode, useSyncExternalStore } from 'react'

interface OpenDialog {
  key: number
  content: ReactNode
}

let dialogs: readonly OpenDialog[] = []
let lastKey = 0
const listeners = new Set<() => void>()

function update(next: readonly OpenDialog[]): void {
  dialogs = next
  for (const listener of listeners) listener()
}

export function openDialog<T>(render: (close: (result: T) => void) => ReactNode): Promise<T> {
  return new Promise(resolve => {
    lastKey += 1
    const key = lastKey
    const opener = document.activeElement
    const close = (result: T) => {
      update(dialogs.filter(dialog => dialog.key !== key))
      resolve(result)
      // Mantine returns the focus of a dialog that closes, but not of one that is taken away.
      setTimeout(() => {
        if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus()
      })
    }
    update([...dialogs, { key, content: render(close) }])
  })
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const useOpenDialogs = () => useSyncExternalStore(subscribe, () => dialogs)

export const useHasDialog = (): boolean => useOpenDialogs().length > 0

/** Shows the dialogs that are open. The shell has one. */
export function DialogHost() {
  return useOpenDialogs().map(({ key, content }) => <div key={key}>{content}</div>)
}
