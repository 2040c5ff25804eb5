// Receives webhooks: node webhook-receiver.ts 3000
//
// WEBHOOK_SECRET is the secret that creating the webhook returned (while it is rotated: both, separated by a space). To try it on your own machine:
// caseport listen --forward-to http://localhost:3000 --secret "$WEBHOOK_SECRET"
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { isCaseportError, type WebhookEvent, webhooks } from '@caseport/sdk'
import { log } from './connect.ts'

const secrets = (process.env['WEBHOOK_SECRET'] ?? '').split(' ')

/** An event may arrive more than once. A real receiver keeps the ids in its database, together with the effects of the events. */
const handled = new Set<string>()

const server = createServer(async (request, response) => {
  try {
    // The signature is of the body as it arrived.
    const event = await webhooks.unwrap(await text(request), request.headers, secrets)
    if (!handled.has(event.id)) await handle(event)
    handled.add(event.id)
    response.writeHead(204).end()
  } catch (error) {
    // Anything but 2xx is delivered again later. What is not from the service is not worth that.
    response.writeHead(isCaseportError(error, 'webhook-rejected') ? 400 : 500).end()
  }
})
server.listen(Number(process.argv[2] ?? 3000), '127.0.0.1')

/** Must be done within 15 seconds: longer work belongs into a queue. */
async function handle(event: WebhookEvent): Promise<void> {
  if (event.type === 'case.status_changed')
    log(`case ${event.data.caseId} is ${event.data.to}, it was ${event.data.from}`)
  else if (event.type === 'document.renewal_due')
    log(`document ${event.data.documentId} of ${event.data.employeeNumber} has to be renewed`)
  else log(`${event.type} ${event.id}`)
}
