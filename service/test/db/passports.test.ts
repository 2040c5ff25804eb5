import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { passportsOf } from '../../src/db/passports.ts'
import { countryKey } from '../../src/lib/countries.ts'
import { createTestDatabase } from '../support/harness.ts'

const { sql } = await createTestDatabase()

describe('passports that expire', () => {
  it('are the latest ones of each country, however it is spelled', async () => {
    const passports = [
      { passportId: 'old', country: 'DE', expiryDate: '2026-03-01T00:00:00' },
      { passportId: 'new', country: 'deu', expiryDate: '2036-03-01T00:00:00' },
      { passportId: 'french', country: 'FRA', expiryDate: '2027-01-01T00:00:00' },
      { passportId: 'endless', country: 'US', expiryDate: null },
    ]
    const rows = await sql`
      select passport_id as id, expires_on::text as day
      from ${passportsOf(sql, `'${JSON.stringify({ passports })}'::json`)} order by 1`
    assert.deepEqual(
      rows.map(({ id, day }) => [id, day]),
      [
        ['french', '2027-01-01'],
        ['new', '2036-03-01'],
      ],
    )
  })

  it('have the same keys of countries in the database as in the service', async () => {
    const letters = Array.from({ length: 26 }, (_, at) => String.fromCharCode(65 + at))
    const two = letters.flatMap(a => letters.map(b => a + b))
    const codes = [...two, ...two.flatMap(code => letters.map(letter => code + letter)), '', ' de ', 'Deu']
    const rows = await sql<{ code: string; key: string }[]>`
      select code, country_key(code) as key from unnest(${codes}::text[]) as code`
    assert.equal(rows.length, codes.length)
    assert.deepEqual(
      rows.filter(({ code, key }) => key !== countryKey(code)),
      [],
    )
  })
})
