// The questions of `login`.
import * as prompts from '@clack/prompts'
import { type Credentials, checkedUrl } from './credentials.ts'
import { CommandError, usageError } from './exit-codes.ts'

const DEFAULT_URL = 'http://127.0.0.1:8080'

/** Results go to standard output, so that questions do not. */
const output = process.stderr

export async function askCredentials(known: {
  url?: string | undefined
  clientId?: string | undefined
}): Promise<Credentials> {
  prompts.intro('Caseport', { output })
  const url =
    known.url ??
    (await answered(
      prompts.text({
        message: 'Address of the service',
        placeholder: DEFAULT_URL,
        defaultValue: DEFAULT_URL,
        validate: value => (value ? reasonAgainst(value) : undefined),
        output,
      }),
    ))
  const kind = known.clientId
    ? 'client'
    : await answered(
        prompts.select({
          message: 'Sign in with',
          options: [
            { value: 'client', label: 'Client id and secret' },
            { value: 'token', label: 'An access token', hint: 'valid for an hour or so' },
          ],
          output,
        }),
      )
  if (kind === 'token') return { url: checkedUrl(url), token: await askSecret('Access token') }
  const clientId =
    known.clientId ?? (await answered(prompts.text({ message: 'Client id', validate: required, output })))
  return { url: checkedUrl(url), clientId, clientSecret: await askSecret('Client secret') }
}

const askSecret = (message: string) => answered(prompts.password({ message, validate: required, output }))

const required = (value: string | undefined) => (value ? undefined : 'Required.')

function reasonAgainst(url: string): string | undefined {
  try {
    checkedUrl(url)
    return undefined
  } catch (error) {
    return error instanceof CommandError ? error.message : String(error)
  }
}

/** Ctrl-C at a question ends the command. */
async function answered<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const value = await question
  if (prompts.isCancel(value)) throw usageError('Nothing was stored.')
  return value as Exclude<T, symbol>
}
