// The columns of a CSV file: names of fields (`lastName`), of fields of items (`passports[0].expiryDate`) and of tags
// (`metaData.costCentre`). Pure.
import { LIST_NAMES, LISTS, type ListName, TEXT_FIELDS } from '../applicants/applicant.ts'
import { excerpt } from '../lib/excerpt.ts'
import { nearest } from '../lib/nearest.ts'
import type { FieldError } from '../lib/problem.ts'
import { FileError } from './file-error.ts'

export const PRIMARY_NUMBER = 'primaryEmployeeNumber'
const MAX_COLUMNS = 2_000
const MAX_ITEMS = 500

export type Column =
  | { kind: 'field'; name: string }
  | { kind: 'primary' }
  | { kind: 'item'; list: ListName; index: number; field: string }
  | { kind: 'tag'; name: string }
  /** A field that reads return and writes ignore. */
  | { kind: 'ignored' }

const FIELDS = ['applicantId', ...TEXT_FIELDS] as const
const READ_ONLY = ['createdAt', 'updatedAt']
const PLAIN = new Set<string>(FIELDS)
const fieldsOf = (list: ListName): string[] => [LISTS[list].id, ...LISTS[list].fields]

/** Throws one error that lists all unknown, repeated and missing columns. */
export function columnsOf(header: string[]): Column[] {
  if (header.length > MAX_COLUMNS) throw new FileError(`The file has more than ${MAX_COLUMNS} columns.`)
  if (header.some(cell => cell.includes('\0')))
    throw new FileError('The header has NUL characters, as UTF-16 does. Save the file as UTF-8.')
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const columns = header.map((cell, index): Column => {
    const name = cell.trim()
    const column = columnOf(name)
    const reject = (detail: string) =>
      errors.push({
        pointer: `/${escaped(excerpt(name))}`,
        detail: `Column ${index + 1}: ${detail}`,
      })
    if (!column) reject(unknownMessage(name))
    else if (seen.has(name)) reject('this column is there twice.')
    seen.add(name)
    return column ?? { kind: 'ignored' }
  })
  if (!seen.has('employeeNumber'))
    errors.push({
      pointer: '/employeeNumber',
      detail: 'Required, but missing: people are matched by this column.',
    })
  if (errors.length > 0)
    throw new FileError('The header of the file has columns that cannot be imported.', errors)
  return columns
}

function columnOf(name: string): Column | undefined {
  if (name === PRIMARY_NUMBER) return { kind: 'primary' }
  if (PLAIN.has(name)) return { kind: 'field', name }
  if (READ_ONLY.includes(name)) return { kind: 'ignored' }
  const [, list, index, field] = /^(\w+)\[(\d{1,3})\]\.(\w+)$/.exec(name) ?? []
  const found = LIST_NAMES.find(one => one === list)
  if (found && field && fieldsOf(found).includes(field) && Number(index) < MAX_ITEMS)
    return { kind: 'item', list: found, index: Number(index), field }
  const tag = /^metaData\.(.+)$/s.exec(name)?.[1]
  return tag ? { kind: 'tag', name: tag } : undefined
}

function unknownMessage(name: string): string {
  if (name === '') return 'it has no name.'
  const meant = meantBy(name)
  return `there is no ${excerpt(name)} here. ${meant ? `Did you mean ${meant}?` : 'Leave it out.'}`
}

/** List and field are compared each on their own: a long name of a list would hide that the field is another one. */
function meantBy(name: string): string | undefined {
  const [, tags = '', tag] = /^(\w+)\.(.+)$/s.exec(name) ?? []
  if (tag && nearest(tags, LIST_NAMES) === 'metaData') return `metaData.${excerpt(tag)}`
  const [, list, index, field = ''] = /^(\w+)\[(\d+)\]\.?(.*)$/s.exec(name) ?? []
  if (list === undefined) return nearest(name, [...FIELDS, PRIMARY_NUMBER])
  const meantList = LIST_NAMES.find(one => one === nearest(list, LIST_NAMES))
  const meantField = meantList && nearest(field, fieldsOf(meantList))
  return meantField && Number(index) < MAX_ITEMS ? `${meantList}[${index}].${meantField}` : undefined
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

export interface CsvPerson {
  person: Record<string, unknown>
  /** The number of the primary applicant, where the row is a dependent. */
  primaryNumber: string | undefined
}

const BOOLEANS: Record<string, boolean> = {
  true: true,
  false: false,
  yes: true,
  no: false,
  1: true,
  0: false,
}

/** The person that a row describes, as JSON would. An empty cell is a field that is left out. */
export function personOf(columns: Column[], cells: string[]): CsvPerson {
  const person: Record<string, unknown> = {}
  const items = new Map<ListName, Map<number, Record<string, unknown>>>()
  const tags: { tagName: string; value: string }[] = []
  let primaryNumber: string | undefined
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '' || column.kind === 'ignored') continue
    if (column.kind === 'field') person[column.name] = cell
    else if (column.kind === 'primary') primaryNumber = cell
    else if (column.kind === 'tag') tags.push({ tagName: column.name, value: cell })
    else {
      const list = items.get(column.list) ?? new Map<number, Record<string, unknown>>()
      items.set(column.list, list)
      const item = list.get(column.index) ?? {}
      list.set(column.index, item)
      item[column.field] =
        column.field === 'remindAboutRenewal' ? (BOOLEANS[cell.toLowerCase()] ?? cell) : cell
    }
  }
  for (const [list, byIndex] of items)
    person[list] = [...byIndex].sort(([a], [b]) => a - b).map(([, item]) => item)
  if (tags.length > 0) person['metaData'] = [...((person['metaData'] as object[]) ?? []), ...tags]
  return { person, primaryNumber }
}
