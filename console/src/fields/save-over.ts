// Saves a form over the version that was read. Where another person has changed the same field meanwhile, the person
// decides which value stays.
import { isCaseportError } from '@caseport/sdk'
import { askConflict } from './conflict.tsx'
import { isEqual } from './use-record.ts'

interface SaveOver<T extends object> {
  /** As the SDK returned it. */
  base: T
  changes: Partial<T>
  read(): Promise<T>
  write(changes: Partial<T>, base: T): Promise<unknown>
  labelOf(field: keyof T & string): string
  show?(value: unknown, field: keyof T & string): string
}

const plain = (value: unknown) => (value === null || value === undefined ? '' : String(value))

export async function saveOver<T extends object>(options: SaveOver<T>): Promise<void> {
  const { base, changes, read, write, labelOf, show = plain } = options
  const fields = (Object.keys(changes) as (keyof T & string)[]).filter(
    field => !isEqual(changes[field], base[field]),
  )
  if (fields.length === 0) return
  const changed = Object.fromEntries(fields.map(field => [field, changes[field]])) as Partial<T>
  try {
    await write(changed, base)
  } catch (cause) {
    if (!isCaseportError(cause, 'version-mismatch')) throw cause
    const theirs = await read()
    const differing = fields.filter(
      field => !isEqual(theirs[field], base[field]) && !isEqual(theirs[field], changes[field]),
    )
    const choice =
      differing.length === 0
        ? 'mine'
        : await askConflict(
            differing.map(field => ({
              label: labelOf(field),
              mine: show(changes[field], field),
              theirs: show(theirs[field], field),
            })),
          )
    const kept = choice === 'mine' ? fields : fields.filter(field => !differing.includes(field))
    const rest = Object.fromEntries(kept.map(field => [field, changes[field]])) as Partial<T>
    return saveOver({ ...options, base: theirs, changes: rest })
  }
}
