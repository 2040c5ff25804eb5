// Imports: files of people, checked row by row with the rules of single requests and then applied.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Company, company, newName, UNKNOWN_ID } from './case-factories.ts'
import { type Call, call, credentials } from './client.ts'
import { type Caller, clientAt, limitedTo } from './company-factories.ts'
import {
  byId,
  byNumber,
  child,
  everyField,
  expectInvalid,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newNumber,
  patch,
  person,
  post,
  put,
  retiredNumber,
} from './people.ts'
import { createPerson, userAt } from './visitors.ts'

const IMPORTS = '/v2/imports'
const NDJSON = 'application/x-ndjson'
const CSV = 'text/csv'
const importAt = (id: string, rest = '') => `${IMPORTS}/${encodeURIComponent(id)}${rest}`

const ndjson = (rows: unknown[]) =>
  rows.map(row => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('')

interface Sending extends Partial<Call> {
  query?: Record<string, string>
  type?: string
  wait?: number
}

const send = (
  body: string | Buffer,
  { query = {}, type = NDJSON, wait = 60, headers = {}, ...rest }: Sending = {},
) =>
  call({
    method: 'POST',
    path: `${IMPORTS}?${new URLSearchParams(query)}`,
    body,
    ...rest,
    headers: { 'content-type': type, ...(wait > 0 && { prefer: `wait=${wait}` }), ...headers },
  })

/** Sends rows and returns the import at its end. */
const importRows = (rows: unknown[], rest: Sending = {}) => expectOk(send(ndjson(rows), rest))
const importCsv = (text: string, rest: Sending = {}) => expectOk(send(text, { type: CSV, ...rest }))

const rowsOf = async ({ importId }: Fields, query = '', rest: Partial<Call> = {}): Promise<Fields[]> =>
  (await expectOk(get(importAt(importId, `/rows?maxRecords=1000&${query}`), rest)))['records']

const read = async (number: string, rest: Partial<Call> = {}) => expectOk(get(byNumber(number), rest))
const dependentsOf = async (number: string) =>
  (await expectOk(get(`${byNumber(number)}/dependents`))) as Fields[]

const familyOf = (fields: Fields = {}, dependents?: Fields[]) => ({
  primaryApplicant: person(fields),
  ...(dependents && { dependents }),
})
const outcomesOf = (rows: Fields[]) => rows.map(({ row, outcome }) => [row, outcome])
const release = (importId: string, rest: Partial<Call> = {}) =>
  call({
    method: 'POST',
    path: importAt(importId, '/release'),
    headers: { prefer: 'wait=60' },
    ...rest,
  })
const cancel = (importId: string, rest: Partial<Call> = {}) =>
  call({ method: 'POST', path: importAt(importId, '/cancel'), ...rest })

describe('POST /v2/imports', () => {
  it('creates families with every field, as PUT by number does', async () => {
    const row = { primaryApplicant: everyField(), dependents: [child(), child({ firstName: 'Cleo' })] }
    const done = await importRows([row])
    assert.equal(done['status'], 'completed', JSON.stringify(done))
    assert.equal(done['counts'].created, 1)
    const imported = await read(row.primaryApplicant['employeeNumber'])
    const other = everyField()
    await expectOk(put(byNumber(other['employeeNumber']), { primaryApplicant: other, dependents: [] }))
    const single = await read(other['employeeNumber'])
    const comparable = (record: Fields) =>
      JSON.stringify(record, (key, value) =>
        /^(\w+Id|employeeNumber|createdAt|updatedAt)$/.test(key) ? undefined : value,
      )
    assert.equal(comparable(imported), comparable(single))
    assert.deepEqual(
      (await dependentsOf(row.primaryApplicant['employeeNumber'])).map(one => one['firstName']),
      ['Ben', 'Cleo'],
    )
    const [result] = await rowsOf(done)
    assert.equal(result?.['applicantId'], imported['applicantId'])
    assert.equal(result?.['applied'], true)
  })

  it('responds with 202, Location and the counts before the rows are applied', async () => {
    const row = familyOf()
    const { status, headers, body } = await send(ndjson([row]), { wait: 0 })
    assert.equal(status, 202)
    assert.equal(headers.get('location'), importAt(body.importId))
    assert.equal(headers.get('preference-applied'), null)
    assert.equal(body.counts.total, 1)
    const end = await expectOk(get(importAt(body.importId), { headers: { prefer: 'wait=60' } }))
    assert.equal(end['status'], 'completed')
  })

  it('waits as long as the client prefers', async () => {
    const { headers, body } = await send(ndjson([familyOf()]))
    assert.equal(headers.get('preference-applied'), 'wait=60')
    assert.equal(body.status, 'completed')
  })

  it('changes nothing when the same file comes again', async () => {
    const rows = Array.from({ length: 30 }, () =>
      familyOf({ passports: [{ passportNumber: 'P1' }] }, [child()]),
    )
    const first = await importRows(rows)
    assert.equal(first['counts'].created, 30)
    const number = rows[0]?.primaryApplicant['employeeNumber']
    const before = await get(byNumber(number))
    const second = await importRows(rows)
    assert.deepEqual(second['counts'], { ...first['counts'], created: 0, unchanged: 30 })
    const after = await get(byNumber(number))
    assert.equal(after.headers.get('etag'), before.headers.get('etag'))
  })

  it('lists what changes by pointers', async () => {
    const { number, primary, dependents } = await family(
      person({
        jobTitle: 'Cook',
        passports: [{ passportNumber: 'A1', country: 'DE' }, { passportNumber: 'B2' }],
      }),
      [child(), child({ firstName: 'Cleo' })],
    )
    const [first, second] = primary['passports']
    const row = {
      primaryApplicant: {
        ...primary,
        jobTitle: 'Chef',
        passports: [{ ...first, expiryDate: '2031-01-01' }, { passportNumber: 'C3' }],
      },
      dependents: [
        { ...dependents[0], cityOfBirth: 'Bonn' },
        { firstName: 'Dora', lastName: 'S', relationship: 'Child' },
      ],
    }
    const [result] = await rowsOf(await importRows([row]))
    assert.equal(result?.['outcome'], 'updated')
    assert.deepEqual(
      result?.['changed'].sort(),
      [
        '/dependents/0/cityOfBirth',
        '/dependents/1',
        `/dependents/${dependents[1]?.['applicantId']}`,
        '/primaryApplicant/jobTitle',
        '/primaryApplicant/passports/-',
        `/primaryApplicant/passports/${first.passportId}/expiryDate`,
        `/primaryApplicant/passports/${second.passportId}`,
      ].sort(),
    )
    assert.equal((await read(number))['jobTitle'], 'Chef')
  })

  it('merges with mode=merge: fields that are left out stay', async () => {
    const { number } = await family(person({ jobTitle: 'Cook', cityOfBirth: 'Bonn' }), [child()])
    const done = await importRows([{ primaryApplicant: { employeeNumber: number, jobTitle: 'Chef' } }], {
      query: { mode: 'merge' },
    })
    assert.equal(done['counts'].updated, 1)
    const record = await read(number)
    assert.deepEqual([record['jobTitle'], record['cityOfBirth']], ['Chef', 'Bonn'])
    assert.equal((await dependentsOf(number)).length, 1)
  })

  it('moves a dependent that a merge names, also where both families are in the file', async () => {
    const from = await family(person(), [child()])
    const to = await family()
    const applicantId = from.dependents[0]?.['applicantId']
    const done = await importRows(
      [
        { primaryApplicant: { employeeNumber: from.number, jobTitle: 'Cook' } },
        { primaryApplicant: { employeeNumber: to.number }, dependents: [{ applicantId }] },
      ],
      { query: { mode: 'merge' } },
    )
    assert.equal(done['counts'].updated, 2, JSON.stringify(await rowsOf(done)))
    assert.deepEqual(await dependentsOf(from.number), [])
    assert.equal((await dependentsOf(to.number))[0]?.['applicantId'], applicantId)
  })

  it('applies rows that depend on each other in the order of the file', async () => {
    const dependentNumber = newNumber('D')
    const { number, primary } = await family(person(), [child({ employeeNumber: dependentNumber })])
    const other = familyOf({}, [child({ employeeNumber: dependentNumber, firstName: 'Dora' })])
    const done = await importRows([{ primaryApplicant: primary, dependents: [] }, other])
    assert.deepEqual(
      [done['counts'].updated, done['counts'].created],
      [1, 1],
      JSON.stringify(await rowsOf(done)),
    )
    assert.deepEqual(await dependentsOf(number), [])
    const [moved] = await dependentsOf(other.primaryApplicant['employeeNumber'])
    assert.equal(moved?.['employeeNumber'], dependentNumber)
  })
})

describe('a row that is rejected', () => {
  it('has the problem that a single request gets, and leaves the others alone', async () => {
    const retired = await retiredNumber({ apiKey: credentials.apiKey })
    const taken = await family(person(), [child()])
    const takenNumber = taken.dependents[0]?.['employeeNumber']
    const passportId = (await family(person({ passports: [{ passportNumber: 'Z' }] }))).primary[
      'passports'
    ][0].passportId
    const cases: [string, Fields][] = [
      ['misspelled field', familyOf({ lastNmae: 'Smith' })],
      ['missing name', { primaryApplicant: { employeeNumber: newNumber(), firstName: 'A' } }],
      ['bad date', familyOf({ dateOfBirth: '2026-02-30' })],
      ['relationship of a primary', familyOf({ relationship: 'Child' })],
      ['number of a dependent', { primaryApplicant: person({ employeeNumber: takenNumber }) }],
      ['retired number', { primaryApplicant: person({ employeeNumber: retired }) }],
      ['number in use', familyOf({}, [child({ employeeNumber: takenNumber })])],
      ['item of another person', familyOf({ passports: [{ passportId, passportNumber: 'Z' }] })],
      [
        'dependent twice',
        familyOf({}, [child({ employeeNumber: 'SAME' }), child({ employeeNumber: 'SAME' })]),
      ],
      [
        'record of another family',
        familyOf({}, [child({ applicantId: taken.dependents[0]?.['applicantId'] })]),
      ],
      ['item id twice', familyOf({ passports: [{ passportId: 'abcd' }, { passportId: 'abcd' }] })],
    ]
    const good = familyOf()
    const done = await importRows([...cases.map(([, row]) => row), good])
    assert.deepEqual(
      [done['counts'].rejected, done['counts'].created],
      [cases.length, 1],
      JSON.stringify(await rowsOf(done)),
    )
    const rows = await rowsOf(done, 'outcome=rejected')
    for (const [index, [name, body]] of cases.entries()) {
      const single = await put(byNumber(body['primaryApplicant'].employeeNumber), body)
      const problem = rows[index]?.['problem']
      assert.deepEqual(
        [problem.status, problem.code, problem.errors],
        [single.status, single.body.code, single.body.errors],
        name,
      )
    }
    await read(good.primaryApplicant['employeeNumber'])
  })

  it('has the problem of a single merge with mode=merge', async () => {
    const known = await family(person({ jobTitle: 'Cook' }))
    const cases: Fields[] = [
      { primaryApplicant: { employeeNumber: newNumber(), jobTitle: 'Chef' } },
      { primaryApplicant: { employeeNumber: known.number, lastName: '' } },
      {
        primaryApplicant: {
          employeeNumber: (await family()).number,
          passports: [{ passportId: UNKNOWN_ID, passportNumber: '1' }],
        },
      },
      {
        primaryApplicant: { employeeNumber: (await family()).number },
        dependents: [{ applicantId: known.id }],
      },
    ]
    const done = await importRows(cases, { query: { mode: 'merge' } })
    const rows = await rowsOf(done, 'outcome=rejected')
    assert.equal(rows.length, cases.length, JSON.stringify(rows))
    for (const [index, body] of cases.entries()) {
      const single = await patch(byNumber(body['primaryApplicant'].employeeNumber), body)
      const problem = rows[index]?.['problem']
      assert.deepEqual(
        [problem.status, problem.code, problem.errors],
        [single.status, single.body.code, single.body.errors],
      )
    }
  })

  it('is one that is no JSON, too large, without a number, or the second of its number', async () => {
    const twice = familyOf()
    const huge = familyOf({ jobTitle: 'x'.repeat(10 * 1024 * 1024) })
    const done = await importRows([
      '{"primaryApplicant":',
      huge,
      { primaryApplicant: { firstName: 'A', lastName: 'B' } },
      twice,
      { ...twice, primaryApplicant: { ...twice.primaryApplicant, jobTitle: 'Chef' } },
    ])
    assert.deepEqual(outcomesOf(await rowsOf(done)), [
      [1, 'rejected'],
      [2, 'rejected'],
      [3, 'rejected'],
      [4, 'created'],
      [5, 'rejected'],
    ])
    const problems = (await rowsOf(done, 'outcome=rejected')).map(row => row['problem'])
    assert.deepEqual(
      problems.map(({ code, errors }) => [code, errors?.[0].pointer]),
      [
        ['invalid-request', undefined],
        ['payload-too-large', undefined],
        ['invalid-request', '/primaryApplicant/employeeNumber'],
        ['invalid-request', '/primaryApplicant/employeeNumber'],
      ],
    )
    assert.match(problems[3].errors[0].detail, /Row 4/)
    assert.equal((await read(twice.primaryApplicant['employeeNumber']))['jobTitle'], null)
  })

  it('is the second of two rows that use one id for new items', async () => {
    const passportId = `shared-${randomUUID()}`
    const rows = [1, 2].map(() => familyOf({ passports: [{ passportId, passportNumber: 'N' }] }))
    const done = await importRows(rows)
    assert.deepEqual([done['counts'].created, done['counts'].rejected], [1, 1], JSON.stringify(done))
    const [, second] = await rowsOf(done)
    assert.equal(second?.['problem'].code, 'unknown-reference')
  })
})

describe('a file that is rejected as a whole', () => {
  const rejected = async (body: string | Buffer, rest: Sending, detail: RegExp) => {
    const problem = await expectProblem(send(body, rest), 400, 'invalid-request')
    assert.match(problem['detail'], detail)
    return problem
  }

  it('is empty', async () => {
    await rejected('', {}, /no rows/)
  })

  it('is no UTF-8', async () => {
    const row = familyOf()
    const bytes = Buffer.concat([
      Buffer.from(ndjson([row])),
      Buffer.from('{"primaryApplicant":{"lastName":"M\xfcller"}}\n', 'latin1'),
    ])
    await rejected(bytes, {}, /not valid UTF-8.*line 2/)
    await expectProblem(get(byNumber(row.primaryApplicant['employeeNumber'])), 404, 'applicant-not-found')
  })

  it('ends in the middle of a row', async () => {
    const rows = ndjson([familyOf(), familyOf()])
    await rejected(rows.slice(0, -20), {}, /cut off/)
  })

  it('is cut off or broken gzip', async () => {
    const rows = Array.from({ length: 50 }, () => familyOf())
    const zipped = gzipSync(ndjson(rows))
    const headers = { 'content-encoding': 'gzip' }
    await rejected(zipped.subarray(0, zipped.length - 30), { headers }, /cut off/)
    await rejected(Buffer.from(ndjson(rows)), { headers }, /gzip/)
  })

  it('has an unknown column', async () => {
    const text = 'employeeNumber,fistName,passports[0].expirydate,metaData.x\nE1,A,,\n'
    const problem = await expectInvalid(send(text, { type: CSV }), '/fistName', '/passports[0].expirydate')
    const details = problem['errors'].map(({ detail }: Fields) => detail).join(' ')
    assert.match(details, /Did you mean firstName\?/)
    assert.match(details, /Did you mean passports\[0\]\.expiryDate\?/)
  })

  it('has a column twice, or no employee number', async () => {
    await expectInvalid(send('employeeNumber,lastName,lastName\n', { type: CSV }), '/lastName')
    await expectInvalid(send('firstName,lastName\nA,B\n', { type: CSV }), '/employeeNumber')
  })

  it('has a quote that is not closed', async () => {
    await rejected('employeeNumber,lastName\nE1,"Smith\n', { type: CSV }, /quote/)
  })

  it('is of another kind, or compressed otherwise', async () => {
    await expectProblem(send('{}', { type: 'application/json' }), 415, 'unsupported-media-type')
    await expectProblem(send('x', { headers: { 'content-encoding': 'br' } }), 415, 'unsupported-media-type')
  })

  it('shows as failed in the list', async () => {
    await rejected('{"primaryApplicant"', {}, /cut off/)
    const page = await expectOk(get(`${IMPORTS}?status=failed`))
    assert.match(page['records'][0].problem.detail, /cut off/)
  })
})

describe('a CSV file', () => {
  const [n1, n2] = [newNumber(), newNumber()]

  it('has comma, semicolon or tab, quotes, a byte order mark and any line ends', async () => {
    for (const [delimiter, end] of [
      [',', '\n'],
      [';', '\r\n'],
      ['\t', '\r'],
    ] as const) {
      const number = newNumber()
      const lines = [
        [
          'employeeNumber',
          'firstName',
          'lastName',
          'jobTitle',
          'passports[0].passportNumber',
          'passports[0].expiryDate',
          'metaData.costCentre',
          'documents[0].name',
          'documents[0].remindAboutRenewal',
        ],
        [number, 'Zoë', `"O'Neil ""Z""${delimiter} Jr."`, '', 'P1', '2031-02-28', '4711', 'Visa', 'yes'],
      ]
      const text = `\ufeff${lines.map(cells => cells.join(delimiter)).join(end)}${end}`
      const done = await importCsv(text)
      assert.equal(done['counts'].created, 1, JSON.stringify(await rowsOf(done)))
      const record = await read(number)
      assert.equal(record['lastName'], `O'Neil "Z"${delimiter} Jr.`)
      assert.equal(record['jobTitle'], null)
      assert.equal(record['passports'][0].expiryDate, '2031-02-28T00:00:00')
      assert.deepEqual([record['metaData'][0].tagName, record['metaData'][0].value], ['costCentre', '4711'])
      assert.equal(record['documents'][0].remindAboutRenewal, true)
    }
  })

  it('has dependents anywhere, which are the full set', async () => {
    const header = 'employeeNumber,primaryEmployeeNumber,relationship,firstName,lastName,dateOfBirth\n'
    const text = `${header},${n1},Child,Ben,S,2018-09-12\n${n1},,,Anna,S,\n${n2},,,Carl,T,\n,${n1},Child,Cleo,S,2019-01-01\n`
    const done = await importCsv(text)
    assert.equal(done['counts'].created, 2, JSON.stringify(await rowsOf(done)))
    assert.deepEqual(
      (await dependentsOf(n1)).map(one => one['firstName']),
      ['Ben', 'Cleo'],
    )
    const again = await importCsv(text)
    assert.equal(again['counts'].unchanged, 2)
    const fewer = await importCsv(`${header}${n1},,,Anna,S,\n,${n1},Child,Cleo,S,2019-01-01\n`)
    assert.equal(fewer['counts'].updated, 1)
    assert.deepEqual(
      (await dependentsOf(n1)).map(one => one['firstName']),
      ['Cleo'],
    )
    const without = await importCsv(`employeeNumber,firstName,lastName\n${n1},Anna,S\n`)
    assert.equal(without['counts'].unchanged, 1, 'a file without that column leaves dependents alone')
  })

  it('names the row of a dependent in errors, and rejects dependents of people it does not have', async () => {
    const number = newNumber()
    const header = 'employeeNumber,primaryEmployeeNumber,relationship,firstName,lastName,dateOfBirth\n'
    const text = `${header}${number},,,Anna,S,\n,${number},Child,Ben,S,2018-02-31\n,${newNumber()},Child,Dora,T,\n`
    const rows = await rowsOf(await importCsv(text))
    assert.deepEqual(outcomesOf(rows), [
      [1, 'rejected'],
      [3, 'rejected'],
    ])
    assert.equal(rows[0]?.['problem'].errors[0].pointer, '/dependents/0/dateOfBirth')
    assert.match(rows[0]?.['problem'].errors[0].detail, /^Row 2: /)
    assert.equal(rows[1]?.['problem'].errors[0].pointer, '/primaryEmployeeNumber')
  })

  it('merges: an empty cell is not mentioned, and dependents need no row of their primary', async () => {
    const { number } = await family(person({ jobTitle: 'Cook' }))
    const text = `employeeNumber,primaryEmployeeNumber,relationship,firstName,lastName,jobTitle\n${number},,,,,\n`
    const unchanged = await importCsv(text, { query: { mode: 'merge' } })
    assert.equal(unchanged['counts'].unchanged, 1, JSON.stringify(await rowsOf(unchanged)))
    const done = await importCsv(
      `employeeNumber;primaryEmployeeNumber;relationship;firstName;lastName\n;${number};Child;Ben;S\n`,
      { query: { mode: 'merge' } },
    )
    assert.equal(done['counts'].updated, 1, JSON.stringify(await rowsOf(done)))
    assert.equal((await dependentsOf(number))[0]?.['firstName'], 'Ben')
    assert.equal((await read(number))['jobTitle'], 'Cook')
  })

  it('rejects a row with more or fewer cells than the header', async () => {
    const number = newNumber()
    const rows = await rowsOf(await importCsv(`employeeNumber,firstName,lastName\nE1,A\n${number},A,B\n`))
    assert.deepEqual(outcomesOf(rows), [
      [1, 'rejected'],
      [2, 'created'],
    ])
  })
})

describe('gzip', () => {
  it('is unpacked', async () => {
    const rows = Array.from({ length: 20 }, () => familyOf())
    const done = await expectOk(send(gzipSync(ndjson(rows)), { headers: { 'content-encoding': 'gzip' } }))
    assert.equal(done['counts'].created, 20)
  })
})

describe('a dry run', () => {
  it('changes nothing, shows what would change, and is applied when it is released', async () => {
    const known = await family(person({ jobTitle: 'Cook' }))
    const added = familyOf()
    const rows = [{ primaryApplicant: { ...known.primary, jobTitle: 'Chef' } }, added, '{']
    const dry = await importRows(rows, { query: { dryRun: 'true' } })
    assert.deepEqual([dry['status'], dry['dryRun'], dry['releasedAt']], ['completed', true, null])
    assert.deepEqual(
      (await rowsOf(dry)).map(row => [row['outcome'], row['applied'], row['applicantId']]),
      [
        ['updated', false, known.id],
        ['created', false, null],
        ['rejected', false, null],
      ],
    )
    assert.equal((await read(known.number))['jobTitle'], 'Cook')
    await expectProblem(get(byNumber(added.primaryApplicant['employeeNumber'])), 404, 'applicant-not-found')
    const done = await expectOk(release(dry['importId']))
    assert.equal(done['status'], 'completed')
    assert.deepEqual(done['counts'], dry['counts'])
    assert.equal((await read(known.number))['jobTitle'], 'Chef')
    assert.deepEqual(
      (await rowsOf(done)).map(row => row['applied']),
      [true, true, false],
    )
    await expectProblem(release(dry['importId']), 409, 'import-not-releasable')
  })

  it('shows what the file says in a row to a caller that may read people', async () => {
    const known = await family(person({ jobTitle: 'Cook' }))
    const row = { primaryApplicant: { ...known.primary, jobTitle: 'Chef' } }
    const dry = await importRows([row, '{'], { query: { dryRun: 'true' } })
    const contentOf = (number: number, rest: Partial<Call> = {}) =>
      get(importAt(dry['importId'], `/rows/${number}`), rest)
    assert.deepEqual(await expectOk(contentOf(1)), { row: 1, content: row })
    for (const number of [2, 3])
      assert.deepEqual(await expectOk(contentOf(number)), { row: number, content: null })
    await expectProblem(contentOf(0), 400, 'invalid-request')
    await expectProblem(get(importAt(UNKNOWN_ID, '/rows/1')), 404, 'import-not-found')
    await expectProblem(contentOf(1, { scopes: ['applicants:write'] }), 403, 'insufficient-scope')
    await expectProblem(contentOf(1, { scopes: ['applicants:read'] }), 403, 'insufficient-scope')
  })

  it('shows the family of a CSV row with its dependents', async () => {
    const known = await family(person({ jobTitle: 'Cook' }))
    const file = [
      'employeeNumber,primaryEmployeeNumber,firstName,lastName,relationship',
      `${known.number},,Ada,Imported,`,
      `,${known.number},Kim,Imported,Child`,
    ].join('\n')
    const dry = await importCsv(file, { query: { dryRun: 'true' } })
    const { content } = await expectOk(get(importAt(dry['importId'], '/rows/1')))
    assert.equal(content.primaryApplicant.firstName, 'Ada')
    assert.equal(content.dependents[0].firstName, 'Kim')
  })

  it('is compared with the records as they are when it is released', async () => {
    const known = await family(person({ jobTitle: 'Cook' }))
    const rows = [{ primaryApplicant: known.primary }]
    const dry = await importRows(rows, { query: { dryRun: 'true' } })
    assert.equal(dry['counts'].unchanged, 1)
    await expectOk(patch(byNumber(known.number), { primaryApplicant: { jobTitle: 'Chef' } }))
    const done = await expectOk(release(dry['importId']))
    assert.deepEqual([done['counts'].unchanged, done['counts'].updated], [0, 1])
    assert.equal((await read(known.number))['jobTitle'], 'Cook')
  })

  it('can be cancelled', async () => {
    const row = familyOf()
    const dry = await importRows([row], { query: { dryRun: 'true' } })
    assert.equal((await expectOk(cancel(dry['importId'])))['status'], 'cancelled')
    assert.equal((await expectOk(cancel(dry['importId'])))['status'], 'cancelled')
    await expectProblem(release(dry['importId']), 409, 'import-not-releasable')
    await expectProblem(get(byNumber(row.primaryApplicant['employeeNumber'])), 404, 'applicant-not-found')
  })
})

describe('the guard', () => {
  let rows: { primaryApplicant: Fields; dependents: Fields[] }[]
  before(async () => {
    rows = Array.from({ length: 40 }, () => ({
      primaryApplicant: person({
        jobTitle: 'Cook',
        sendingCompany: 'Aurora',
        passports: [{ passportNumber: 'P' }],
      }),
      dependents: [child()],
    }))
    await importRows(rows)
  })
  const first = () => rows[0]?.primaryApplicant['employeeNumber']

  it('holds an import that takes values, dependents or companies from many, until it is released', async () => {
    const poorer = rows.map(({ primaryApplicant: { jobTitle: _job, ...rest } }, index) => ({
      primaryApplicant: { ...rest, ...(index < 30 ? { passports: [], sendingCompany: 'Borealis' } : {}) },
      dependents: [] as Fields[],
    }))
    const held = await importRows(poorer)
    assert.equal(held['status'], 'held', JSON.stringify(held))
    assert.equal(held['held'].limit, 25)
    assert.equal(held['held'].people, 40)
    const reasons = Object.fromEntries(
      held['held'].reasons.map((one: Fields) => [one['code'], one['people']]),
    )
    assert.deepEqual(reasons, { 'values-taken': 40, 'dependents-taken': 40, 'companies-taken': 30 })
    const [sample] = held['held'].reasons[0].samples
    assert.deepEqual([sample.row, sample.employeeNumber], [1, first()])
    assert.ok(sample.changed.includes('/primaryApplicant/jobTitle'), JSON.stringify(sample))
    assert.equal((await read(first()))['jobTitle'], 'Cook')
    assert.equal((await dependentsOf(first())).length, 1)
    const overview = await expectOk(get('/admin/v1/overview'))
    assert.ok(overview['heldImports'] >= 1)
    const list = await expectOk(get(`${IMPORTS}?status=held`))
    assert.ok(list['records'].some((one: Fields) => one['importId'] === held['importId']))
    const done = await expectOk(release(held['importId']))
    assert.deepEqual([done['status'], done['counts'].updated], ['completed', 40])
    assert.equal((await read(first()))['jobTitle'], null)
    await expectOk(release((await importRows(rows))['importId']))
  })

  it('lets pass another spelling of the same company', async () => {
    const { name, code, companyId } = await company({ code: newName('code') })
    const of = (sendingCompany: string) =>
      rows.map(({ primaryApplicant, dependents }) => ({
        primaryApplicant: { ...primaryApplicant, sendingCompany },
        dependents,
      }))
    // The first text names no company.
    for (const text of [name, code ?? '', companyId]) {
      const done = await importRows(of(text))
      assert.deepEqual([done['status'], done['held'], done['counts'].updated], ['completed', null, 40])
    }
    const left = await importRows(of('Nobody Ltd'))
    assert.deepEqual(
      [left['status'], left['held'].reasons.map((one: Fields) => one['code'])],
      ['held', ['companies-taken']],
    )
    await expectOk(release((await importRows(rows))['importId']))
  })

  it('names the person of a rejected row who exists', async () => {
    const number = first()
    const { importId } = await importRows([
      { primaryApplicant: { ...rows[0]?.primaryApplicant, dateOfBirth: '2023-02-30' }, dependents: [] },
      {
        primaryApplicant: { ...rows[0]?.primaryApplicant, employeeNumber: newNumber(), hireDate: 'x' },
        dependents: [],
      },
    ])
    const { records } = await expectOk(get(importAt(importId, '/rows?outcome=rejected')))
    assert.deepEqual(
      records.map((row: Fields) => row['applicantId']),
      [(await read(number))['applicantId'], null],
    )
  })

  it('lets pass what few people lose, and values that are replaced', async () => {
    const changed = rows.map(({ primaryApplicant, dependents }, index) => ({
      primaryApplicant: { ...primaryApplicant, jobTitle: index < 20 ? '' : 'Chef' },
      dependents,
    }))
    const done = await importRows(changed)
    assert.deepEqual([done['status'], done['held'], done['counts'].updated], ['completed', null, 40])
  })

  it('holds a released dry run that would take more than its check has found', async () => {
    const poorer = rows.map(({ primaryApplicant, dependents }) => ({
      primaryApplicant: { ...primaryApplicant, jobTitle: '' },
      dependents,
    }))
    await importRows(rows)
    await expectOk(release((await importRows(poorer))['importId']))
    const dry = await importRows(poorer, { query: { dryRun: 'true' } })
    assert.deepEqual([dry['held'], dry['counts'].unchanged], [null, 40])
    await importRows(rows)
    const held = await expectOk(release(dry['importId']))
    assert.equal(held['status'], 'held', JSON.stringify(held))
    assert.ok(held['held'].people > 25)
    assert.equal(held['progress'].applied, 0)
    assert.equal((await read(first()))['jobTitle'], 'Cook')
    const done = await expectOk(release(dry['importId']))
    assert.deepEqual([done['status'], done['counts'].updated], ['completed', 40])
    assert.equal((await read(first()))['jobTitle'], null)
    await importRows(rows)
  })

  it('shows the reasons of a dry run, and a held import can be cancelled', async () => {
    const poorer = rows.map(({ primaryApplicant }) => ({ primaryApplicant, dependents: [] }))
    const dry = await importRows(poorer, { query: { dryRun: 'true' } })
    assert.equal(dry['status'], 'completed')
    assert.equal(dry['held'].reasons[0].code, 'dependents-taken')
    const held = await importRows(poorer)
    assert.equal(held['status'], 'held')
    assert.equal((await expectOk(cancel(held['importId'])))['status'], 'cancelled')
    assert.equal((await dependentsOf(first())).length, 1)
    await expectProblem(release(held['importId']), 409, 'import-not-releasable')
  })
})

describe('Idempotency-Key on POST /v2/imports', () => {
  it('returns the first import again, and rejects another file', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const rows = ndjson([familyOf()])
    const first = await send(rows, { headers, wait: 0 })
    const second = await send(rows, { headers, wait: 0 })
    assert.equal(second.status, 202)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.equal(second.body.importId, first.body.importId)
    const third = await send(rows, { headers })
    assert.deepEqual([third.body.importId, third.body.status], [first.body.importId, 'completed'])
    await expectProblem(send(ndjson([familyOf()]), { headers }), 422, 'idempotency-key-reused')
    await expectProblem(send(rows, { headers, query: { mode: 'merge' } }), 422, 'idempotency-key-reused')
  })
})

describe('Idempotency-Key on a release and a cancellation', () => {
  it('returns the same again, and is rejected for another import', async () => {
    const dryRun = () => importRows([familyOf()], { query: { dryRun: 'true' } })
    const [one, other] = [await dryRun(), await dryRun()]
    for (const act of [release, cancel]) {
      const headers = { prefer: 'wait=60', 'idempotency-key': randomUUID() }
      const target = act === release ? one : other
      await expectOk(act(target['importId'], { headers }))
      const again = await act(target['importId'], { headers })
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
      assert.equal(again.body.importId, target['importId'])
      const another = act === release ? other : one
      await expectProblem(act(another['importId'], { headers }), 422, 'idempotency-key-reused')
    }
  })
})

describe('GET /v2/imports', () => {
  it('lists imports page by page, the latest first', async () => {
    const made: string[] = []
    for (let index = 0; index < 3; index++) made.unshift((await importRows([familyOf()]))['importId'])
    const first = await expectOk(get(`${IMPORTS}?maxRecords=2`))
    assert.deepEqual(
      first['records'].map((one: Fields) => one['importId']),
      made.slice(0, 2),
    )
    assert.ok(first['total'] >= 3)
    const second = await expectOk(get(`${IMPORTS}?maxRecords=2&nextCursor=${first['nextCursor']}`))
    assert.equal(second['records'][0].importId, made[2])
    const back = await expectOk(get(`${IMPORTS}?maxRecords=2&prevCursor=${second['prevCursor']}`))
    assert.deepEqual(back['records'], first['records'])
    await expectProblem(
      get(`${IMPORTS}?status=held&nextCursor=${first['nextCursor']}`),
      400,
      'invalid-cursor',
    )
    await expectProblem(get(`${IMPORTS}?status=unknown`), 400, 'invalid-request')
  })

  it('is 404 for an import that does not exist', async () => {
    for (const rest of ['', '/rows'])
      await expectProblem(get(importAt(UNKNOWN_ID, rest)), 404, 'import-not-found')
    await expectProblem(release(UNKNOWN_ID), 404, 'import-not-found')
    await expectProblem(cancel(UNKNOWN_ID), 404, 'import-not-found')
  })

  it('returns 304 while an import does not change', async () => {
    const { importId } = await importRows([familyOf()])
    const { headers } = await get(importAt(importId))
    const again = await get(importAt(importId), { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    assert.equal(again.status, 304)
  })

  it('is not cancelled after its end', async () => {
    const { importId } = await importRows([familyOf()])
    await expectProblem(cancel(importId), 409, 'import-ended')
  })
})

describe('GET /v2/imports/{importId}/rows', () => {
  let done: Fields
  let number: string
  before(async () => {
    const rows = Array.from({ length: 5 }, () => familyOf())
    number = rows[0]?.primaryApplicant['employeeNumber']
    done = await importRows([...rows, familyOf({ gender: 'many' })])
  })

  it('returns pages in the order of the file', async () => {
    const path = (query: string) => importAt(done['importId'], `/rows?${query}`)
    const first = await expectOk(get(path('maxRecords=4')))
    assert.deepEqual(
      first['records'].map((row: Fields) => row['row']),
      [1, 2, 3, 4],
    )
    assert.equal(first['total'], 6)
    const second = await expectOk(get(path(`maxRecords=4&nextCursor=${first['nextCursor']}`)))
    assert.deepEqual(
      second['records'].map((row: Fields) => row['row']),
      [5, 6],
    )
    assert.equal(second['nextCursor'], null)
    const back = await expectOk(get(path(`maxRecords=4&prevCursor=${second['prevCursor']}`)))
    assert.deepEqual(back['records'], first['records'])
    const rejected = await expectOk(get(path('outcome=rejected')))
    assert.deepEqual([rejected['total'], rejected['records'][0].row], [1, 6])
  })

  it('rejects a cursor that was altered', async () => {
    const { importId } = await importRows([familyOf()])
    await expectProblem(get(importAt(importId, '/rows?nextCursor=AAAA')), 400, 'invalid-cursor')
  })

  it('streams NDJSON and CSV', async () => {
    const rows = await rowsOf(done)
    const lines = await get(importAt(done['importId'], '/rows'), { headers: { accept: NDJSON } })
    assert.deepEqual(
      lines.bytes
        .toString()
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
      rows,
    )
    const csv = await get(importAt(done['importId'], '/rows?outcome=created'), { headers: { accept: CSV } })
    const [header, first, ...rest] = csv.bytes.toString().trimEnd().split('\r\n')
    assert.equal(header, 'row,employeeNumber,applicantId,outcome,applied,changed,code,detail')
    assert.match(first ?? '', new RegExp(`^1,${number},[^,]+,created,true,/primaryApplicant,,$`))
    assert.equal(rest.length, 4)
  })

  it('has no cell in CSV that a spreadsheet takes for a formula', async () => {
    const formula = `=1+${newNumber()}`
    const { importId } = await importRows([familyOf({ employeeNumber: formula })])
    const csv = await get(importAt(importId, '/rows'), { headers: { accept: CSV } })
    assert.ok(csv.bytes.toString().includes(`\n1,'${formula},`), csv.bytes.toString())
  })

  it('has ids in CSV as they are, also one that begins with a hyphen', async () => {
    const applicantId = `-${randomUUID()}`
    const primary = person({ employeeNumber: newNumber() })
    await expectOk(put(byId(applicantId), { primaryApplicant: primary }))
    const { importId } = await importRows([familyOf({ ...primary, jobTitle: 'Engineer' })])
    const csv = await get(importAt(importId, '/rows'), { headers: { accept: CSV } })
    assert.ok(csv.bytes.toString().includes(`\n1,${primary['employeeNumber']},${applicantId},updated,true,`))
  })
})

describe('an import by a caller who is limited to a company', () => {
  let own: Company
  let foreign: Company
  let caller: Caller
  let stranger: Caller
  before(async () => {
    own = await company()
    foreign = await company()
    caller = await limitedTo(own)
    stranger = await limitedTo(foreign)
  })

  it('creates people of that company, and rejects rows of others', async () => {
    const theirs = await family(person({ sendingCompany: foreign.name }))
    const mine = familyOf()
    const done = await importRows(
      [
        mine,
        familyOf({ sendingCompany: foreign.name }),
        { primaryApplicant: { ...theirs.primary, sendingCompany: own.name, applicantId: '' } },
      ],
      { token: caller.token },
    )
    const rows = await rowsOf(done, '', { token: caller.token })
    assert.deepEqual(
      rows.map(({ outcome, problem }) => [outcome, problem?.code]),
      [
        ['created', undefined],
        ['rejected', 'unknown-company'],
        ['rejected', 'employee-number-in-use'],
      ],
    )
    assert.equal((await read(mine.primaryApplicant['employeeNumber'], caller))['sendingCompany'], own.name)
    assert.equal((await read(theirs.number))['sendingCompany'], foreign.name)
  })

  it('is not visible to callers of other companies', async () => {
    const { importId } = await importRows([familyOf()], { token: caller.token, query: { dryRun: 'true' } })
    const all = await importRows([familyOf()])
    const rest = { token: stranger.token }
    for (const id of [importId, all['importId']])
      for (const part of ['', '/rows'])
        await expectProblem(get(importAt(id, part), rest), 404, 'import-not-found')
    await expectProblem(release(importId, rest), 404, 'import-not-found')
    await expectProblem(cancel(importId, rest), 404, 'import-not-found')
    assert.deepEqual((await expectOk(get(IMPORTS, rest)))['records'], [])
    const seen = await expectOk(get(IMPORTS, { token: caller.token }))
    assert.ok(seen['records'].some((one: Fields) => one['importId'] === importId))
    assert.ok(!seen['records'].some((one: Fields) => one['importId'] === all['importId']))
    await expectOk(get(importAt(importId)))
  })

  it('is not released for a client or person that may not write its records any more', async () => {
    const { clientId, token } = await limitedTo(own, foreign)
    const { user, headers } = await createPerson({ roles: ['case-manager'] })
    const query = { dryRun: 'true' }
    const cases = [
      { by: { token }, path: clientAt(clientId), takes: { companies: [own.companyId] } },
      { by: { token }, path: clientAt(clientId), takes: { scopes: ['applicants:read'] } },
      { by: { scopes: null, headers: headers() }, path: userAt(user.userId), takes: { active: false } },
    ]
    for (const { by, path, takes } of cases) {
      const { companies, scopes, active } = await expectOk(get(path))
      const row = familyOf({ sendingCompany: own.name })
      const { importId } = await importRows([row], { ...by, query })
      await expectOk(patch(path, takes))
      await expectProblem(release(importId), 409, 'import-not-allowed')
      await expectProblem(get(byNumber(row.primaryApplicant['employeeNumber'])), 404, 'applicant-not-found')
      // It can be released once the caller has back what it lost.
      await expectOk(patch(path, 'active' in takes ? { active } : { companies, scopes }))
      assert.equal((await expectOk(release(importId)))['status'], 'completed')
    }
  })

  it('reports who of that company is missing, and changes none of them', async () => {
    const kept = await family(person({ sendingCompany: own.code }))
    const missing = await family(person({ sendingCompany: own.code }))
    const done = await importRows([{ primaryApplicant: kept.primary }], {
      token: caller.token,
      query: { complete: 'true' },
    })
    const rows = await rowsOf(done, 'outcome=missing', { token: caller.token })
    const found = rows.map(({ row, employeeNumber, applicantId }) => [row, employeeNumber, applicantId])
    assert.ok(found.some(one => JSON.stringify(one) === JSON.stringify([null, missing.number, missing.id])))
    assert.ok(!found.some(([, number]) => number === kept.number))
    assert.equal(done['counts'].missing, rows.length)
    const before = missing.primary['updatedAt']
    assert.equal((await read(missing.number))['updatedAt'], before)
  })
})

describe('an import of all people', () => {
  const missingIn = async (done: Fields) =>
    (await rowsOf(done, 'outcome=missing')).map(({ employeeNumber }) => employeeNumber)
  const query = { complete: 'true', dryRun: 'true', mode: 'merge' }

  it('does not report people as missing whose rows have too many cells or a NUL', async () => {
    const [long, nul, absent] = [await family(), await family(), await family()]
    const done = await importCsv(
      `employeeNumber,firstName,lastName\n${long.number},Ruth,Okafor,Jr.\n${nul.number},Ruth,Oka\0for\n`,
      { query },
    )
    const rows = await rowsOf(done, 'outcome=rejected')
    assert.deepEqual(
      rows.map(({ row, employeeNumber }) => [row, employeeNumber]),
      [
        [1, long.number],
        [2, nul.number],
      ],
    )
    const missing = await missingIn(done)
    assert.ok(missing.includes(absent.number))
    assert.ok(!missing.includes(long.number) && !missing.includes(nul.number))
    const json = JSON.stringify({ primaryApplicant: { employeeNumber: nul.number, lastName: 'X' } })
    const lines = await expectOk(send(`${json.replace('X', 'O\0')}\n`, { query }))
    assert.ok(!(await missingIn(lines)).includes(nul.number))
  })

  it('applies a row after one of the same number that cannot be read', async () => {
    const { number } = await family()
    const done = await importCsv(`employeeNumber,lastName\n${number},Okafor,Jr.\n${number},Okafor\n`, {
      query: { mode: 'merge' },
    })
    assert.deepEqual(outcomesOf(await rowsOf(done)), [
      [1, 'rejected'],
      [2, 'updated'],
    ])
  })
})

describe('the audit of an import', () => {
  it('has an entry of the import, and one of each person that changed', async () => {
    const row = familyOf({}, [child()])
    const done = await importRows([row])
    const { applicantId } = await read(row.primaryApplicant['employeeNumber'])
    const today = new Date().toISOString().slice(0, 10)
    const entries = async (recordId: string) =>
      (
        await expectOk(
          get(`/admin/v1/audit?startDate=${today}&endDate=${today}&recordId=${encodeURIComponent(recordId)}`),
        )
      )['records'] as Fields[]
    const [created] = await entries(done['importId'])
    assert.deepEqual([created?.['action'], created?.['operationId']], ['import.create', 'createImport'])
    const [person] = await entries(applicantId)
    assert.deepEqual(
      [person?.['action'], person?.['operationId'], person?.['requestId']],
      ['applicant.create', 'createImport', created?.['requestId']],
    )
    assert.ok(person?.['changes'].some(({ pointer }: Fields) => pointer === '/lastName'))
  })
})

describe('POST /v2/imports by other callers', () => {
  it('needs a token with applicants:write', async () => {
    const rows = ndjson([familyOf()])
    await expectProblem(send(rows, { scopes: null }), 401, 'token-required')
    await expectProblem(send(rows, { scopes: ['applicants:read'] }), 403, 'insufficient-scope')
    const { status, body } = await send(rows, { scopes: ['applicants:write'] })
    assert.deepEqual([status, body.counts.created], [202, 1])
  })

  it('rejects an unknown parameter', async () => {
    await expectInvalid(send(ndjson([familyOf()]), { query: { dryrun: 'true' } }), '/dryrun')
    await expectInvalid(
      post(`${IMPORTS}?mode=append`, ndjson([familyOf()]), { headers: { 'content-type': NDJSON } }),
      '/mode',
    )
  })
})
