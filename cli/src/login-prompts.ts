// The questions of `login`.
import * as prompts from '@clack/prompts'
import { type Credentials, checkedUrl } from './credentials.ts'
import { CommandError, EXIT } from './exit-codes.ts'

const DEFAULT_URL = 'http://127.0.0.1:8080'

interface Known {
  url?: string | undefined
  clientId?: string | undefined
}

export async function askCredentials(known: Known, signal: AbortSignal): Promise<Credentials> {
  // Results go to standard output, so that questions do not.
  const output = process.stderr
  const asking = { output, signal }
  prompts.intro('Caseport', { output })
  const url =
    known.url ??
    (await answered(
      prompts.text({
        message: 'Address of the service',
        placeholder: DEFAULT_URL,
        defaultValue: DEFAULT_URL,
        validate: value => (value ? reasonAgainst(value) : undefined),
        ...asking,
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
          ...asking,
        }),
      )
  const askSecret = (message: string) =>
    answered(prompts.password({ message, validate: required, ...asking }))
  if (kind === 'token') return { url: checkedUrl(url), token: await askSecret('Access token') }
  const clientId =
    known.clientId ?? (await answered(prompts.text({ message: 'Client id', validate: required, ...asking })))
  return { url: checkedUrl(url), clientId, clientSecret: await askSecret('Client secret') }
}

const required = (value: string | undefined) => (value ? undefined : 'Required.')

function reasonAgainst(url: string): string | undefined {
  try {
    checkedUrl(url)
    return undefined
  } catch (error) {
    return error instanceof CommandError ? error.message : String(error)
  }
}

/** Ctrl-C at a question ends the command. It is a key there, and no signal. */
async function answered<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const value = await question
  if (prompts.isCancel(value)) throw new CommandError('Nothing was stored.', EXIT.interrupted)
  return value as Exclude<T, symbol>
}
