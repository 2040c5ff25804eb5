// The attacks of each command, in the order of their numbers.

import { killService } from './01-kill-service.ts'
import { killPostgresAttack } from './02-kill-postgres.ts'
import { diskFull } from './03-disk-full.ts'
import { threeServices } from './04-three-services.ts'
import { repeatedPosts } from './05-repeated-posts.ts'
import { model } from './06-model.ts'
import { malformed } from './07-malformed.ts'
import { contract } from './08-contract.ts'
import { slow } from './09-slow.ts'
import { overload } from './10-overload.ts'
import { scopes } from './11-scopes.ts'
import { tokens } from './12-tokens.ts'
import { uploads } from './13-uploads.ts'
import { canaries } from './14-canaries.ts'
import { backup } from './15-backup.ts'
import { time } from './16-time.ts'
import { largeFile } from './21-large-file.ts'
import { killedUploads } from './22-killed-uploads.ts'
import type { Attack } from './attack.ts'

export const suites: Record<string, Attack[]> = {
  faults: [
    killService,
    killPostgresAttack,
    diskFull,
    threeServices,
    repeatedPosts,
    model,
    backup,
    time,
    largeFile,
    killedUploads,
  ],
  fuzz: [malformed, contract, scopes, tokens, uploads, canaries],
  load: [slow, overload],
}
