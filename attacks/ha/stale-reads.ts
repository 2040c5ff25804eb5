// Reads what was acknowledged: once a write is acknowledged through one service, no service may return an older value.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../support/client.ts'

interface WatchedReads {
  count: number
  /** The slowest read that succeeded, in milliseconds. */
  slowest: number
  findings: string[]
  ended: Promise<void>
}

/** A record that is read and written throughout. */
export const READ_PATH = '/v2/applicant/employeenumber/stale'
const PAUSE_MS = 100

export async function watchReads(
  urls: string[],
  { token, until }: { token: string; until: AbortSignal },
): Promise<WatchedReads> {
  const clients = urls.map(url => createClient(() => url, { token, limit: 45_000 }))
  /** The last value that was acknowledged. */
  let acknowledged = 0
  const watched: WatchedReads = { count: 0, slowest: 0, findings: [], ended: Promise.resolve() }

  const write = async () => {
    for (let value = 1; !until.aborted; value++) {
      const body = { primaryApplicant: { firstName: 'Counter', lastName: String(value) } }
      const { status } = (await clients[value % clients.length]?.call({
        method: 'PUT',
        path: READ_PATH,
        body,
      })) ?? { status: 0 }
      if (status > 0 && status < 300) acknowledged = value
      await sleep(PAUSE_MS)
    }
  }
  const read = async (index: number) => {
    while (!until.aborted) {
      const expected = acknowledged
      const response = await clients[index]?.call({ path: READ_PATH })
      if (response && expected > 0) {
        const { status, body, milliseconds } = response
        if (status === 200) {
          watched.count += 1
          watched.slowest = Math.max(watched.slowest, milliseconds)
          if (Number(body.lastName) < expected)
            watched.findings.push(
              `service ${index} returned ${body.lastName} after ${expected} was acknowledged`,
            )
        } else if (status === 404)
          watched.findings.push(`service ${index} returned 404 after ${expected} was acknowledged`)
      }
      await sleep(PAUSE_MS)
    }
  }
  watched.ended = Promise.all([write(), ...clients.map((_, index) => read(index))]).then(() => {
    for (const client of clients) client.close()
  })
  return watched
}
