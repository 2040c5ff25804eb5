// What a case team works with: counts, search, expiries, duplicates, saved views.
import type { components, operations } from './api-types.ts'
import type { CallOptions, Calls, PostOptions, Query, ReadOptions, WriteOptions } from './calls.ts'

type Schemas = components['schemas']

export function createDesk({ read, list, post, patch, remove }: Calls) {
  return {
    /** Counts of what needs attention. */
    overview: (options?: CallOptions) => read('/admin/v1/overview', {}, options),

    /** The best ten people, cases, documents and companies each. */
    search: (q: string, options?: CallOptions) => read('/admin/v1/search', {}, options, { q }),

    /** Passports and documents in order of their expiry dates. */
    expiring: {
      list: (query: Query<'listExpiring'> = {}, options?: CallOptions) =>
        list('/admin/v1/expiring', {}, query, options),
    },

    /** Pairs of records that may be the same person. `applicants.absorb` merges them. */
    duplicates: {
      list: (query: Query<'listDuplicates'> = {}, options?: CallOptions) =>
        list('/admin/v1/duplicates', {}, query, options),

      /** The two are different people. */
      dismiss: (body: Schemas['DismissDuplicate'], options?: PostOptions) =>
        post('/admin/v1/duplicates/dismiss', {}, body, options),
    },

    merges: {
      list: (query: Query<'listMerges'> = {}, options?: CallOptions) =>
        list('/admin/v1/merges', {}, query, options),

      /** Restores both records, while neither was changed since. */
      undo: (mergeId: string, body: Schemas['UndoMerge'] = {}, options?: PostOptions) =>
        post('/admin/v1/merges/{mergeId}/undo', { mergeId }, body, options),
    },

    views: {
      list: (query: operations['listViews']['parameters']['query'] = {}, options?: CallOptions) =>
        read('/admin/v1/views', {}, options, query),

      get: (viewId: string, options?: ReadOptions<Schemas['SavedView']>) =>
        read('/admin/v1/views/{viewId}', { viewId }, options),

      create: (body: Schemas['NewView'], options?: PostOptions) => post('/admin/v1/views', {}, body, options),

      update: (viewId: string, body: Schemas['ViewPatch'], options?: WriteOptions) =>
        patch('/admin/v1/views/{viewId}', { viewId }, body, options),

      delete: (viewId: string, options?: CallOptions) =>
        remove('/admin/v1/views/{viewId}', { viewId }, undefined, options),
    },
  }
}
