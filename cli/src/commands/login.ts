// login, logout and whoami. `login` stores nothing that the service does not accept.
import { createCaseport } from '@caseport/sdk'
import { Command } from 'commander'
import { type Cli, RETRIES } from '../cli.ts'
import {
  authOf,
  type Credentials,
  checkedUrl,
  credentialsPath,
  removeCredentials,
  storeCredentials,
} from '../credentials.ts'
import { usageError } from '../exit-codes.ts'
import { readText } from '../options.ts'
import { printable } from '../terminal/table.ts'

interface LoginOptions {
  url?: string
  clientId?: string
  secretStdin?: true
  tokenStdin?: true
  dryRun?: true
}

export const loginCommand = (cli: Cli) =>
  new Command('login')
    .description('Sign in, and store the credentials for the next commands.')
    .option('--url <address>', 'address of the service')
    .option('--client-id <id>', 'client id')
    .option('--secret-stdin', 'read the client secret from standard input')
    .option('--token-stdin', 'read an access token from standard input, instead of client id and secret')
    .option('--dry-run', 'check the credentials, and store nothing')
    .addHelpText(
      'after',
      '\nAt a terminal, what is not given is asked. A secret is never an argument: others could see it.',
    )
    .action(async (options: LoginOptions) => {
      const credentials = await credentialsOf(cli, options)
      const caseport = createCaseport({
        baseUrl: credentials.url,
        auth: authOf(credentials),
        retries: RETRIES,
      })
      const me = await caseport.me.get({ signal: cli.signal })
      const who = `${printable(me.name)} at ${credentials.url}`
      if (options.dryRun) return cli.output.note(`${who}: the credentials are right. Nothing was stored.`)
      const path = await storeCredentials(cli.env, credentials)
      cli.output.note(`Signed in as ${who}. The credentials are in ${path}.`)
    })

async function credentialsOf(cli: Cli, options: LoginOptions): Promise<Credentials> {
  const { url, clientId, secretStdin, tokenStdin } = options
  if (secretStdin && tokenStdin) throw usageError('Use either --secret-stdin or --token-stdin.')
  if (!secretStdin && !tokenStdin) {
    if (cli.stdin.isTTY && cli.stderr.isTTY) {
      // Only this command needs the questions.
      const { askCredentials } = await import('../login-prompts.ts')
      return askCredentials({ url, clientId }, cli.signal)
    }
    throw usageError(
      'There is no terminal to ask at. Use --url with --client-id and --secret-stdin, or with --token-stdin.',
    )
  }
  if (!url) throw usageError('--url is required with --secret-stdin and --token-stdin.')
  if (secretStdin && !clientId) throw usageError('--client-id is required with --secret-stdin.')
  const secret = (await readText(cli, '-')).trim()
  if (!secret) throw usageError('Standard input has no secret.')
  const address = checkedUrl(url)
  return tokenStdin ? { url: address, token: secret } : { url: address, clientId, clientSecret: secret }
}

export const logoutCommand = (cli: Cli) =>
  new Command('logout')
    .description('Remove the stored credentials.')
    .option('--dry-run', 'show what would be removed')
    .action(async ({ dryRun }: { dryRun?: true }) => {
      const path = credentialsPath(cli.env)
      if (dryRun) return cli.output.note(`Would remove ${path}.`)
      const wasThere = await removeCredentials(cli.env)
      cli.output.note(wasThere ? `Removed ${path}.` : 'No credentials were stored.')
    })

export const whoamiCommand = (cli: Cli) =>
  new Command('whoami')
    .description('Show the address, the caller, its scopes and companies.')
    .action(async () => {
      const { url, source } = await cli.credentials()
      const { clientId, name, roles, scopes, companies } = await (await cli.connect()).me.get({
        signal: cli.signal,
      })
      await cli.output.record({ url, credentials: source, clientId, name, roles, scopes, companies })
    })
