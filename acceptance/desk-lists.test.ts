// The lists of the desk: cases, people, documents, what expires; the overview and the search of everything.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import {
  adminStep,
  type Company,
  caseOfSteps,
  company,
  dayFromNow,
  newCase,
  newName,
  ownToken,
  setStatus,
  UNKNOWN_ID,
} from './case-factories.ts'
import { type Call, call } from './client.ts'
import { limitedTo, upload } from './company-factories.ts'
import {
  child,
  expectInvalid,
  expectOk,
  expectProblem,
  type Fields,
  family,
  patch,
  person,
} from './people.ts'
import { createPerson } from './visitors.ts'

type Query = Record<string, string | number | boolean>

const at = (path: string, query: Query) =>
  `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`
const list = (path: string, query: Query, rest: Partial<Call> = {}) =>
  call({ path: at(path, query), ...rest })
const read = (path: string, query: Query, rest: Partial<Call> = {}) => expectOk(list(path, query, rest))

const CASES = '/admin/v1/cases'
const APPLICANTS = '/admin/v1/applicants'
const DOCUMENTS = '/admin/v1/documents'
const EXPIRING = '/admin/v1/expiring'
const letters = [...randomBytes(6)].map(byte => 'abcdefghijklmnop'[byte % 16]).join('')

/** Walks through a list in both directions, and returns the ids in order. */
async function walk(path: string, query: Query, id: string): Promise<string[]> {
  const pages: Fields[] = []
  for (let cursor = ''; ; ) {
    const page = await read(path, { ...query, maxRecords: 2, ...(cursor && { nextCursor: cursor }) })
    pages.push(page)
    cursor = page['nextCursor']
    if (!cursor) break
    assert.ok(pages.length < 100, 'The walk does not end.')
  }
  const idsOf = (page: Fields | undefined) => (page?.['records'] ?? []).map((one: Fields) => one[id])
  const ids = pages.flatMap(idsOf)
  for (const page of pages) assert.equal(page['total'], ids.length)
  const back: string[] = []
  for (let cursor = pages.at(-1)?.['prevCursor']; cursor; ) {
    const page = await read(path, { ...query, maxRecords: 2, prevCursor: cursor })
    back.unshift(...idsOf(page))
    cursor = page['prevCursor']
  }
  assert.deepEqual(back, ids.slice(0, ids.length - idsOf(pages.at(-1)).length))
  return ids
}

describe(`GET ${CASES}`, () => {
  let owner: Company
  let other: Company
  const made: Awaited<ReturnType<typeof newCase>>[] = []
  const caseType = newName('Type')

  before(async () => {
    owner = await company()
    other = await company()
    const companies = { hostCompany: owner.name, sendingCompany: owner.name, billingCompany: owner.name }
    const names = ['Čapek', 'Abel', 'Brandt', 'Dubois']
    for (const [index, name] of names.entries())
      made.push(
        await newCase(
          {
            ...companies,
            ...(index === 3 && { billingCompany: other.name }),
            caseType,
            hostCountry: index % 2 === 0 ? 'DE' : 'FRA',
          },
          { lastName: `${name}${letters}`, firstName: `Given${letters}`, Vip: index === 1 },
        ),
      )
    await expectOk(setStatus(made[2]?.caseId ?? '', 'pending'))
    await expectOk(setStatus(made[3]?.caseId ?? '', 'closed'))
  })

  const idsOf = (...indexes: number[]) => indexes.map(index => made[index]?.caseId)
  const found = async (query: Query, rest: Partial<Call> = {}) =>
    (await read(CASES, { company: owner.name, ...query }, rest))['records'].map(
      (one: Fields) => one['caseId'],
    )

  it('returns rows with applicant, current step, progress, assignee and due date', async () => {
    const { caseId, steps, applicantId, employeeNumber } = await caseOfSteps(3, {
      firstName: 'Zoë',
      lastName: `Row${letters}`,
      Vip: true,
    })
    const [first, second] = steps as [Fields, Fields]
    await expectOk(patch(adminStep(caseId, first['stepId']), { status: 'completed' }))
    const { records, total } = await read(CASES, { q: `row${letters}` })
    assert.equal(total, 1)
    const { createdAt, updatedAt, hostCompanyId, sendingCompanyId, billingCompanyId, ...row } = records[0]
    assert.ok(updatedAt >= createdAt && hostCompanyId && sendingCompanyId && billingCompanyId)
    assert.deepEqual(row.currentStep.name, second['name'])
    assert.equal(row.currentStep.stepId, second['stepId'])
    assert.deepEqual(row.progress, { finished: 1, total: 3 })
    assert.deepEqual(row.applicant, {
      applicantId,
      employeeNumber,
      firstName: 'Zoë',
      lastName: `Row${letters}`,
      vip: true,
    })
    assert.deepEqual(
      [row.caseId, row.status, row.assignee, row.dueDate, row.nextDueDate, row.overdue],
      [caseId, 'open', null, null, null, false],
    )
  })

  it('filters by status, type, country, company, assignee and VIP', async () => {
    const byName = { sort: 'name' }
    assert.deepEqual(await found({ status: 'open', ...byName }), idsOf(1, 0))
    assert.deepEqual(await found({ status: 'open,pending', ...byName }), idsOf(1, 2, 0))
    assert.deepEqual(await found({ caseType: caseType.toUpperCase(), ...byName }), idsOf(1, 2, 0, 3))
    assert.deepEqual(await found({ hostCountry: 'FR', ...byName }), idsOf(1, 3))
    assert.deepEqual(await found({ hostCountry: 'deu', ...byName }), idsOf(2, 0))
    assert.deepEqual(await found({ vip: true }), idsOf(1))
    assert.deepEqual(await found({ vip: false, ...byName }), idsOf(2, 0, 3))
    assert.deepEqual(await found({ assignee: 'none', ...byName }), idsOf(1, 2, 0, 3))
    assert.deepEqual(await found({ assignee: UNKNOWN_ID }), [])
    assert.deepEqual(await found({ due: 'overdue' }), [])
    assert.deepEqual(await found({ company: other.code }), idsOf(3))
    assert.deepEqual(await found({ company: newName('No such company') }), [])
    assert.deepEqual(await found({ caseType: newName('No such type') }), [])
  })

  it('finds cases by name in either order, number, and id', async () => {
    const one = made[0]
    for (const q of [
      `capek${letters}`,
      `given${letters} capek`,
      one?.employeeNumber.toLowerCase() ?? '',
      one?.caseId ?? '',
    ])
      assert.deepEqual(await found({ q }), [one?.caseId], q)
    assert.deepEqual(await found({ q: `given${letters}`, sort: '-name' }), idsOf(3, 0, 2, 1))
    assert.deepEqual(await found({ q: 'nobody has this name' }), [])
  })

  it('finds cases by the first and the last name, with another name in between', async () => {
    const name = { firstName: 'Anna', middleName: 'Beate', lastName: `van Dyck${letters}` }
    const { caseId } = await newCase({}, name)
    const q = `anna van dyck${letters}`
    const { records } = await read(CASES, { q })
    assert.deepEqual(
      records.map((one: Fields) => one['caseId']),
      [caseId],
    )
    const everything = JSON.stringify(await read('/admin/v1/search', { q }))
    assert.ok(everything.includes(caseId), everything)
  })

  it('filters by last update', async () => {
    const { updatedAt } = (await read(CASES, { company: owner.name, status: 'closed' }))['records'][0]
    assert.deepEqual(await found({ updatedSince: updatedAt }), idsOf(3))
    const updated = await found({ updatedSince: dayFromNow(-1) })
    assert.equal(updated.length, 4)
    assert.deepEqual(updated, await found({ updatedSince: dayFromNow(-1), sort: 'updatedAt' }))
    assert.deepEqual(await found({ updatedSince: dayFromNow(1) }), [])
  })

  it('returns pages in every order and in both directions, with the total', async () => {
    const company = owner.companyId
    assert.deepEqual(await walk(CASES, { company, sort: 'createdAt' }, 'caseId'), idsOf(0, 1, 2, 3))
    assert.deepEqual(await walk(CASES, { company, sort: '-createdAt' }, 'caseId'), idsOf(3, 2, 1, 0))
    assert.deepEqual(await walk(CASES, { company, sort: '-updatedAt' }, 'caseId'), idsOf(3, 2, 1, 0))
    assert.deepEqual(await walk(CASES, { company, sort: 'name' }, 'caseId'), idsOf(1, 2, 0, 3))
    assert.equal((await walk(CASES, { company, sort: '-dueDate' }, 'caseId')).length, 4)
    assert.equal((await walk(CASES, { company }, 'caseId')).length, 4)
  })

  it('has cursors that are valid for the same filters, order and client only', async () => {
    const { nextCursor } = await read(CASES, { company: owner.name, maxRecords: 1 })
    for (const query of [{}, { company: other.name }, { company: owner.name, sort: 'name' }] as Query[])
      await expectProblem(list(CASES, { ...query, nextCursor }), 400, 'invalid-cursor')
    const { token } = await ownToken(['desk:read'])
    await expectProblem(list(CASES, { company: owner.name, nextCursor }, { token }), 400, 'invalid-cursor')
  })

  it('rejects invalid filters, and names them', async () => {
    await expectInvalid(
      list(CASES, { status: 'done', due: '8', sort: 'status', vip: 'maybe', updatedSince: 'yesterday' }),
      '/status',
      '/due',
      '/sort',
      '/vip',
      '/updatedSince',
    )
    await expectInvalid(list(CASES, { hostCountry: 'Germany', maxRecords: 0 }), '/hostCountry', '/maxRecords')
    await expectInvalid(list(CASES, { assignee: 'me' }), '/assignee')
  })

  it('knows who `me` is for a person', async () => {
    const visitor = await createPerson()
    const { status, body } = await visitor.get(`${CASES}?assignee=me`)
    assert.deepEqual([status, body.records, body.total], [200, [], 0])
  })

  it('shows a limited caller the cases of its companies only', async () => {
    const { token } = await limitedTo(other)
    const all = await read(CASES, { sort: 'name' }, { token })
    assert.deepEqual(
      all['records'].map((one: Fields) => one['caseId']),
      idsOf(3),
    )
    assert.equal(all['total'], 1)
    assert.deepEqual(await found({ company: owner.name }, { token }), [])
    assert.deepEqual(await found({ company: other.name, q: `capek${letters}` }, { token }), [])
    assert.deepEqual(await found({ company: other.name, q: `dubois${letters}` }, { token }), idsOf(3))
  })
})

describe(`GET ${APPLICANTS}: filters`, () => {
  it('filters by company, nationality and status, alone and together', async () => {
    const owner = await company()
    const add = async (fields: Fields) =>
      (await family(person({ lastName: `Filter${letters}`, sendingCompany: owner.code, ...fields }))).id
    const german = await add({ firstName: 'a', nationality: 'deu', status: 'X' })
    const french = await add({ firstName: 'b', nationality: 'FR' })
    const none = await add({ firstName: 'c', nationality: null })
    const find = async (query: Query) =>
      (await read(APPLICANTS, query))['records'].map((one: Fields) => one['applicantId'])
    assert.deepEqual(await find({ company: owner.name }), [german, french, none])
    assert.deepEqual(await find({ company: owner.companyId, nationality: 'DE' }), [german])
    assert.deepEqual(await find({ company: owner.companyId, nationality: 'fra' }), [french])
    assert.deepEqual(await find({ company: owner.companyId, status: 'a' }), [french, none])
    assert.deepEqual(await find({ q: `filter${letters}`, status: 'X' }), [german])
    assert.deepEqual(await find({ q: `filter${letters}`, nationality: 'DE', status: 'X' }), [german])
    assert.deepEqual(await find({ name: `b filter${letters}`, company: owner.name }), [french])
    assert.ok((await find({ nationality: 'DEU', status: 'X', maxRecords: 1000 })).includes(german))
    assert.deepEqual(await find({ company: newName('No such company') }), [])
    assert.deepEqual(await walk(APPLICANTS, { company: owner.name }, 'applicantId'), [german, french, none])
    const [row] = (await read(APPLICANTS, { company: owner.name }))['records']
    assert.deepEqual([row.status, row.nationality, row.sendingCompany], ['X', 'deu', owner.code])
    await expectInvalid(list(APPLICANTS, { status: 'AB' }), '/status')
  })
})

describe(`GET ${DOCUMENTS} and ${EXPIRING}`, () => {
  let owner: Company
  let primary: Fields
  let dependent: Fields
  let caseId = ''
  let uploaded = ''
  const documents: Record<string, string> = {}

  before(async () => {
    owner = await company()
    const made = await family(
      person({
        firstName: 'Zoë',
        lastName: `Paper${letters}`,
        sendingCompany: owner.name,
        passports: [
          { passportNumber: 'OLD', country: 'IE', expiryDate: dayFromNow(-900) },
          { passportNumber: 'NEW', country: 'IE', expiryDate: dayFromNow(7) },
          { passportNumber: 'US1', country: 'US', expiryDate: dayFromNow(-3) },
        ],
        documents: [
          { name: `Permit ${letters}`, referenceNumber: `RP-${letters}/1`, expiryDate: dayFromNow(50) },
          { name: `Visa ${letters}`, expiryDate: dayFromNow(-10) },
          { name: `Diploma ${letters}`, referenceNumber: `D ${letters}` },
        ],
      }),
      [child({ passports: [{ passportNumber: 'KID', country: 'IE', expiryDate: dayFromNow(88) }] })],
    )
    primary = made.primary
    dependent = made.dependents[0] as Fields
    for (const document of primary['documents']) documents[document.name.split(' ')[0]] = document.documentId
    const companies = { hostCompany: owner.name, sendingCompany: owner.name, billingCompany: owner.name }
    caseId = (await newCase(companies, { employeeNumber: made.number, lastName: `Paper${letters}` })).caseId
    uploaded = (await expectOk(upload(caseId)))['documentId']
  })

  const idsOf = (page: Fields) => page['records'].map((one: Fields) => one['documentId'] ?? one['passportId'])
  const ofPerson = async (query: Query) =>
    idsOf(await read(DOCUMENTS, { applicantId: primary['applicantId'], ...query }))

  it('lists documents by expiry date, those that never expire last', async () => {
    const { Visa, Permit, Diploma } = documents
    const all = await ofPerson({})
    assert.deepEqual(all.slice(0, 2), [Visa, Permit])
    assert.deepEqual(all.slice(2).sort(), [Diploma, uploaded].sort())
    assert.deepEqual(await ofPerson({ sort: '-expiryDate' }), all.toReversed())
    assert.equal((await ofPerson({ sort: '-updatedAt' }))[0], uploaded)
    const query = { applicantId: primary['applicantId'], sort: 'expiryDate' }
    assert.deepEqual(await walk(DOCUMENTS, query, 'documentId'), all)
  })

  it('returns documents as reads do, with the name of the person', async () => {
    const { records } = await read(DOCUMENTS, { caseId })
    const { applicant, ...document } = records[0]
    assert.deepEqual(document, (await call({ path: `/v2/document/${encodeURIComponent(uploaded)}` })).body)
    const { applicantId, employeeNumber } = primary
    assert.deepEqual(applicant, {
      applicantId,
      employeeNumber,
      firstName: 'Zoë',
      lastName: `Paper${letters}`,
    })
  })

  it('filters documents by status, type, country code, expiry and file', async () => {
    const { Visa, Permit, Diploma } = documents
    assert.deepEqual(await ofPerson({ status: 'expired' }), [Visa])
    assert.deepEqual(await ofPerson({ status: 'expiring' }), [Permit])
    assert.deepEqual((await ofPerson({ status: 'active' })).sort(), [Diploma, uploaded].sort())
    assert.deepEqual(await ofPerson({ type: 'case document' }), [uploaded])
    assert.deepEqual(await ofPerson({ countryCode: 'DE' }), [uploaded])
    assert.deepEqual(await ofPerson({ countryCode: 'US' }), [])
    assert.deepEqual(await ofPerson({ hasFile: true }), [uploaded])
    assert.deepEqual(await ofPerson({ hasFile: false, expiresFrom: dayFromNow(-10) }), [Visa, Permit])
    assert.deepEqual(await ofPerson({ expiresFrom: dayFromNow(50), expiresTo: dayFromNow(50) }), [Permit])
    assert.deepEqual(await ofPerson({ expiresTo: dayFromNow(49) }), [Visa])
    assert.deepEqual(await ofPerson({ status: 'expired', expiresFrom: dayFromNow(-9) }), [])
    assert.deepEqual(idsOf(await read(DOCUMENTS, { applicantId: UNKNOWN_ID })), [])
  })

  it('lists passports and documents that expire in one order', async () => {
    const byNumber = new Map<string, string>(
      primary['passports'].map((one: Fields) => [one['passportNumber'], one['passportId']]),
    )
    const kid = dependent['passports'][0].passportId
    const { Visa, Permit } = documents
    const find = async (query: Query) => idsOf(await read(EXPIRING, { company: owner.name, ...query }))
    const all = [Visa, byNumber.get('US1'), byNumber.get('NEW'), Permit, kid]
    assert.deepEqual(await find({}), all)
    assert.deepEqual(await find({ sort: '-expiryDate' }), all.toReversed())
    assert.deepEqual(await find({ within: 'expired' }), [Visa, byNumber.get('US1')])
    assert.deepEqual(await find({ within: '7' }), [byNumber.get('NEW')])
    assert.deepEqual(await find({ within: '30' }), [byNumber.get('NEW')])
    assert.deepEqual(await find({ within: '60' }), [byNumber.get('NEW'), Permit])
    assert.deepEqual(await find({ within: '90' }), [byNumber.get('NEW'), Permit, kid])
    assert.deepEqual(await find({ kind: 'document' }), [Visa, Permit])
    assert.deepEqual(await find({ expiresFrom: dayFromNow(7), expiresTo: dayFromNow(50) }), [
      byNumber.get('NEW'),
      Permit,
    ])
    assert.equal((await walk(EXPIRING, { company: owner.name }, 'expiryDate')).length, 5)
    const [visa, passport] = (await read(EXPIRING, { company: owner.name }))['records']
    assert.deepEqual(
      [visa.kind, visa.status, visa.name, visa.type, visa.expiryDate, visa.passportId],
      ['document', 'expired', `Visa ${letters}`, 'Applicant document', dayFromNow(-10), null],
    )
    assert.deepEqual(
      [passport.kind, passport.type, passport.country, passport.documentId, passport.applicant.lastName],
      ['passport', 'Passport', 'US', null, `Paper${letters}`],
    )
    assert.deepEqual(await find({ company: newName('No such company') }), [])
  })

  it('rejects invalid filters and cursors of other lists', async () => {
    await expectInvalid(
      list(DOCUMENTS, {
        status: 'old',
        countryCode: 'XX',
        expiresFrom: '2026-02-30',
        hasFile: 'x',
        sort: 'name',
      }),
      '/status',
      '/countryCode',
      '/expiresFrom',
      '/hasFile',
      '/sort',
    )
    for (const path of [DOCUMENTS, EXPIRING])
      await expectInvalid(list(path, { expiresFrom: '2026-02-02', expiresTo: '2026-02-01' }), '/expiresTo')
    await expectInvalid(list(EXPIRING, { kind: 'visa', within: '31' }), '/kind', '/within')
    const { nextCursor } = await read(EXPIRING, { company: owner.name, maxRecords: 1 })
    for (const path of [DOCUMENTS, EXPIRING])
      await expectProblem(list(path, { nextCursor }), 400, 'invalid-cursor')
  })

  it('shows a limited caller what belongs to its companies only', async () => {
    const { token } = await limitedTo(owner)
    assert.deepEqual(
      idsOf(await read(EXPIRING, {}, { token })),
      idsOf(await read(EXPIRING, { company: owner.name })),
    )
    assert.equal((await read(DOCUMENTS, {}, { token }))['total'], 4)
    const stranger = await limitedTo(await company())
    for (const path of [DOCUMENTS, EXPIRING, CASES]) {
      const { records, total } = await read(path, {}, { token: stranger.token })
      assert.deepEqual([records, total], [[], 0])
    }
  })

  it('counts them in GET /admin/v1/overview', async () => {
    const { token } = await limitedTo(owner)
    const overview = await expectOk(call({ path: '/admin/v1/overview', token }))
    assert.deepEqual(overview, {
      cases: { open: 1, pending: 0, overdue: 0, dueThisWeek: 0, unassigned: 1 },
      expiring: { expired: 2, in7: 1, in30: 1, in60: 2, in90: 3 },
      failingWebhooks: 0,
      heldImports: 0,
    })
    const all = await expectOk(call({ path: '/admin/v1/overview' }))
    assert.ok(all['cases'].open >= 1 && all['expiring'].in90 >= 3)
  })

  describe('GET /admin/v1/search', () => {
    const search = (q: string, rest: Partial<Call> = {}) => read('/admin/v1/search', { q }, rest)
    const ids = (records: Fields[], id: string) => records.map(one => one[id])

    it('finds people, cases, documents and companies, the best first', async () => {
      const byName = await search(`paper${letters}`)
      assert.deepEqual(ids(byName['people'], 'applicantId'), [primary['applicantId']])
      assert.deepEqual(ids(byName['cases'], 'caseId'), [caseId])
      assert.deepEqual([byName['documents'], byName['companies']], [[], []])
      const byNumber = await search(primary['employeeNumber'])
      assert.deepEqual(ids(byNumber['people'], 'applicantId'), [primary['applicantId']])
      assert.deepEqual(ids(byNumber['cases'], 'caseId'), [caseId])
      assert.deepEqual(ids((await search(caseId))['cases'], 'caseId'), [caseId])
      for (const q of [`rp ${letters} 1`, `permit-${letters}`])
        assert.deepEqual(ids((await search(q))['documents'], 'documentId'), [documents['Permit']], q)
      for (const q of [owner.name, owner.code, owner.name.toUpperCase()])
        assert.equal((await search(q))['companies'][0].companyId, owner.companyId)
    })

    it('finds cases by their process', async () => {
      const made = await newCase({ processName: `Relocation ${letters} plus` })
      const { cases } = await search(`relocation ${letters}`)
      assert.deepEqual(ids(cases, 'caseId'), [made.caseId])
    })

    it('finds companies whatever the accents, apostrophes and hyphens of their name', async () => {
      const { companyId } = await company({ name: `O’Neil–Łódź & Søn ${letters}` })
      for (const q of [`o'neil-lodz & son ${letters}`, `oneil lodz`])
        assert.ok(ids((await search(q))['companies'], 'companyId').includes(companyId), q)
    })

    it('returns at most ten of each', async () => {
      const lastName = `Crowd${letters}`
      for (let count = 0; count < 12; count++) await newCase({}, { lastName })
      const { people, cases } = await search(lastName)
      assert.deepEqual([people.length, cases.length], [10, 10])
    })

    it('shows a limited caller what belongs to its companies only', async () => {
      const { token } = await limitedTo(await company())
      for (const q of [`paper${letters}`, primary['employeeNumber'], caseId, `permit ${letters}`, owner.name])
        assert.deepEqual(await search(q, { token }), { people: [], cases: [], documents: [], companies: [] })
      const own = await limitedTo(owner)
      const { people, cases } = await search(`paper${letters}`, own)
      assert.deepEqual([people.length, cases.length], [1, 1])
      assert.equal((await search(`permit ${letters}`, own))['documents'].length, 1)
    })

    it('rejects a missing or invisible text', async () => {
      await expectInvalid(call({ path: '/admin/v1/search' }), '/q')
      await expectInvalid(list('/admin/v1/search', { q: ' ' }), '/q')
    })
  })
})
