// Measures uploads and downloads of files of three sizes, alternating with the baseline "pipe".
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from './children.ts'
import type { FilesMeasured, FilesMessage } from './files.ts'
import { type Instance, median } from './meter.ts'
import { caseId } from './records.ts'

export interface FileRow {
  name: string
  connections: number
  megabytesPerSecond: number
  p50: number
  memory: number
  pipe: number
  ratio: number
  minRatio: number | undefined
}

const KIB = 1024
const MIB = 1024 * KIB

interface Size {
  label: string
  bytes: number
  /** Number of connections, and files per connection. */
  loads: [number, number][]
}

export const SIZES: Size[] = [
  { label: '64 KiB', bytes: 64 * KIB, loads: [[1, 100], [32, 20], [256, 4]] },
  { label: '10 MiB', bytes: 10 * MIB, loads: [[1, 20], [32, 2]] },
  { label: '1 GiB', bytes: 1024 * MIB, loads: [[1, 1]] },
] // biome-ignore format: a table
const MIN_RATIO = { up: 0.4, down: 0.7 }

interface Options {
  folder: string
  rounds: number
  print: (line: string) => void
}

export async function measureFiles(
  { service }: Instance,
  { folder, rounds, print }: Options,
): Promise<FileRow[]> {
  const client = startChild('files.ts')
  const pipe = startChild('pipe.ts')
  const pipeFolder = join(folder, 'pipe')
  mkdirSync(pipeFolder)
  const { port: pipePort } = await pipe.ask<{ port: number }>({ folder: pipeFolder })
  const rows: FileRow[] = []
  for (const { label, bytes, loads } of SIZES)
    for (const [connections, times] of loads) {
      let documentId: string | undefined
      for (const direction of ['up', 'down'] as const) {
        const own: FilesMeasured[] = []
        const others: FilesMeasured[] = []
        let memory = 0
        const watch = setInterval(() => {
          memory = Math.max(memory, service.memory())
        }, 50)
        for (let round = 0; round < rounds; round++) {
          const message = { direction, token: service.token, caseId: caseId(0), bytes, connections, times }
          const measured = await client.ask<FilesMeasured>({
            ...message,
            target: 'service',
            port: service.port,
            ...(documentId && { documentId }),
          } satisfies FilesMessage)
          documentId = measured.documentId
          own.push(measured)
          others.push(
            await client.ask<FilesMeasured>({
              ...message,
              target: 'pipe',
              port: pipePort,
            } satisfies FilesMessage),
          )
        }
        clearInterval(watch)
        const speed = median(own.map(one => one.bytesPerSecond))
        const limit = median(others.map(one => one.bytesPerSecond))
        const row: FileRow = {
          name: `${direction === 'up' ? 'upload' : 'download'} of ${label}`,
          connections,
          megabytesPerSecond: speed / 1e6,
          p50: median(own.map(one => one.p50)),
          memory,
          pipe: limit / 1e6,
          ratio: speed / limit,
          minRatio: bytes >= 100 * MIB && connections === 1 ? MIN_RATIO[direction] : undefined,
        }
        rows.push(row)
        print(
          `${row.name.padEnd(28)} ${String(connections).padStart(4)} connections  ${row.megabytesPerSecond.toFixed(0)} MB/s  p50 ${row.p50.toFixed(1)} ms  ${memory.toFixed(0)} MiB  ratio ${row.ratio.toFixed(2)}  pipe ${row.pipe.toFixed(0)} MB/s`,
        )
      }
    }
  await client.stop()
  await pipe.stop()
  return rows
}
