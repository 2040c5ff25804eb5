// Runs the commands of docs/deployment.md as they are printed: `npm run test:deploy`. Three machines are three mount namespaces,
// with copies of /etc and empty state, in one network namespace with an address for each. Only root can run it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { installPackages, reasonToSkip } from '../../attacks/ha/packages.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const DOCUMENT = readFileSync(join(ROOT, 'docs', 'deployment.md'), 'utf8')
const MEMBERS = ['pg1', 'pg2', 'pg3']
const ADDRESSES = ['127.0.0.11', '127.0.0.12', '127.0.0.13']
const SECONDS = 150

const blocksIn = (document: string) =>
  [...document.matchAll(/<!-- run: (.+?) -->\n```sh\n([\s\S]*?)\n```/g)].map(
    ([, name = '', text = '']): [string, string] => [name, text],
  )
const blocks = new Map(blocksIn(DOCUMENT))
/** Described in sentences, because they copy between machines or have another purpose than the reader's. */
const OTHER = new Map([
  [
    'copy the key',
    `install -o caseport -g caseport -m 600 /etc/caseport/encryption.key "$FOLDER/pg2/etc/caseport/encryption.key"`,
  ],
  [
    'copy the keys of the backup',
    `for machine in pg2 pg3; do cp -p /etc/caseport-backup/backup.recipients "$FOLDER/$machine/etc/caseport-backup/"; done`,
  ],
  ['verify the audit', 'deploy/systemd/run service/src/audit-verify.cli.ts'],
  [
    'keep the owner apart',
    `if runuser -u caseport -- cat /etc/caseport/owner.env 2>/dev/null; then echo 'the service can read it'; exit 1; fi
    ACCOUNT=root SETTINGS=/etc/caseport/owner.env deploy/systemd/run service/src/audit-remove.cli.ts --before 2020-01`,
  ],
  [
    'change the cluster without its password',
    `curl --silent --fail "http://$ADDRESS:8008/metrics" | grep '^patroni_primary'
    status=$(curl --silent --output /dev/null --write-out '%{http_code}' --request PATCH --data '{"ttl":30}' "http://$ADDRESS:8008/config")
    [ "$status" = 401 ]`,
  ],
  ['a time to restore to', 'sleep 1; date --utc +%FT%T.%3NZ >/mnt/backup/time; sleep 1'],
])
/** Blocks of docs/operations.md, which the attack `backup` also runs, on one machine. */
const OPERATIONS = new Map(blocksIn(readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8')))

const folder = mkdtempSync(join(tmpdir(), 'caseport-documented-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** What makes a namespace a machine of its own. */
const MACHINE = `
mount --make-rprivate /
for path in /etc /var/lib/postgresql /var/lib/etcd /var/lib/caseport /var/cache/caseport /var/run/postgresql /var/log /srv; do
  mkdir -p "$path"
  own="$FOLDER/$MEMBER$path"
  mkdir -p "$own"
  [ "$path" != /etc ] || cp -a /etc/. "$own"
  mount --bind "$own" "$path"
done
chown postgres:postgres /var/lib/postgresql /var/run/postgresql
chmod 1777 /var/log
mkdir -p /srv/caseport /srv/files
mount --bind "$CHECKOUT" /srv/caseport
mount --bind "$FOLDER/files" /srv/files
mkdir -p /mnt/backup
mount --bind "$FOLDER/backup" /mnt/backup
mount --bind "$CHECKOUT/deploy/check/systemctl" /usr/bin/systemctl
cd /srv/caseport
`

/** One machine: its namespace stays, and runs each block that appears in its folder. */
const AGENT = `
set -eu
${MACHINE}
while :; do
  for block in "$FOLDER/$MEMBER"/*.todo; do
    [ -e "$block" ] || continue
    mv "$block" "$block.running"
    if sh -eu "$block.running" >"$block.log" 2>&1; then echo 0 >"$block.rc"; else echo $? >"$block.rc"; fi
  done
  sleep 0.2
done
`

/** The steps: which block runs on which machines. Blocks of one step run at the same time. */
const STEPS: [string, string[]][] = [
  ['settings of the backup', MEMBERS],
  ['folders of the backup', ['pg1']],
  ['copy the keys of the backup', ['pg1']],
  ['database machine', MEMBERS],
  ['wait for the cluster', ['pg1']],
  ['change the cluster without its password', MEMBERS],
  ['logins', ['pg2']],
  ['account and units', ['pg1', 'pg2', 'pg3']],
  ['one machine', ['pg3']],
  ['first service', ['pg1']],
  ['copy the key', ['pg1']],
  ['directory of the files', ['pg1', 'pg2']],
  ['service on a cluster', ['pg1', 'pg2']],
  ['first person', ['pg1', 'pg3']],
  ['verify the audit', ['pg1', 'pg3']],
  ['keep the owner apart', ['pg1']],
  ['login of the backup', ['pg1']],
  ['base backup', ['pg1']],
  ['a time to restore to', ['pg1']],
  ['switchover', ['pg2']],
  ['save a moment', ['pg2']],
  ['rehearse a restore', ['pg3']],
]

describe('docs/deployment.md', { skip: reasonToSkip() ?? false }, () => {
  it('leads from one machine to a cluster by its commands', () => {
    installPackages()
    assert.deepEqual(
      [...blocks.keys()].sort(),
      STEPS.map(([name]) => name)
        .filter(name => !OTHER.has(name) && !OPERATIONS.has(name))
        .sort(),
      'every marked block is run',
    )
    chmodSync(folder, 0o755)
    mkdirSync(join(folder, 'files'), { mode: 0o777 })
    chmodSync(join(folder, 'files'), 0o777)
    mkdirSync(join(folder, 'backup'))
    for (const member of MEMBERS) mkdirSync(join(folder, member))
    const example = readFileSync(join(ROOT, 'deploy', 'ha', 'cluster.example.env'), 'utf8')
    writeFileSync(
      join(folder, 'cluster.env'),
      example
        .replace(/10\.0\.0\.(\d+) /g, '127.0.0.$1 ')
        .replace('10.0.0.0/24', '127.0.0.0/24')
        .replace(/_PASSWORD=$/gm, '_PASSWORD=abc123')
        .replace('1GB', '32MB')
        .replace(/^ARCHIVE=$/m, 'ARCHIVE=/srv/caseport/deploy/backup/archive-wal'),
      { mode: 0o600 },
    )
    const settings = (index: number) =>
      Object.entries({
        CLUSTER: join(folder, 'cluster.env'),
        MEMBER: MEMBERS[index],
        ADDRESS: ADDRESSES[index],
        HOSTS: ADDRESSES.join(','),
        PUBLIC_URL: 'https://cases.example.com',
        OWNER_PASSWORD: 'owner123',
        SERVICE_PASSWORD: 'service123',
        REPOSITORIES: 'file:/srv/files/{code}',
        EMAIL: 'first@example.com',
        BACKUP: '/mnt/backup',
        BACKUP_PASSWORD: 'backup123',
        BACKUP_SETTINGS: '/etc/caseport-backup/backup.env',
        KEYS: join(folder, 'keys'),
        PGDATA: '/var/lib/postgresql/rehearsal',
        DATABASE_URL: `postgres://postgres:abc123@${ADDRESSES.join(',')}/caseport?target_session_attrs=read-write`,
      })
        .map(([name, value]) => `export ${name}='${value}'\n`)
        .join('')
    const script = [
      'set -eu',
      'ip link set lo up',
      ...MEMBERS.map(
        member => `MEMBER=${member} unshare --mount sh -c "$AGENT" >"$FOLDER/${member}.log" 2>&1 &`,
      ),
      `give() { printf '%s' "$3" >"$FOLDER/$1/$2.part"; mv "$FOLDER/$1/$2.part" "$FOLDER/$1/$2.todo"; }`,
      `take() { n=0; until [ -e "$FOLDER/$1/$2.todo.rc" ]; do n=$((n + 1)); [ $n -lt ${SECONDS * 5} ] || { echo "$2 on $1: no end"; cat "$FOLDER/$1/$2.todo.log"; exit 1; }; sleep 0.2; done; [ "$(cat "$FOLDER/$1/$2.todo.rc")" = 0 ] || { echo "$2 on $1 failed"; cat "$FOLDER/$1/$2.todo.log"; exit 1; }; }`,
    ]
    STEPS.forEach(([name, machines], step) => {
      for (const machine of machines) {
        const commands = blocks.get(name) ?? OTHER.get(name) ?? OPERATIONS.get(name)
        const time = 'export TIME="$(cat /mnt/backup/time 2>/dev/null || :)"\n'
        const text = `${settings(MEMBERS.indexOf(machine))}${time}${commands}\n`
        writeFileSync(join(folder, `${step}-${machine}`), text)
        script.push(`give ${machine} ${step} "$(cat "$FOLDER/${step}-${machine}")"`)
      }
      for (const machine of machines) script.push(`take ${machine} ${step}`)
      script.push(`echo "done: ${name}"`)
    })
    const { stdout, stderr } = spawnSync(
      'unshare',
      [
        '--net',
        '--mount',
        '--pid',
        '--fork',
        '--kill-child',
        '--mount-proc',
        'bash',
        '-c',
        script.join('\n'),
      ],
      {
        encoding: 'utf8',
        timeout: 2 * SECONDS * 1_000,
        env: { PATH: process.env['PATH'], LC_ALL: 'C', FOLDER: folder, CHECKOUT: ROOT, AGENT },
      },
    )
    const logs = ['caseport.stand-in', 'patroni.stand-in'].flatMap(file =>
      MEMBERS.map(member => join(folder, member, 'var/log', file))
        .filter(path => existsSync(path))
        .map(path => `${path}:\n${readFileSync(path, 'utf8').slice(-1_500)}`),
    )
    const output = `${stdout}\n${stderr}\n${logs.join('\n')}`
    const logOf = (step: string, member: string) =>
      readFileSync(join(folder, member, `${STEPS.findIndex(([name]) => name === step)}.todo.log`), 'utf8')
    for (const [name] of STEPS) assert.match(stdout, new RegExp(`^done: ${name}$`, 'm'), output)
    for (const member of ['pg1', 'pg2']) assert.match(logOf('service on a cluster', member), /"status":"ok"/)
    for (const member of ['pg1', 'pg3']) {
      const link = /^ {2}https:\/\/cases\.example\.com\/sign-in\?invitation=[\w-]{43}$/m
      assert.match(logOf('first person', member), link)
      assert.match(logOf('verify the audit', member), /^The chain is intact\.$/m)
    }
    assert.match(logOf('keep the owner apart', 'pg1'), /^There is nothing to remove before 2020-01/m)
    assert.match(logOf('rehearse a restore', 'pg3'), /^the database is restored, on timeline \d+$/m)
  })
})
