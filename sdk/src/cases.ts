// The Case API, and what operators do with cases.
import type { components } from './api-types.ts'
import type { CallOptions, Calls, PostOptions, Query, ReadOptions, WriteOptions } from './calls.ts'

type Schemas = components['schemas']

export function createCases({ read, list, post, put, patch }: Calls) {
  return {
    create: (body: Schemas['NewCase'], options?: PostOptions) => post('/v2/case', {}, body, options),

    get: (caseId: string, options?: ReadOptions<Schemas['Case']>) =>
      read('/v2/case/{caseId}', { caseId }, options),

    listForApplicant: (applicantId: string, options?: CallOptions) =>
      read('/v2/cases/applicant/id/{applicantId}', { applicantId }, options),

    listForNumber: (employeeNumber: string, options?: CallOptions) =>
      read('/v2/cases/applicant/employeenumber/{employeeNumber}', { employeeNumber }, options),

    /** For operators, as everything below that is not said to be of the Case API: all cases, with filters and `total`. */
    list: (query: Query<'listCases'> = {}, options?: CallOptions) =>
      list('/admin/v1/cases', {}, query, options),

    update: (caseId: string, body: Schemas['CasePatch'], options?: WriteOptions) =>
      patch('/admin/v1/cases/{caseId}', { caseId }, body, options),

    /** Who did what, newest first. */
    timeline: (caseId: string, query: Query<'getCaseTimeline'> = {}, options?: CallOptions) =>
      list('/admin/v1/cases/{caseId}/timeline', { caseId }, query, options),

    steps: {
      /** Case API: the steps of all cases, by date. Starts at the first record unless `offset` is given. */
      list: (query: Query<'listCaseSteps'>, options?: CallOptions) =>
        list('/v2/cases/applicants/steps', {}, { offset: '', ...query }, options),

      /** Case API. */
      listForCase: (caseId: string, options?: CallOptions) =>
        read('/v2/case/{caseId}/steps', { caseId }, options),

      add: (caseId: string, body: Schemas['NewStep'], options?: PostOptions) =>
        post('/admin/v1/cases/{caseId}/steps', { caseId }, body, options),

      update: (caseId: string, stepId: string, body: Schemas['StepPatch'], options?: CallOptions) =>
        patch('/admin/v1/cases/{caseId}/steps/{stepId}', { caseId, stepId }, body, options),

      /** Completes the step and starts the next one. */
      complete: (
        caseId: string,
        stepId: string,
        body: Schemas['StepCompletionInput'] = {},
        options?: PostOptions,
      ) => post('/admin/v1/cases/{caseId}/steps/{stepId}/complete', { caseId, stepId }, body, options),
    },

    notes: {
      /** Case API: the notes of all cases, by date. Starts at the first record unless `offset` is given. */
      list: (query: Query<'listCaseNotes'>, options?: CallOptions) =>
        list('/v2/cases/applicants/notes', {}, { offset: '', ...query }, options),

      /** Case API. */
      listForCase: (caseId: string, options?: CallOptions) =>
        read('/v2/case/{caseId}/notes', { caseId }, options),

      add: (caseId: string, body: Schemas['NewNote'], options?: PostOptions) =>
        post('/admin/v1/cases/{caseId}/notes', { caseId }, body, options),

      update: (caseId: string, noteId: string, body: Schemas['NotePatch'], options?: WriteOptions) =>
        patch('/admin/v1/cases/{caseId}/notes/{noteId}', { caseId, noteId }, body, options),

      /** The note as it is and as it was. */
      versions: (caseId: string, noteId: string, options?: CallOptions) =>
        read('/admin/v1/cases/{caseId}/notes/{noteId}/versions', { caseId, noteId }, options),
    },

    checklist: {
      get: (caseId: string, options?: ReadOptions<Schemas['CaseChecklist']>) =>
        read('/admin/v1/cases/{caseId}/checklist', { caseId }, options),

      replace: (caseId: string, body: Schemas['CaseChecklistInput'], options?: WriteOptions) =>
        put('/admin/v1/cases/{caseId}/checklist', { caseId }, body, options),
    },
  }
}
