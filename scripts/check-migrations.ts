// `npm run check:migrations`: reports statements of migrations that stop or slow the release that still runs beside them.
// docs/decisions/0036 says what to write instead. A statement that is known to be harmless is allowed by a comment:
// `-- allowed: drop-index, because no release reads it`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readComments } from '../service/src/db/migrate.ts'

/** Migrations before this one have landed, and stopped the release before. */
const FIRST_CHECKED = 26
const FOLDER = join(import.meta.dirname, '..', 'service', 'migrations')

interface Rule {
  name: string
  pattern: RegExp
  remedy: string
  /** Whether it does not matter for a table that the same migration creates. The table is the first group of the pattern. */
  exceptNewTables?: boolean
}

const NAME = '(?:if (?:not )?exists )?(?:only )?(?:public\\.)?"?(\\w+)"?'
const table = (rest: string) => new RegExp(`^alter table ${NAME} .*?${rest}`)

const RULES: Rule[] = [
  {
    name: 'create-index',
    pattern: /^create (?:unique )?index (?!concurrently)(?:[^(]* )?on (?:only )?(?:public\.)?"?(\w+)"?/,
    remedy: 'blocks writes: create index concurrently if not exists, in a migration outside a transaction',
    exceptNewTables: true,
  },
  {
    name: 'drop-index',
    pattern: /^drop index/,
    remedy:
      'the release before may need it: drop it one release later, concurrently, and say so in a comment',
  },
  {
    name: 'not-null-column',
    pattern: table('\\badd (?:column )?(?!.*\\bdefault\\b).*\\bnot null\\b'),
    remedy: 'the release before inserts no value: give it a default, or allow null',
    exceptNewTables: true,
  },
  {
    name: 'computed-default',
    pattern: table('\\badd (?:column )?.*\\bdefault\\b (?!now\\(\\))[^,]*\\('),
    remedy: 'rewrites the table: add the column without a default, then set the default',
    exceptNewTables: true,
  },
  {
    name: 'column-type',
    pattern: table('\\balter (?:column )?\\w+ (?:set data )?type\\b'),
    remedy: 'rewrites the table: add another column and fill it in batches',
    exceptNewTables: true,
  },
  {
    name: 'set-not-null',
    pattern: table('\\bset not null\\b'),
    remedy: 'reads the whole table: add a check constraint not valid, and validate it in another migration',
    exceptNewTables: true,
  },
  {
    name: 'constraint',
    pattern: table(
      '\\badd (?:constraint \\w+ )?(?:check|foreign key|unique|primary key|exclude)\\b(?!.*\\b(?:not valid|using index)\\b)',
    ),
    remedy:
      'reads the whole table: add it not valid and validate it in another migration, or using an index that was built concurrently',
    exceptNewTables: true,
  },
  {
    name: 'rename',
    pattern: /^alter (?:table|view|function|type) .*\brename\b/,
    remedy: 'the release before uses the old name: add the new one beside it',
  },
  {
    name: 'drop',
    pattern: /^(?:alter table .*\bdrop (?!default|not null)|drop (?!index))/,
    remedy: 'the release before may use it: drop it one release later',
  },
  {
    name: 'rows',
    pattern: /^(?:update|delete from|truncate|with .* (?:update|delete from))\b/,
    remedy: 'locks its rows until the migration ends: let the service fill them in batches',
  },
  {
    name: 'lock',
    pattern: /^(?:lock|cluster|vacuum|reindex(?! .*concurrently))\b/,
    remedy: 'stops all who use the table',
  },
]

/** One line for each finding. */
export function findingsOf(sql: string, version: number): string[] {
  const allowed = new Set([...sql.matchAll(/^-- allowed: ([\w-]+), because \S/gm)].map(([, rule]) => rule))
  const statements = statementsOf(sql)
  const created = new Set(
    statements.flatMap(statement => new RegExp(`^create table ${NAME}`).exec(statement)?.[1] ?? []),
  )
  const { oldestRelease, isConcurrent } = readComments(sql, version)
  const findings: string[] = []
  for (const statement of statements) {
    const shown = statement.length > 80 ? `${statement.slice(0, 80)}…` : statement
    const runsAlone = /^(?:create (?:unique )?index|drop index|reindex \w+) concurrently/.test(statement)
    if (isConcurrent && !runsAlone)
      findings.push(`${shown}: outside a transaction there are only concurrent statements`)
    if (!isConcurrent && runsAlone)
      findings.push(`${shown}: needs the line "-- outside a transaction" in its migration`)
    if (isConcurrent && !/ if (?:not )?exists /.test(statement))
      findings.push(`${shown}: needs "if not exists" or "if exists", because it may be repeated`)
    for (const { name, pattern, remedy, exceptNewTables = false } of RULES) {
      const match = pattern.exec(statement)
      if (!match || allowed.has(name) || (exceptNewTables && created.has(match[1] ?? ''))) continue
      findings.push(`${shown}: ${remedy} [${name}]`)
    }
  }
  if (oldestRelease >= version)
    findings.push('needs the line "-- tolerated by releases from N": the release before runs beside it')
  return findings
}

/** In lower case, without comments, texts and bodies of functions. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .toLowerCase()
    .split(';')
    .map(statement => statement.replaceAll(/\s+/g, ' ').trim())
    .filter(statement => statement !== '')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = readdirSync(FOLDER).filter(file => Number(file.slice(0, 4)) >= FIRST_CHECKED)
  const findings = files.flatMap(file =>
    findingsOf(readFileSync(join(FOLDER, file), 'utf8'), Number(file.slice(0, 4))).map(
      finding => `${file}: ${finding}`,
    ),
  )
  for (const finding of findings) process.stderr.write(`${finding}\n`)
  if (findings.length > 0) process.exitCode = 1
}
