// A record that a person edits field by field. A change is shown at once, saved over the version that was read, and can be
// undone. Where another person has changed the same field meanwhile, the person decides which value stays.
import { isCaseportError } from '@caseport/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { caseport } from '../app/connection.ts'
import { useTexts } from '../app/i18n.tsx'
import { errorText } from '../app/states.tsx'
import { notifyDone, notifyError, notifyWithUndo } from '../dialogs/notify.tsx'
import { askConflict } from './conflict.tsx'

export interface Versioned<T> {
  value: T
  etag: string
}

/** A record that a method of the SDK returned. */
export const versioned = <T extends object>(value: T): Versioned<T> => ({
  value,
  etag: caseport.etagOf(value),
})

/** A record that `caseport.api` returned. */
export async function versionedOf<T>(
  call: Promise<{ data?: T; response: Response }>,
): Promise<Versioned<NonNullable<T>>> {
  const { data, response } = await call
  return { value: data as NonNullable<T>, etag: response.headers.get('etag') ?? '' }
}

interface RecordOptions<T extends object> {
  queryKey: readonly unknown[]
  read(signal?: AbortSignal): Promise<Versioned<T>>
  /** Saves some fields over this version. */
  write(changes: Partial<T>, etag: string): Promise<Versioned<T>>
  /** What else is out of date after a change, such as lists and timelines. */
  invalidates?: readonly (readonly unknown[])[]
  /** Names a field for people. */
  labelOf(field: keyof T & string): string
  /** A value as people read it. */
  show?(value: unknown, field: keyof T & string): string
}

/** For lists, where a change names some items only. */
interface SaveOptions<T> {
  /** The fields as they are after the change; `changes` itself by default. */
  shown?: Partial<T>
  /** What undoes the change; the values before it by default. Null where nothing does. */
  undo?: Partial<T> | null
  /** The version that the change is saved over; the newest one by default. */
  base?: Versioned<T>
}

interface Written<T> {
  saved: Versioned<T>
  /** The version that it was saved over. */
  base: Versioned<T>
}

export interface EditedRecord<T extends object> {
  /** With changes that are being saved. */
  record: T | undefined
  etag: string | undefined
  isLoading: boolean
  error: unknown
  isSaving: boolean
  /** Resolves to whether it is settled: saved, or left to the value of another person. Errors are shown. */
  save(changes: Partial<T>, options?: SaveOptions<T>): Promise<boolean>
  refresh(): void
}

export function useRecord<T extends object>(options: RecordOptions<T>): EditedRecord<T> {
  const texts = useTexts()
  const client = useQueryClient()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: options.queryKey,
    queryFn: ({ signal }) => options.read(signal),
  })
  const [pending, setPending] = useState<Partial<T>>({})
  const [saving, setSaving] = useState(0)
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  const { queryKey, labelOf } = options
  const show = options.show ?? (value => (value === null || value === undefined ? '' : String(value)))
  const current = () => client.getQueryData<Versioned<T>>(queryKey)

  /** Undefined where the person chose the other value. */
  const write = async (
    changes: Partial<T>,
    shown: Partial<T>,
    base: Versioned<T>,
  ): Promise<Written<T> | undefined> => {
    try {
      return { saved: await options.write(changes, base.etag), base }
    } catch (cause) {
      if (!isCaseportError(cause, 'version-mismatch')) throw cause
      const theirs = await options.read()
      client.setQueryData(queryKey, theirs)
      const fields = Object.keys(changes) as (keyof T & string)[]
      const differing = fields.filter(
        field =>
          !isEqual(theirs.value[field], base.value[field]) && !isEqual(theirs.value[field], shown[field]),
      )
      if (differing.length > 0) {
        const choice = await askConflict(
          differing.map(field => ({
            label: labelOf(field),
            mine: show(shown[field], field),
            theirs: show(theirs.value[field], field),
          })),
        )
        if (choice === 'theirs') return undefined
      }
      return write(changes, shown, theirs)
    }
  }

  const saveNow = async (
    changes: Partial<T>,
    { shown = changes, undo, base = current() }: SaveOptions<T>,
  ): Promise<boolean> => {
    if (!base) return false
    const fields = Object.keys(changes) as (keyof T & string)[]
    try {
      const written = await write(changes, shown, base)
      if (!written) return true
      const { saved } = written
      // A refresh that began before the change would show the values before it.
      await client.cancelQueries({ queryKey, exact: true })
      client.setQueryData(queryKey, saved)
      for (const key of options.invalidates ?? []) void client.invalidateQueries({ queryKey: key })
      const message = texts.t('edit.saved', { field: fields.map(labelOf).join(', ') })
      const { value } = written.base
      const before = Object.fromEntries(fields.map(field => [field, value[field] ?? null])) as Partial<T>
      const reverse = undo === undefined ? before : undo
      // Over the version that this change made: the page may show a later change of another person already.
      const undoOptions = { undo: null, shown: before, base: saved }
      if (reverse) notifyWithUndo(message, texts.t('undo.action'), () => void save(reverse, undoOptions))
      else notifyDone(message)
      return true
    } catch (cause) {
      notifyError(texts.t('edit.failed', { field: fields.map(labelOf).join(', ') }), errorText(cause, texts))
      return false
    }
  }

  const save = (changes: Partial<T>, options: SaveOptions<T> = {}): Promise<boolean> => {
    const { shown = changes } = options
    setPending(all => ({ ...all, ...shown }))
    setSaving(count => count + 1)
    // One after the other: each change is saved over the version that the one before it made.
    const saved = queue.current.then(() => saveNow(changes, options))
    queue.current = saved.finally(() => {
      setSaving(count => count - 1)
      // A later change of the same field stays.
      const isOver = ([field, value]: [string, unknown]) =>
        field in shown && value === shown[field as keyof T]
      setPending(all => Object.fromEntries(Object.entries(all).filter(entry => !isOver(entry))) as Partial<T>)
    })
    return saved
  }

  return {
    record: data && { ...data.value, ...pending },
    etag: data?.etag,
    isLoading: isPending,
    error: data ? undefined : error,
    isSaving: saving > 0,
    save,
    refresh: () => void refetch(),
  }
}

/** Values of the wire are plain JSON; a file that is to be sent equals itself only. */
export const isEqual = (a: unknown, b: unknown): boolean =>
  (a ?? null) === (b ?? null) ||
  (!(a instanceof Blob || b instanceof Blob) && JSON.stringify(a ?? null) === JSON.stringify(b ?? null))
