// The Applicant API, and what operators do with the records of people.
import type { components } from './api-types.ts'
import type { CallOptions, Calls, PostOptions, Query, ReadOptions, WriteOptions } from './calls.ts'

type Schemas = components['schemas']

export function createApplicants({ read, list, post, put, patch }: Calls, apiKey: string | undefined) {
  const byId = '/v2/applicant/{applicantId}'
  const byNumber = '/v2/applicant/employeenumber/{employeeNumber}'
  const dependentByNumber = '/v2/applicant/employeenumber/{employeeNumber}/dependents/{dependentId}'
  type Known = ReadOptions<Schemas['Applicant']>

  return {
    get: (applicantId: string, options?: Known) => read(byId, { applicantId }, options),

    getByNumber: (employeeNumber: string, options?: Known) => read(byNumber, { employeeNumber }, options),

    create: (body: Schemas['SaveApplicant'], options?: PostOptions) =>
      post('/v2/applicant', {}, body, options),

    /** Creates the record, or replaces all of it: fields that are left out are cleared. */
    replace: (applicantId: string, body: Schemas['SaveApplicant'], options?: WriteOptions) =>
      put(byId, { applicantId }, body, options),

    /** Creates the record, or replaces all of it: fields that are left out are cleared. */
    replaceByNumber: (employeeNumber: string, body: Schemas['SaveApplicant'], options?: WriteOptions) =>
      put(byNumber, { employeeNumber }, body, options),

    /** Changes the fields that are given. */
    merge: (applicantId: string, body: Schemas['MergeApplicant'], options?: WriteOptions) =>
      patch(byId, { applicantId }, body, options),

    /** Changes the fields that are given. */
    mergeByNumber: (employeeNumber: string, body: Schemas['MergeApplicant'], options?: WriteOptions) =>
      patch(byNumber, { employeeNumber }, body, options),

    /** Irreversible: the old number is never used again. Needs the `apiKey` of the client. */
    changeNumber: (
      oldEmployeeNumber: string,
      newEmployeeNumber: string,
      body: Schemas['IdentityCheck'],
      options?: PostOptions,
    ) =>
      post(
        '/v2/applicant/employeenumber/{oldEmployeeNumber}/{newEmployeeNumber}',
        { oldEmployeeNumber, newEmployeeNumber },
        body,
        { ...options, apiKey },
      ),

    /** For operators: all people, or those that `q` and the filters find, with `total`. */
    search: (query: Query<'searchApplicants'> = {}, options?: CallOptions) =>
      list('/admin/v1/applicants', {}, query, options),

    /** For operators: a primary applicant or a dependent, where only the id is known. */
    find: (applicantId: string, options?: CallOptions) =>
      read('/admin/v1/applicants/{applicantId}', { applicantId }, options),

    /** For operators: who did what, newest first. */
    timeline: (applicantId: string, query: Query<'getApplicantTimeline'> = {}, options?: CallOptions) =>
      list('/admin/v1/applicants/{applicantId}/timeline', { applicantId }, query, options),

    /** For operators: the record absorbs `from`, another record of the same person. `merges.undo` reverses it. */
    absorb: (applicantId: string, body: Schemas['MergeRecords'], options?: PostOptions & WriteOptions) =>
      post('/admin/v1/applicants/{applicantId}/merge', { applicantId }, body, options),

    /** For operators: brings an archived dependent back. */
    restore: (applicantId: string, body: Schemas['Restoration'] = {}, options?: PostOptions) =>
      post('/admin/v1/applicants/{applicantId}/restore', { applicantId }, body, options),

    dependents: {
      /** The dependents of a primary applicant. */
      list: (applicantId: string, options?: CallOptions) =>
        read('/v2/applicant/{applicantId}/dependents', { applicantId }, options),

      listByNumber: (employeeNumber: string, options?: CallOptions) =>
        read('/v2/applicant/employeenumber/{employeeNumber}/dependents', { employeeNumber }, options),

      get: (applicantId: string, dependentId: string, options?: Known) =>
        read('/v2/applicant/{applicantId}/dependent/{dependentId}', { applicantId, dependentId }, options),

      /** `dependentId` is an id or an employee number, here and below. */
      getByNumber: (employeeNumber: string, dependentId: string, options?: Known) =>
        read(dependentByNumber, { employeeNumber, dependentId }, options),

      create: (applicantId: string, body: Schemas['DependentInput'], options?: PostOptions) =>
        post('/v2/applicant/{applicantId}/dependent', { applicantId }, body, options),

      replaceByNumber: (
        employeeNumber: string,
        dependentId: string,
        body: Schemas['DependentInput'],
        options?: WriteOptions,
      ) => put(dependentByNumber, { employeeNumber, dependentId }, body, options),

      mergeByNumber: (
        employeeNumber: string,
        dependentId: string,
        body: Schemas['ApplicantPatch'],
        options?: WriteOptions,
      ) => patch(dependentByNumber, { employeeNumber, dependentId }, body, options),

      /** Without `newEmployeeNumber` the service assigns one. */
      changeNumber: (
        employeeNumber: string,
        dependentId: string,
        body: Schemas['DependentIdentityCheck'],
        options?: PostOptions,
      ) => post(dependentByNumber, { employeeNumber, dependentId }, body, options),
    },
  }
}
