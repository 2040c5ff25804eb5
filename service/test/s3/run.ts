// `npm run test:s3`: starts a real S3 server and runs COMMANDS against it. Each command gets S3_ENDPOINT, the variables of
// the AWS SDK, and a REPOSITORIES whose buckets exist.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { COUNTRY_CODES } from '../../src/lib/countries.ts'
import { installSwift, type Swift, startSwift } from './swift.ts'

const COMMANDS = [
  [
    '--test',
    '--test-timeout=120000',
    ...process.argv.slice(2),
    join(import.meta.dirname, 'blobs-s3.test.ts'),
  ],
  [
    join(import.meta.dirname, '../../../acceptance/run.ts'),
    join(import.meta.dirname, '../../../acceptance/documents.test.ts'),
  ],
]

let running: ChildProcess | undefined
let swift: Swift | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => (running ? running.kill(signal) : process.exit(1)))
try {
  installSwift()
  swift = await startSwift()
  process.exitCode = await runAll(swift)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  await swift?.stop()
}

async function runAll({ endpoint, accessKey, secretKey, region }: Swift): Promise<number> {
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  for (const code of COUNTRY_CODES)
    await client.send(new CreateBucketCommand({ Bucket: `caseport-${code.toLowerCase()}` }))
  client.destroy()
  const env = {
    ...process.env,
    S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey,
    AWS_REGION: region,
    REPOSITORIES: `s3://caseport-{code}?endpoint=${endpoint}&region=${region}`,
  }
  let failed = 0
  for (const command of COMMANDS) {
    running = spawn(process.execPath, command, { stdio: 'inherit', env })
    const [code] = await once(running, 'exit')
    running = undefined
    if (code !== 0) failed = code ?? 1
  }
  return failed
}
