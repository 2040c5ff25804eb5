// `npm run distribution` writes docs/distribution.md: which column would place the rows of each table on one of several
// databases, and which functions of the stores have it. Fails for a table that is not listed here.
//   --check   fails if the file is not current
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const FILE = join(ROOT, 'docs', 'distribution.md')

type Kind = 'companies' | 'parent' | 'reference' | 'global'

interface Table {
  kind: Kind
  /** The columns that a row is looked up by. */
  ids: string[]
}

const of = (kind: Kind, ...ids: string[]): Table => ({ kind, ids })

/** Companies: has company_set_id. Parent: belongs to a row that has it. Reference: small, a copy everywhere. Global: one for all. */
const TABLES: Record<string, Table> = {
  applicants: of('companies', 'applicant_id', 'employee_number', 'primary_id'),
  cases: of('companies', 'case_id', 'applicant_id'),
  case_steps: of('companies', 'step_id', 'case_id'),
  case_notes: of('companies', 'note_id', 'case_id'),
  case_note_versions: of('companies', 'note_id'),
  case_checklists: of('companies', 'case_id'),
  documents: of('companies', 'document_id', 'case_id', 'applicant_id'),
  document_files: of('companies', 'document_id', 'blob_key'),
  former_files: of('companies', 'document_id', 'blob_key'),
  expiries: of('companies', 'applicant_id', 'item_id', 'case_id'),
  notifications: of('companies', 'document_id', 'notification_id'),
  events: of('companies', 'seq', 'event_id', 'number'),
  change_feed_sets: of('companies', 'company_set_id'),
  duplicate_pairs: of('companies', 'pair_id', 'one_id', 'other_id', 'applicant_id'),
  duplicate_dismissals: of('companies', 'one_id', 'other_id', 'applicant_id'),
  merges: of('companies', 'merge_id', 'source_id', 'target_id'),
  merged_applicants: of('parent', 'source_id', 'merge_id', 'applicant_id'),
  duplicate_checks: of('parent', 'applicant_id'),
  duplicate_keys: of('parent', 'applicant_id'),
  renewal_checks: of('parent', 'document_id'),
  webhook_deliveries: of('parent', 'seq', 'delivery_id', 'webhook_id', 'event_seq'),
  imports: of('parent', 'import_id'),
  import_rows: of('parent', 'import_id'),
  import_dependents: of('parent', 'import_id'),
  import_results: of('parent', 'import_id'),
  import_fingerprints: of('parent', 'applicant_id', 'employee_number'),
  pending_uploads: of('parent', 'blob_key'),
  audit: of('global', 'record_id', 'seq', 'xid'),
  audit_records: of('global', 'record_id', 'seq'),
  audit_chain: of('global', 'block'),
  audit_anchors: of('global', 'block'),
  change_feed: of('global', 'only_row'),
  retired_employee_numbers: of('global', 'employee_number'),
  idempotency_keys: of('global', 'client_id', 'key'),
  upload_usage: of('global', 'client_id', 'uploaded_by'),
  passport_walk: of('global', 'only_row'),
  secrets: of('global', 'name'),
  signing_keys: of('global', 'kid'),
  sessions: of('global', 'session_id', 'user_id'),
  sign_in_challenges: of('global', 'challenge_id', 'user_id'),
  ...Object.fromEntries(
    [
      'clients', 'api_keys', 'blocked_callers', 'companies', 'company_sets', 'company_set_pairs', 'processes', 'users',
      'invitations', 'user_passwords', 'user_totp', 'recovery_codes', 'passkeys', 'user_identities', 'calendar_feeds',
      'saved_views', 'webhooks',
    ].map(name => [name, of('reference')]), // biome-ignore format: a table reads better than a column
  ),
}

const HELPERS = /caseApplicants|userNames/

interface Use {
  table: string
  where: string
  has: 'set' | 'id' | 'joined' | 'insert' | 'none'
}

/** The functions of a store, each with the fragments that it is made of in the same file. */
function functionsOf(source: string): { name: string; text: string }[] {
  const code = source.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
  const parts = code.split(/^(?=(?:export )?(?:async )?(?:function|const) )/m)
  const named = parts.flatMap(text => {
    const [, name] = /^(?:export )?(?:async )?(?:function\*?|const) (\w+)/.exec(text) ?? []
    return name ? [{ name, text, isExported: text.startsWith('export ') }] : []
  })
  const withFragments = (text: string, seen: Set<string>): string =>
    named
      .filter(part => !seen.has(part.name) && new RegExp(`\\b${part.name}\\b`).test(text))
      .reduce((whole, part) => {
        seen.add(part.name)
        return whole + withFragments(part.text, seen)
      }, text)
  return named
    .filter(({ isExported }) => isExported)
    .map(({ name, text }) => ({ name, text: withFragments(text, new Set([name])) }))
}

const NAMES = /\b(?:from|join|into|update|only)\s+(?:public\.)?(\w+)|every\(\w+, '(\w+)'\)|table: '(\w+)'/g

const WITH_SET = /company_set_id|forEachCompanySet|forEachTwoCompanySets|byCompany: true/
const comparesWithParameter = (id: string) =>
  new RegExp(`\\b${id}\\)?\\s*(?:=|<>|<|>|<=|>=|in)\\s*(?:any\\s*)?\\(?\\s*\\$\\{`)
const comparesWithColumn = (id: string) => new RegExp(`\\b${id}\\s*(?:=|in\\b)|=\\s*(?:\\w+\\.)?${id}\\b`)
const onlyInserts = (text: string, table: string) =>
  new RegExp(`\\binto ${table}\\b`).test(text) &&
  !new RegExp(`\\b(?:from|join|update) ${table}\\b`).test(text)

function usesOf(file: string): Use[] {
  return functionsOf(readFileSync(join(ROOT, file), 'utf8')).flatMap(({ name, text }) => {
    const found = new Set([...text.matchAll(NAMES)].map(([, ...names]) => names.find(Boolean) ?? ''))
    if (HELPERS.test(text)) found.add('applicants')
    return [...found]
      .filter(table => table in TABLES)
      .map(table => {
        const ids = TABLES[table]?.ids ?? []
        const has = (): Use['has'] => {
          if (WITH_SET.test(text)) return 'set'
          if (ids.some(id => comparesWithParameter(id).test(text))) return 'id'
          if (ids.some(id => comparesWithColumn(id).test(text))) return 'joined'
          return onlyInserts(text, table) ? 'insert' : 'none'
        }
        return { table, where: `${file.replace('service/src/', '')}: ${name}`, has: has() }
      })
  })
}

const KINDS: Record<Kind, string> = {
  companies: '`company_set_id`',
  parent: 'of the row that it belongs to',
  reference: 'a copy everywhere',
  global: 'one for all',
}

function render(uses: Use[]): string {
  const rows = Object.entries(TABLES).map(([table, { kind }]) => {
    const of = uses.filter(use => use.table === table)
    const count = (has: Use['has']) => String(of.filter(use => use.has === has).length)
    return `| ${table} | ${KINDS[kind]} | ${of.length} | ${count('set')} | ${count('id')} | ${count('joined')} | ${count('insert')} | ${count('none')} |`
  })
  const without = uses.filter(
    ({ table, has }) => has === 'none' && ['companies', 'parent'].includes(TABLES[table]?.kind ?? ''),
  )
  const byFunction = Map.groupBy(without, ({ where }) => where)
  return `# Distribution keys

Generated by \`npm run distribution\` from the functions of all stores; do not edit. [capacity.md](capacity.md) says what it is for.

A function counts as *with the set* if its statement, or a fragment of it, compares \`company_set_id\` or runs once for each set.
For callers who are limited to companies, the views add the set to all others too: this table is about callers who are not
limited, and jobs. *By id* means that a row is looked up by its id or its parent's, as a parameter: the set has to be found
first, or all databases have to be asked. *Joined*: by an id that another table or a list has, so that both must be on the same
database. *Insert*: a trigger looks the set up, in the row that the new one belongs to. *None of these*
reads across all companies.

| table | distribution key | functions | with the set | by id | joined | insert | none of these |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

## Functions that read across all companies

| function | tables |
| --- | --- |
${[...byFunction].map(([where, of]) => `| ${where} | ${of.map(({ table }) => table).join(', ')} |`).join('\n')}
`
}

const migrations = globSync('service/migrations/*.sql', { cwd: ROOT })
  .map(file => readFileSync(join(ROOT, file), 'utf8').replaceAll(/--.*$/gm, ''))
  .join('\n')
const created = [...migrations.matchAll(/^create table (?:if not exists )?(\w+)/gm)].map(
  ([, name = '']) => name,
)
const unlisted = created.filter(name => !(name in TABLES))
for (const name of unlisted)
  process.stderr.write(
    `The table ${name} has no distribution key: add it to TABLES in scripts/distribution-keys.ts.\n`,
  )
const withSet = Object.entries(TABLES).filter(([, { kind }]) => kind === 'companies')
const wrong = withSet.filter(
  ([name]) =>
    !new RegExp(
      `create table ${name} \\([^;]*\\bcompany_set_id\\b|alter table ${name}\\b[^;]*\\bcompany_set_id\\b`,
    ).test(migrations),
)
for (const [name] of wrong) process.stderr.write(`The table ${name} has no company_set_id.\n`)

const files = globSync('service/src/**/*.ts', { cwd: ROOT })
  .filter(file => /\.store\.ts$|\/(?:family-\w+|passports|document-lock)\.ts$/.test(file))
  .sort()
const text = render(files.flatMap(usesOf))
if (process.argv.includes('--check')) {
  if (readFileSync(FILE, 'utf8') !== text) {
    process.stderr.write('docs/distribution.md is not current: run npm run distribution.\n')
    process.exitCode = 1
  }
} else writeFileSync(FILE, text)
if (unlisted.length + wrong.length > 0) process.exitCode = 1
