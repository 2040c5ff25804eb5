// The Case API, and what operators do with cases.
import type { components } from './api-types.ts'
import type { CallOptions, Calls, PostOptions, Query, ReadOptions, WriteOptions } from './calls.ts'

type Schemas = components['schemas']

export function createCases({ api, init, result, saved, record, list }: Calls) {
  return {
    create: (body: Schemas['NewCase'], options?: PostOptions) =>
      saved(api.POST('/v2/case', { body, ...init(options) })),

    get: (caseId: string, options: ReadOptions<Schemas['Case']> = {}) =>
      record(
        api.GET('/v2/case/{caseId}', { params: { path: { caseId } }, ...init(options) }),
        options.ifNoneMatch,
      ),

    listForApplicant: (applicantId: string, options?: CallOptions) =>
      result(
        api.GET('/v2/cases/applicant/id/{applicantId}', {
          params: { path: { applicantId } },
          ...init(options),
        }),
      ),

    listForNumber: (employeeNumber: string, options?: CallOptions) =>
      result(
        api.GET('/v2/cases/applicant/employeenumber/{employeeNumber}', {
          params: { path: { employeeNumber } },
          ...init(options),
        }),
      ),

    /** For operators. */
    update: (caseId: string, body: Schemas['CasePatch'], options?: WriteOptions) =>
      saved(api.PATCH('/admin/v1/cases/{caseId}', { params: { path: { caseId } }, body, ...init(options) })),

    steps: {
      /** The steps of all cases, by date. Starts at the first record unless `offset` is given. */
      list: (query: Query<'listCaseSteps'>, options?: CallOptions) =>
        list(cursor =>
          api.GET('/v2/cases/applicants/steps', {
            params: { query: { offset: '', ...query, ...cursor } },
            ...init(options),
          }),
        ),

      listForCase: (caseId: string, options?: CallOptions) =>
        result(api.GET('/v2/case/{caseId}/steps', { params: { path: { caseId } }, ...init(options) })),

      /** For operators. */
      add: (caseId: string, body: Schemas['NewStep'], options?: PostOptions) =>
        saved(
          api.POST('/admin/v1/cases/{caseId}/steps', {
            params: { path: { caseId } },
            body,
            ...init(options),
          }),
        ),

      /** For operators. */
      update: (caseId: string, stepId: string, body: Schemas['StepPatch'], options?: CallOptions) =>
        saved(
          api.PATCH('/admin/v1/cases/{caseId}/steps/{stepId}', {
            params: { path: { caseId, stepId } },
            body,
            ...init(options),
          }),
        ),
    },

    notes: {
      /** The notes of all cases, by date. Starts at the first record unless `offset` is given. */
      list: (query: Query<'listCaseNotes'>, options?: CallOptions) =>
        list(cursor =>
          api.GET('/v2/cases/applicants/notes', {
            params: { query: { offset: '', ...query, ...cursor } },
            ...init(options),
          }),
        ),

      listForCase: (caseId: string, options?: CallOptions) =>
        result(api.GET('/v2/case/{caseId}/notes', { params: { path: { caseId } }, ...init(options) })),

      /** For operators. */
      add: (caseId: string, body: Schemas['NewNote'], options?: PostOptions) =>
        saved(
          api.POST('/admin/v1/cases/{caseId}/notes', {
            params: { path: { caseId } },
            body,
            ...init(options),
          }),
        ),

      /** For operators. */
      update: (caseId: string, noteId: string, body: Schemas['NotePatch'], options?: CallOptions) =>
        saved(
          api.PATCH('/admin/v1/cases/{caseId}/notes/{noteId}', {
            params: { path: { caseId, noteId } },
            body,
            ...init(options),
          }),
        ),
    },
  }
}
