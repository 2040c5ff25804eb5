import { searchApplicants } from '../applicants/search.schema.ts'
import { listCases } from '../cases/case-list.schema.ts'
import { listAllDocuments, listExpiring } from '../documents/document-list.schema.ts'
import type { Operation } from '../http/app-types.ts'
import { requiredText } from '../http/fields.ts'
import { type TSchema, Type } from '../lib/json-schema.ts'
import { type FieldError, invalid } from '../lib/problem.ts'
import {
  type SavedView as Row,
  sharingNotAllowed,
  tooManyViews,
  viewNameInUse,
  viewNotFound,
  viewOfAnother,
} from './views.service.ts'

/** The lists that views are of. */
const LISTS: Record<string, { querystring: TSchema }> = {
  cases: listCases,
  applicants: searchApplicants,
  documents: listAllDocuments,
  expiring: listExpiring,
}

/** What a screen keeps in its address besides the parameters of its list. */
const OF_SCREENS: Record<string, string[]> = { cases: ['show'] }

const PAGING = ['maxRecords', 'nextCursor', 'prevCursor']

const parametersOf = (screen: string): string[] => {
  const { properties = {} } = (LISTS[screen]?.querystring ?? {}) as { properties?: object }
  return [...Object.keys(properties).filter(name => !PAGING.includes(name)), ...(OF_SCREENS[screen] ?? [])]
}

/** Throws unless all names in the query are parameters of this screen or its list. */
export function requireParameters(screen: string, query: Record<string, string> | undefined): void {
  const known = parametersOf(screen)
  const errors: FieldError[] = Object.keys(query ?? {})
    .filter(name => !known.includes(name))
    .map(name => ({
      pointer: `/query/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      detail: `The list of ${screen} has these filters: ${known.join(', ')}.`,
    }))
  if (errors.length > 0) throw invalid(errors)
}

const screen = Type.Unsafe<string>({
  type: 'string',
  enum: Object.keys(LISTS),
  description: 'The list that the view is of.',
})
const name = requiredText({
  maxLength: 100,
  description: 'Unique for its owner and screen, without regard to case.',
})
const query = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 30,
  additionalProperties: { type: 'string', minLength: 1, maxLength: 320 },
  description:
    'The filters and `sort`, named and written as the query parameters of the list. For `cases` also `show`: `table` or `board`.',
  example: { assignee: 'me', due: 'overdue', sort: 'dueDate' },
})
const shared = Type.Boolean({
  description: 'Whether the team sees the view: all users whose companies include those of its owner.',
})

const SavedView = Type.Object(
  {
    viewId: Type.String(),
    screen,
    name,
    query,
    shared,
    own: Type.Boolean({ description: 'Whether the view belongs to the caller.' }),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  { title: 'SavedView', additionalProperties: false },
)

const tags = ['Operator: desk'] as [string]
const params = Type.Object({ viewId: Type.String({ description: 'Id of the view.' }) })

export const listViews = {
  operationId: 'listViews',
  tags,
  summary: 'List saved views',
  description:
    'Returns the views of the caller and those that others share with the team, in order of their names, in one array without pages. `me` in a shared view is the person who uses it.',
  querystring: Type.Object({
    screen: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: Object.keys(LISTS),
        description: 'Only views of this list.',
      }),
    ),
  }),
  response: { 200: Type.Array(SavedView) },
} satisfies Operation

export const createView = {
  operationId: 'createView',
  tags,
  summary: 'Save a view',
  description:
    'Saves the filters and the order of a list under a name. A caller can save 200 views. Sharing with the team needs the scope `desk:write` as well. Send an `Idempotency-Key` to make a retry safe.',
  idempotent: true,
  body: Type.Object(
    { screen, name, query, shared: Type.Optional(shared) },
    { title: 'NewView', additionalProperties: false },
  ),
  response: { 201: SavedView },
  errors: [viewNameInUse, sharingNotAllowed, tooManyViews],
  example: {
    screen: 'cases',
    name: 'My overdue cases',
    query: { assignee: 'me', due: 'overdue' },
    shared: false,
  },
} satisfies Operation

export const getView = {
  operationId: 'getView',
  tags,
  summary: 'Read a saved view',
  description: 'Returns a view of the caller, or one that is shared with the team. Supports `If-None-Match`.',
  conditional: true,
  params,
  response: { 200: SavedView },
  errors: [viewNotFound],
} satisfies Operation

export const patchView = {
  operationId: 'patchView',
  tags,
  summary: 'Change a saved view',
  description:
    'Changes only the fields in the body; `query` is replaced as a whole. The screen stays. Only the owner can change a view. Sending the same body again changes nothing.',
  conditional: true,
  params,
  body: Type.Object(
    { name: Type.Optional(name), query: Type.Optional(query), shared: Type.Optional(shared) },
    { title: 'ViewPatch', additionalProperties: false },
  ),
  response: { 200: SavedView },
  errors: [viewNotFound, viewNameInUse, viewOfAnother, sharingNotAllowed],
  example: { name: 'Overdue', shared: true },
} satisfies Operation

export const deleteView = {
  operationId: 'deleteView',
  tags,
  summary: 'Remove a saved view',
  description:
    'Removes the view for good, also for those it is shared with. Its owner can remove it and, where it is shared, a caller with the scope `admin`.',
  params,
  response: { 204: Type.Null() },
  errors: [viewNotFound, viewOfAnother],
} satisfies Operation

export function toWire(
  { version: _version, ownerId, createdAt, updatedAt, ...rest }: Row,
  { clientId }: { clientId: string },
) {
  return {
    ...rest,
    own: ownerId === clientId,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
