// Files the documents of a folder in the repositories of their countries: node documents-by-country.ts folder
//
// The folder has folder/DE/E-10042/permit.pdf: country, employee number, file. Needs the scopes applicants:read, desk:read and desk:write.
// Running it again uploads what is new only: files are compared by their digests. At the end it lists what each repository has of
// these people.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type components, isCaseportError } from '@caseport/sdk'
import { fileFromPath } from '@caseport/sdk/node'
import { connect, log } from './connect.ts'

type CountryCode = components['schemas']['DocumentUpload']['countryCode']

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Which folder? node documents-by-country.ts folder')

const caseport = connect()
for (const countryCode of (await readdir(folder)).sort() as CountryCode[])
  for (const employeeNumber of (await readdir(join(folder, countryCode))).sort())
    await file(countryCode, employeeNumber)

async function file(countryCode: CountryCode, employeeNumber: string): Promise<void> {
  const { applicantId } = await caseport.applicants.getByNumber(employeeNumber)
  const stored = await caseport.documents.search({ applicantId, countryCode }).toArray()
  const digests = new Set(stored.map(({ sha256 }) => sha256))
  const source = join(folder ?? '', countryCode, employeeNumber)
  for (const name of (await readdir(source)).sort()) {
    const path = join(source, name)
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

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
