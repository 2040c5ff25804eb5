// Below the rows of a list, when the next page could not be read.
import { Button, Text } from '@mantine/core'
import { useTexts } from '../app/i18n.tsx'
import { errorText } from '../app/states.tsx'
import type { List } from './use-list.ts'

export function MoreError<T, F extends string>({ list }: { list: List<T, F> }) {
  const texts = useTexts()
  const { t } = texts
  if (list.moreError === undefined) return null
  return (
    <>
      <Text size="xs" c="var(--mantine-color-error)">
        {t('list.moreFailed')} {errorText(list.moreError, texts)}
      </Text>
      <Button size="compact-xs" variant="default" onClick={list.loadMore}>
        {t('state.retry')}
      </Button>
    </>
  )
}
