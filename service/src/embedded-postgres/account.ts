// The operating system user and the environment of PostgreSQL's programs. PostgreSQL does not run as root. Our environment
// is not passed on: variables such as PGDATA and PGPORT would change what the programs do.
import { readFileSync, statSync } from 'node:fs'

export interface Account {
  name: string
  uid: number
  gid: number
}

interface ChildOptions {
  cwd: string
  env: Record<string, string>
  uid?: number
  gid?: number
}

/** The user to run PostgreSQL as, or undefined when it runs as the user of the service. */
export function chooseAccount(pgData: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const known = readPasswd()
  const owner = statSync(pgData, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) {
    const { uid, gid } = owner
    return known.find(account => account.uid === uid) ?? { name: `uid ${uid}`, uid, gid }
  }
  return (
    known.find(account => account.name === 'postgres' && account.uid !== 0) ??
    known.find(account => account.name === 'nobody' && account.uid !== 0) ?? {
      name: 'nobody',
      uid: 65534,
      gid: 65534,
    }
  )
}

export function childOptions(account?: Account): ChildOptions {
  return {
    // The account may have no access to the working directory of the service.
    cwd: '/',
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(account && { uid: account.uid, gid: account.gid }),
  }
}

function readPasswd(): Account[] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map(line => line.split(':'))
      .filter(fields => fields.length >= 4)
      .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
  } catch {
    return []
  }
}
