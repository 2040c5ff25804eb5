import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAssignable } from '../../src/users/assignees.service.ts'
import { createTestDatabase } from '../support/harness.ts'

const db = await createTestDatabase()
const USER = 'AAAAAAAAAAAAAAAAAAAAAAA='

describe('the assignee of work', () => {
  it('stays active until the assignment is committed, and is none once switched off', async () => {
    await db.sql`
      insert into users (user_id, email, email_key, name, roles, created_at, updated_at)
      values (${USER}, 'r@example.com', 'r@example.com', 'Ruth', '{viewer}', now(), now())`
    const order: string[] = []
    const switchOff = () =>
      db.transaction(async tx => {
        await tx`update users set active = false where user_id = ${USER}`
        order.push('switched off')
      })
    const switched: Promise<void>[] = []
    await db.transaction(async tx => {
      assert.equal(await isAssignable(tx, USER, []), true)
      // Others may assign work to the same person meanwhile.
      assert.equal(await db.transaction(other => isAssignable(other, USER, [])), true)
      switched.push(switchOff())
      for (let waiting = 0; waiting === 0 && order.length === 0; )
        waiting = (
          await db.sql`
            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        ).length
      order.push('assigned')
    })
    await Promise.all(switched)
    assert.deepEqual(order, ['assigned', 'switched off'])
    assert.equal(await db.transaction(tx => isAssignable(tx, USER, [])), false)
  })
})
