// What operators keep: companies, processes, clients, webhooks; and what they look up: audit, notifications.
import type { components } from './api-types.ts'
import type { CallOptions, Calls, PostOptions, Query, ReadOptions, WriteOptions } from './calls.ts'
import { type DownloadOptions, download } from './download.ts'
import { linesOf } from './lines.ts'

type Schemas = components['schemas']

export function createOperators(
  { read, list, post, put, patch, remove, transport }: Calls,
  { baseUrl }: { baseUrl: string },
) {
  return {
    companies: {
      list: (options?: CallOptions) => read('/admin/v1/companies', {}, options),

      get: (companyId: string, options?: ReadOptions<Schemas['Company']>) =>
        read('/admin/v1/companies/{companyId}', { companyId }, options),

      create: (body: Schemas['NewCompany'], options?: PostOptions) =>
        post('/admin/v1/companies', {}, body, options),

      update: (companyId: string, body: Schemas['CompanyPatch'], options?: WriteOptions) =>
        patch('/admin/v1/companies/{companyId}', { companyId }, body, options),
    },

    processes: {
      list: (options?: CallOptions) => read('/admin/v1/processes', {}, options),

      /** Creates the process, or replaces it. */
      replace: (name: string, body: Schemas['ProcessInput'], options?: CallOptions) =>
        put('/admin/v1/processes/{name}', { name }, body, options),

      delete: (name: string, options?: CallOptions) =>
        remove('/admin/v1/processes/{name}', { name }, undefined, options),

      /** The documents that cases of the process need. */
      checklist: {
        get: (name: string, options?: CallOptions) =>
          read('/admin/v1/processes/{name}/checklist', { name }, options),

        replace: (name: string, body: Schemas['ProcessChecklistInput'], options?: CallOptions) =>
          put('/admin/v1/processes/{name}/checklist', { name }, body, options),
      },
    },

    clients: {
      list: (options?: CallOptions) => read('/admin/v1/clients', {}, options),

      get: (clientId: string, options?: CallOptions) =>
        read('/admin/v1/clients/{clientId}', { clientId }, options),

      /** Returns the secret, which cannot be read again. */
      create: (body: Schemas['NewClient'], options?: PostOptions) =>
        post('/admin/v1/clients', {}, body, options),

      update: (clientId: string, body: Schemas['ClientPatch'], options?: CallOptions) =>
        patch('/admin/v1/clients/{clientId}', { clientId }, body, options),

      rotateSecret: (clientId: string, body: Schemas['SecretRotation'] = {}, options?: PostOptions) =>
        post('/admin/v1/clients/{clientId}/rotate-secret', { clientId }, body, options),

      disable: (clientId: string, options?: CallOptions) =>
        post('/admin/v1/clients/{clientId}/disable', { clientId }, undefined, options),

      enable: (clientId: string, options?: CallOptions) =>
        post('/admin/v1/clients/{clientId}/enable', { clientId }, undefined, options),

      /** Returns the key, which cannot be read again. */
      createApiKey: (clientId: string, body: Schemas['NewApiKey'], options?: PostOptions) =>
        post('/admin/v1/clients/{clientId}/api-keys', { clientId }, body, options),

      revokeApiKey: (clientId: string, keyId: string, options?: CallOptions) =>
        remove('/admin/v1/clients/{clientId}/api-keys/{keyId}', { clientId, keyId }, undefined, options),
    },

    /** Callers with tokens of the external issuer that are turned away. */
    blockedCallers: {
      list: (options?: CallOptions) => read('/admin/v1/blocked-callers', {}, options),

      block: (body: Schemas['NewBlockedCaller'], options?: CallOptions) =>
        post('/admin/v1/blocked-callers', {}, body, options),

      unblock: (blockId: string, options?: CallOptions) =>
        remove('/admin/v1/blocked-callers/{blockId}', { blockId }, undefined, options),
    },

    webhooks: {
      list: ({ failing, ...options }: CallOptions & Query<'listWebhooks'> = {}) =>
        read('/admin/v1/webhooks', {}, options, { failing } as Query<'listWebhooks'>),

      get: (webhookId: string, options?: ReadOptions<Schemas['Webhook']>) =>
        read('/admin/v1/webhooks/{webhookId}', { webhookId }, options),

      /** Returns the secret, which cannot be read again. */
      create: (body: Schemas['NewWebhook'], options?: PostOptions) =>
        post('/admin/v1/webhooks', {}, body, options),

      update: (webhookId: string, body: Schemas['WebhookPatch'], options?: WriteOptions) =>
        patch('/admin/v1/webhooks/{webhookId}', { webhookId }, body, options),

      delete: (webhookId: string, options?: CallOptions) =>
        remove('/admin/v1/webhooks/{webhookId}', { webhookId }, undefined, options),

      rotateSecret: (webhookId: string, body: Schemas['WebhookSecretRotation'] = {}, options?: PostOptions) =>
        post('/admin/v1/webhooks/{webhookId}/rotate-secret', { webhookId }, body, options),

      /** Sends an event to the receiver at once, and returns what came of it. */
      test: (webhookId: string, options?: CallOptions) =>
        post('/admin/v1/webhooks/{webhookId}/test', { webhookId }, undefined, options),

      deliveries: (webhookId: string, query: Query<'listWebhookDeliveries'>, options?: CallOptions) =>
        list('/admin/v1/webhooks/{webhookId}/deliveries', { webhookId }, query, options),

      replayDelivery: (webhookId: string, deliveryId: string, options?: PostOptions) =>
        post(
          '/admin/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
          { webhookId, deliveryId },
          undefined,
          options,
        ),

      replay: (webhookId: string, body: Schemas['WebhookReplay'], options?: PostOptions) =>
        post('/admin/v1/webhooks/{webhookId}/replay', { webhookId }, body, options),
    },

    audit: {
      list: (query: Query<'listAudit'>, options?: CallOptions) => list('/admin/v1/audit', {}, query, options),

      /** All entries of a time range in order of time, as they arrive. One that breaks off must be started again. */
      async *export({ from, to }: { from: string; to: string }, options?: DownloadOptions) {
        const url = `${baseUrl}/admin/v1/audit/export?${new URLSearchParams({ from, to })}`
        const { body } = await download({ transport, url }, options)
        yield* linesOf<Schemas['AuditEntry']>(body)
      },
    },

    notifications: {
      list: (query: Query<'listNotifications'>, options?: CallOptions) =>
        list('/admin/v1/notifications', {}, query, options),
    },
  }
}
