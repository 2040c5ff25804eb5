// Whether a person is in the middle of something: a dialog or a menu is open, a field is edited, a button of the pointer is
// pressed, something is dragged, or the pointer is on its way over the rows of a list.
import { isTyping } from '../app/actions.tsx'

const OPEN = '[role=dialog][aria-modal=true], [role=menu], [role=listbox]'
const ROWS = '[role=row], .plain-list li, .tile'
/** Text fields that do not edit a record. */
const FILTERS = '[role=search] *, [type=search]'
const MOVING_MS = 400

export function watchBusy(): { isBusy(): boolean; stop(): void } {
  const stopped = new AbortController()
  const options = { signal: stopped.signal, capture: true, passive: true }
  let isPressed = false
  let isDragging = false
  let movedAt = Number.NEGATIVE_INFINITY
  const on = (names: (keyof DocumentEventMap)[], note: (event: Event) => void) => {
    for (const name of names) document.addEventListener(name, note, options)
  }
  on(['pointerdown'], () => {
    isPressed = true
  })
  on(['pointerup', 'pointercancel'], () => {
    isPressed = false
  })
  on(['dragstart'], () => {
    isDragging = true
  })
  on(['dragend', 'drop'], () => {
    isDragging = false
  })
  on(['pointermove'], ({ target, timeStamp }) => {
    if (target instanceof Element && target.closest(ROWS)) movedAt = timeStamp
  })

  return {
    isBusy() {
      const { activeElement } = document
      const isEditing = isTyping(activeElement) && !activeElement?.matches(FILTERS)
      const isOpen = [...document.querySelectorAll(OPEN)].some(element => element.checkVisibility())
      const isMoving = performance.now() - movedAt < MOVING_MS
      return isPressed || isDragging || isMoving || isEditing || isOpen
    },
    stop: () => stopped.abort(),
  }
}
