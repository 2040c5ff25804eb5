// Three parts: the embedded database, an external one that is written to during the backup, and a database created by the
// first release.
import type { Attack, Context, Outcome } from '../attack.ts'
import { embeddedBackup } from './embedded.ts'
import { externalBackup } from './external.ts'
import { firstRelease } from './first-release.ts'

async function run(context: Context): Promise<Outcome> {
  const parts = [embeddedBackup, externalBackup, firstRelease]
  const outcomes: Outcome[] = []
  for (const [index, part] of parts.entries()) {
    outcomes.push(await part(context))
    context.progress(index + 1, parts.length)
  }
  return {
    figures: outcomes.map(({ figures }) => figures).join('; '),
    findings: outcomes.flatMap(({ findings }) => findings),
  }
}

export const backup: Attack = {
  name: 'backup',
  title: 'backup and restore by the documented commands',
  must: 'restored data equals the original; a database of the first release can be migrated',
  breaks: ['backup-order'],
  run,
}
