// Leaving the page by a reload, which forgets what a person saw.
import { uploadQueue } from '../files/uploads.ts'

/** Whether something would be lost: what asks before the window is closed is asked. */
export const wouldLoseWork = (): boolean =>
  !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

/** The person has decided, or is another one by now: nothing asks any more. */
export function leavePage(): void {
  uploadQueue.removeAll()
  window.addEventListener('beforeunload', event => event.stopImmediatePropagation(), { capture: true })
  location.reload()
}
