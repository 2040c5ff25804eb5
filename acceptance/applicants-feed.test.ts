// The nightly file of an HR system: whole families without our ids, sent repeatedly. Sending the same family again is a
// no-op. How people and items are matched is in applicants-recognition.test.ts.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { dayFromNow } from './case-factories.ts'
import { call, type TestResponse } from './client.ts'
import {
  byId,
  byNumber,
  child,
  dependentById,
  dependentByNumber,
  everyField,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newNumber,
  patch,
  put,
} from './people.ts'

interface Family {
  primaryApplicant: Fields
  dependents: Fields[]
}

/** A dependent without a number in the HR system. */
const unnumbered = (fields: Fields): Fields => {
  const { employeeNumber: _employeeNumber, ...rest } = everyField({ relationship: 'Child', ...fields })
  return rest
}

/** Every field and every list, dependents with and without numbers, and none of our ids. */
const idFree = (number = newNumber()): Family => ({
  primaryApplicant: everyField({ employeeNumber: number }),
  dependents: [
    everyField({ firstName: 'Kim', relationship: 'Spouse' }),
    unnumbered({ firstName: 'Ben', dateOfBirth: '2018-09-12' }),
    unnumbered({ firstName: 'Mia', dateOfBirth: '2018-09-12' }),
  ],
})

const numberOf = ({ primaryApplicant }: Family): string => primaryApplicant['employeeNumber']
const documentAt = (documentId: string) => `/v2/document/${encodeURIComponent(documentId)}`

/** Everything that a client can read of a family: every record and document, each with its ETag. */
async function stateOf(number: string) {
  const primary = await get(byNumber(number))
  const list = await expectOk(get(`${byNumber(number)}/dependents`))
  const dependents = await Promise.all(
    list.map(({ applicantId }: Fields) => get(dependentById(primary.body.applicantId, applicantId))),
  )
  const people: TestResponse[] = [primary, ...dependents]
  const documents = await Promise.all(
    people.flatMap(({ body }) => body.documents.map(({ documentId }: Fields) => get(documentAt(documentId)))),
  )
  return [...people, ...documents].map(({ status, headers, body }) => ({
    status,
    etag: headers.get('etag'),
    body,
  }))
}

/** The body of a PUT or PATCH, with its dependents sorted by id. */
const withSortedDependents = ({ primaryApplicant, dependents }: Fields) => ({
  primaryApplicant,
  dependents: dependents.toSorted((a: Fields, b: Fields) => (a['applicantId'] < b['applicantId'] ? -1 : 1)),
})

const LISTS = ['metaData', 'passports', 'documents', 'previousNames']

const turned = (record: Fields): Fields => ({
  ...record,
  ...Object.fromEntries(LISTS.filter(name => record[name]).map(name => [name, record[name].toReversed()])),
})

describe('the same family sent again without ids', () => {
  it('PUT by number and by id: nothing changes, for the primary applicant, dependents and documents', async () => {
    const body = idFree()
    const number = numberOf(body)
    const made = await put(byNumber(number), body)
    assert.equal(made.status, 201)
    const once = await stateOf(number)
    assert.equal(once.length, 4 + 8)
    for (const path of [byNumber(number), byId(made.body.primaryApplicant.applicantId), byNumber(number)]) {
      const again = await put(path, body)
      assert.equal(again.status, 200)
      assert.deepEqual(withSortedDependents(again.body), withSortedDependents(made.body))
      assert.deepEqual(await stateOf(number), once)
    }
  })

  it('PATCH by number and by id: nothing changes, after a PUT and after the PATCH that created the dependents', async () => {
    const put1 = idFree()
    await expectOk(put(byNumber(numberOf(put1)), put1))
    const { id, number } = await family()
    const { employeeNumber: _employeeNumber, ...fields } = everyField()
    const merged = { primaryApplicant: fields, dependents: idFree().dependents }
    await expectOk(patch(byId(id), merged))
    for (const [who, body] of [
      [numberOf(put1), put1],
      [number, merged],
    ] as const) {
      const once = await stateOf(who)
      const { applicantId } = (await get(byNumber(who))).body
      for (const path of [byNumber(who), byId(applicantId)]) {
        await expectOk(patch(path, body))
        assert.deepEqual(await stateOf(who), once)
      }
      assert.equal((await get(`${byNumber(who)}/dependents`)).body.length, 3)
    }
  })

  it('PUT and PATCH of one dependent: nothing changes', async () => {
    const body = idFree()
    const number = numberOf(body)
    const { dependents } = await expectOk(put(byNumber(number), body))
    const once = await stateOf(number)
    const [spouse, ben] = dependents as [Fields, Fields]
    const sent: [string, Fields | undefined][] = [
      [spouse['employeeNumber'], body.dependents[0]],
      [spouse['applicantId'], body.dependents[0]],
      [ben['applicantId'], body.dependents[1]],
    ]
    for (const [key, dependent] of sent) {
      await expectOk(put(dependentByNumber(number, key), dependent))
      assert.deepEqual(await stateOf(number), once)
      await expectOk(patch(dependentByNumber(number, key), dependent))
      assert.deepEqual(await stateOf(number), once)
    }
  })

  it('another order of dependents and of the items in every list is no change', async () => {
    const body = idFree()
    const number = numberOf(body)
    await expectOk(put(byNumber(number), body))
    const once = await stateOf(number)
    const other = {
      primaryApplicant: turned(body.primaryApplicant),
      dependents: body.dependents.map(turned).reverse(),
    }
    for (const send of [put, patch]) {
      await expectOk(send(byNumber(number), other))
      assert.deepEqual(await stateOf(number), once)
    }
  })

  it('equal items and dependents are neither merged nor duplicated', async () => {
    const twin = unnumbered({ firstName: 'Noor', dateOfBirth: '2020-01-01', documents: [], passports: [] })
    const body = {
      primaryApplicant: everyField({
        metaData: [
          { tagName: 'skill', value: 'welding' },
          { tagName: 'skill', value: 'diving' },
        ],
        passports: [
          { passportNumber: '', country: 'IE' },
          { passportNumber: '', country: 'IE' },
        ],
        documents: [{ name: 'Visa' }, { name: 'Visa' }],
        previousNames: [{ lastName: 'Byrne' }, { lastName: 'Byrne' }],
      }),
      dependents: [twin, twin],
    }
    const number = numberOf(body)
    const made = await expectOk(put(byNumber(number), body))
    for (const name of LISTS) assert.equal(made['primaryApplicant'][name].length, 2, name)
    assert.equal(made['dependents'].length, 2)
    const once = await stateOf(number)
    await expectOk(put(byNumber(number), body))
    assert.deepEqual(await stateOf(number), once)
  })

  it('a PUT of what a GET returned, including ids, is no change either', async () => {
    const body = idFree()
    const number = numberOf(body)
    await expectOk(put(byNumber(number), body))
    const once = await stateOf(number)
    const primaryApplicant = (await get(byNumber(number))).body
    const dependents = (await get(`${byNumber(number)}/dependents`)).body
    for (const path of [byNumber(number), byId(primaryApplicant.applicantId)]) {
      await expectOk(put(path, { primaryApplicant, dependents }))
      assert.deepEqual(await stateOf(number), once)
    }
  })

  it('many concurrent requests: nothing changes, and all get the same response', async () => {
    const body = idFree()
    const number = numberOf(body)
    const made = await expectOk(put(byNumber(number), body))
    const once = await stateOf(number)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => expectOk(put(byNumber(number), body))),
    )
    for (const response of responses)
      assert.deepEqual(withSortedDependents(response), withSortedDependents(made))
    assert.deepEqual(await stateOf(number), once)
  })
})

describe('the reminder of a document', () => {
  for (const [schedule, days] of [
    ['90,30,7', 90],
    ['P3M', 92],
    ['2029-12-18', 14],
    [45, 45],
    [0, 0],
  ] as const)
    it(`set to ${schedule} by PATCH …/expiry is an integer in the record, and a PUT of that alters nothing`, async () => {
      const visa = { name: 'Visa', expiryDate: '2030-01-01', remindAboutRenewal: true, expiryReminder: 10 }
      const { id, primary } = await family(everyField({ documents: [visa] }))
      const path = documentAt(primary['documents'][0].documentId)
      await expectOk(patch(`${path}/expiry`, { ExpiryDate: '2030-01-01', ExpiryReminder: schedule }))
      const [record, document] = [await get(byId(id)), await get(path)]
      assert.equal(record.body.documents[0].expiryReminder, days)
      assert.equal(document.body.expiryReminder, schedule)
      for (const send of [put, patch]) {
        await expectOk(send(byId(id), { primaryApplicant: record.body }))
        assert.equal((await get(byId(id))).headers.get('etag'), record.headers.get('etag'))
        assert.deepEqual((await get(path)).body, document.body)
      }
    })
})

describe('one change in the family', () => {
  it('changes that person only: the others keep their ETags and times', async () => {
    const body = idFree()
    const number = numberOf(body)
    await expectOk(put(byNumber(number), body))
    const was = await stateOf(number)
    const dependents = body.dependents.map((one, index) =>
      index === 1 ? { ...one, jobTitle: 'Pupil' } : one,
    )
    await expectOk(put(byNumber(number), { ...body, dependents }))
    const is = await stateOf(number)
    const people = is.slice(0, 4)
    const changed = people.flatMap(({ etag, body: record }, index) =>
      etag === was[index]?.etag && record.updatedAt === was[index]?.body.updatedAt ? [] : [index],
    )
    assert.deepEqual(changed, [2])
    assert.deepEqual({ ...is[2]?.body, updatedAt: '' }, { ...was[2]?.body, jobTitle: 'Pupil', updatedAt: '' })
    const documents = (state: typeof is) => state.slice(4).map(({ body: document }) => document)
    assert.deepEqual(documents(is), documents(was))
  })

  it('of an item keeps its id and the ids of all others', async () => {
    const body = idFree()
    const number = numberOf(body)
    const { primaryApplicant: was } = await expectOk(put(byNumber(number), body))
    const { metaData, passports, documents } = body.primaryApplicant
    const primaryApplicant = {
      ...body.primaryApplicant,
      metaData: [metaData[0], { ...metaData[1], value: 'yes' }],
      passports: [{ ...passports[0], expiryDate: '2035-01-01' }, passports[1]],
      documents: [{ ...documents[0], expiryDate: '2029-06-30', description: null }, documents[1]],
    }
    const { primaryApplicant: is } = await expectOk(put(byNumber(number), { primaryApplicant }))
    assert.deepEqual(is['metaData'], [was['metaData'][0], { ...was['metaData'][1], value: 'yes' }])
    assert.deepEqual(is['passports'], [
      { ...was['passports'][0], expiryDate: '2035-01-01T00:00:00' },
      was['passports'][1],
    ])
    assert.deepEqual(is['documents'], [
      { ...was['documents'][0], expiryDate: '2029-06-30T00:00:00', description: null },
      was['documents'][1],
    ])
    assert.deepEqual(is['previousNames'], was['previousNames'])
  })

  it('that omits items from a PUT removes them; the rest keep their ids, and documents their times', async () => {
    const body = idFree()
    const number = numberOf(body)
    const { primaryApplicant: was } = await expectOk(put(byNumber(number), body))
    const kept = await get(documentAt(was['documents'][1].documentId))
    const primaryApplicant = { ...body.primaryApplicant }
    for (const name of LISTS) primaryApplicant[name] = body.primaryApplicant[name].slice(1)
    const { primaryApplicant: is } = await expectOk(put(byNumber(number), { primaryApplicant }))
    for (const name of LISTS) assert.deepEqual(is[name], was[name].slice(1), name)
    await expectProblem(get(documentAt(was['documents'][0].documentId)), 404, 'document-not-found')
    assert.deepEqual((await get(documentAt(was['documents'][1].documentId))).body, kept.body)
  })
})

describe('webhooks', () => {
  const WEBHOOKS = '/admin/v1/webhooks'
  let webhookId: string
  before(async () => {
    // RFC 6761 reserves this name: it never resolves, so that nothing is sent.
    const eventTypes = ['applicant', 'dependent', 'document'].flatMap(kind => [
      `${kind}.created`,
      `${kind}.updated`,
    ])
    const body = { url: 'https://receiver.invalid/feed', eventTypes }
    webhookId = (await expectOk(call({ method: 'POST', path: WEBHOOKS, body })))['webhookId']
  })
  const at = (rest = '') => `${WEBHOOKS}/${encodeURIComponent(webhookId)}${rest}`
  after(() => call({ method: 'DELETE', path: at() }))

  async function deliveries(): Promise<Fields[]> {
    const range = { startDate: dayFromNow(-1), endDate: dayFromNow(1), maxRecords: '1000' }
    const records: Fields[] = []
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ ...range, ...(cursor && { nextCursor: cursor }) })
      const page: Fields = await expectOk(get(at(`/deliveries?${query}`)))
      records.push(...page['records'])
      cursor = page['nextCursor']
    } while (cursor)
    return records
  }

  /** The event types delivered for these records, once everything up to now has been dispatched. */
  async function deliveredTypes(ids: Set<string>): Promise<string[]> {
    const marker = await family()
    for (let tries = 0; tries < 100; tries++) {
      const records = await deliveries()
      if (records.some(({ recordId }) => recordId === marker.id))
        return records.filter(({ recordId }) => ids.has(recordId)).map(({ eventType }) => eventType)
      await sleep(100)
    }
    throw new Error('The event of a new applicant was not dispatched within 10 seconds.')
  }

  it('receive events of the first PUT, and none of repeated writes that change nothing', async () => {
    const body = idFree()
    const number = numberOf(body)
    await expectOk(put(byNumber(number), body))
    const ids = new Set(
      (await stateOf(number)).map(({ body: record }) => record.documentId ?? record.applicantId),
    )
    const first = await deliveredTypes(ids)
    for (const type of ['applicant.created', 'dependent.created', 'document.created'])
      assert.ok(first.includes(type), type)
    for (const send of [put, patch, put]) await expectOk(send(byNumber(number), body))
    assert.deepEqual((await deliveredTypes(ids)).sort(), first.sort())
    const archived = await expectOk(put(byNumber(number), { ...body, dependents: [] }))
    assert.deepEqual(archived['dependents'], [])
  })
})

describe('renewal notifications', () => {
  const permit = {
    name: 'Work permit',
    expiryDate: dayFromNow(5),
    remindAboutRenewal: true,
    expiryReminder: 0,
  }
  const range = { startDate: dayFromNow(-1), endDate: dayFromNow(1), maxRecords: '1000' }

  /** Notifications recorded for these people, once there are at least `count`. */
  async function notified(people: Set<string>, count: number): Promise<string[]> {
    // The service checks for due reminders once a minute.
    for (let tries = 0; tries < 180; tries++) {
      const records: Fields[] = []
      let cursor: string | null = null
      do {
        const query = new URLSearchParams({ ...range, ...(cursor && { nextCursor: cursor }) })
        const page: Fields = await expectOk(get(`/admin/v1/notifications?${query}`))
        records.push(...page['records'].filter(({ applicantId }: Fields) => people.has(applicantId)))
        cursor = page['nextCursor']
      } while (cursor)
      if (records.length >= count)
        return records.map(({ applicantId, expiryDate, rung }) => `${applicantId} ${expiryDate} ${rung}`)
      await sleep(500)
    }
    throw new Error(`There are no ${count} notifications within 90 seconds.`)
  }

  it('are recorded once for a document, although it is sent, omitted and sent again repeatedly', async () => {
    const number = newNumber()
    const path = byNumber(number)
    const primaryApplicant = { firstName: 'Anna', lastName: 'Schmidt', documents: [permit] }
    const body = { primaryApplicant, dependents: [child({ employeeNumber: undefined, documents: [permit] })] }
    const made = await expectOk(put(path, body))
    const own = [made['primaryApplicant'], ...made['dependents']].map(({ applicantId }) => applicantId)
    const first = await notified(new Set(own), 2)
    assert.equal(new Set(first).size, 2)
    const withoutDocument = { primaryApplicant: { firstName: 'Anna', lastName: 'Schmidt' } }
    for (const sent of [body, { ...body, dependents: [] }, body, withoutDocument, body])
      await expectOk(put(path, sent))
    // A document added later shows that the service has checked again.
    const marker = await family({ firstName: 'Anna', lastName: 'Marker', documents: [permit] })
    const all = await notified(new Set([...own, marker.id]), 3)
    assert.deepEqual(all.filter(text => !text.startsWith(marker.id)).sort(), first.sort())
    assert.ok(all.some(text => text.startsWith(marker.id)))
  })
})
