// The question before a screen is left that has unsaved input.
import { type Confirmation, confirm } from './confirm.tsx'

let isAsking = false

/** For `shouldBlockFn`: whether the screen stays. It is asked once, however often Back is pressed meanwhile. */
export async function staysUnlessConfirmed(question: Confirmation): Promise<boolean> {
  if (isAsking) return true
  isAsking = true
  // After Back, the address is already that of the other screen.
  const { href } = window.location
  try {
    if (await confirm(question)) return false
  } finally {
    isAsking = false
  }
  // Blocking a second Back has restored the address, and there is nothing to restore for this one.
  return window.location.href === href
}
