// Four parts: the embedded database, an external one that is written to during the backup, one that is restored to a moment,
// and a database created by the first release.
import type { Attack, Context, Outcome } from '../attack.ts'
import { embeddedBackup } from './embedded.ts'
import { externalBackup } from './external.ts'
import { firstRelease } from './first-release.ts'
import { pointInTime } from './point-in-time.ts'

/** Guards of restores to a moment. */
const MOMENT_GUARDS = ['moment-order', 'copies-kept', 'backup-encryption', 'whole-archive']

async function run(context: Context): Promise<Outcome> {
  const parts = MOMENT_GUARDS.includes(context.broken ?? '')
    ? [pointInTime]
    : [embeddedBackup, externalBackup, pointInTime, firstRelease]
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
  must: 'restored data equals the original, also at a moment in between; a database of the first release can be migrated',
  breaks: ['backup-order', ...MOMENT_GUARDS],
  run,
}
