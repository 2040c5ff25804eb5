// One list of actions feeds the command palette, menus and shortcuts. The shell registers its actions for good, a screen
// its own while it is shown.
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from 'react'
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

type Listener = () => void

/** It is no state of a component: a screen that registers its actions draws nothing anew but what lists them. */
function createRegistry() {
  let sets: readonly Action[][] = []
  let all: Action[] = []
  const listeners = new Set<Listener>()
  const update = (next: readonly Action[][]) => {
    sets = next
    all = sets.flat()
    for (const listener of listeners) listener()
  }
  return {
    current: () => all,
    subscribe(listener: Listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    register(actions: Action[]) {
      update([...sets, actions])
      return () => update(sets.filter(other => other !== actions))
    },
  }
}

const Context = createContext<ReturnType<typeof createRegistry> | undefined>(undefined)

function useRegistry() {
  const registry = useContext(Context)
  if (!registry) throw new Error('Actions need an ActionsProvider.')
  return registry
}

export function ActionsProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(createRegistry)
  useShortcuts(registry.current)
  return <Context value={registry}>{children}</Context>
}

export function useActionList(): Action[] {
  const { subscribe, current } = useRegistry()
  return useSyncExternalStore(subscribe, current)
}

/** Registers actions while the component is shown, before it is seen. Memoize the list: a new one registers anew. */
export function useActions(actions: Action[]): void {
  const { register } = useRegistry()
  useLayoutEffect(() => register(actions), [register, actions])
}

const SEQUENCE_MS = 1_200

/** Whether keys are text here. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
  )
}

const SINGLE_KEYS = 'caseport-single-keys'

/** Speech input presses keys that nobody meant to press: shortcuts without Ctrl can be switched off. */
export const areSingleKeysOn = (): boolean => localStorage.getItem(SINGLE_KEYS) !== 'off'

export function setSingleKeys(areOn: boolean): void {
  if (areOn) localStorage.removeItem(SINGLE_KEYS)
  else localStorage.setItem(SINGLE_KEYS, 'off')
}

/** Keys belong to what is open on top. */
const hasModal = () =>
  [...document.querySelectorAll('[role=dialog][aria-modal=true], [role=menu]')].some(element =>
    element.checkVisibility(),
  )

function useShortcuts(current: () => Action[]): void {
  useEffect(() => {
    let pending = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const find = (shortcut: string) => current().findLast(action => action.shortcut === shortcut)
    const run = (action: Action, event: KeyboardEvent) => {
      event.preventDefault()
      pending = ''
      action.run()
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return
      // Escape has closed the dialog that the key was pressed in.
      if (event.target instanceof Node && !event.target.isConnected) return
      if (event.ctrlKey || event.metaKey) {
        const action = find(`mod+${event.key.toLowerCase()}`)
        if (action && hasModal()) event.preventDefault()
        else if (action) run(action, event)
        return
      }
      if (isTyping(event.target) || hasModal()) return
      if (event.key.length === 1 && !areSingleKeysOn()) return
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
