// Readers of the change feed, each in another way. They go on from their last cursor when the service is killed, as clients do.
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, ClientResponse } from '../support/client.ts'

export interface Change {
  id: string
  type: string
  applicantId: string
  [field: string]: string | null
}

export interface FeedReader {
  name: string
  /** Every change, in the order in which it came. */
  received: Change[]
  cursor: string
  findings: string[]
}

interface Reading {
  client: Client
  reader: FeedReader
  /** Query parameters beside the cursor. */
  query: string
  isOver: () => boolean
  /** Called with each page before its cursor is kept. */
  apply?: (changes: Change[]) => Promise<boolean>
}

const PAUSE_MS = 30

export const createReader = (name: string, cursor = ''): FeedReader => ({
  name,
  received: [],
  cursor,
  findings: [],
})

/** Whether the request has to be repeated: the service was killed, or is starting. */
const isMissing = ({ status, missing }: ClientResponse) => missing !== undefined || status === 503

/** Reads pages until it is over. A page without a response, or that could not be applied, is requested again. */
export async function readPages({
  client,
  reader,
  query,
  isOver,
  apply = async () => true,
}: Reading): Promise<void> {
  while (!isOver()) {
    const response = await client.call({ path: `/v2/changes?after=${reader.cursor}&${query}` })
    if (isMissing(response)) {
      await sleep(PAUSE_MS)
      continue
    }
    const { status, body, text } = response
    if (status !== 200) {
      reader.findings.push(`${reader.name}: ${status} ${text.slice(0, 200)}`)
      return
    }
    if (!(await apply(body.records))) continue
    reader.received.push(...body.records)
    reader.cursor = body.nextCursor
  }
}

/** Reads server-sent events until it is over, and reconnects with the id of the last one. */
export async function readStream({
  url,
  token,
  reader,
  isOver,
}: {
  url: () => string
  token: string
  reader: FeedReader
  isOver: () => boolean
}): Promise<void> {
  while (!isOver() && reader.findings.length === 0) {
    await readOnce({ url: url(), token, reader, isOver })
    await sleep(PAUSE_MS)
  }
}

interface Connection {
  url: string
  token: string
  reader: FeedReader
  isOver: () => boolean
}

function readOnce({ url, token, reader, isOver }: Connection): Promise<void> {
  return new Promise(resolve => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(reader.cursor && { 'last-event-id': reader.cursor }),
    }
    const request = http.get(`${url}/v2/changes`, { headers })
    const watch = setInterval(() => isOver() && end(), 20)
    const end = () => {
      clearInterval(watch)
      request.destroy()
      resolve()
    }
    request.on('error', end).on('close', end)
    request.on('response', response => {
      if (response.statusCode !== 200 && response.statusCode !== 503)
        reader.findings.push(`${reader.name}: ${response.statusCode}`)
      let text = ''
      response.setEncoding('utf8').on('error', end)
      response.on('data', (chunk: string) => {
        text += chunk
        const blocks = text.split('\n\n')
        // What is cut off is not an event.
        text = blocks.pop() ?? ''
        for (const block of blocks) receive(reader, block)
      })
    })
  })
}

function receive(reader: FeedReader, block: string): void {
  const fieldOf = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const [id, data] = [fieldOf('id'), fieldOf('data')]
  if (data !== undefined) reader.received.push(JSON.parse(data))
  if (id !== undefined) reader.cursor = id
}
