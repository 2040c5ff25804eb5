// Records the statements that one request sends, with their parameters, in the batches that are pipelined together. They
// come from the service itself, so that the driver always repeats what the service really does.
import { buildApp } from '../service/src/app.ts'
import { ensureConfigured } from '../service/src/auth/bootstrap.ts'
import { openRepositories } from '../service/src/blobs/open-repository.ts'
import { readConfig } from '../service/src/config.ts'
import { connect, type SocketConnection } from '../service/src/db/database.ts'
import { systemClock } from '../service/src/lib/clock.ts'
import { createLog } from '../service/src/log.ts'
import { openSealer } from '../service/src/sealed-secrets.ts'
import { CLIENT } from './service.ts'
import type { Fixture, Workload } from './workloads.ts'

export interface Statement {
  text: string
  parameters: unknown[]
  types: number[]
}

export interface Recording {
  groups: Statement[][]
  inTransaction: boolean
  /** Ids that the service generated for this request; the driver replaces them with new ones. */
  generatedIds: string[]
}

/** The applicant or case of the recorded request: one of the large company, like all others that it is repeated for. */
export const RECORDED = 1

const log = createLog('fatal')

export async function openRecorder(connection: SocketConnection, dataDir: string) {
  const statements: (Statement & { tick: number })[] = []
  let tick = 0
  const db = connect({
    connection,
    log,
    // One connection, so that every statement is prepared by the second time.
    poolSize: 1,
    onStatement: (text, parameters, types) =>
      statements.push({ text, parameters: [...parameters], types: [...types], tick }),
  })
  await ensureConfigured(db, CLIENT)
  const config = readConfig({ DATA_DIR: dataDir })
  const { app, start } = buildApp({
    config,
    db,
    sealer: await openSealer({ config, db, log }),
    blobs: await openRepositories(config.repositories),
    log,
    clock: systemClock,
  })
  await start()
  const response = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `grant_type=client_credentials&client_id=${CLIENT.clientId}&client_secret=${CLIENT.clientSecret}`,
  })
  const { access_token: token } = response.json<{ access_token: string }>()

  return {
    async record(workload: Workload, fixture: Fixture): Promise<Recording> {
      // Repeats until two recordings in a row are equal: a new connection fetches types first, and background jobs
      // interfere.
      for (let before = ''; ; ) {
        const { method, path, body } = workload.request(fixture, RECORDED)
        statements.length = 0
        const stopCounting = countTicks(() => tick++)
        const response = await app.inject({
          method: method as 'GET',
          url: path,
          headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { payload: body }),
        })
        stopCounting()
        if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${response.body}`)
        const recording = recordingOf(statements)
        const texts = JSON.stringify(recording.groups.map(group => group.map(({ text }) => text)))
        if (texts === before) return recording
        before = texts
      }
    },
    async close() {
      await app.close()
      await db.close()
    },
  }
}

function countTicks(count: () => void): () => void {
  let running = true
  const next = () => {
    count()
    if (running) setImmediate(next)
  }
  setImmediate(next)
  return () => {
    running = false
  }
}

function recordingOf(statements: (Statement & { tick: number })[]): Recording {
  const isTransactionControl = ({ text }: Statement) => /^\s*(begin|commit)/i.test(text)
  const inTransaction = statements.some(isTransactionControl)
  const groups: Statement[][] = []
  let last = -1
  // Reads are audited over a connection of their own, in one statement for those of many requests.
  const isDeferred = ({ text }: Statement) =>
    !inTransaction && /^\s*(with inserted as \(\s*)?insert into audit/.test(text)
  for (const { tick, ...statement } of statements) {
    if (isTransactionControl(statement) || isDeferred(statement)) continue
    if (tick !== last) groups.push([])
    groups.at(-1)?.push(statement)
    last = tick
  }
  const text = JSON.stringify(groups)
  // Only random ids: those of the dataset are full of zeros.
  const ids = [...text.matchAll(/[\w-]{23}=|[\da-f]{8}-[\da-f-]{27}/g)].map(([id]) => id)
  return { groups, inTransaction, generatedIds: [...new Set(ids)].filter(id => !id.includes('0000000000')) }
}
