import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { company, newCase, ownToken, setStatus, UNKNOWN_ID } from './case-factories.ts'
import { call, credentials } from './client.ts'
import { limitedTo } from './company-factories.ts'
import {
  byId,
  child,
  expectInvalid,
  expectOk,
  expectProblem,
  type Fields,
  family,
  patch,
  person,
} from './people.ts'

const path = '/admin/v1/applicants'
const run = randomBytes(4).toString('hex')
const find = async (query: Record<string, string>) => call({ path: `${path}?${new URLSearchParams(query)}` })
const idsOf = async (query: Record<string, string>) =>
  (await find(query)).body.records.map((found: { applicantId: string }) => found.applicantId)

describe(`GET ${path}: spellings`, () => {
  const tag = run.replace(/\d/g, digit => 'ghijklmnop'[Number(digit)] ?? '')
  const made: Record<string, string> = {}

  before(async () => {
    const people = [
      ['Łukasz', `Wałęsa${tag}`],
      ['Siobhán', `O’Brien${tag}`],
      ['Anne-Marie', `D'Angelo${tag}`],
      ['Søren', `Ægir${tag}`],
      ['Þóra', `Großmann${tag}`],
      ['Işık', `Đorđević${tag}`],
    ]
    for (const [firstName, lastName] of people) {
      const { id } = await family(person({ firstName, lastName }))
      made[firstName ?? ''] = id
    }
  })

  it('are found whatever the spelling of the name', async () => {
    const spellings = {
      Łukasz: [`walesa${tag}`, `lukasz walesa${tag}`, `ŁUKASZ WAŁĘSA${tag}`],
      Siobhán: [`o'brien${tag}`, `O’Brien${tag}`, `obrien${tag}`, `o brien${tag} siob`, `siobhan o‘b`],
      'Anne-Marie': [`dangelo${tag} anne marie`, `anne marie d'angelo${tag}`, `annemarie d’angelo${tag}`],
      Søren: [`aegir${tag}`, `soren ægir${tag}`],
      Þóra: [`grossmann${tag}`, `GROSSMANN${tag} THORA`],
      Işık: [`dordevic${tag}`, `isik đor`],
    }
    for (const [firstName, names] of Object.entries(spellings))
      for (const name of names)
        for (const query of [{ name }, { q: name }] as Record<string, string>[]) {
          const ids = await idsOf({ ...query, maxRecords: '1000' })
          assert.ok(ids.includes(made[firstName]), `${firstName} by ${name}`)
        }
  })

  it('of any length are stored and found', async () => {
    const long = () =>
      Array.from(randomBytes(1_000), byte => String.fromCodePoint(0x4e00 + byte * 64)).slice(0, 500)
    const [firstName, middleName, lastName] = [long(), long(), long()].map(letters => letters.join(''))
    const { id } = await family(person({ firstName, middleName, lastName }))
    assert.deepEqual(await idsOf({ name: lastName?.slice(0, 300) ?? '' }), [id])
    assert.deepEqual(await idsOf({ q: firstName?.slice(0, 320) ?? '' }), [id])
  })
})

describe(`GET ${path}: pages`, () => {
  const tag = `Pager${run}`
  let byLastName: string[] = []
  let byFirstName: string[] = []

  before(async () => {
    const add = async (fields: Fields) => (await family(person(fields))).id
    const letters = [...'abcdefgh']
    byLastName = []
    for (const letter of letters) byLastName.push(await add({ firstName: letter, lastName: tag }))
    byFirstName = []
    for (const letter of letters) byFirstName.push(await add({ firstName: tag, lastName: letter }))
  })

  const walk = async (query: Record<string, string>, way: 'next' | 'prev', start = '') => {
    const pages: Fields[] = []
    for (let cursor = start; ; ) {
      const { status, body } = await find({ ...query, ...(cursor && { [`${way}Cursor`]: cursor }) })
      assert.equal(status, 200)
      pages.push(body)
      cursor = body[`${way}Cursor`]
      if (!cursor) return pages
      assert.ok(pages.length < 200, 'The walk does not end.')
    }
  }
  const ids = (page: Fields | undefined) => page?.['records'].map((one: Fields) => one['applicantId'])

  it('contain every record once, ordered by last name and then by first name, in both directions', async () => {
    const all = [...byLastName, ...byFirstName]
    for (const key of ['q', 'name'])
      for (const maxRecords of ['1', '3', '8', '1000']) {
        const query = { [key]: tag, maxRecords }
        const pages = await walk(query, 'next')
        assert.deepEqual(pages.flatMap(ids), all)
        for (const page of pages) assert.equal(page['total'], 16)
        assert.equal(pages[0]?.['prevCursor'], null)
        const last = pages.at(-1)
        if (!last?.['prevCursor']) continue
        const back = await walk(query, 'prev', last['prevCursor'])
        assert.deepEqual(back.toReversed().flatMap(ids), all.slice(0, all.length - ids(last).length))
        for (const page of [...pages, ...back]) assert.ok(ids(page).length > 0)
      }
  })

  it('contain all live records in order of names if there is no criterion', async () => {
    const { body } = await find({ maxRecords: '1000' })
    assert.ok(body.total >= 16)
    assert.equal(body.total, body.nextCursor ? body.total : body.records.length)
    const first = await find({ maxRecords: '2' })
    const second = await find({ maxRecords: '2', nextCursor: first.body.nextCursor })
    assert.deepEqual([...ids(first.body), ...ids(second.body)], ids(body).slice(0, 4))
    const back = await find({ maxRecords: '2', prevCursor: second.body.prevCursor })
    assert.deepEqual(ids(back.body), ids(first.body))
    const empty = await find({ maxRecords: '2', nextCursor: '', prevCursor: '' })
    assert.deepEqual(ids(empty.body), ids(first.body))
  })

  it('neither skip nor repeat an unchanged record during concurrent writes', async () => {
    const query = { q: tag, maxRecords: '5' }
    const first = (await find(query)).body
    const moved = byLastName[4] ?? ''
    await expectOk(patch(byId(moved), { primaryApplicant: { firstName: 'zz' } }))
    const added = (await family(person({ firstName: 'bb', lastName: tag }))).id
    const rest = await walk(query, 'next', first.nextCursor)
    const seen = rest.flatMap(ids)
    const still = [...byLastName.slice(5), ...byFirstName]
    assert.deepEqual(
      seen.filter(id => id !== moved && id !== added),
      still,
    )
    await expectOk(patch(byId(moved), { primaryApplicant: { firstName: 'e' } }))
    await expectOk(patch(byId(added), { primaryApplicant: { lastName: 'Elsewhere' } }))
  })

  it('have cursors that are valid for the same filters and client only', async () => {
    const { nextCursor } = (await find({ q: tag, maxRecords: '2' })).body
    for (const query of [{ name: tag }, { q: `${tag} a` }, { q: tag, archived: 'true' }, {}] as Fields[])
      await expectProblem(find({ ...query, nextCursor }), 400, 'invalid-cursor')
    await expectProblem(find({ q: tag, nextCursor: `${nextCursor}A` }), 400, 'invalid-cursor')
    await expectInvalid(find({ q: tag, nextCursor, prevCursor: nextCursor }), '/prevCursor')
    const { token } = await ownToken(['admin'])
    const search = new URLSearchParams({ q: tag, nextCursor })
    await expectProblem(call({ path: `${path}?${search}`, token }), 400, 'invalid-cursor')
  })

  it('are linked in a Link header', async () => {
    const { headers, body } = await find({ q: tag, maxRecords: '2' })
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
    const followed = await call({ path: next })
    assert.deepEqual(ids(followed.body), byLastName.slice(2, 4))
    assert.equal(new URL(next, 'http://x').searchParams.get('nextCursor'), body.nextCursor)
  })

  it('accept maxRecords from 1 to 1000', async () => {
    for (const maxRecords of ['', '0', '1001', '1.5', 'ten'])
      await expectInvalid(find({ q: tag, maxRecords }), '/maxRecords')
  })
})

describe(`GET ${path}`, () => {
  let primaryId = ''
  let childId = ''
  const number = `S-${run}`

  before(async () => {
    const made = await call({
      method: 'POST',
      path: '/v2/applicant',
      body: {
        primaryApplicant: {
          employeeNumber: number,
          firstName: 'Jürgen',
          lastName: `Müller${run}`,
          email: `Jurgen.${run}@Example.com`,
          alternateEmail: `other.${run}@example.com`,
          passports: [{ passportNumber: `P ${run} 1`, country: 'DE' }],
        },
        dependents: [
          {
            firstName: 'Zoë',
            lastName: `Müller${run}`,
            relationship: 'Child',
            employeeNumber: `${number}-C`,
          },
        ],
      },
    })
    primaryId = made.body.primaryApplicant.applicantId
    childId = made.body.dependents[0].applicantId
  })

  it('finds by the beginning of a name in either order, without regard to case and accents', async () => {
    assert.deepEqual(await idsOf({ name: `MULLER${run}` }), [primaryId, childId])
    assert.deepEqual(await idsOf({ name: `jurgen mull` }).then(ids => ids.includes(primaryId)), true)
    assert.deepEqual(await idsOf({ name: `müller${run} z` }), [childId])
  })

  it('finds by the first and the last name a person who has another name in between', async () => {
    const lastName = `van Dyck${run}`
    const make = async (middleName: string) => {
      const primaryApplicant = { firstName: 'Anna', middleName, lastName }
      const made = await call({ method: 'POST', path: '/v2/applicant', body: { primaryApplicant } })
      return made.body.primaryApplicant.applicantId as string
    }
    const [beate, carla] = [await make('Beate'), await make('Carla Maria')]
    const plain = await make('')
    for (const criterion of ['name', 'q'] as const) {
      const ids = await idsOf({ [criterion]: `anna van dyck${run}` })
      assert.deepEqual(ids, [plain, beate, carla], criterion)
      assert.deepEqual(await idsOf({ [criterion]: `anna beate van dyck${run}` }), [beate], criterion)
    }
    assert.deepEqual(await idsOf({ q: `anna van dyck${run}`, name: `van dyck${run} anna c` }), [carla])
    assert.deepEqual(await idsOf({ q: `van dyck${run} anna`, name: `anna van dyck${run}` }), [
      plain,
      beate,
      carla,
    ])
  })

  it('finds by number, e-mail address and passport number', async () => {
    assert.deepEqual(await idsOf({ employeeNumber: number }), [primaryId])
    assert.deepEqual(await idsOf({ email: `jurgen.${run}@example.com` }), [primaryId])
    assert.deepEqual(await idsOf({ email: `OTHER.${run}@example.com` }), [primaryId])
    assert.deepEqual(await idsOf({ passportNumber: `p${run}1` }), [primaryId])
  })

  it('combines several criteria', async () => {
    assert.deepEqual(await idsOf({ name: `muller${run}`, employeeNumber: `${number}-C` }), [childId])
    assert.deepEqual(await idsOf({ name: `zoe`, employeeNumber: number }), [])
  })

  it('rejects an unknown criterion and an empty one, and names it', async () => {
    for (const name of ['q', 'name', 'employeeNumber', 'email', 'passportNumber'])
      for (const value of ['', ' ', '\u200b']) await expectInvalid(find({ [name]: value }), `/${name}`)
    const misspelt = await find({ nmae: 'x' })
    assert.match(misspelt.body.errors[0].detail, /Did you mean name\?/)
    assert.equal((await find({ name: 'x', maxRecords: '0' })).status, 400)
    assert.equal((await find({ name: 'x', maxRecords: '1001' })).status, 400)
  })

  it('returns at most maxRecords, and the total', async () => {
    const { body } = await find({ name: `muller${run}`, maxRecords: '1' })
    assert.deepEqual([body.records.length, body.total, body.prevCursor], [1, 2, null])
    assert.ok(body.nextCursor)
  })

  it('matches q with the beginning of a name, or a whole number, e-mail address or passport number', async () => {
    assert.deepEqual(await idsOf({ q: `muller${run}` }), [primaryId, childId])
    assert.ok((await idsOf({ q: 'jürgen MÜLL', maxRecords: '1000' })).includes(primaryId))
    for (const q of [number, number.toLowerCase(), `JURGEN.${run}@example.com`, `other.${run}@example.com`])
      assert.deepEqual(await idsOf({ q }), [primaryId], q)
    for (const q of [`p${run}1`, `P-${run} 1`]) assert.deepEqual(await idsOf({ q }), [primaryId], q)
    for (const q of [`${run}@example.com`, `ller${run}`, `p${run}`])
      assert.deepEqual(await idsOf({ q }), [], q)
    assert.deepEqual(await idsOf({ q: `muller${run}`, employeeNumber: `${number}-C` }), [childId])
    assert.deepEqual(await idsOf({ q: number, name: `muller${run}` }), [primaryId])
    assert.deepEqual(await idsOf({ q: number, name: 'zoe' }), [])
    assert.deepEqual(await idsOf({ q: number, email: `other.${run}@example.com` }), [primaryId])
    assert.deepEqual(await idsOf({ q: number, archived: 'true' }), [])
  })

  it('returns one person by id, with the primary applicant of a dependent', async () => {
    const [listed] = (await find({ q: number })).body.records
    assert.deepEqual(await expectOk(call({ path: `${path}/${primaryId}` })), listed)
    const child = await expectOk(call({ path: `${path}/${childId}` }))
    assert.equal(child['primaryApplicantId'], primaryId)
    await expectProblem(call({ path: `${path}/${UNKNOWN_ID}` }), 404, 'applicant-not-found')
  })

  it('returns archived dependents, which can be restored', async () => {
    const record = (await call({ path: `/v2/applicant/${primaryId}` })).body
    await call({
      method: 'PUT',
      path: `/v2/applicant/${primaryId}`,
      body: { primaryApplicant: record, dependents: [] },
    })
    assert.deepEqual(await idsOf({ name: `muller${run}` }), [primaryId])
    assert.deepEqual(await idsOf({ name: `muller${run}`, archived: 'true' }), [childId])
    assert.notEqual((await call({ path: `${path}/${childId}` })).body.archivedAt, null)

    const restore = (id: string, body = {}) => call({ method: 'POST', path: `${path}/${id}/restore`, body })
    assert.equal((await restore(primaryId)).body.code, 'archived-applicant-not-found')

    const thief = { primaryApplicant: { firstName: 'A', lastName: 'B', employeeNumber: `${number}-C` } }
    assert.equal((await call({ method: 'POST', path: '/v2/applicant', body: thief })).status, 201)
    assert.equal((await restore(childId)).body.code, 'employee-number-in-use')
    const identity = { firstName: 'A', lastName: 'B', dateOfBirth: '1990-05-31' }
    await call({
      method: 'PATCH',
      path: `/v2/applicant/employeenumber/${number}-C`,
      body: { primaryApplicant: { dateOfBirth: identity.dateOfBirth } },
    })
    const renumbered = await call({
      method: 'POST',
      path: `/v2/applicant/employeenumber/${number}-C/${number}-T`,
      body: identity,
      apiKey: credentials.apiKey,
    })
    assert.equal(renumbered.status, 200)
    assert.equal((await restore(childId)).body.code, 'employee-number-retired')
    const restored = await restore(childId, { withoutEmployeeNumber: true })
    assert.equal(restored.status, 200)
    assert.equal(restored.body.employeeNumber, null)
    const dependents = await call({ path: `/v2/applicant/${primaryId}/dependents` })
    assert.deepEqual(
      dependents.body.map((one: { applicantId: string }) => one.applicantId),
      [childId],
    )
  })

  it('restores no dependent of a primary applicant who has as many as it may have', async () => {
    const child = (index: number) => ({ firstName: `C${index}`, lastName: 'Many', relationship: 'Child' })
    const made = await call({
      method: 'POST',
      path: '/v2/applicant',
      body: {
        primaryApplicant: { firstName: 'A', lastName: 'Many' },
        dependents: Array.from({ length: 100 }, (_, index) => child(index)),
      },
    })
    const { primaryApplicant, dependents } = made.body
    const one = `/v2/applicant/${encodeURIComponent(primaryApplicant.applicantId)}`
    const body = { primaryApplicant, dependents: dependents.slice(1) }
    assert.equal((await call({ method: 'PUT', path: one, body })).status, 200)
    assert.equal((await call({ method: 'POST', path: `${one}/dependent`, body: child(100) })).status, 201)
    const archived = encodeURIComponent(dependents[0].applicantId)
    const restored = await call({ method: 'POST', path: `${path}/${archived}/restore`, body: {} })
    assert.deepEqual([restored.status, restored.body.code], [400, 'invalid-request'])
    assert.match(restored.body.errors[0].detail, /at most 100/)
  })

  it('repeats the response to a restore with the same Idempotency-Key, and rejects it for another', async () => {
    const headers = { 'idempotency-key': `restore-${run}` }
    const first = await call({ method: 'POST', path: `${path}/${childId}/restore`, body: {}, headers })
    const again = await call({ method: 'POST', path: `${path}/${childId}/restore`, body: {}, headers })
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    const other = await call({
      method: 'POST',
      path: `${path}/${childId}/restore`,
      body: { withoutEmployeeNumber: true },
      headers,
    })
    assert.equal(other.body.code, 'idempotency-key-reused')
  })
})

describe(`GET ${path}?summary=true`, () => {
  const tag = `Summary${run}`
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

  it('adds what expires next, open cases and dependents to each record', async () => {
    const made = await family(
      person({
        lastName: tag,
        passports: [{ passportNumber: `P${run}`, country: 'FR', expiryDate: day(400) }],
        documents: [
          { name: 'Old permit', expiryDate: day(-30) },
          { name: 'Work permit', expiryDate: day(30) },
        ],
      }),
      [
        child({
          lastName: tag,
          passports: [{ passportNumber: `C${run}`, country: 'FR', expiryDate: day(-5) }],
        }),
      ],
    )
    await newCase({}, { employeeNumber: made.number, lastName: tag })
    const { caseId } = await newCase({}, { employeeNumber: made.number, lastName: tag })
    await expectOk(setStatus(caseId, 'closed'))

    const { status, body } = await find({ q: tag, summary: 'true' })
    assert.equal(status, 200)
    const [first, second] = body.records
    const passport = (fields: Fields, country: string, expiryDate: string) => ({
      kind: 'passport',
      itemId: fields['passports'][0].passportId,
      name: null,
      type: 'Passport',
      country,
      expiryDate,
    })
    assert.equal(first.applicantId, made.id)
    assert.equal(first.openCases, 1)
    const permit = made.primary['documents'].find((one: Fields) => one['name'] === 'Work permit')
    assert.deepEqual(first.nextExpiries, [
      {
        kind: 'document',
        itemId: permit.documentId,
        name: 'Work permit',
        type: 'Applicant document',
        country: null,
        expiryDate: day(30),
      },
      passport(made.primary, 'FR', day(400)),
    ])
    const dependent = made.dependents[0] as Fields
    assert.equal(first.dependents.length, 1)
    assert.deepEqual(second, { ...first.dependents[0], dependents: [] })
    assert.equal(second.applicantId, dependent['applicantId'])
    assert.deepEqual(second.nextExpiries, [passport(dependent, 'FR', day(-5))])
    assert.equal(second.openCases, 0)

    const plain = await find({ q: tag })
    assert.ok(!('openCases' in plain.body.records[0]))
  })

  it('lists the dependents in the audit entry, whose data it returns', async () => {
    const { id, dependents } = await family(person({ firstName: tag, lastName: 'Audited' }), [
      child({ lastName: `Other${run}` }),
    ])
    const { headers } = await find({ name: `audited ${tag}`, summary: 'true' })
    const requestId = headers.get('x-request-id') ?? ''
    const days = `startDate=${day(0)}&endDate=${day(1)}`
    const { body } = await call({ path: `/admin/v1/audit?${days}&action=applicant.search&recordId=${id}` })
    const entry = body.records.find((one: Fields) => one['requestId'] === requestId)
    assert.deepEqual(entry.recordIds.toSorted(), [id, dependents[0]?.['applicantId']].toSorted())
  })

  it('shows a limited caller the cases of its companies only', async () => {
    const [own, other] = [await company(), await company()]
    const { number } = await family(person({ lastName: `${tag}limit`, sendingCompany: own.name }))
    const at = (owner: { name: string }) => ({
      hostCompany: owner.name,
      sendingCompany: owner.name,
      billingCompany: owner.name,
    })
    await newCase(at(own), { employeeNumber: number, lastName: `${tag}limit` })
    await newCase(at(other), { employeeNumber: number, lastName: `${tag}limit` })
    const query = `${path}?q=${tag}limit&summary=true`
    const openCases = async (token?: string) =>
      (await expectOk(call({ path: query, ...(token && { token }) })))['records'][0].openCases
    assert.equal(await openCases(), 2)
    assert.equal(await openCases((await limitedTo(own)).token), 1)
  })

  it('rejects a value that is neither true nor false', async () => {
    await expectInvalid(call({ path: `${path}?summary=perhaps` }), '/summary')
  })
})
