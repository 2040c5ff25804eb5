// A client that hung up may retry with another instance of the service and continue from there. The abandoned write must
// not be committed after that.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestApp } from '../support/harness.ts'

describe('a write whose client hung up', async () => {
  const { app, call, db, token } = await createTestApp()
  const url = '/v2/applicant/employeenumber/H-1'
  const person = (lastName: string) => ({ primaryApplicant: { firstName: 'Anna', lastName } })
  const address = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const authorization = `Bearer ${await token()}`

  const send = async (lastName: string) => {
    const body = JSON.stringify(person(lastName))
    const socket = connect({ port: Number(address.port), host: '127.0.0.1' })
    await once(socket, 'connect')
    socket.write(
      `PUT ${url} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    return socket
  }

  /** Locks the record, so that every write of it waits, while the work runs. */
  const whileLocked = async (work: () => Promise<void>) => {
    await db.transaction(async tx => {
      await tx`select from applicants where employee_number = 'H-1' for update`
      await work()
    })
  }
  const untilWaiting = async (count: number) => {
    for (;;) {
      const [row] = await db.sql`
        select count(*)::int as waiting from pg_locks where not granted and pid in (
          select pid from pg_stat_activity where datname = current_database())`
      if (row?.['waiting'] === count) return
      await sleep(10)
    }
  }

  it('is not committed', async () => {
    await call({ method: 'PUT', url, body: person('First') })
    await whileLocked(async () => {
      const socket = await send('Late')
      await untilWaiting(1)
      socket.destroy()
      // The hang-up has to arrive first.
      await sleep(100)
    })
    await untilWaiting(0)
    while (app.inFlight.count() > 0) await sleep(10)
    await sleep(100)
    const { body } = await call({ url })
    assert.equal(body.lastName, 'First')
  })

  it('is committed for a client that waits', async () => {
    await call({ method: 'PUT', url, body: person('First') })
    const responded = Promise.withResolvers<string>()
    await whileLocked(async () => {
      const socket = await send('Patient')
      socket.once('data', data => responded.resolve(String(data)))
      await untilWaiting(1)
      await sleep(100)
    })
    assert.match(await responded.promise, /^HTTP\/1.1 200/)
    const { body } = await call({ url })
    assert.equal(body.lastName, 'Patient')
  })
})
