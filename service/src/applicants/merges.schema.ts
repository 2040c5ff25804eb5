import { unknownCompany } from '../companies/companies.service.ts'
import type { Operation } from '../http/app-types.ts'
import { text } from '../http/fields.ts'
import { arrayOf, identifiersSchema } from '../http/identifiers.ts'
import { countedPageOf, invalidCursor, walkQuery } from '../http/pagination.ts'
import { Type } from '../lib/json-schema.ts'
import { LIST_NAMES } from './applicant.ts'
import { applicantNotFound, unknownReference } from './applicants.errors.ts'
import { Applicant, applicantIdentifiers } from './applicants.shapes.ts'
import { recordId } from './duplicates.schema.ts'
import { CHOSEN_FIELDS, type Choices, type Side } from './merge-plan.ts'
import { changedSinceMerge, mergeNotFound, mergeUndone, recordsNotMergeable } from './merges.errors.ts'
import type { MergeRow } from './merges.store.ts'

const tags = ['Operator: duplicates'] as [string]
const nullable = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const SIDES = ['target', 'source']
const side = { type: 'string', enum: SIDES }
const ids = (description: string) => Type.Array(Type.String(), { description })

const choices = Type.Unsafe<Choices>({
  type: 'object',
  title: 'MergeChoices',
  description:
    'For each field whose value remains: that of the record of the path (`target`) or of the absorbed one (`source`), also where it is empty. A field that is left out keeps the value of the target, or gets that of the source where the target has none. Lists always have the items of both; the choice decides whose values an item has that both have.',
  properties: Object.fromEntries([...CHOSEN_FIELDS, ...LIST_NAMES].map(field => [field, side])),
  additionalProperties: false,
})

const mergedDependents = Type.Array(
  Type.Object(
    { applicantId: Type.String(), absorbedApplicantId: Type.String() },
    { title: 'MergedDependent', additionalProperties: false },
  ),
  { description: 'Dependents that both had: the one that remains, and the one that it absorbed.' },
)

const moved = Type.Object(
  {
    cases: ids('Cases of the absorbed record and of absorbed dependents, as far as the caller sees them.'),
    documents: ids('Their documents, those of cases included.'),
    dependents: ids('Dependents of the absorbed record that move to the other family.'),
  },
  { title: 'MovedRecords', additionalProperties: false },
)

const MergeResult = Type.Object(
  {
    mergeId: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Null for a dry run.' }),
    dryRun: Type.Boolean(),
    applicant: Applicant,
    dependents: Type.Unsafe<string>({ type: 'array', items: Applicant }),
    absorbedApplicantId: Type.String(),
    retiredEmployeeNumber: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The number that is not used any more. Only an undo gives it back.',
    }),
    moved,
    mergedDependents,
    removedDocuments: ids('Documents of the absorbed record that the other one has too: they are removed.'),
    differences: Type.Array(
      Type.Object(
        {
          field: Type.String(),
          target: nullable,
          source: nullable,
          chosen: Type.Unsafe<Side>(side),
        },
        { title: 'MergeDifference', additionalProperties: false },
      ),
      { description: 'Fields in which the two records differed, and whose value the merged one has.' },
    ),
  },
  { title: 'MergeResult', additionalProperties: false },
)

const movedIdentifiers = identifiersSchema('MovedRecordIdentifiers', [], {
  cases: arrayOf({ type: 'string' }),
  documents: arrayOf({ type: 'string' }),
  dependents: arrayOf({ type: 'string' }),
})

const readScope = 'applicants:read' as const
const MergeIdentifiers = identifiersSchema('MergeIdentifiers', ['absorbedApplicantId'], {
  mergeId: { type: ['string', 'null'] },
  applicant: applicantIdentifiers.schema,
  moved: movedIdentifiers,
})

export const mergeApplicants = {
  operationId: 'mergeApplicantRecords',
  tags,
  conditional: true,
  idempotent: true,
  summary: 'Merge two records of one person',
  description: [
    'The record of the path absorbs the record `from`, in one transaction. Cases with their steps and notes, documents and dependents of the absorbed record move, and count as updated now. Dependents that both have, by the rules of Update applicant, are merged in the same way. Items of lists keep their ids. The absorbed record is not found any more (404, with `mergedInto`).',
    'One employee number remains, the other one is retired: 409 where it is used again. Two primary applicants can be merged, two dependents, or a primary applicant and its own dependent. Send `If-Match` for the record of the path and `fromVersion` for the other one to merge only what you have compared.',
    'With `dryRun` nothing is written: the response has the record as it would be, and what would move. The operation needs the scope `applicants:write` too. The merged record stays in the sight of a caller who is limited to some companies: 422 `unknown-company` where its `sendingCompany` would be none of them; choose `target` for it.',
  ].join('\n\n'),
  params: Type.Object({
    applicantId: Type.String({ description: 'Encoded id of the record that remains.' }),
  }),
  body: Type.Object(
    {
      from: Type.Unsafe<string>({ ...recordId, description: 'Encoded id of the record to absorb.' }),
      fromVersion: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 500,
          description: '`ETag` of the record to absorb: 412 if it has another one.',
        }),
      ),
      choices: Type.Optional(choices),
      employeeNumber: Type.Optional(
        Type.Unsafe<Side>({
          ...side,
          description:
            'Whose employee number remains. Left out, it is the only one there is, or that of the target.',
        }),
      ),
      dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Whether to write nothing.' })),
    },
    { title: 'MergeRecords', additionalProperties: false },
  ),
  response: { 200: MergeResult },
  identifiers: { readScope, schema: MergeIdentifiers },
  errors: [applicantNotFound, unknownReference, unknownCompany, recordsNotMergeable],
  example: {
    from: 'pL4s6Dh8Fg0Hj2Kl4Zx6Cv8=',
    choices: { email: 'source', passports: 'target' },
    employeeNumber: 'target',
    dryRun: true,
  },
} satisfies Operation

const mergeFields = {
  mergeId: Type.String(),
  applicantId: Type.String({ description: 'Id of the record that remained.' }),
  absorbedApplicantId: Type.String(),
  employeeNumber: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The number that remained.',
  }),
  retiredEmployeeNumber: nullable,
  mergedDependents,
  mergedBy: Type.String({ description: 'Name of the person, or id of the client.' }),
  mergedAt: Type.String({ description: 'UTC, with `Z`.' }),
  undoneBy: nullable,
  undoneAt: nullable,
}

const Merge = Type.Object(mergeFields, { title: 'Merge', additionalProperties: false })

export const listMerges = {
  operationId: 'listMerges',
  tags,
  summary: 'List merges',
  description:
    'Returns merges, the latest first, those that were undone included. A caller who is limited to some companies sees the merges of records that both belonged to them.',
  querystring: Type.Object({
    applicantId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Lists the merges of this record only, as the one that remained or was absorbed.',
      }),
    ),
    ...walkQuery({ maxRecords: 100 }),
  }),
  response: { 200: countedPageOf('MergePage', Merge) },
  errors: [invalidCursor],
} satisfies Operation

const UndoneMerge = Type.Object(
  { ...mergeFields, applicant: Applicant, restored: Applicant, moved },
  { title: 'UndoneMerge', additionalProperties: false },
)

export const undoMerge = {
  operationId: 'undoMerge',
  optionalBody: true,
  tags,
  idempotent: true,
  summary: 'Undo a merge',
  description: [
    'Restores both records as they were before the merge, with their employee numbers, dependents and documents. Cases that were moved go back, with everything that happened in them since. A document that the desk has removed since stays removed.',
    'This is possible while neither record was changed since: 409 `changed-since-merge` names the record, dependent or case that was changed or added, a record whose item has an id that another person has now, or one that the caller would not see. Of several merges of one record, the latest is undone first. The operation needs the scope `applicants:write` too.',
  ].join('\n\n'),
  params: Type.Object({ mergeId: Type.String({ description: 'Id of the merge.' }) }),
  body: Type.Object(
    { reason: text(1000, { description: 'For the audit.' }) },
    { title: 'UndoMerge', additionalProperties: false },
  ),
  response: { 200: UndoneMerge },
  identifiers: {
    readScope,
    schema: identifiersSchema('UndoneMergeIdentifiers', ['mergeId', 'absorbedApplicantId'], {
      applicant: applicantIdentifiers.schema,
      restored: applicantIdentifiers.schema,
      moved: movedIdentifiers,
    }),
  },
  errors: [mergeNotFound, mergeUndone, changedSinceMerge],
  example: { reason: 'Two people after all.' },
} satisfies Operation

export const mergeToWire = ({ targetId, sourceId, seq: _seq, mergedAt, undoneAt, ...rest }: MergeRow) => ({
  mergeId: rest.mergeId,
  applicantId: targetId,
  absorbedApplicantId: sourceId,
  employeeNumber: rest.employeeNumber,
  retiredEmployeeNumber: rest.retiredEmployeeNumber,
  mergedDependents: rest.mergedDependents,
  mergedBy: rest.mergedBy,
  mergedAt: mergedAt.toISOString(),
  undoneBy: rest.undoneBy,
  undoneAt: undoneAt?.toISOString() ?? null,
})
