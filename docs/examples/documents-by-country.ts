// Files the documents of a folder in the repositories of their countries: node documents-by-country.ts folder
//
// The folder has folder/DE/E-10042/permit.pdf: country, employee number, file. Needs the scopes applicants:read, desk:read and desk:write.
// Running it again uploads what is new only: files are compared by their digests. At the end it lists what each repository has of
// these people. It skips what is in no such place and hidden files. The exit code is 3 if a file was rejected, or nobody has a number.
import { createHash } from 'node:crypto'
import { createReadStream, type Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type components, isCaseportError } from '@caseport/sdk'
import { fileFromPath } from '@caseport/sdk/node'
import { connect, log } from './connect.ts'

type CountryCode = components['schemas']['DocumentUpload']['countryCode']

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Which folder? node documents-by-country.ts folder')

const COUNTRIES: readonly string[] = ['US', 'EDU', 'UK', 'FR', 'DE', 'IR', 'ES', 'CH'] satisfies CountryCode[]

const caseport = connect()
for (const countryCode of await folders('', COUNTRIES))
  for (const employeeNumber of await folders(countryCode))
    await file(countryCode as CountryCode, employeeNumber)

async function file(countryCode: CountryCode, employeeNumber: string): Promise<void> {
  const applicantId = await idOf(employeeNumber)
  if (applicantId === undefined) {
    log(`nobody has the number ${employeeNumber}`)
    process.exitCode = 3
    return
  }
  const stored = await caseport.documents.search({ applicantId, countryCode }).toArray()
  const digests = new Set(stored.map(({ sha256 }) => sha256))
  for (const name of await files(join(countryCode, employeeNumber))) {
    const path = join(folder ?? '', countryCode, employeeNumber, name)
    if (digests.has(await digestOf(path))) continue
    try {
      await caseport.documents.uploadForApplicant(applicantId, {
        countryCode,
        file: await fileFromPath(path),
      })
      log(`filed ${name} of ${employeeNumber} in ${countryCode}`)
    } catch (error) {
      // Such as a kind of file that is never stored: the others go on.
      if (!isCaseportError(error) || error.status === 0 || error.status >= 500) throw error
      log(`rejected ${name} of ${employeeNumber}: ${error.message}`)
      process.exitCode = 3
    }
  }
  const all = await caseport.documents.search({ applicantId, countryCode }).toArray()
  log(`${countryCode} has ${all.length} documents of ${employeeNumber}`)
}

/** Of a primary applicant or a dependent. */
async function idOf(employeeNumber: string): Promise<string | undefined> {
  const [person] = await caseport.applicants.search({ employeeNumber }).toArray(1)
  return person?.applicantId
}

/** The folders in a place, and those with these names alone if there are any. */
async function folders(place: string, names?: readonly string[]): Promise<string[]> {
  return entries(place, entry => entry.isDirectory() && (!names || names.includes(entry.name)))
}

function files(place: string): Promise<string[]> {
  return entries(place, entry => entry.isFile())
}

/** Hidden ones, such as .DS_Store, are made by programs. */
async function entries(place: string, isRight: (entry: Dirent) => boolean): Promise<string[]> {
  const all = await readdir(join(folder ?? '', place), { withFileTypes: true })
  const names: string[] = []
  for (const entry of all.sort((a, b) => (a.name < b.name ? -1 : 1)))
    if (isRight(entry) && !entry.name.startsWith('.')) names.push(entry.name)
    else log(`skipped ${join(place, entry.name)}`)
  return names
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
