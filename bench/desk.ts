// Measures the lists of the desk at one connection: the first page and a deep page of every list, for each filter and for
// the combinations that the views of the console use, alternately on the smallest and on the largest dataset.

import type { Instance } from './meter.ts'
import { median } from './meter.ts'
import { applicantId, caseId, dayFromNow, person } from './records.ts'

export interface DeskRow {
  name: string
  /** Milliseconds, with the fewest and with the most applicants. */
  p50: [small: number, large: number]
  p95: [small: number, large: number]
  /** Records of the page. Costs are compared where both datasets return as many. */
  records: [small: number, large: number]
  /** Milliseconds that 95 % of the requests must stay below. */
  limit: number
}

const REQUESTS = 100
const WARM_UPS = 4
const DEEP_PAGES = 20
export const LIST_LIMIT = 50

const CASES: Record<string, string> = {
  all: '',
  open: 'status=open',
  'open and pending': 'status=open,pending',
  'by type': 'caseType=Visa',
  'by country': 'hostCountry=FR',
  'by company': 'company=bench-company',
  'by small company': 'company=bench-small',
  'of a colleague': 'assignee=bench-user-9',
  unassigned: 'assignee=none',
  VIPs: 'vip=true',
  overdue: 'due=overdue',
  'due in 7 days': 'due=7',
  'due in 30 days': 'due=30',
  'updated since': 'updatedSince=2025-06-01',
  'of a colleague, overdue': 'assignee=bench-user-14&due=overdue',
  'of a colleague, due in 7 days': 'assignee=bench-user-9&due=7',
  'unassigned, open': 'assignee=none&status=open',
  'overdue, of a company': 'due=overdue&company=bench-company',
  'by type and country, open': 'caseType=Renewal&hostCountry=FR&status=open',
  'by name': `q=${encodeURIComponent(person(7).lastName)}`,
  'by number': 'q=E-7',
  'latest first': 'sort=-updatedAt',
  'newest first': 'sort=-createdAt',
  'by name of the applicant': 'sort=name',
  'latest due first, open': 'sort=-dueDate&status=open',
  'latest first, open and pending': 'sort=-updatedAt&status=open,pending',
  'of a colleague, open and pending': 'assignee=bench-user-9&status=open,pending',
}
const PEOPLE: Record<string, string> = {
  all: '',
  'by name': `q=${encodeURIComponent(person(7).lastName)}`,
  'by a common first name': 'q=Anna',
  'by number': 'q=E-7',
  'by e-mail': 'q=p7@example.com',
  'by passport': 'q=P1000007',
  'of a company': 'company=bench-company',
  'of a small company': 'company=bench-small',
  'by nationality': 'nationality=DE',
  active: 'status=A',
  archived: 'archived=true',
  'all, with summaries': 'summary=true',
  'of a company, with summaries': 'company=bench-company&summary=true',
}
const today = dayFromNow(0)
const DOCUMENTS: Record<string, string> = {
  all: '',
  expired: 'status=expired',
  'of a country': 'countryCode=DE',
  'of a type': 'type=Visa',
  'of a person': `applicantId=${encodeURIComponent(applicantId(7))}`,
  'of a case': `caseId=${encodeURIComponent(caseId(7))}`,
  'expiring in a range': `expiresFrom=${today}&expiresTo=${Number(today.slice(0, 4)) + 1}-01-31`,
  'without file': 'hasFile=false',
  'with a file': 'hasFile=true',
}
const EXPIRING: Record<string, string> = {
  'in 30 days': 'within=30',
  'in 90 days': 'within=90',
  passports: 'kind=passport&within=90',
  'of a company': 'company=bench-company&within=90',
  'from today': `expiresFrom=${today}`,
  'documents in a month': `kind=document&expiresFrom=${today}&expiresTo=${dayFromNow(30)}`,
}

interface Measure {
  name: string
  path: string
  limit: number
  isDeep?: boolean
}

const lists = (what: string, path: string, filters: Record<string, string>): Measure[] =>
  Object.entries(filters).flatMap(([name, query]) => {
    const one = { name: `${what}: ${name}`, path: `${path}?maxRecords=50&${query}`, limit: LIST_LIMIT }
    return [one, { ...one, name: `${one.name}, deep`, isDeep: true }]
  })

const MEASURES: Measure[] = [
  ...lists('cases', '/admin/v1/cases', CASES),
  ...lists('people', '/admin/v1/applicants', PEOPLE),
  ...lists('documents', '/admin/v1/documents', DOCUMENTS),
  ...lists('expiring', '/admin/v1/expiring', EXPIRING),
  ...lists('duplicates', '/admin/v1/duplicates', { all: '' }),
  {
    name: 'search: a name',
    path: `/admin/v1/search?q=${encodeURIComponent(person(7).lastName)}`,
    limit: 150,
  },
  { name: 'search: a common first name', path: '/admin/v1/search?q=Anna', limit: 150 },
  { name: 'search: a passport', path: '/admin/v1/search?q=P1000007', limit: 150 },
  { name: 'search: a number', path: '/admin/v1/search?q=E-7', limit: 150 },
  { name: 'overview', path: '/admin/v1/overview', limit: 100 },
]

async function get({ service }: Instance, path: string): Promise<{ ms: number; body: Page }> {
  const began = performance.now()
  const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    headers: { authorization: `Bearer ${service.token}` },
  })
  const body = (await response.json()) as Page
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`)
  return { ms: performance.now() - began, body }
}

interface Page {
  records?: unknown[]
  nextCursor?: string | null
}

/** The path of a page some thousand records on, or the last one. */
async function deepPathOf(instance: Instance, path: string): Promise<string> {
  let deep = path
  const [base, query = ''] = path.split('?')
  const large = new URLSearchParams(query)
  large.set('maxRecords', '1000')
  for (let page = 0; page < DEEP_PAGES; page++) {
    const { body } = await get(instance, `${base}?${large}`)
    if (!body.nextCursor) break
    large.set('nextCursor', body.nextCursor)
    deep = `${path}&nextCursor=${encodeURIComponent(body.nextCursor)}`
  }
  return deep
}

const at95 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

export async function measureDesk(
  [small, large]: [Instance, Instance],
  { only, print }: { only: string; print: (line: string) => void },
): Promise<DeskRow[]> {
  const rows: DeskRow[] = []
  for (const { name, path, limit, isDeep } of MEASURES.filter(one => one.name.includes(only))) {
    const instances = [small, large] as const
    const paths = await Promise.all(instances.map(one => (isDeep ? deepPathOf(one, path) : path)))
    const times: [number[], number[]] = [[], []]
    const records: [number, number] = [0, 0]
    for (let request = 0; request < REQUESTS + WARM_UPS; request++)
      for (const side of [0, 1] as const) {
        const { ms, body } = await get(instances[side], paths[side] ?? path)
        records[side] = body.records?.length ?? 0
        if (request >= WARM_UPS) times[side].push(ms)
      }
    const row: DeskRow = {
      name,
      limit,
      records,
      p50: [median(times[0]), median(times[1])],
      p95: [at95(times[0]), at95(times[1])],
    }
    rows.push(row)
    print(lineOf(row))
  }
  return rows
}

const lineOf = ({ name, p50, p95, records, limit }: DeskRow) =>
  `${name.padEnd(42)} p50 ${p50.map(ms => ms.toFixed(1)).join(' → ')} ms (${(p50[1] / p50[0]).toFixed(2)})  p95 ${p95.map(ms => ms.toFixed(1)).join(' → ')} ms  records ${records.join(', ')}${p95[1] > limit ? `  ABOVE ${limit} ms` : ''}`
