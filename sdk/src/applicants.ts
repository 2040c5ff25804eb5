// The Applicant API.
import type { components } from './api-types.ts'
import type { CallOptions, Calls, PostOptions, Query, ReadOptions, WriteOptions } from './calls.ts'

type Schemas = components['schemas']

export function createApplicants(
  { api, init, result, saved, record, list }: Calls,
  apiKey: string | undefined,
) {
  const byId = '/v2/applicant/{applicantId}'
  const byNumber = '/v2/applicant/employeenumber/{employeeNumber}'
  const dependentByNumber = '/v2/applicant/employeenumber/{employeeNumber}/dependents/{dependentId}'
  type Known = ReadOptions<Schemas['Applicant']>

  return {
    get: (applicantId: string, options: Known = {}) =>
      record(api.GET(byId, { params: { path: { applicantId } }, ...init(options) }), options.ifNoneMatch),

    getByNumber: (employeeNumber: string, options: Known = {}) =>
      record(
        api.GET(byNumber, { params: { path: { employeeNumber } }, ...init(options) }),
        options.ifNoneMatch,
      ),

    create: (body: Schemas['SaveApplicant'], options?: PostOptions) =>
      saved(api.POST('/v2/applicant', { body, ...init(options) })),

    /** Creates the record, or replaces all of it: fields that are left out are cleared. */
    replace: (applicantId: string, body: Schemas['SaveApplicant'], options?: WriteOptions) =>
      saved(api.PUT(byId, { params: { path: { applicantId } }, body, ...init(options) })),

    /** Creates the record, or replaces all of it: fields that are left out are cleared. */
    replaceByNumber: (employeeNumber: string, body: Schemas['SaveApplicant'], options?: WriteOptions) =>
      saved(api.PUT(byNumber, { params: { path: { employeeNumber } }, body, ...init(options) })),

    /** Changes the fields that are given. */
    merge: (applicantId: string, body: Schemas['MergeApplicant'], options?: WriteOptions) =>
      saved(api.PATCH(byId, { params: { path: { applicantId } }, body, ...init(options) })),

    /** Changes the fields that are given. */
    mergeByNumber: (employeeNumber: string, body: Schemas['MergeApplicant'], options?: WriteOptions) =>
      saved(api.PATCH(byNumber, { params: { path: { employeeNumber } }, body, ...init(options) })),

    /** Irreversible: the old number is never used again. Needs the `apiKey` of the client. */
    changeNumber: (
      oldEmployeeNumber: string,
      newEmployeeNumber: string,
      body: Schemas['IdentityCheck'],
      options?: PostOptions,
    ) =>
      result(
        api.POST('/v2/applicant/employeenumber/{oldEmployeeNumber}/{newEmployeeNumber}', {
          params: { path: { oldEmployeeNumber, newEmployeeNumber } },
          body,
          ...init({ ...options, apiKey }),
        }),
      ),

    /** For operators: by name, number, e-mail address or passport number. */
    search: (query: Query<'searchApplicants'> = {}, options?: CallOptions) =>
      list(cursor =>
        api.GET('/admin/v1/applicants', { params: { query: { ...query, ...cursor } }, ...init(options) }),
      ),

    /** For operators: brings an archived dependent back. */
    restore: (applicantId: string, body: Schemas['Restoration'] = {}, options?: PostOptions) =>
      saved(
        api.POST('/admin/v1/applicants/{applicantId}/restore', {
          params: { path: { applicantId } },
          body,
          ...init(options),
        }),
      ),

    dependents: {
      /** The dependents of a primary applicant. */
      list: (applicantId: string, options?: CallOptions) =>
        result(
          api.GET('/v2/applicant/{applicantId}/dependents', {
            params: { path: { applicantId } },
            ...init(options),
          }),
        ),

      listByNumber: (employeeNumber: string, options?: CallOptions) =>
        result(
          api.GET('/v2/applicant/employeenumber/{employeeNumber}/dependents', {
            params: { path: { employeeNumber } },
            ...init(options),
          }),
        ),

      get: (applicantId: string, dependentId: string, options: Known = {}) =>
        record(
          api.GET('/v2/applicant/{applicantId}/dependent/{dependentId}', {
            params: { path: { applicantId, dependentId } },
            ...init(options),
          }),
          options.ifNoneMatch,
        ),

      /** `dependentId` is an id or an employee number, here and below. */
      getByNumber: (employeeNumber: string, dependentId: string, options: Known = {}) =>
        record(
          api.GET(dependentByNumber, {
            params: { path: { employeeNumber, dependentId } },
            ...init(options),
          }),
          options.ifNoneMatch,
        ),

      create: (applicantId: string, body: Schemas['DependentInput'], options?: PostOptions) =>
        saved(
          api.POST('/v2/applicant/{applicantId}/dependent', {
            params: { path: { applicantId } },
            body,
            ...init(options),
          }),
        ),

      replaceByNumber: (
        employeeNumber: string,
        dependentId: string,
        body: Schemas['DependentInput'],
        options?: WriteOptions,
      ) =>
        saved(
          api.PUT(dependentByNumber, {
            params: { path: { employeeNumber, dependentId } },
            body,
            ...init(options),
          }),
        ),

      mergeByNumber: (
        employeeNumber: string,
        dependentId: string,
        body: Schemas['ApplicantPatch'],
        options?: WriteOptions,
      ) =>
        saved(
          api.PATCH(dependentByNumber, {
            params: { path: { employeeNumber, dependentId } },
            body,
            ...init(options),
          }),
        ),

      /** Without `newEmployeeNumber` the service assigns one. */
      changeNumber: (
        employeeNumber: string,
        dependentId: string,
        body: Schemas['DependentIdentityCheck'],
        options?: PostOptions,
      ) =>
        result(
          api.POST(dependentByNumber, {
            params: { path: { employeeNumber, dependentId } },
            body,
            ...init(options),
          }),
        ),
    },
  }
}
