// Several services on one database, as behind a load balancer, that can be killed, paused and restarted during requests.
// Requests go to any service that is not known to be down.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import type { Context } from '../attack.ts'
import { launch, type Service } from './service.ts'

export interface Fleet {
  members: Service[]
  /** The URL of a random service that is up. */
  url(): string
  /** Kills a service with SIGKILL and starts a new one, of another checkout if given; resolves when that one is ready. */
  replace(index: number, root?: string): Promise<void>
  /** SIGSTOP, and SIGCONT after the time. With `excluded`, no new request is sent to it meanwhile. */
  pause(index: number, milliseconds: number, excluded?: boolean): Promise<void>
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
  const excluded = new Set<number>()
  const start = (index: number, root?: string) => {
    const settings = {
      DATABASE_URL: databaseUrl,
      DATA_DIR: join(folder, `data-${index}`),
      REPOSITORIES: `file:${join(folder, 'files')}`,
      PUBLIC_URL: 'http://fleet.example',
      PORT: String(ports[index]),
      ...env,
    }
    return launch(settings, [], root)
  }
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
      const available = members.filter((_, index) => !excluded.has(index))
      return (available[randomInt(available.length)] as Service).url
    },
    async replace(index, root) {
      fleet.kills += 1
      excluded.add(index)
      await at(index).kill()
      members[index] = await start(index, root)
      await at(index).ready()
      excluded.delete(index)
    },
    async pause(index, milliseconds, isExcluded = false) {
      fleet.pauses += 1
      if (isExcluded) excluded.add(index)
      at(index).child.kill('SIGSTOP')
      await sleep(milliseconds)
      at(index).child.kill('SIGCONT')
      excluded.delete(index)
    },
  }
  return fleet
}
