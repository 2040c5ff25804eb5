// What operators keep: companies, processes, clients, webhooks; and what they look up: audit, notifications.
import type { components } from './api-types.ts'
import type { CallOptions, Calls, PostOptions, Query, ReadOptions, WriteOptions } from './calls.ts'
import { unwrap } from './webhooks.ts'

type Schemas = components['schemas']

export function createOperators({ api, init, result, record, done, list }: Calls) {
  return {
    companies: {
      list: (options?: CallOptions) => result(api.GET('/admin/v1/companies', init(options))),

      get: (companyId: string, options: ReadOptions<Schemas['Company']> = {}) =>
        record(
          api.GET('/admin/v1/companies/{companyId}', {
            params: { path: { companyId } },
            ...init(options),
          }),
          options.ifNoneMatch,
        ),

      create: (body: Schemas['NewCompany'], options?: PostOptions) =>
        result(api.POST('/admin/v1/companies', { body, ...init(options) })),

      update: (companyId: string, body: Schemas['CompanyPatch'], options?: WriteOptions) =>
        result(
          api.PATCH('/admin/v1/companies/{companyId}', {
            params: { path: { companyId } },
            body,
            ...init(options),
          }),
        ),
    },

    processes: {
      list: (options?: CallOptions) => result(api.GET('/admin/v1/processes', init(options))),

      /** Creates the process, or replaces it. */
      replace: (name: string, body: Schemas['ProcessInput'], options?: CallOptions) =>
        result(api.PUT('/admin/v1/processes/{name}', { params: { path: { name } }, body, ...init(options) })),

      delete: (name: string, options?: CallOptions) =>
        done(api.DELETE('/admin/v1/processes/{name}', { params: { path: { name } }, ...init(options) })),
    },

    clients: {
      list: (options?: CallOptions) => result(api.GET('/admin/v1/clients', init(options))),

      get: (clientId: string, options?: CallOptions) =>
        result(api.GET('/admin/v1/clients/{clientId}', { params: { path: { clientId } }, ...init(options) })),

      /** Returns the secret, which cannot be read again. */
      create: (body: Schemas['NewClient'], options?: CallOptions) =>
        result(api.POST('/admin/v1/clients', { body, ...init(options) })),

      rotateSecret: (clientId: string, body: Schemas['SecretRotation'] = {}, options?: CallOptions) =>
        result(
          api.POST('/admin/v1/clients/{clientId}/rotate-secret', {
            params: { path: { clientId } },
            body,
            ...init(options),
          }),
        ),

      disable: (clientId: string, options?: CallOptions) =>
        result(
          api.POST('/admin/v1/clients/{clientId}/disable', {
            params: { path: { clientId } },
            ...init(options),
          }),
        ),

      enable: (clientId: string, options?: CallOptions) =>
        result(
          api.POST('/admin/v1/clients/{clientId}/enable', {
            params: { path: { clientId } },
            ...init(options),
          }),
        ),

      /** Returns the key, which cannot be read again. */
      createApiKey: (clientId: string, body: Schemas['NewApiKey'], options?: CallOptions) =>
        result(
          api.POST('/admin/v1/clients/{clientId}/api-keys', {
            params: { path: { clientId } },
            body,
            ...init(options),
          }),
        ),

      revokeApiKey: (clientId: string, keyId: string, options?: CallOptions) =>
        done(
          api.DELETE('/admin/v1/clients/{clientId}/api-keys/{keyId}', {
            params: { path: { clientId, keyId } },
            ...init(options),
          }),
        ),
    },

    webhooks: {
      unwrap,

      list: (options?: CallOptions) => result(api.GET('/admin/v1/webhooks', init(options))),

      get: (webhookId: string, options: ReadOptions<Schemas['Webhook']> = {}) =>
        record(
          api.GET('/admin/v1/webhooks/{webhookId}', {
            params: { path: { webhookId } },
            ...init(options),
          }),
          options.ifNoneMatch,
        ),

      /** Returns the secret, which cannot be read again. */
      create: (body: Schemas['NewWebhook'], options?: CallOptions) =>
        result(api.POST('/admin/v1/webhooks', { body, ...init(options) })),

      update: (webhookId: string, body: Schemas['WebhookPatch'], options?: WriteOptions) =>
        result(
          api.PATCH('/admin/v1/webhooks/{webhookId}', {
            params: { path: { webhookId } },
            body,
            ...init(options),
          }),
        ),

      delete: (webhookId: string, options?: CallOptions) =>
        done(
          api.DELETE('/admin/v1/webhooks/{webhookId}', {
            params: { path: { webhookId } },
            ...init(options),
          }),
        ),

      rotateSecret: (webhookId: string, body: Schemas['WebhookSecretRotation'] = {}, options?: CallOptions) =>
        result(
          api.POST('/admin/v1/webhooks/{webhookId}/rotate-secret', {
            params: { path: { webhookId } },
            body,
            ...init(options),
          }),
        ),

      /** Sends an event to the receiver at once, and returns what came of it. */
      test: (webhookId: string, options?: CallOptions) =>
        result(
          api.POST('/admin/v1/webhooks/{webhookId}/test', {
            params: { path: { webhookId } },
            ...init(options),
          }),
        ),

      deliveries: (webhookId: string, query: Query<'listWebhookDeliveries'>, options?: CallOptions) =>
        list(cursor =>
          api.GET('/admin/v1/webhooks/{webhookId}/deliveries', {
            params: { path: { webhookId }, query: { ...query, ...cursor } },
            ...init(options),
          }),
        ),

      replayDelivery: (webhookId: string, deliveryId: string, options?: PostOptions) =>
        result(
          api.POST('/admin/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay', {
            params: { path: { webhookId, deliveryId } },
            ...init(options),
          }),
        ),

      replay: (webhookId: string, body: Schemas['WebhookReplay'], options?: PostOptions) =>
        result(
          api.POST('/admin/v1/webhooks/{webhookId}/replay', {
            params: { path: { webhookId } },
            body,
            ...init(options),
          }),
        ),
    },

    audit: {
      list: (query: Query<'listAudit'>, options?: CallOptions) =>
        list(cursor =>
          api.GET('/admin/v1/audit', { params: { query: { ...query, ...cursor } }, ...init(options) }),
        ),
    },

    notifications: {
      list: (query: Query<'listNotifications'>, options?: CallOptions) =>
        list(cursor =>
          api.GET('/admin/v1/notifications', {
            params: { query: { ...query, ...cursor } },
            ...init(options),
          }),
        ),
    },
  }
}
