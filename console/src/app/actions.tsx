// One list of actions feeds the command palette, menus and shortcuts. The shell registers its actions for good, a screen
// its own while it is shown.
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import type { IconName } from './icons.tsx'

export interface Action {
  id: string
  label: string
  icon: IconName
  /** Shown as a heading in the palette and in the list of shortcuts. */
  group: string
  /** One key, or two in a row: `e`, `g p`. `mod+k` is Ctrl, or Command on a Mac. */
  shortcut?: string
  run(): void
}

interface Registry {
  actions: Action[]
  register(actions: Action[]): () => void
}

const Context = createContext<Registry | undefined>(undefined)

export function ActionsProvider({ children }: { children: ReactNode }) {
  const [sets, setSets] = useState<readonly Action[][]>([])
  const registry = useMemo<Registry>(
    () => ({
      actions: sets.flat(),
      register(actions) {
        setSets(all => [...all, actions])
        return () => setSets(all => all.filter(other => other !== actions))
      },
    }),
    [sets],
  )
  useShortcuts(registry.actions)
  return <Context value={registry}>{children}</Context>
}

export function useActionList(): Action[] {
  return useContext(Context)?.actions ?? []
}

/** Registers actions while the component is shown. Memoize the list: a new one registers anew. */
export function useActions(actions: Action[]): void {
  const register = useContext(Context)?.register
  const stable = useRef(register)
  stable.current = register
  useEffect(() => stable.current?.(actions), [actions])
}

const SEQUENCE_MS = 1_200

/** Whether keys are text here. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
  )
}

function useShortcuts(actions: Action[]): void {
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    let pending = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const find = (shortcut: string) => current.current.findLast(action => action.shortcut === shortcut)
    const run = (action: Action, event: KeyboardEvent) => {
      event.preventDefault()
      pending = ''
      action.run()
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return
      if (event.ctrlKey || event.metaKey) {
        const action = find(`mod+${event.key.toLowerCase()}`)
        if (action) run(action, event)
        return
      }
      if (isTyping(event.target) || document.querySelector('[role=dialog][aria-modal=true]')) return
      const key = event.key.length === 1 ? event.key : event.key.toLowerCase()
      const action = (pending && find(`${pending} ${key}`)) || find(key)
      if (action) return run(action, event)
      clearTimeout(timer)
      pending = event.key.length === 1 ? key : ''
      timer = setTimeout(() => {
        pending = ''
      }, SEQUENCE_MS)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** The keys of a shortcut, as people read them. */
export const keysOf = (shortcut: string): string[] =>
  shortcut
    .split(/[ +]/)
    .map(key => (key === 'mod' ? (isMac ? '⌘' : 'Ctrl') : key.length === 1 ? key.toUpperCase() : key))
