import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Applicant,
  type ApplicantInput,
  duplicateIdErrorsOf,
  equal,
  identityMatches,
  LIST_NAMES,
  LISTS,
  type ListName,
  missingFieldErrorsOf,
  TEXT_FIELDS,
} from '../../src/applicants/applicant.ts'
import { merge as mergeWith, replace, unknownItemErrorsOf } from '../../src/applicants/applicant-changes.ts'
import {
  emailKey,
  numberKey,
  passportKey,
  searchable,
  searchKeysOf,
} from '../../src/applicants/search-keys.ts'
import { fold, foldSpelling } from '../../src/lib/fold.ts'
import { countingIds, input, text } from './arbitraries.ts'

const RUNS = { numRuns: 500 }

const merge = (current: Applicant, body: ApplicantInput, newId: () => string) =>
  mergeWith(current, body, { newId })

const made = (body: ApplicantInput): Applicant =>
  replace(body, { applicantId: 'applicant', newId: countingIds('made') })

const record = input().map(made)

/** A record and a merge into it. Its items name some items of the record by id, and describe others. */
const merging = record.chain(current =>
  fc.record({
    current: fc.constant(current),
    body: input(['id-1', 'id-2', 'id-3']).map(body => onlyKnownIds(current, body)),
  }),
)

/** An unknown id is rejected before the merge. */
function onlyKnownIds(current: Applicant, body: ApplicantInput): ApplicantInput {
  const known = { ...body }
  for (const name of LIST_NAMES) {
    const { id } = LISTS[name]
    const ids = new Set(current[name].map(item => item[id]))
    const items = body[name]
    if (items) known[name] = items.map(item => (ids.has(item[id] ?? null) ? item : { ...item, [id]: null }))
  }
  return known
}

/** Some order of items, another for each seed. */
function hash(item: object, seed: number): number {
  let sum = seed
  for (const char of JSON.stringify(item)) sum = (sum * 31 + char.charCodeAt(0)) | 0
  return sum
}

const never = () => assert.fail('no id is needed here')

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) frozen(member)
    Object.freeze(value)
  }
  return value
}

const IDENTITY: Record<ListName, string[]> = {
  metaData: ['tagName'],
  passports: ['passportNumber'],
  documents: ['name'],
  previousNames: ['lastName', 'firstName', 'middleName'],
}

/** Coarser than the matching of items: passports and documents may differ in country and reference. */
const identityOf = (name: ListName, item: Record<string, unknown>) =>
  JSON.stringify(IDENTITY[name].map(field => foldSpelling(String(item[field] ?? '').trim())))

describe('replace', () => {
  it('changes nothing where the body is what was read', () => {
    fc.assert(
      fc.property(record, read => {
        const again = replace(JSON.parse(JSON.stringify(read)), {
          applicantId: read.applicantId,
          newId: never,
        })
        assert.ok(equal(again, read))
        assert.deepEqual(again, read)
      }),
      RUNS,
    )
  })

  it('keeps ids and order where the body has the same items without ids, in any order', () => {
    fc.assert(
      fc.property(record, fc.integer(), (current, seed) => {
        const body = JSON.parse(JSON.stringify(current)) as ApplicantInput
        for (const name of LIST_NAMES) {
          const bare = (body[name] ?? []).map(item => ({ ...item, [LISTS[name].id]: undefined }))
          body[name] = bare.toSorted((a, b) => hash(a, seed) - hash(b, seed))
        }
        const again = replace(body, { applicantId: current.applicantId, newId: never, current })
        // Items that differ in nothing but their ids may change places.
        assert.ok(equal(again, current))
      }),
      RUNS,
    )
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(record, input([]), (current, body) => {
        const { applicantId } = current
        const once = replace(body, { applicantId, newId: countingIds('once'), current })
        assert.ok(equal(replace(body, { applicantId, newId: never, current: once }), once))
      }),
      { numRuns: 3_000 },
    )
  })

  it('keeps the employee number if the body has none, and sets it if the record has none', () => {
    const current = made({ employeeNumber: 'E-1' })
    const making = { applicantId: 'applicant', newId: never }
    assert.equal(replace({}, { ...making, current }).employeeNumber, 'E-1')
    assert.equal(replace({ employeeNumber: 'E-2' }, { ...making, current: made({}) }).employeeNumber, 'E-2')
  })

  it('returns a complete record: a field that is left out or null has its default', () => {
    fc.assert(
      fc.property(input(), body => {
        const whole = made(body)
        for (const field of TEXT_FIELDS) {
          const empty = field === 'status' ? 'A' : field === 'relationship' ? '' : null
          assert.equal(whole[field], body[field] ?? empty)
        }
        for (const name of LIST_NAMES) assert.equal(whole[name].length, body[name]?.length ?? 0)
      }),
      RUNS,
    )
  })

  it('keeps the ids and the order of items, and assigns an id to each that has none', () => {
    fc.assert(
      fc.property(input(), body => {
        const whole = made(body)
        for (const name of LIST_NAMES) {
          const { id, fields } = LISTS[name]
          for (const [index, item] of (body[name] ?? []).entries()) {
            const kept = whole[name][index] ?? {}
            if (item[id]) assert.equal(kept[id], item[id])
            for (const field of fields)
              assert.equal(kept[field], item[field] ?? (field === 'remindAboutRenewal' ? false : null))
          }
          const ids = whole[name].map(item => item[id])
          assert.ok(ids.every(one => typeof one === 'string' && one.length > 0))
          assert.equal(new Set(ids).size, ids.length)
        }
      }),
      RUNS,
    )
  })

  it('returns equal records for equal bodies, whatever the order of their members', () => {
    fc.assert(
      fc.property(input(), body => {
        const turned = Object.fromEntries(
          Object.entries(body)
            .reverse()
            .map(([key, value]) => [
              key,
              Array.isArray(value)
                ? value.map(item => Object.fromEntries(Object.entries(item).reverse()))
                : value,
            ]),
        )
        assert.ok(equal(made(body), made(turned)))
      }),
      RUNS,
    )
  })
})

describe('merge', () => {
  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(merging, ({ current, body }) => {
        const once = merge(current, body, countingIds())
        const twice = merge(once, body, never)
        assert.deepEqual(twice, once)
        assert.ok(equal(twice, once))
      }),
      { numRuns: 3_000 },
    )
  })

  it('changes nothing where the body is what was read, or is empty', () => {
    fc.assert(
      fc.property(record, current => {
        assert.ok(equal(merge(current, current, never), current))
        assert.ok(equal(merge(current, {}, never), current))
      }),
      RUNS,
    )
  })

  it('sets the fields in the body and changes no other', () => {
    fc.assert(
      fc.property(merging, ({ current, body }) => {
        const merged = merge(current, body, countingIds())
        assert.equal(merged.applicantId, current.applicantId)
        for (const field of TEXT_FIELDS) {
          const empty = field === 'status' ? 'A' : field === 'relationship' ? '' : null
          assert.equal(merged[field], body[field] === undefined ? current[field] : (body[field] ?? empty))
        }
        for (const name of LIST_NAMES)
          if (body[name] === undefined) assert.deepEqual(merged[name], current[name])
      }),
      RUNS,
    )
  })

  it('keeps the order and the ids of items, and changes no item that the body does not name', () => {
    fc.assert(
      fc.property(merging, ({ current, body }) => {
        const merged = merge(current, body, countingIds())
        for (const name of LIST_NAMES) {
          const { id } = LISTS[name]
          const items = body[name]
          if (!items) continue
          assert.deepEqual(
            merged[name].slice(0, current[name].length).map(item => item[id]),
            current[name].map(item => item[id]),
          )
          const named = new Set(items.map(item => item[id]).filter(Boolean))
          const described = new Set(items.filter(item => !item[id]).map(item => identityOf(name, item)))
          for (const [index, item] of current[name].entries())
            if (!named.has(item[id] ?? null) && !described.has(identityOf(name, item)))
              assert.deepEqual(merged[name][index], item)
        }
      }),
      RUNS,
    )
  })

  it('keeps the members that a merged item does not mention', () => {
    fc.assert(
      fc.property(merging, ({ current, body }) => {
        const merged = merge(current, body, countingIds())
        for (const name of LIST_NAMES) {
          const { id, fields } = LISTS[name]
          const items = body[name]
          if (!items) continue
          for (const [index, item] of current[name].entries()) {
            const touching = items.filter(
              one =>
                one[id] === item[id] ||
                (!one[id] && identityOf(name, one) === identityOf(name, merged[name][index] ?? {})),
            )
            for (const field of fields)
              if (touching.every(one => one[field] === undefined))
                assert.equal(merged[name][index]?.[field], item[field])
          }
        }
      }),
      RUNS,
    )
  })

  it('results in an item for each one in the body, and matches no stored item twice', () => {
    fc.assert(
      fc.property(merging, ({ current, body }) => {
        const merged = merge(current, body, countingIds())
        for (const name of LIST_NAMES) {
          const items = body[name]
          if (!items) continue
          const { id } = LISTS[name]
          const there = Map.groupBy(merged[name], item => identityOf(name, item))
          const asked = Map.groupBy(
            items.filter(item => !item[id]),
            item => identityOf(name, item),
          )
          for (const [identity, group] of asked) assert.ok((there.get(identity)?.length ?? 0) >= group.length)
          const ids = merged[name].map(item => item[id])
          assert.equal(new Set(ids).size, ids.length)
        }
      }),
      RUNS,
    )
  })

  it('clears fields that are null', () => {
    const nothing = Object.fromEntries([...TEXT_FIELDS, ...LIST_NAMES].map(name => [name, null]))
    fc.assert(
      fc.property(record, current => {
        assert.deepEqual(merge(current, nothing, never), made({}))
      }),
      RUNS,
    )
  })

  it('turns off a reminder that is null, and clears the other members of an item', () => {
    const current = made({ documents: [{ name: 'Visa', remindAboutRenewal: true, expiryReminder: 30 }] })
    const merged = merge(
      current,
      { documents: [{ name: 'Visa', remindAboutRenewal: null, expiryReminder: null }] },
      never,
    )
    assert.equal(merged.documents[0]?.['remindAboutRenewal'], false)
    assert.equal(merged.documents[0]?.['expiryReminder'], null)
  })

  it('does not mutate its arguments', () => {
    fc.assert(
      fc.property(merging, ({ current, body }) => {
        merge(frozen(current), frozen(body), countingIds())
        made(body)
      }),
      RUNS,
    )
  })
})

describe('the errors of a body', () => {
  it('are ids that are in a list twice', () => {
    const ids = fc.array(fc.constantFrom('', null, 'id-1', 'id-2'), { maxLength: 4 })
    fc.assert(
      fc.property(ids, fc.constantFrom(...LIST_NAMES), (given, name) => {
        const { id } = LISTS[name]
        const body = { [name]: given.map(one => ({ [id]: one })) }
        const twice = given.flatMap((one, index) =>
          one && given.indexOf(one) < index ? [`/at/${name}/${index}/${id}`] : [],
        )
        assert.deepEqual(
          duplicateIdErrorsOf(body, '/at').map(({ pointer }) => pointer),
          twice,
        )
      }),
    )
  })

  it('are, in a merge, the ids of items that the record does not have', () => {
    fc.assert(
      fc.property(record, input(), (current, body) => {
        const expected = LIST_NAMES.flatMap(name =>
          (body[name] ?? []).flatMap((item, index) =>
            item[LISTS[name].id] &&
            !current[name].some(known => known[LISTS[name].id] === item[LISTS[name].id])
              ? [`/at/${name}/${index}/${LISTS[name].id}`]
              : [],
          ),
        )
        assert.deepEqual(
          unknownItemErrorsOf({ record: current }, body, '/at').map(({ pointer }) => pointer),
          expected,
        )
      }),
    )
  })

  it('are names, and a dependent’s relationship, that are empty or blank', () => {
    const field = fc.constantFrom(null, '', ' ', '\u3000', 'x')
    fc.assert(
      fc.property(field, field, field, (firstName, lastName, relationship) => {
        const whole = made({ firstName, lastName, relationship })
        const blank = (['firstName', 'lastName', 'relationship'] as const).filter(name => whole[name] !== 'x')
        const pointers = (role: 'primary' | 'dependent') =>
          missingFieldErrorsOf(whole, { pointer: '', role }).map(({ pointer }) => pointer.slice(1))
        assert.deepEqual(pointers('dependent'), blank)
        assert.deepEqual(
          pointers('primary'),
          blank.filter(name => name !== 'relationship'),
        )
      }),
    )
  })
})

/** Names whose length or letters change with case, and combining marks. */
const names = fc.oneof(
  fc.constantFrom(
    'Stra\u00dfe', 'GRO\u1e9e', '\u0130nci', 'I\u015f\u0131k', '\u039f\u03b4\u03c5\u03c3\u03c3\u03b5\u03cd\u03c2', 'A\u030angstro\u0308m', '\ufb01n',
    '\u01c4emal', '\u1fb3', '\uff21\uff22', '\u1112\u1161\u11ab', 'd\u2019Arc', '\u212bsa', '\u0149', '\u1e97', 'o\u0323\u0302',
  ), // biome-ignore format: a table reads better than a column
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  // A combining iota in front of other marks has no upper case that means the same, in any language.
  fc.string({ unit: 'binary', maxLength: 6 }).map(odd => odd.replaceAll('\u0345', '')),
)

const variants: Record<string, (name: string) => string> = {
  'upper case': name => name.normalize('NFC').toUpperCase(),
  'lower case': name => name.normalize('NFC').toLowerCase(),
  'outer space': name => `\t ${name}\u00a0\u3000`,
  NFC: name => name.normalize('NFC'),
  NFD: name => name.normalize('NFD'),
  NFKC: name => name.normalize('NFKC'),
  NFKD: name => name.normalize('NFKD'),
}

describe('fold', () => {
  for (const [kind, change] of Object.entries(variants)) {
    it(`returns the same whatever the ${kind}`, () => {
      fc.assert(
        fc.property(names, name => assert.equal(fold(change(name)), fold(name))),
        { numRuns: 2_000 },
      )
    })
  }

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(names, name => assert.equal(fold(fold(name)), fold(name))),
      { numRuns: 2_000 },
    )
  })

  it('returns the same for the capital and the small sharp s', () => {
    assert.equal(fold('GRO\u1e9e'), fold('Gro\u00df'))
    assert.equal(fold('GROSS'), fold('Gro\u00df'))
  })

  it('returns different texts for different names', () => {
    for (const [one, other] of [
      ['Muller', 'M\u00fcller'],
      ['Anna', 'Anne'],
      ['Van Dyk', 'Vandyk'],
      ['\u0410', 'A'],
    ] as const)
      assert.notEqual(fold(one), fold(other))
  })
})

describe('identityMatches', () => {
  const person = { firstName: 'Zo\u00eb', lastName: 'Gro\u00df', dateOfBirth: '1990-05-31T00:00:00' }
  const known = made(person)

  it('ignores case, outer space, Unicode form and the time of day', () => {
    const variant = fc.constantFrom(...Object.values(variants))
    fc.assert(
      fc.property(
        names,
        names,
        variant,
        variant,
        fc.constantFrom('', 'T23:59:59', ' 01:00', 'T00:00:00Z'),
        (firstName, lastName, one, other, time) =>
          assert.ok(
            identityMatches(made({ ...person, firstName, lastName }), {
              firstName: one(firstName),
              lastName: other(lastName),
              dateOfBirth: `1990-05-31${time}`,
            }),
          ),
      ),
      RUNS,
    )
  })

  it('ignores accents, apostrophes, hyphens and spaces', () => {
    const stored = made({ ...person, firstName: 'Zoë-Łucja', lastName: 'D’Angelo Müller' })
    const claimed = { firstName: 'zoe lucja', lastName: "d'angelo-MULLER", dateOfBirth: '1990-05-31' }
    assert.ok(identityMatches(stored, claimed))
  })

  it('detects every other difference', () => {
    for (const wrong of [
      { firstName: 'Zoey' },
      { lastName: 'Gross-Klein' },
      { firstName: person.lastName, lastName: person.firstName },
      { dateOfBirth: '1990-05-30' },
      { dateOfBirth: '1991-05-31' },
      { firstName: '' },
    ])
      assert.equal(identityMatches(known, { ...person, ...wrong }), false, JSON.stringify(wrong))
  })

  it('compares only the names that are claimed', () => {
    assert.ok(identityMatches(known, { firstName: 'zo\u00eb', dateOfBirth: '1990-05-31' }))
  })

  it('never matches a record without a date of birth', () => {
    fc.assert(
      fc.property(text, dateOfBirth =>
        assert.equal(
          identityMatches(made({ ...person, dateOfBirth: null }), { ...person, dateOfBirth }),
          false,
        ),
      ),
    )
  })
})

describe('the search keys of a record', () => {
  it('are equal for every spelling of the same name', () => {
    fc.assert(
      fc.property(names, fc.constantFrom(...Object.values(variants)), (name, change) =>
        assert.equal(searchable(change(name)), searchable(name)),
      ),
      { numRuns: 2_000 },
    )
  })

  it('have no accents, no upper case, no punctuation and no space', () => {
    assert.equal(searchable('  M\u00dcLLER\t\u00a0 von  \u00c5 '), 'mullervona')
    for (const [name, key] of [
      ['\u0141ukasz', 'lukasz'],
      ['O\u2019Brien', 'obrien'],
      ["O'Brien", 'obrien'],
      ['Anne-Marie', 'annemarie'],
      ['Gro\u00df', 'gross'],
      ['S\u00f8ren \u0110or\u0111evi\u0107', 'sorendordevic'],
      ['\u00c6gir \u00de\u00f3r', 'aegirthor'],
      ['I\u015f\u0131k', 'isik'],
    ] as const)
      assert.equal(searchable(name), key)
    fc.assert(
      fc.property(names, name => {
        const key = searchable(name)
        // Text that is nothing but punctuation keeps it.
        if (!/[\p{L}\p{N}]/u.test(key)) return
        assert.doesNotMatch(key, /\p{M}|^\s|\s$/u)
        assert.equal(searchable(key), key)
      }),
      { numRuns: 2_000 },
    )
  })

  it('start with the folded prefix of a name', () => {
    const { name } = searchKeysOf(
      made({ firstName: 'Anna', lastName: '\u03a0\u03b1\u03c0\u03b1\u03c3\u03c4\u03b1\u03bc\u03bf\u03cd' }),
    )
    for (const text of [
      '\u03a0\u0391\u03a0\u0391\u03a3',
      '\u03c0\u03b1\u03c0\u03b1\u03c2',
      '\u03c0\u03b1\u03c0\u03b1\u03c3\u03c4',
    ])
      assert.ok(name.startsWith(searchable(text)), text)
    fc.assert(
      fc.property(names, names, fc.nat(30), (lastName, firstName, length) => {
        const whole = `${lastName} ${firstName}`
        const beginning = [...whole].slice(0, length).join('')
        // Text that is nothing but punctuation keeps it, modifier letters that serve as apostrophes included.
        if (!/(?![ʹ-ˁ])[\p{L}\p{N}]/u.test(searchable(beginning))) return
        assert.ok(searchKeysOf(made({ firstName, lastName })).name.startsWith(searchable(beginning)))
      }),
      { numRuns: 2_000 },
    )
  })

  it('are never longer than an index allows', () => {
    const long = '\u{20000}'.repeat(500)
    const { name, nameReversed, keys } = searchKeysOf(
      made({
        firstName: long,
        middleName: long,
        lastName: long,
        email: `${long}@x`,
        passports: [{ passportNumber: '\ufdfa'.repeat(64) }],
      }),
    )
    for (const key of [name, nameReversed, ...keys]) {
      assert.ok(Buffer.byteLength(key) <= 802)
      assert.ok(key.isWellFormed())
    }
    assert.equal(searchable(long), name)
  })

  it('are names in both orders, the number, e-mail addresses and passport numbers, each once and never empty', () => {
    const keys = searchKeysOf(
      made({
        employeeNumber: 'E-10',
        firstName: 'Zo\u00eb',
        middleName: '',
        lastName: 'M\u00fcller',
        email: 'Zoe@Example.com',
        alternateEmail: 'zoe@example.com',
        passports: [{ passportNumber: 'C01 X00' }, { passportNumber: 'c01-x00' }, { passportNumber: '' }, {}],
      }),
    )
    assert.deepEqual(keys, {
      name: 'mullerzoe',
      nameReversed: 'zoemuller',
      keys: ['e:zoe@example.com', 'p:c01x00', 'n:e-10'],
    })
  })

  it('distinguish e-mail addresses, passport numbers and employee numbers', () => {
    fc.assert(
      fc.property(names, name =>
        assert.equal(new Set([emailKey(name), passportKey(name), numberKey(name)]).size, 3),
      ),
    )
  })
})
