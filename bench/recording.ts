// The statements that one request of the service sends, with their parameters, in the groups that go out together.
// They are taken from the service itself, so that the driver alone repeats what is, not what somebody remembers.
import { buildApp } from '../service/src/app.ts'
import { ensureConfigured } from '../service/src/auth/bootstrap.ts'
import { openRepositories } from '../service/src/blobs/open-repository.ts'
import { readConfig } from '../service/src/config.ts'
import { connect } from '../service/src/db/database.ts'
import { systemClock } from '../service/src/lib/clock.ts'
import { createLog } from '../service/src/log.ts'
import { CLIENT } from './service.ts'
import type { Scene, Workload } from './workloads.ts'

export interface Statement {
  text: string
  parameters: unknown[]
  types: number[]
}

export interface Recording {
  groups: Statement[][]
  inTransaction: boolean
  /** What the service made up for this request: ids that must be new each time. */
  made: string[]
}

const log = createLog('fatal')

export interface Place {
  path: string
  user: string
  database: string
}

export async function openRecorder(connection: Place, dataDir: string) {
  const heard: (Statement & { turn: number })[] = []
  let turn = 0
  const db = connect({
    connection,
    log,
    // One, so that every statement is prepared on it by the second time.
    poolSize: 1,
    onStatement: (text, parameters, types) =>
      heard.push({ text, parameters: [...parameters], types: [...types], turn }),
  })
  await ensureConfigured(db, CLIENT)
  const config = readConfig({ DATA_DIR: dataDir })
  const { app, start } = buildApp({
    config,
    db,
    blobs: await openRepositories(config.repositories),
    log,
    clock: systemClock,
  })
  await start()
  const answer = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `grant_type=client_credentials&client_id=${CLIENT.clientId}&client_secret=${CLIENT.clientSecret}`,
  })
  const { access_token: token } = answer.json<{ access_token: string }>()

  return {
    async record(workload: Workload, scene: Scene): Promise<Recording> {
      // Until two in a row are alike: a new connection asks for types first, and background work may come in between.
      for (let before = ''; ; ) {
        const { method, path, body } = workload.request(scene, 0)
        heard.length = 0
        const stopCounting = countTurns(() => turn++)
        const answer = await app.inject({
          method: method as 'GET',
          url: path,
          headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { payload: body }),
        })
        stopCounting()
        if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${answer.body}`)
        const recording = recordingOf(heard)
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

function countTurns(count: () => void): () => void {
  let going = true
  const next = () => {
    count()
    if (going) setImmediate(next)
  }
  setImmediate(next)
  return () => {
    going = false
  }
}

function recordingOf(heard: (Statement & { turn: number })[]): Recording {
  const isFrame = ({ text }: Statement) => /^\s*(begin|commit)/i.test(text)
  const inTransaction = heard.some(isFrame)
  const groups: Statement[][] = []
  let last = -1
  // Reads are audited later, many together: that is no part of the request.
  const isLater = ({ text }: Statement) => !inTransaction && /^\s*insert into audit/.test(text)
  for (const { turn, ...statement } of heard) {
    if (isFrame(statement) || isLater(statement)) continue
    if (turn !== last) groups.push([])
    groups.at(-1)?.push(statement)
    last = turn
  }
  const text = JSON.stringify(groups)
  // Whatever is random, which the ids of the seed are not: they are full of zeros.
  const ids = [...text.matchAll(/[\w-]{23}=|[\da-f]{8}-[\da-f-]{27}/g)].map(([id]) => id)
  return { groups, inTransaction, made: [...new Set(ids)].filter(id => !id.includes('0000000000')) }
}
