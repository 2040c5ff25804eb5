// Cases: find them, open one, move its steps, write notes.
import type { components } from '@caseport/sdk'
import { Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { usageError } from '../exit-codes.ts'
import { DRY_RUN, given, LIMIT, limited, readJson, readText, requestOf } from '../options.ts'
import type { Column } from '../terminal/table.ts'

type Schemas = components['schemas']

export const casesCommand = (cli: Cli) =>
  new Command('cases')
    .description('Cases with their steps and notes.')
    .addCommand(listCommand(cli))
    .addCommand(createCommand(cli))
    .addCommand(stepCommand(cli))
    .addCommand(noteCommand(cli))

const nameOf = ({ firstName, lastName }: { firstName?: string | null; lastName?: string | null }) =>
  [lastName, firstName].filter(Boolean).join(', ')

const LISTED: Column<Schemas['ListedCase']>[] = [
  { title: 'CASE', value: ({ caseId }) => caseId, isId: true },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'TYPE', value: ({ caseType }) => caseType },
  { title: 'APPLICANT', value: ({ applicant }) => nameOf(applicant) },
  { title: 'NUMBER', value: ({ applicant }) => applicant.employeeNumber },
  { title: 'STEP', value: ({ currentStep }) => currentStep?.name },
  { title: 'DUE', value: ({ nextDueDate, overdue }) => `${nextDueDate ?? ''}${overdue ? ' !' : ''}` },
  { title: 'ASSIGNEE', value: ({ assignee }) => assignee?.name },
]

interface ListOptions {
  q?: string
  status?: string
  caseType?: string
  hostCountry?: string
  company?: string
  assignee?: string
  due?: 'overdue' | '7' | '30'
  updatedSince?: string
  sort?: never
  vip?: true
  limit?: number
}

const listCommand = (cli: Cli) =>
  new Command('list')
    .description('List cases of the desk; an exclamation mark is for overdue ones.')
    .option('--q <text>', 'beginning of a name, or a whole number')
    .option('--status <status>', 'open, pending or closed; several with commas')
    .option('--case-type <type>', 'type of the case')
    .option('--host-country <code>', 'two or three letters')
    .option('--company <company>', 'name, code or id')
    .option('--assignee <user>', 'me, none, or the id of a user')
    .addOption(new Option('--due <when>', 'overdue, or within so many days').choices(['overdue', '7', '30']))
    .option('--updated-since <time>', 'UTC, such as 2026-03-01T08:00:00Z')
    .option('--vip', 'only VIPs')
    .option('--sort <field>', 'dueDate, updatedAt, createdAt or name; - in front for descending')
    .option(...LIMIT)
    .action(async ({ limit, ...filters }: ListOptions) => {
      const { cases } = await cli.connect()
      const query = { ...filters, maxRecords: Math.min(1000, limit ?? 1000) }
      await cli.output.list(limited(cases.list(query, { signal: cli.signal }), limit), LISTED)
    })

interface CreateOptions {
  caseType?: string
  hostCountry?: string
  company?: string
  hostCompany?: string
  sendingCompany?: string
  billingCompany?: string
  process?: string
  employee?: string
  dryRun?: true
}

const createCommand = (cli: Cli) =>
  new Command('create')
    .description('Open a case, from a JSON file or from options.')
    .argument('[file]', 'JSON of the case; - is standard input')
    .option('--case-type <type>', 'such as "Work Permit"')
    .option('--host-country <code>', 'two or three letters')
    .option('--company <company>', 'host, sending and billing company, unless given on their own')
    .option('--host-company <company>')
    .option('--sending-company <company>')
    .option('--billing-company <company>')
    .option('--process <name>', 'process that has the steps')
    .option('--employee <number>', 'employee number of the applicant, whose names are read')
    .option(...DRY_RUN)
    .action(async (file: string | undefined, options: CreateOptions) => {
      const body = { ...(file && (await readJson(cli, file))), ...(await caseOf(cli, options)) }
      const missing = ['caseType', 'hostCompany', 'sendingCompany', 'billingCompany', 'applicant'].filter(
        name => !(name in body),
      )
      if (missing.length > 0) throw usageError(`The case has no ${missing.join(', ')}. See --help.`)
      if (options.dryRun) return cli.output.record(requestOf('POST', '/v2/case', body))
      const { cases } = await cli.connect()
      await cli.output.record(await cases.create(body as never, { signal: cli.signal }))
    })

async function caseOf(cli: Cli, options: CreateOptions): Promise<Record<string, unknown>> {
  const { caseType, hostCountry, company, employee, process: processName } = options
  return given({
    caseType,
    hostCountry,
    hostCompany: options.hostCompany ?? company,
    sendingCompany: options.sendingCompany ?? company,
    billingCompany: options.billingCompany ?? company,
    processName,
    applicant: employee === undefined ? undefined : await applicantOf(cli, employee),
  })
}

async function applicantOf(cli: Cli, employeeNumber: string) {
  const { applicants } = await cli.connect()
  const { firstName, lastName } = await applicants.getByNumber(employeeNumber, { signal: cli.signal })
  return { employeeNumber, firstName, lastName }
}

type Step = Schemas['CaseStep']

const STEPS: Column<Step>[] = [
  { title: '#', value: ({ sequence }) => sequence },
  { title: 'STEP', value: ({ name }) => name },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'STARTED', value: ({ startDate }) => startDate },
  { title: 'DUE', value: ({ dueDate }) => dueDate },
  { title: 'COMPLETED', value: ({ completionDate }) => completionDate },
  { title: 'ID', value: ({ stepId }) => stepId, isId: true },
]

interface StepOptions {
  complete?: true
  status?: Step['status']
  due?: string
  assignee?: string
  dryRun?: true
}

const stepCommand = (cli: Cli) =>
  new Command('step')
    .description('List the steps of a case, or change one.')
    .argument('<caseId>')
    .argument('[step]', 'sequence, id or name of a step')
    .option('--complete', 'complete the step, and start the next one')
    .addOption(
      new Option('--status <status>', 'new status').choices([
        'notStarted',
        'inProgress',
        'completed',
        'waived',
      ]),
    )
    .option('--due <day>', 'due date such as 2026-03-01')
    .option('--assignee <userId>', 'user who does it')
    .option(...DRY_RUN)
    .action(async (caseId: string, wanted: string | undefined, options: StepOptions) => {
      const { complete, status, due, assignee, dryRun } = options
      const changes = given({ status, dueDate: due, assigneeId: assignee })
      const isChange = complete || Object.keys(changes).length > 0
      if (complete && Object.keys(changes).length > 0)
        throw usageError('--complete is used without --status, --due and --assignee.')
      if (isChange && wanted === undefined) throw usageError('Which step? Give its sequence, id or name.')
      const { cases } = await cli.connect()
      const call = { signal: cli.signal }
      const steps = await cases.steps.listForCase(caseId, call)
      if (wanted === undefined) return cli.output.list(steps, STEPS)
      const step = stepOf(steps, wanted)
      if (!isChange) return cli.output.record(step)
      const path = `/admin/v1/cases/${caseId}/steps/${step.stepId}`
      if (dryRun)
        return cli.output.record(
          complete ? requestOf('POST', `${path}/complete`) : requestOf('PATCH', path, changes),
        )
      const saved = complete
        ? await cases.steps.complete(caseId, step.stepId, {}, call)
        : await cases.steps.update(caseId, step.stepId, changes as Schemas['StepPatch'], call)
      await cli.output.record(saved)
    })

function stepOf(steps: Step[], wanted: string): Step {
  const found = steps.filter(
    ({ stepId, sequence, name }) =>
      stepId === wanted || String(sequence) === wanted || name.toLowerCase() === wanted.toLowerCase(),
  )
  const [step] = found
  if (step && found.length === 1) return step
  const names = steps.map(({ sequence, name }) => `${sequence} ${name}`).join(', ')
  throw usageError(`${step ? 'Several steps are' : 'No step is'} "${wanted}". The steps are: ${names}.`)
}

const NOTES: Column<Schemas['CaseNote']>[] = [
  { title: 'AT', value: ({ createdAt }) => createdAt },
  { title: 'AUTHOR', value: ({ author }) => author },
  { title: 'NOTE', value: ({ content }) => content },
]

interface NoteOptions {
  author?: string
  team?: true
  dryRun?: true
}

const noteCommand = (cli: Cli) =>
  new Command('note')
    .description('List the notes of a case, or add one.')
    .argument('<caseId>')
    .argument('[text]', 'content of a new note; - is standard input')
    .option('--author <name>', 'author of the note')
    .option('--team', 'only the case team sees it')
    .option(...DRY_RUN)
    .action(async (caseId: string, content: string | undefined, options: NoteOptions) => {
      const { cases } = await cli.connect()
      const call = { signal: cli.signal }
      if (content === undefined) return cli.output.list(await cases.notes.listForCase(caseId, call), NOTES)
      const body = {
        content: content === '-' ? (await readText(cli, '-')).trim() : content,
        ...given({ author: options.author, visibility: options.team && ('team' as const) }),
      }
      if (!options.dryRun) return cli.output.record(await cases.notes.add(caseId, body, call))
      // A case that does not exist is reported now, and not at the real run.
      await cases.get(caseId, call)
      await cli.output.record(requestOf('POST', `/admin/v1/cases/${caseId}/notes`, body))
    })
