// Builds the image in a clean root and starts it there as an engine would: an ordinary user without capabilities, a read-only root,
// a network of its own. `npm run test:deploy`; only root can run it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { buildImage, reasonToSkip, type Stage } from './dockerfile.ts'

const skip = reasonToSkip() ?? false

/** Mounts the root read-only, starts the command, and waits for the health check. Prints what the tests look at. */
const START = `
mount --bind "$ROOT" "$ROOT"
mount --bind "$DATA" "$ROOT/data"
mount -o remount,bind,ro "$ROOT"
mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"
mount -t tmpfs -o mode=1777 tmpfs "$ROOT/dev/shm"
mount -t proc proc "$ROOT/proc"
ip link set lo up
as_user() {
  exec chroot "$ROOT" setpriv --reuid="$USER_ID" --regid="$USER_ID" --clear-groups --no-new-privs --bounding-set=-all \\
    --inh-caps=-all env -i -C "$WORKDIR" "$@"
}
as_user $VARIABLES $COMMAND >"$DATA/../log" 2>&1 &
service=$!
tries=0
until (as_user $VARIABLES $HEALTHCHECK); do
  tries=$((tries + 1))
  if [ $tries -gt 60 ] || ! kill -0 $service; then echo 'not healthy'; cat "$DATA/../log"; exit 1; fi
  sleep 1
done
echo healthy
grep ^Uid: "/proc/$service/status"
grep ^CapEff: "/proc/$service/status"
(as_user touch /srv/caseport/written) 2>/dev/null && echo 'the root is writable'
(as_user $VARIABLES $INVITE) 2>&1
kill -TERM $service
wait $service
echo "ended $?"
(as_user $VARIABLES $HEALTHCHECK) || echo 'health check fails'
`

describe('the container image, built and started in a clean root', { skip }, () => {
  let folder: string
  let image: Stage
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'caseport-image-'))
    image = buildImage(folder)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has the service and the console, and neither npm nor packages of tests', () => {
    const inside = (path: string) => existsSync(join(image.root, 'srv/caseport', path))
    assert.ok(
      inside('service/src/main.ts') && inside('console/dist/index.html') && inside('node_modules/fastify'),
    )
    for (const path of [
      'node_modules/vite',
      'node_modules/typescript',
      'node_modules/react',
      'service/test',
      '.git',
    ])
      assert.ok(!inside(path), path)
    assert.ok(!existsSync(join(image.root, 'usr/local/bin/npm')))
  })

  it('becomes healthy as an ordinary user on a read-only root, and ends on SIGTERM', () => {
    const data = join(folder, 'data')
    mkdirSync(data, { mode: 0o700 })
    const [uid = '', gid = ''] = image.user.split(':')
    assert.deepEqual(image.volumes, ['/data'])
    spawnSync('chown', [`${uid}:${gid}`, data])
    const env = {
      PATH: image.env['PATH'] ?? '',
      ROOT: image.root,
      DATA: data,
      USER_ID: uid,
      WORKDIR: image.workdir,
      VARIABLES: Object.entries(image.env)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
      COMMAND: image.command.join(' '),
      HEALTHCHECK: image.healthcheck.join(' '),
      INVITE: `${image.command.join(' ')} --invite first@example.com`,
    }
    const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child']
    const { stdout, stderr } = spawnSync('unshare', [...namespaces, '--mount-proc', 'sh', '-c', START], {
      env,
      encoding: 'utf8',
      timeout: 120_000,
    })
    const output = `${stdout}\n${stderr}`
    assert.match(stdout, /^healthy$/m, output)
    assert.match(stdout, new RegExp(`^Uid:\\s+${uid}\\s+${uid}`, 'm'))
    assert.match(stdout, /^CapEff:\s+0{16}$/m)
    assert.doesNotMatch(stdout, /the root is writable/)
    assert.match(stdout, /^ {2}http\S+\/sign-in\?invitation=[\w-]{43}$/m, output)
    assert.match(stdout, /^ended 0$/m, output)
    assert.match(stdout, /^health check fails$/m)
  })
})
