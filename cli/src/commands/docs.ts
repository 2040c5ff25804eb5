// Documents: upload and download files, list documents and what expires.
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { components } from '@caseport/sdk'
import { downloadToPath, fileFromPath } from '@caseport/sdk/node'
import { Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { CommandError, EXIT, failureOf, folderError, naming, usageError } from '../exit-codes.ts'
import { applicantIdOf } from '../find-applicant.ts'
import { DRY_RUN, dayIn, daysOf, given, isFolder, LIMIT, limited, requestOf } from '../options.ts'
import { type Column, printable } from '../terminal/table.ts'

type Schemas = components['schemas']
type CountryCode = Schemas['DocumentUpload']['countryCode']

const COUNTRIES: CountryCode[] = ['US', 'EDU', 'UK', 'FR', 'DE', 'IR', 'ES', 'CH']

export const docsCommand = (cli: Cli) =>
  new Command('docs')
    .description('Documents and their files.')
    .addCommand(uploadCommand(cli))
    .addCommand(downloadCommand(cli))
    .addCommand(listCommand(cli))

interface UploadOptions {
  case?: string
  person?: string
  country: CountryCode
  type?: string
  name?: string
  description?: string
  issued?: string
  expires?: string
  reference?: string
  dryRun?: true
}

const uploadCommand = (cli: Cli) =>
  new Command('upload')
    .description('Upload files to a case, or for a person without a case.')
    .argument('<files...>')
    .option('--case <caseId>', 'case that the files belong to')
    .option('--person <employeeNumber>', 'person that the files belong to, without a case')
    .addOption(
      new Option('--country <code>', 'country whose repository stores the files')
        .choices(COUNTRIES)
        .makeOptionMandatory(),
    )
    .option('--type <type>', 'kind of document')
    .option('--name <name>', 'name of the document; the default is that of the file')
    .option('--description <text>')
    .option('--issued <day>', 'issue date such as 2026-03-01')
    .option('--expires <day>', 'expiry date such as 2027-06-30')
    .option('--reference <number>', 'number of the document')
    .option(...DRY_RUN)
    .action(async (files: string[], options: UploadOptions) => {
      if ((options.case === undefined) === (options.person === undefined))
        throw usageError('Where do the files belong? Give either --case or --person.')
      const target = await targetOf(cli, options)
      cli.goesOn = true
      const failures: string[] = []
      let lastCode: number = EXIT.rejected
      for (const path of files) {
        try {
          await uploadFile(cli, path, target, options)
        } catch (error) {
          if (cli.signal.aborted || files.length === 1) throw error
          const { message, exitCode } = failureOf(error)
          failures.push(path)
          lastCode = exitCode
          // An error of the file itself names it.
          const named = message.startsWith(`${path}: `) ? message : `${path}: ${message}`
          cli.output.note(`caseport: ${printable(named)}`)
        }
      }
      if (failures.length > 0)
        cli.exitCode = failures.length < files.length ? EXIT.someFailed : toCode(lastCode)
    })

const toCode = (code: number) => Object.values(EXIT).find(known => known === code) ?? EXIT.rejected

type Target = { caseId: string } | { applicantId: string }

/** A case or person that does not exist is reported before anything is sent. */
async function targetOf(cli: Cli, { case: caseId, person = '' }: UploadOptions): Promise<Target> {
  return caseId === undefined ? { applicantId: await applicantIdOf(cli, person) } : { caseId }
}

async function uploadFile(cli: Cli, path: string, target: Target, options: UploadOptions): Promise<void> {
  if (await isFolder(path)) throw folderError(path)
  if ((await stat(path)).size === 0) throw usageError(`${path}: The file is empty.`)
  const fields = {
    countryCode: options.country,
    ...given({
      type: options.type,
      name: options.name,
      description: options.description,
      issueDate: options.issued,
      expiryDate: options.expires,
      referenceNumber: options.reference,
    }),
  }
  if (options.dryRun) {
    const address =
      'caseId' in target ? '/v2/document' : `/admin/v1/applicants/${target.applicantId}/documents`
    if ('caseId' in target) await (await cli.connect()).cases.get(target.caseId, { signal: cli.signal })
    return cli.output.record(
      requestOf('POST', address, { ...('caseId' in target && target), ...fields, document: path }),
    )
  }
  const { documents } = await cli.connect()
  const file = await fileFromPath(path)
  const bar = cli.bar(basename(path), 'bytes')
  const call = { signal: cli.signal, onProgress: bar.update }
  const sent =
    'caseId' in target
      ? documents.upload({ ...target, ...fields, file }, call)
      : documents.uploadForApplicant(target.applicantId, { ...fields, file }, call)
  await cli.output.record(await sent.finally(bar.clear))
}

const downloadCommand = (cli: Cli) =>
  new Command('download')
    .description('Download the file of a document. An interrupted download goes on where it ended.')
    .argument('<documentId>')
    .argument(
      '[path]',
      'file to write, or a folder for it; - is standard output; the default is the current folder',
    )
    .option('--force', 'replace a file that exists')
    .action(async (documentId: string, given: string | undefined, { force }: { force?: true }) => {
      const caseport = await cli.connect()
      const call = { signal: cli.signal }
      if (given === '-') {
        const { body } = await caseport.documents.download(documentId, call)
        return cli.output.bytes(body)
      }
      const { fileName } = await caseport.documents.get(documentId, call)
      if (fileName === null) throw new CommandError('The document has no file.')
      const name = localName(fileName) ?? documentId
      const path = given === undefined ? name : (await isFolder(given)) ? join(given, name) : given
      if (await isFolder(path)) throw folderError(path)
      if (!force && (await exists(path)))
        throw usageError(`${path}: The file exists. Use --force to replace it.`)
      const bar = cli.bar(basename(path), 'bytes')
      const { size, sha256 } = await downloadToPath(caseport, documentId, path, {
        ...call,
        onProgress: bar.update,
      })
        .finally(bar.clear)
        .catch(naming(path))
      await cli.output.record({ path, size, sha256 })
    })

/** The name comes from the service: it must not lead to another folder. */
function localName(fileName: string): string | undefined {
  const name = basename(printable(fileName).replaceAll('\\', '/'))
  return ['', '.', '..'].includes(name) ? undefined : name
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

const EXPIRING: Column<Schemas['Expiring']>[] = [
  { title: 'EXPIRES', value: ({ expiryDate }) => expiryDate },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'NAME', value: ({ name, type }) => name ?? type },
  {
    title: 'PERSON',
    value: ({ applicant }) => [applicant.lastName, applicant.firstName].filter(Boolean).join(', '),
  },
  { title: 'NUMBER', value: ({ applicant }) => applicant.employeeNumber },
  { title: 'ID', value: ({ documentId, passportId }) => documentId ?? passportId, isId: true },
]

const LISTED: Column<Schemas['ListedDocument']>[] = [
  { title: 'DOCUMENT', value: ({ documentId }) => documentId },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'EXPIRES', value: ({ expiryDate }) => expiryDate?.slice(0, 10) },
  { title: 'NUMBER', value: ({ employeeNumber }) => employeeNumber },
  { title: 'FILE', value: ({ fileName }) => fileName },
]

interface ListOptions {
  expiring?: number
  expired?: true
  kind?: 'document' | 'passport'
  company?: string
  case?: string
  person?: string
  country?: CountryCode
  type?: string
  limit?: number
}

const listCommand = (cli: Cli) =>
  new Command('list')
    .description('List documents; with --expiring, documents and passports by expiry date.')
    .option('--expiring <time>', 'expires today or within this time, such as 90d or 12w', daysOf)
    .option('--expired', 'has expired; also together with --expiring')
    .addOption(
      new Option('--kind <kind>', 'with --expiring and --expired: one of both').choices([
        'document',
        'passport',
      ]),
    )
    .option('--company <company>', 'with --expiring and --expired: name, code or id')
    .option('--case <caseId>', 'only documents of this case')
    .option('--person <employeeNumber>', 'only documents of this person')
    .addOption(new Option('--country <code>', 'country of the repository').choices(COUNTRIES))
    .option('--type <type>', 'kind of document')
    .option(...LIMIT)
    .action((options: ListOptions) =>
      options.expiring !== undefined || options.expired
        ? listExpiring(cli, options)
        : listDocuments(cli, options),
    )

async function listExpiring(cli: Cli, options: ListOptions): Promise<void> {
  const { expiring: days, expired, kind, company, limit } = options
  for (const name of ['case', 'person', 'country', 'type'] as const)
    if (options[name] !== undefined) throw usageError(`--${name} is not used with --expiring and --expired.`)
  const { expiring } = await cli.connect()
  const query = {
    ...given({ kind, company }),
    ...(!expired && { expiresFrom: dayIn(0) }),
    expiresTo: dayIn(days ?? -1),
    maxRecords: Math.min(1000, limit ?? 1000),
  }
  await cli.output.list(limited(expiring.list(query, { signal: cli.signal }), limit), EXPIRING)
}

async function listDocuments(cli: Cli, options: ListOptions): Promise<void> {
  const { person, limit, type, country: countryCode, case: caseId } = options
  for (const name of ['kind', 'company'] as const)
    if (options[name] !== undefined) throw usageError(`--${name} needs --expiring or --expired.`)
  const { documents } = await cli.connect()
  const call = { signal: cli.signal }
  const applicantId = person === undefined ? undefined : await applicantIdOf(cli, person)
  const query = {
    ...given({ type, countryCode, caseId, applicantId }),
    maxRecords: Math.min(1000, limit ?? 1000),
  }
  await cli.output.list(limited(documents.search(query, call), limit), LISTED)
}
