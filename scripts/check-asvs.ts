// Checks that docs/security is still true to the repository: files, tests, commands and guards that it names exist, each row of
// the ASVS table is complete and in order, and its summary and open points fit the rows. Prints every error.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = 'docs/security'
const TABLE = 'asvs-5-level-2.md'
const STATES = ['met', 'partly', 'not met', 'not applicable']
/** How many requirements the standard has, by level. */
const REQUIREMENTS = { '1': 70, '2': 183 }

const PATH =
  /^(?:(?:\.ci|acceptance|attacks|bench|docs|e2e|scripts|sdk|service|tools)\/[\w./-]+|[\w-]+\.(?:md|json))$/
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** `path` “text”, “text”: the file must exist, and contain the texts. */
function evidenceErrors(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`((?:,?\s“[^”]+”)*)/g)].flatMap(([, code = '', quotes = '']) => {
    if (code.startsWith('npm run ')) return commandErrors(code)
    if (!PATH.test(code)) return []
    if (!existsSync(join(ROOT, code))) return [`${code} does not exist.`]
    const missing = [...quotes.matchAll(/“([^”]+)”/g)].filter(([, quote = '']) => !read(code).includes(quote))
    return missing.map(([, quote]) => `${code} does not contain “${quote}”.`)
  })
}

const attacks = globSync('attacks/**/*.ts', { cwd: ROOT }).map(read)

function commandErrors(command: string): string[] {
  const [, script = '', attack, guard] =
    /^npm run ([\w:-]+)(?:.* --only ([\w-]+))?(?:.* --break ([\w-]+))?/.exec(command) ?? []
  if (!JSON.parse(read('package.json')).scripts[script]) return [`${command}: there is no such script.`]
  const source = attack && attacks.find(text => text.includes(`name: '${attack}'`))
  if (attack && !source) return [`${command}: there is no such attack.`]
  return guard && !source?.includes(`'${guard}'`) ? [`${command}: the attack breaks no such guard.`] : []
}

interface Row {
  id: string
  level: string
  state: string
  evidence: string
}

function tableErrors(text: string): string[] {
  const rows = [...text.matchAll(/^\| (V[\d.]+) \| (.*) \|$/gm)].map(([, id = '', cells = '']): Row => {
    const [level = '', , state = '', evidence = ''] = cells.split(' | ')
    return { id, level, state, evidence }
  })
  const place = ({ id }: Row) => id.slice(1).split('.').map(Number)
  const isAfter = ([a = 0, ...as]: number[], [b = 0, ...bs]: number[]): boolean =>
    a === b ? as.length > 0 && isAfter(as, bs) : a > b
  const isOpen = ({ state }: Row) => state === 'partly' || state === 'not met'
  const rowErrors = rows.flatMap((row, index) => {
    const before = rows[index - 1]
    return [
      ...(STATES.includes(row.state) ? [] : [`the state “${row.state}” is unknown.`]),
      ...(before && !isAfter(place(row), place(before)) ? [`does not come after ${before.id}.`] : []),
      ...(/`/.test(row.evidence) || (row.evidence && row.state === 'not applicable') ? [] : ['no evidence.']),
    ].map(error => `${row.id}: ${error}`)
  })
  const countErrors = Object.entries(REQUIREMENTS).flatMap(([level, expected]) => {
    const found = rows.filter(row => row.level === level).length
    return found === expected ? [] : [`Level ${level} has ${found} requirements instead of ${expected}.`]
  })
  const summary = (name: string, of: Row[]) => {
    const counts = STATES.map(state => of.filter(row => row.state === state).length)
    const line = `| ${[name, ...counts, of.length].join(' | ')} |`
    return text.includes(`\n${line}\n`) ? [] : [`The summary lacks the line ${line}`]
  }
  const chapters = [...text.matchAll(/^## ((V\d+) .*)$/gm)].flatMap(([, name = '', chapter = '']) =>
    summary(
      name,
      rows.filter(({ id }) => id.startsWith(`${chapter}.`)),
    ),
  )
  const section = text.split('\n## ').find(part => part.startsWith('Open points')) ?? ''
  const listed = [...section.matchAll(/^- \*\*(.*?)\*\*/gm)].flatMap(([, ids = '']) => ids.split(', '))
  const open = rows.filter(isOpen).map(({ id }) => id)
  const openErrors = [
    ...open.filter(id => listed.filter(one => one === id).length !== 1).map(id => `${id} is not once in`),
    ...listed.filter(id => !open.includes(id)).map(id => `${id} is not open, but in`),
  ].map(error => `${error} the open points.`)
  return [...rowErrors, ...countErrors, ...chapters, ...summary('**all**', rows), ...openErrors]
}

const documents = readdirSync(join(ROOT, FOLDER)).filter(name => name.endsWith('.md'))
const errors = documents.flatMap(name => {
  const text = read(`${FOLDER}/${name}`)
  const found = [...(name === TABLE ? tableErrors(text) : []), ...evidenceErrors(text)]
  return found.map(error => `${FOLDER}/${name}: ${error}`)
})
for (const error of errors) process.stderr.write(`${error}\n`)
process.stdout.write(`${documents.length} files of ${FOLDER}: ${errors.length || 'no'} errors.\n`)
if (errors.length) process.exitCode = 1
