// PATCH …/expiry during concurrent writes of the same family, and with unchanged values.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFamilies } from '../../src/applicants/families.service.ts'
import { systemActor, type UnitOfWork } from '../../src/db/unit-of-work.ts'
import { createDocuments } from '../../src/documents/documents.service.ts'
import { createTestApp } from '../support/harness.ts'

const test = await createTestApp()
const { db, clock, call } = test
const families = createFamilies({
  sql: db.sql,
  touchReferences: async () => ({ cases: 0, documents: 0 }),
})
const documents = createDocuments({ sql: db.sql, lookup: db.lookup, clock, families })

interface Family {
  primaryId: string
  dependentId: string
  documentId: string
}

async function createFamily(): Promise<Family> {
  const person = { firstName: 'Anna', lastName: 'Schmidt' }
  const permit = { name: 'Permit', referenceNumber: 'R1', expiryDate: '2027-01-01' }
  const { body } = await call({
    method: 'POST',
    url: '/v2/applicant',
    body: {
      primaryApplicant: person,
      dependents: [{ firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child', documents: [permit] }],
    },
  })
  const [dependent] = body.dependents
  return {
    primaryId: body.primaryApplicant.applicantId,
    dependentId: dependent.applicantId,
    documentId: dependent.documents[0].documentId,
  }
}

/** Runs the work in a transaction that stays open. The returned function commits it. */
async function holdOpen(work: (unit: UnitOfWork) => Promise<unknown>): Promise<() => Promise<void>> {
  const done = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const transaction = db.transaction(async tx => {
    const actor = systemActor('test', 'test')
    await work({ tx, now: clock.now(), actor, audit: () => {}, emit: () => {} })
    done.resolve()
    await commit.promise
  })
  await Promise.race([done.promise, transaction])
  return async () => {
    commit.resolve()
    await transaction
  }
}

async function untilTransactionWaits(): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const [row] = await db.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (row) return
    await sleep(10)
  }
  assert.fail('No transaction waits for a lock.')
}

const patchExpiry = (documentId: string, body: object) =>
  call({ method: 'PATCH', url: `/v2/document/${documentId}/expiry`, body })

/** Merges another name into the dependent's document. */
const mergeName = ({ primaryId, dependentId, documentId }: Family, name: string) =>
  call({
    method: 'PATCH',
    url: `/v2/applicant/${primaryId}`,
    body: {
      primaryApplicant: {},
      dependents: [{ applicantId: dependentId, documents: [{ documentId, name }] }],
    },
  })

describe('PATCH /v2/document/{documentId}/expiry with concurrent writes', () => {
  it('is not undone by a concurrent merge of the dependent', async () => {
    const { primaryId, dependentId, documentId } = await createFamily()
    const commit = await holdOpen(unit =>
      documents.setExpiry(unit, documentId, {
        change: {
          expiryDate: '2031-12-31T00:00:00',
          remindAboutRenewal: undefined,
          expiryReminder: undefined,
        },
        requireState: () => {},
      }),
    )
    const merging = mergeName({ primaryId, dependentId, documentId }, 'Residence permit')
    await untilTransactionWaits()
    await commit()
    assert.equal((await merging).status, 200)
    const { body } = await call({ url: `/v2/document/${documentId}` })
    assert.deepEqual([body.name, body.expiryDate], ['Residence permit', '2031-12-31T00:00:00'])
  })

  it('retries when the dependent moves to another family meanwhile', async () => {
    const { dependentId, documentId } = await createFamily()
    const other = await createFamily()
    const commit = await holdOpen(unit =>
      families.merge(
        unit,
        { id: other.primaryId },
        {
          input: {
            primaryApplicant: {},
            dependents: [{ applicantId: dependentId, lastName: 'Weber', relationship: 'Child' }],
          },
          requireState: () => {},
        },
      ),
    )
    const patching = patchExpiry(documentId, { ExpiryDate: '2031-12-31' })
    await untilTransactionWaits()
    await commit()
    const { status, body } = await patching
    assert.deepEqual([status, body.expiryDate], [200, '2031-12-31T00:00:00'])
    const dependent = await call({ url: `/v2/applicant/${other.primaryId}/dependent/${dependentId}` })
    assert.equal(dependent.body.lastName, 'Weber')
    assert.equal(dependent.body.documents[0].expiryDate, '2031-12-31T00:00:00')
  })

  it('succeeds with concurrent merges of the same family', async () => {
    const { primaryId, dependentId, documentId } = await createFamily()
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? patchExpiry(documentId, { ExpiryDate: `2031-01-${10 + index / 2}` })
          : mergeName({ primaryId, dependentId, documentId }, `Permit ${index}`),
      ),
    )
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200])
  })
})

describe('PATCH /v2/document/{documentId}/expiry with unchanged values', () => {
  const events = async (documentId: string) =>
    db.sql<{ type: string; data: Record<string, string | null> }[]>`
      select type, data from events where record_id = ${documentId} and type = 'document.updated'`

  it('changes no version or time, and emits no event', async () => {
    const { primaryId, dependentId, documentId } = await createFamily()
    const body = { ExpiryDate: '2030-06-30', RemindAboutRenewal: true, ExpiryReminder: '90,30' }
    const dependent = () => call({ url: `/v2/applicant/${primaryId}/dependent/${dependentId}` })
    const first = await patchExpiry(documentId, body)
    const [owner, [event]] = [await dependent(), await events(documentId)]
    assert.deepEqual(event?.data, {
      documentId,
      applicantId: dependentId,
      caseId: null,
      employeeNumber: null,
    })
    clock.advance(60)
    for (const same of [body, { ExpiryDate: '2030-06-30T00:00:00' }]) {
      const again = await patchExpiry(documentId, same)
      assert.deepEqual([again.status, again.body], [200, first.body])
      assert.equal(again.headers['etag'], first.headers['etag'])
    }
    assert.deepEqual((await dependent()).body, owner.body)
    assert.equal((await dependent()).headers['etag'], owner.headers['etag'])
    assert.equal((await events(documentId)).length, 1)
    const changed = await patchExpiry(documentId, { ...body, ExpiryReminder: '' })
    assert.equal(changed.body.expiryReminder, null)
    assert.notEqual(changed.headers['etag'], first.headers['etag'])
    assert.equal((await events(documentId)).length, 2)
  })
})
