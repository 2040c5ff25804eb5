// A date that is typed: 2026-11-16, 16.11.2026, 16 Nov 2026, or +30d from today. It has no time zone. A text that is none makes
// the field invalid, so that the browser does not submit the form.
import { TextInput, type TextInputProps } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { parseDate } from '../records/dates.ts'

interface DateFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** Such as 2026-11-16; null is no date. */
  value: string | null
  /** Called when the text is a date, or empty. */
  onChange(value: string | null): void
  /** Called while the text is no date. */
  onInvalid?(): void
}

export function DateField({ value, onChange, onInvalid, ...rest }: DateFieldProps) {
  const { t, date, language } = useTexts()
  const [text, setText] = useState(value?.slice(0, 10) ?? '')
  const [known, setKnown] = useState(value)
  const [isLeft, setLeft] = useState(true)
  if (value !== known) {
    setKnown(value)
    setText(value?.slice(0, 10) ?? '')
  }
  const parsed = text.trim() ? parseDate(text, language) : undefined
  const isInvalid = text.trim() !== '' && parsed === undefined
  const input = useRef<HTMLInputElement>(null)
  const message = isInvalid ? t('date.invalid') : ''
  useLayoutEffect(() => input.current?.setCustomValidity(message), [message])
  const change = (next: string) => {
    setText(next)
    setLeft(false)
    const found = parseDate(next, language)
    if (next.trim() && !found) return onInvalid?.()
    const result = found ?? null
    setKnown(result)
    onChange(result)
  }
  return (
    <TextInput
      placeholder={t('date.placeholder')}
      inputMode="text"
      autoComplete="off"
      description={parsed && parsed !== text.trim() ? date(parsed) : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...rest}
      ref={input}
      value={text}
      error={isLeft && message ? message : rest.error}
      onChange={event => change(event.currentTarget.value)}
      onKeyDown={event => {
        // Enter is to save: what keeps it from that is said at once.
        if (event.key === 'Enter') setLeft(true)
        rest.onKeyDown?.(event)
      }}
      onBlur={event => {
        setLeft(true)
        if (parsed) setText(parsed)
        rest.onBlur?.(event)
      }}
    />
  )
}

/** For a form that checks its fields itself: whether a text is no date. That field gets the focus, and shows its error. */
export function focusInvalidDate(form: HTMLFormElement): boolean {
  const found = [...form.elements].find(
    (element): element is HTMLInputElement =>
      element instanceof HTMLInputElement && element.validity.customError,
  )
  found?.focus()
  return found !== undefined
}
