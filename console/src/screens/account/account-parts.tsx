// What the parts of the account share.
import type { components } from '@caseport/sdk'
import { useTexts } from '../../app/i18n.tsx'
import { errorText } from '../../app/states.tsx'
import { notifyError } from '../../dialogs/notify.tsx'

type Current = components['schemas']['CurrentSession']

/** Runs work, and shows what fails. */
export function useRun() {
  const texts = useTexts()
  return async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (cause) {
      const isCancelled = cause instanceof DOMException && cause.name === 'NotAllowedError'
      notifyError(
        texts.t('state.error'),
        isCancelled ? texts.t('signIn.passkeyCancelled') : errorText(cause, texts),
      )
    }
  }
}

export interface PartProps {
  current: Current
  onChanged(): void
}
