import { isDeepStrictEqual } from 'node:util'
import type { Sql, Tx } from '../db/database.ts'
import { isLimited } from '../db/limited.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { requireAllCompanies } from '../lib/boundary.ts'
import { fold, foldSpelling } from '../lib/fold.ts'
import { isId, newId } from '../lib/ids.ts'
import { declareProblem, type FieldError } from '../lib/problem.ts'
import type { Company } from './companies.store.ts'
import * as store from './companies.store.ts'

export const companyNotFound = declareProblem({
  code: 'company-not-found',
  status: 404,
  title: 'There is no company with this id.',
  remedy: 'List the companies with GET /admin/v1/companies.',
})
export const companyNameInUse = declareProblem({
  code: 'company-name-in-use',
  status: 409,
  title: 'Another company has this name, or has it as its code or id.',
  remedy: 'Use that company, or choose another name. Names that differ only in case are equal.',
})
export const companyCodeInUse = declareProblem({
  code: 'company-code-in-use',
  status: 409,
  title: 'Another company has this code, or has it as its name or id.',
  remedy: 'Use that company, or choose another code. Codes that differ only in case are equal.',
})
export const unknownCompany = declareProblem({
  code: 'unknown-company',
  status: 422,
  title: 'A company in the request does not exist or is not active.',
  remedy:
    'Use the name, code or id of a company that GET /admin/v1/companies returns, or ask the operator to add it.',
})

export const companyConstraints = { companies_name: companyNameInUse, companies_code: companyCodeInUse }

interface CompanyInput {
  name?: string
  code?: string | null
  country?: string | null
  active?: boolean
}

const keysOf = ({ name, code }: { name: string; code: string | null }) => ({
  name: fold(name),
  code: code ? fold(code) : null,
})

/** What the audit compares. */
const fieldsOf = ({ name, code, country, active }: Omit<Company, 'version' | 'createdAt' | 'updatedAt'>) => ({
  name,
  code,
  country,
  active,
})

export type Companies = ReturnType<typeof createCompanies>

export function createCompanies(sql: Sql) {
  return {
    list: () => store.listCompanies(sql),

    async get(companyId: string): Promise<Company> {
      const company = isId(companyId) ? await store.findCompany(sql, companyId) : undefined
      if (!company) throw companyNotFound()
      return company
    },

    /** The id of the company that a text names by its name, code or id, if the caller sees it. */
    findId: (text: string): Promise<string | undefined> => store.findNamed(sql, fold(text)),

    /**
     * The best matches: by whole code or name, then by their beginning, then by a part of the name, then by a part that is
     * spelled with other accents, apostrophes or hyphens. There are few companies, so that the last are found among all.
     */
    async search(q: string, limit: number): Promise<Company[]> {
      const found = await store.searchCompanies(sql, fold(q), limit)
      if (found.length === limit) return found
      const ids = new Set(found.map(({ companyId }) => companyId))
      const part = foldSpelling(q)
      const others = (await store.listCompanies(sql)).filter(
        ({ companyId, name }) => !ids.has(companyId) && foldSpelling(name).includes(part),
      )
      return [...found, ...others].slice(0, limit)
    },

    async create(
      unit: UnitOfWork,
      { name = '', code, country, active = true }: CompanyInput,
    ): Promise<Company> {
      requireAllCompanies(unit.actor)
      const company = {
        companyId: newId<'company'>() as string,
        name,
        code: code || null,
        country: country || null,
        active,
      }
      unit.audit({ action: 'company.create', recordId: company.companyId, after: fieldsOf(company) })
      return store.insertCompany(unit.tx, { company, keys: keysOf(company), now: unit.now })
    },

    async merge(
      unit: UnitOfWork,
      companyId: string,
      input: CompanyInput,
      requireState: (etag: string) => void,
    ): Promise<Company> {
      requireAllCompanies(unit.actor)
      const current = await store.lockCompany(unit.tx, companyId)
      if (!current) throw companyNotFound()
      requireState(etagOf(current))
      const company = {
        ...current,
        ...input,
        code: input.code === undefined ? current.code : input.code || null,
        country: input.country === undefined ? current.country : input.country || null,
      }
      const before = fieldsOf(current)
      const after = fieldsOf(company)
      if (isDeepStrictEqual(before, after)) return current
      unit.audit({ action: 'company.write', recordId: companyId, before, after })
      return store.updateCompany(unit.tx, { company, keys: keysOf(company), now: unit.now })
    },

    /**
     * The ids of the companies that these fields name. Throws one problem that lists all unknown and inactive ones. For a
     * limited caller the field `own` must name one of its companies, and those of others do not exist in it.
     */
    async resolve<Name extends string>(
      unit: UnitOfWork,
      named: Record<Name, string>,
      own: NoInfer<Name>,
    ): Promise<Record<Name, string>> {
      const { companies } = unit.actor
      const entries = Object.entries(named) as [Name, string][]
      const rows = await store.listReferenced(
        unit.tx,
        entries.map(([, text]) => ({ text, key: fold(text) })),
      )
      const byReference = new Map(rows.map(row => [row.reference, row]))
      const errors: FieldError[] = entries.flatMap(([field, text]) => {
        const company = byReference.get(text)
        const isForeign = companies !== null && !companies.includes(company?.companyId ?? '')
        // A case may name a company of others, but whether one that it may not name exists is not told.
        const found = isForeign && (field === own || !company?.active) ? undefined : company
        if (found?.active) return []
        const detail = found ? 'This company is not active.' : 'There is no company of this name, code or id.'
        return [{ pointer: `/${field}`, detail }]
      })
      if (errors.length > 0) throw unknownCompany(undefined, { errors })
      return Object.fromEntries(
        entries.map(([field, text]) => [field, byReference.get(text)?.companyId]),
      ) as Record<Name, string>
    },
  }
}

/** The ids of the companies that these texts name: by name, code or id. */
export async function findNamedCompanies(tx: Tx, texts: readonly string[]): Promise<Map<string, string>> {
  if (texts.length === 0) return new Map()
  const rows = await store.listReferenced(
    tx,
    texts.map(text => ({ text, key: fold(text) })),
  )
  return new Map(rows.map(({ reference, companyId }) => [reference, companyId]))
}

/** Throws unless these are the ids of companies that the caller sees. */
export async function requireCompanies(
  { tx }: UnitOfWork,
  companyIds: readonly string[],
  pointer: string,
): Promise<void> {
  const known = new Set(await store.listKnownIds(tx, companyIds))
  const errors = companyIds.flatMap((companyId, index) =>
    known.has(companyId)
      ? []
      : [{ pointer: `${pointer}/${index}`, detail: 'There is no company with this id.' }],
  )
  if (errors.length > 0) throw unknownCompany(undefined, { errors })
}

/**
 * The company that a record of a limited caller names: the text as it was sent or, where none was sent, the name of the
 * caller's only company. Throws where that is no company of the caller, because the caller would not see the record.
 */
export async function requireOwnCompany(
  sql: Sql,
  text: string | null | undefined,
  pointer: string,
): Promise<string | null | undefined> {
  if (!isLimited(sql)) return text
  const reject = (detail: string) => unknownCompany(undefined, { errors: [{ pointer, detail }] })
  const key = fold(text ?? '')
  if (key) {
    if (!(await store.findNamed(sql, key))) throw reject('There is no company of this name, code or id.')
    return text
  }
  const [only, ...others] = await store.listCompanies(sql)
  if (!only || others.length > 0) throw reject('Required: name one of the companies of this client.')
  // Companies of earlier releases may have a name that is the code of another one.
  return (await store.findNamed(sql, fold(only.name))) === only.companyId ? only.name : only.companyId
}

/** Whether the caller would see a record that names this company. */
export async function isVisibleCompany(sql: Sql, text: string | null): Promise<boolean> {
  return !isLimited(sql) || (await store.findNamed(sql, fold(text ?? ''))) !== undefined
}

export function etagOf({ version }: Company): string {
  return `"${version}"`
}
