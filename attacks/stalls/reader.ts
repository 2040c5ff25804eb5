// Reads one record again and again, in a thread of its own, so that sending probes does not delay it. Told to begin, it
// forgets what it has measured; told to end, it returns the longest wait.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

export interface ReaderOptions {
  port: number
  /** The bytes of the request. */
  request: string
}

export interface Reading {
  /** Milliseconds. */
  longest: number
  reads: number
  /** Reads without a 200. */
  failed: number
}

const PAUSE_MS = 2
const { port, request } = workerData as ReaderOptions
let reading: Reading = { longest: 0, reads: 0, failed: 0 }
/** A read that is in progress counts when the reading ends. */
let began = 0

parentPort?.on('message', (message: 'begin' | 'end') => {
  if (message === 'end') {
    const waiting = began > 0 ? performance.now() - began : 0
    parentPort?.postMessage({ ...reading, longest: Math.max(reading.longest, waiting) })
  } else {
    reading = { longest: 0, reads: 0, failed: 0 }
    if (began > 0) began = performance.now()
    parentPort?.postMessage('begun')
  }
})

/** The status of the response, or 0. */
function read(socket: Socket): Promise<number> {
  return new Promise(resolve => {
    let text = ''
    const finish = (status: number) => {
      socket.removeAllListeners()
      socket.on('error', () => {})
      resolve(status)
    }
    socket.on('error', () => finish(0))
    socket.on('close', () => finish(0))
    socket.on('data', data => {
      text += data.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (head >= 0 && text.length >= head + 4 + length) finish(Number(text.slice(9, 12)))
    })
    socket.write(request)
  })
}

for (let socket: Socket | undefined; ; await sleep(PAUSE_MS)) {
  if (!socket || socket.destroyed) socket = connect({ port, host: '127.0.0.1', noDelay: true })
  began = performance.now()
  const status = await read(socket)
  reading.longest = Math.max(reading.longest, performance.now() - began)
  began = 0
  reading.reads += 1
  if (status !== 200) {
    reading.failed += 1
    socket.destroy()
  }
}
