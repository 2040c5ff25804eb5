// The attacks of each command, in the order in which they run.

import type { Attack } from './attack.ts'
import { audit } from './audit.ts'
import { backup } from './backup/backup.ts'
import { canaries } from './canaries/canaries.ts'
import { companies } from './companies/companies.ts'
import { contract } from './contract.ts'
import { diskFull } from './disk-full.ts'
import { feed } from './feed/feed.ts'
import { forgedTokens } from './forged-tokens/forged-tokens.ts'
import { haDatabase } from './ha/ha-database.ts'
import { hostileUploads } from './hostile-uploads/hostile-uploads.ts'
import { killPostgres } from './kill-postgres.ts'
import { killService } from './kill-service.ts'
import { killedImports } from './killed-imports.ts'
import { killedUploads } from './killed-uploads.ts'
import { largeFile } from './large-file.ts'
import { malformedRequests } from './malformed-requests/malformed-requests.ts'
import { model } from './model.ts'
import { overload } from './overload.ts'
import { repeatedPosts } from './repeated-posts.ts'
import { scopes } from './scopes.ts'
import { sessions } from './sessions.ts'
import { slowConnections } from './slow-connections.ts'
import { stalls } from './stalls/stalls.ts'
import { threeServices } from './three-services.ts'
import { time } from './time/time.ts'
import { upgrade } from './upgrade.ts'

export const suites: Record<string, Attack[]> = {
  faults: [
    killService,
    audit,
    killPostgres,
    diskFull,
    threeServices,
    upgrade,
    feed,
    repeatedPosts,
    model,
    backup,
    time,
    largeFile,
    killedUploads,
    killedImports,
  ],
  fuzz: [malformedRequests, contract, scopes, companies, sessions, forgedTokens, hostileUploads, canaries],
  load: [slowConnections, overload, stalls],
  ha: [haDatabase],
}
