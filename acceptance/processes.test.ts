// Operations for operators on processes (templates of steps), and which process a new case follows.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { caseAt, newCase, newName, processAt } from './case-factories.ts'
import { call } from './client.ts'
import { expectInvalid, expectOk, expectProblem, type Fields, get, put } from './people.ts'

const LIST = '/admin/v1/processes'
const remove = (name: string) => call({ method: 'DELETE', path: processAt(name) })
const keep = (name: string, body: Fields) => expectOk(put(processAt(name), body))
const found = async (name: string): Promise<Fields[]> =>
  (await get(LIST)).body.filter((one: Fields) => one['name'].toLowerCase() === name.toLowerCase())
const stepsOf = ({ steps }: { steps: Fields[] }) => steps.map(step => step['name'])

describe('PUT /admin/v1/processes/{name}', () => {
  it('creates a process with 201 and replaces it with 200', async () => {
    const name = newName('Prozess für Ärzte / 100%')
    const created = await put(processAt(name), { caseType: 'X', hostCountry: 'DE', steps: ['b', 'a', 'b'] })
    assert.equal(created.status, 201)
    assert.ok(created.headers.get('location'))
    const { updatedAt, ...process } = created.body
    const dueDays = [null, null, null]
    assert.deepEqual(process, { name, caseType: 'X', hostCountry: 'DE', steps: ['b', 'a', 'b'], dueDays })
    assert.match(updatedAt, /Z$/)
    assert.deepEqual(await found(name), [created.body])

    const replaced = await put(processAt(name), { steps: ['c'] })
    assert.equal(replaced.status, 200)
    const { name: _name, updatedAt: _then, ...rest } = replaced.body
    assert.deepEqual(rest, { caseType: null, hostCountry: null, steps: ['c'], dueDays: [null] })
    assert.deepEqual(await found(name), [replaced.body])
    assert.equal((await remove(name)).status, 204)
  })

  it('changes nothing when the same process is sent again', async () => {
    const name = newName('Repeated')
    for (const body of [
      { steps: ['a'] },
      { caseType: 'X', hostCountry: 'de', steps: ['a', 'b'], dueDays: [3, null] },
    ]) {
      const first = await put(processAt(name), body)
      const again = await put(processAt(name), body)
      assert.equal(again.status, 200)
      assert.deepEqual(again.body, first.body)
      assert.deepEqual(await found(name), [first.body])
    }
  })

  it('stores the due days of each step, and replaces them', async () => {
    const name = newName('Process')
    const steps = ['a', 'b', 'c']
    assert.deepEqual((await keep(name, { steps, dueDays: [7, null, 0] }))['dueDays'], [7, null, 0])
    assert.deepEqual((await found(name))[0]?.['dueDays'], [7, null, 0])
    assert.deepEqual((await keep(name, { steps }))['dueDays'], [null, null, null])
    assert.deepEqual((await keep(name, { steps, dueDays: null }))['dueDays'], [null, null, null])
  })

  it('rejects due days that do not fit the steps', async () => {
    const at = processAt(newName('Process'))
    for (const dueDays of [[], [1], [1, 2, 3], 7])
      await expectInvalid(put(at, { steps: ['a', 'b'], dueDays }), '/dueDays')
    await expectInvalid(put(at, { steps: ['a', 'b'], dueDays: [-1, 1.5] }), '/dueDays/0', '/dueDays/1')
    await expectInvalid(put(at, { steps: ['a', 'b'], dueDays: [3651, '7'] }), '/dueDays/0', '/dueDays/1')
  })

  it('rejects an invalid body, and reports its errors', async () => {
    const at = processAt(newName('Process'))
    await expectInvalid(put(at, {}), '/steps')
    await expectInvalid(put(at, { steps: [] }), '/steps')
    await expectInvalid(put(at, { steps: ['a', '', 3] }), '/steps/1', '/steps/2')
    await expectInvalid(
      put(at, { steps: ['a'], caseType: 1, hostCountry: 'Germany', name: 'x' }),
      '/caseType',
      '/hostCountry',
      '/name',
    )
  })
})

describe('DELETE /admin/v1/processes/{name}', () => {
  it('deletes a process by its name in any case, and then responds with 404', async () => {
    const name = newName('Process')
    await keep(name, { steps: ['a'] })
    assert.equal((await remove(name.toUpperCase())).status, 204)
    await expectProblem(remove(name), 404, 'process-not-found')
    assert.deepEqual(await found(name), [])
  })
})

describe('the process that a new case follows', () => {
  it('is the named one, without regard to case, even if another fits its type and country', async () => {
    const [name, caseType] = [newName('Process'), newName('Type')]
    const other = newName('Other')
    await keep(name, { caseType: newName('Type'), hostCountry: 'FR', steps: ['named 1', 'named 2'] })
    await keep(other, { caseType, hostCountry: 'DE', steps: ['of type and country'] })
    for (const processName of [name, name.toUpperCase()])
      assert.deepEqual(stepsOf(await newCase({ processName, caseType, hostCountry: 'DE' })), [
        'named 1',
        'named 2',
      ])
    await remove(other)
  })

  it('is otherwise that of its type and country, then that of its type, then the default', async () => {
    const [general, german] = [newName('A general'), newName('B German')]
    const caseType = newName('Type')
    const unnamed = stepsOf(await newCase({ caseType }))
    assert.ok(unnamed.length > 1)
    await keep(german, { caseType, hostCountry: 'DE', steps: ['german'] })
    const stepsFor = async (fields: Fields) => stepsOf(await newCase({ caseType, ...fields }))
    assert.deepEqual(await stepsFor({ hostCountry: 'DE' }), ['german'])
    assert.deepEqual(await stepsFor({ hostCountry: 'FR' }), unnamed)
    assert.deepEqual(await stepsFor({}), unnamed)
    await keep(general, { caseType, steps: ['general'] })
    assert.deepEqual(await stepsFor({ hostCountry: 'DE' }), ['german'])
    assert.deepEqual(await stepsFor({ hostCountry: 'FR' }), ['general'])
    assert.deepEqual(await stepsFor({}), ['general'])
    assert.deepEqual(await stepsFor({ hostCountry: '', processName: '' }), ['general'])
    assert.deepEqual(await stepsFor({ hostCountry: 'DE', processName: newName('No such') }), ['german'])
    assert.deepEqual(await stepsFor({ caseType: newName('Type'), hostCountry: 'DE' }), unnamed)
    await remove(german)
    assert.deepEqual(await stepsFor({ hostCountry: 'DE' }), ['general'])
    await remove(general)
    assert.deepEqual(await stepsFor({ hostCountry: 'DE' }), unnamed)
  })

  it('is found by either code of its country, and keeps its own code', async () => {
    const [two, three, both] = [newName('Two letters'), newName('Three letters'), newName('Both')]
    const caseType = newName('Type')
    const stepsFor = async (hostCountry: string) => stepsOf(await newCase({ caseType, hostCountry }))
    const any = newName('A for any country')
    await keep(any, { caseType, steps: ['any'] })
    await keep(two, { caseType, hostCountry: 'DE', steps: ['two'] })
    await keep(three, { caseType, hostCountry: 'FRA', steps: ['three'] })
    for (const code of ['DE', 'DEU', 'de', 'deu']) assert.deepEqual(await stepsFor(code), ['two'])
    for (const code of ['FR', 'FRA']) assert.deepEqual(await stepsFor(code), ['three'])
    assert.deepEqual(await stepsFor('DNK'), ['any'])
    assert.equal((await found(three))[0]?.['hostCountry'], 'FRA')
    // If there is a process for each code, the code that was sent decides.
    await keep(both, { caseType, hostCountry: 'DEU', steps: ['both'] })
    assert.deepEqual(await stepsFor('DE'), ['two'])
    assert.deepEqual(await stepsFor('DEU'), ['both'])
    for (const name of [any, two, three, both]) await remove(name)
  })

  it('may have one step or many, which are created in order', async () => {
    const name = newName('Process')
    for (const count of [1, 200]) {
      const steps = Array.from({ length: count }, (_, index) => `Step ${count - index}`)
      await keep(name, { steps })
      const made = await newCase({ processName: name })
      assert.deepEqual(stepsOf(made), steps)
      assert.deepEqual(
        made.steps.map(step => step['status']),
        steps.map((_, index) => (index === 0 ? 'inProgress' : 'notStarted')),
      )
    }
  })

  it('does not change existing cases when it is replaced or deleted', async () => {
    const name = newName('Process')
    await keep(name, { steps: ['one', 'two'] })
    const { caseId } = await newCase({ processName: name })
    const before = (await get(caseAt(caseId))).bytes.toString()
    await keep(name, { steps: ['three'] })
    await remove(name)
    assert.equal((await get(caseAt(caseId))).bytes.toString(), before)
  })
})
