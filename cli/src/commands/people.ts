// People: read and save one, import and export all of them.
import { Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { checkPerson } from '../imports/check-person.ts'
import { exportPeople } from '../imports/export-people.ts'
import { type ImportOptions, importFile } from '../imports/import-file.ts'
import { collectMapping } from '../imports/import-source.ts'
import { readJson } from '../options.ts'

export const peopleCommand = (cli: Cli) =>
  new Command('people')
    .description('People by employee number, one or all of them.')
    .addCommand(getCommand(cli))
    .addCommand(putCommand(cli))
    .addCommand(importCommand(cli))
    .addCommand(exportCommand(cli))

const getCommand = (cli: Cli) =>
  new Command('get')
    .description('Show a person.')
    .argument('<employeeNumber>')
    .option('--id', 'the argument is an applicantId')
    .option('--family', 'with dependents, in the form that "people put" takes')
    .action(async (number: string, { id, family }: { id?: true; family?: true }) => {
      const { applicants } = await cli.connect()
      const call = { signal: cli.signal }
      const person = await (id ? applicants.get(number, call) : applicants.getByNumber(number, call))
      if (!family) return cli.output.record(person)
      const dependents = await applicants.dependents.list(person.applicantId, call)
      await cli.output.record({ primaryApplicant: person, dependents })
    })

interface PutOptions {
  merge?: true
  dryRun?: true
}

const putCommand = (cli: Cli) =>
  new Command('put')
    .description('Save a person: create the record, or replace it.')
    .argument('<employeeNumber>')
    .argument('[file]', 'JSON of { primaryApplicant, dependents } or of a person; - is standard input', '-')
    .option('--merge', 'change only the fields that the file has')
    .option('--dry-run', 'let the service check the file, show what would change, and change nothing')
    .action(async (number: string, file: string, { merge, dryRun }: PutOptions) => {
      const given = await readJson(cli, file)
      const body = 'primaryApplicant' in given || 'dependents' in given ? given : { primaryApplicant: given }
      if (dryRun) return checkPerson(cli, { number, body, mode: merge ? 'merge' : 'replace' })
      const { applicants } = await cli.connect()
      const call = { signal: cli.signal }
      // The service checks the body.
      const saved = merge
        ? await applicants.mergeByNumber(number, body as never, call)
        : await applicants.replaceByNumber(number, body as never, call)
      await cli.output.record(saved)
    })

const importCommand = (cli: Cli) =>
  new Command('import')
    .description('Import a CSV or NDJSON file of people, by employee number.')
    .argument('<file>', 'people.csv, people.ndjson, also with .gz; - is standard input')
    .addOption(
      new Option(
        '--mode <mode>',
        'whether fields that the file leaves out are cleared (replace) or kept (merge)',
      )
        .choices(['replace', 'merge'])
        .default('replace'),
    )
    .option('--complete', 'the file has all people: report those who are missing from it')
    .addOption(
      new Option('--format <format>', 'kind of the file; the default follows its name').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('--map <column=field>', 'rename a column of a CSV file; may be repeated', collectMapping)
    .addOption(
      new Option(
        '--rows <rows>',
        'rows to print; the default is changed for a dry run, else rejected',
      ).choices(['all', 'changed', 'rejected', 'none']),
    )
    .option('--no-wait', 'return when the file is sent; "imports get" shows how it goes on')
    .option('--dry-run', 'let the service check all rows, show what would change, and change nothing')
    .addHelpText(
      'after',
      '\nAn import that would take values from many people is held: "caseport imports release" applies it.',
    )
    .action((file: string, options: ImportOptions) => importFile(cli, file, options))

interface ExportOptions {
  cursorFile?: string
}

const exportCommand = (cli: Cli) =>
  new Command('export')
    .description('Export all people at one moment: families, one in each line.')
    .argument('[file]', 'NDJSON file to write; - is standard output', '-')
    .option('--cursor-file <path>', 'write the cursor there, from which "changes tail" goes on')
    .action((file: string, options: ExportOptions) => exportPeople(cli, file, options))
