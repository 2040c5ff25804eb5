// Several services on one database, as behind a load balancer: killed, paused and restarted while clients continue. Requests
// go to any service that is not known to be down.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import type { Context } from '../attack.ts'
import { launch, type Service } from './service.ts'

export interface Fleet {
  members: Service[]
  /** One of them, at random. */
  url(): string
  /** kill -9, and a new one in its place; resolves when that one is ready. */
  replace(index: number): Promise<void>
  /** SIGSTOP, and SIGCONT after the time. With `away` no new request is sent to it meanwhile. */
  pause(index: number, milliseconds: number, away?: boolean): Promise<void>
  kills: number
  pauses: number
}

interface FleetOptions {
  context: Context
  databaseUrl: string
  size?: number
  env?: Record<string, string>
}

export async function launchFleet({
  context,
  databaseUrl,
  size = 3,
  env = {},
}: FleetOptions): Promise<Fleet> {
  const { folder, after } = context
  const ports = await Promise.all(Array.from({ length: size }, freePort))
  const away = new Set<number>()
  const start = (index: number) =>
    launch({
      DATABASE_URL: databaseUrl,
      DATA_DIR: join(folder, `data-${index}`),
      REPOSITORIES: `file:${join(folder, 'files')}`,
      PUBLIC_URL: 'http://fleet.example',
      PORT: String(ports[index]),
      ...env,
    })
  // All at once, so that they race for the migrations of an empty database.
  const members = await Promise.all(ports.map((_, index) => start(index)))
  after(() => Promise.all(members.map(member => member.kill())))
  await Promise.all(members.map(member => member.ready()))
  const at = (index: number) => members[index] as Service

  const fleet: Fleet = {
    members,
    kills: 0,
    pauses: 0,
    url() {
      const present = members.filter((_, index) => !away.has(index))
      return (present[randomInt(present.length)] as Service).url
    },
    async replace(index) {
      fleet.kills += 1
      away.add(index)
      await at(index).kill()
      members[index] = await start(index)
      await at(index).ready()
      away.delete(index)
    },
    async pause(index, milliseconds, isAway = false) {
      fleet.pauses += 1
      if (isAway) away.add(index)
      at(index).child.kill('SIGSTOP')
      await sleep(milliseconds)
      at(index).child.kill('SIGCONT')
      away.delete(index)
    },
  }
  return fleet
}
