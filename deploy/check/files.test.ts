// Checks the files of deploy/ without a container engine: `npm run check:deploy`.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Ajv } from 'ajv'
import { COUNTRY_CODES } from '../../service/src/lib/countries.ts'
import { renderChart, type Values } from './helm.ts'
import { lintDockerfile, yaml } from './libraries.ts'

const DEPLOY = join(import.meta.dirname, '..')
const ROOT = join(DEPLOY, '..')
const folder = mkdtempSync(join(tmpdir(), 'caseport-deploy-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const pageOf = (name: string) => readFileSync(join(ROOT, 'docs', `${name}.md`), 'utf8')
const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8')
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const PROMTOOL = [
  join(ROOT, 'tools/deploy-lint/node_modules/.prometheus/usr/bin/promtool'),
  '/usr/bin/promtool',
].find(existsSync)
const skipWithout = (isThere: boolean, name: string) => (isThere ? false : `${name} is not installed`)

/** Runs a linter; its output is the message of a failure. */
function lint(command: string, args: string[], cwd = ROOT): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout + stderr
}

describe('deploy/Dockerfile', () => {
  const text = read('Dockerfile')
  const instructions = text.replace(/\\\n/g, ' ').split('\n')
  const last = (name: string) => instructions.findLast(line => line.startsWith(`${name} `))

  it('has no problem that the linter knows', () => {
    const problems = lintDockerfile(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`)
    assert.deepEqual(problems, [])
  })

  it('runs as an ordinary user, with a health check, and copies only files that exist', () => {
    assert.match(last('USER') ?? '', /^USER 1\d{4}:1\d{4}$/)
    assert.match(last('HEALTHCHECK') ?? '', /deploy\/healthcheck\.mjs/)
    const sources = instructions
      .filter(line => /^COPY (?!--from)/.test(line))
      .flatMap(line => line.split(/\s+/).slice(1, -1))
    assert.ok(sources.length > 10)
    for (const source of sources) assert.ok(existsSync(join(ROOT, source)), source)
  })

  it('starts the service as npm start does', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const [, script = ''] = /exec env .* node (\S+)$/.exec(scripts.start) ?? []
    assert.ok(script)
    assert.equal(last('CMD'), `CMD ["node_modules/.bin/node", "${script}"]`)
    assert.match(read('systemd/caseport.service'), new RegExp(`^ExecStart=\\S+/node ${script}$`, 'm'))
  })

  it('copies the package of every workspace before npm ci', () => {
    const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const before = text.slice(0, text.indexOf('RUN npm ci'))
    for (const name of workspaces) assert.ok(before.includes(`COPY ${name}/package.json`), name)
  })
})

describe('YAML files', () => {
  const files = [
    'compose.yaml',
    'prometheus/alerts.yaml',
    'prometheus/alerts.test.yaml',
    'helm/caseport/Chart.yaml',
    'helm/caseport/values.yaml',
  ]
  it('pass yamllint', { skip: skipWithout(has('yamllint'), 'yamllint') }, () => {
    const rules =
      '{extends: default, rules: {line-length: disable, document-start: disable, comments: disable}}'
    lint('yamllint', ['--strict', '-d', rules, ...files.map(file => join('deploy', file))])
  })
})

interface Compose {
  services: Record<
    string,
    {
      read_only?: boolean
      cap_drop?: string[]
      profiles?: string[]
      depends_on?: Values | string[]
      command?: string[]
      networks?: string[]
      environment: Record<string, string>
      volumes?: string[]
    }
  >
  volumes: Values
  networks: Values
}

describe('deploy/compose.yaml', () => {
  const compose = yaml.parse(read('compose.yaml'), { merge: true }) as Compose

  it('names only services, volumes, networks and variables that exist', () => {
    const example = read('compose.example.env')
    for (const [name, service] of Object.entries(compose.services)) {
      const { depends_on: others = {} } = service
      for (const other of Array.isArray(others) ? others : Object.keys(others))
        assert.ok(compose.services[other], `${name}: ${other}`)
      for (const network of service.networks ?? [])
        assert.ok(network in compose.networks, `${name}: ${network}`)
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':')
        assert.ok(
          source.startsWith('.') ? existsSync(join(DEPLOY, source)) : source in compose.volumes,
          volume,
        )
      }
    }
    for (const [, name] of read('compose.yaml').matchAll(/\$\{(\w+)/g))
      assert.match(example, new RegExp(`^#?${name}=`, 'm'), name)
  })

  it('makes every bucket that REPOSITORIES of the example names', () => {
    const [, location = ''] = /^#REPOSITORIES=s3:\/\/([^?]+)/m.exec(read('compose.example.env')) ?? []
    const { command = [] } = compose.services['buckets'] ?? {}
    const [, codes = ''] = /for code in ([a-z ]+);/.exec(command.join('\n')) ?? []
    assert.deepEqual(codes.toUpperCase().split(' '), [...COUNTRY_CODES])
    assert.ok(command.join('\n').includes(`"store/${location.replace('{code}', () => '$$code')}"`))
  })

  it('is started, and its commands run, as docs/deployment.md prints', () => {
    const commands = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8').matchAll(
      /(?:deploy\/compose\.yaml |\| `)(?:exec|run --rm) ([a-z]+)(?: (node_modules\S+) (\S+\.ts))?/g,
    )
    let count = 0
    for (const [text, service = '', , program] of commands) {
      count++
      assert.ok(compose.services[service], text)
      if (program) assert.ok(existsSync(join(ROOT, program)), text)
    }
    assert.ok(count >= 8, String(count))
  })

  it('runs every container of ours on a read-only root without capabilities', () => {
    for (const name of ['key', 'migrate', 'caseport'] as const) {
      assert.equal(compose.services[name]?.read_only, true)
      assert.deepEqual(compose.services[name]?.cap_drop, ['ALL'])
    }
  })
})

interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
  // biome-ignore lint/suspicious/noExplicitAny: a manifest of any kind.
  spec: any
}

async function manifestsOf(values: Values): Promise<Manifest[]> {
  const all: Manifest[] = []
  for (const [file, text] of await renderChart(values))
    for (const document of yaml.parseAllDocuments(text)) {
      assert.deepEqual(document.errors, [], file)
      const manifest = document.toJS() as Manifest | null
      if (manifest) all.push(manifest)
    }
  return all
}

describe('the Helm chart', () => {
  const values = yaml.parse(read('helm/caseport/values.yaml')) as Values
  const schema = JSON.parse(read('helm/caseport/values.schema.json'))
  const validate = new Ajv({ strict: false }).compile(schema)

  it('has default values that its schema accepts, and rejects wrong ones', () => {
    assert.ok(validate(values), JSON.stringify(validate.errors))
    const wrong: Values[] = [
      { replicas: 0 },
      { publicUrl: 'cases.example.com' },
      { repositories: 'file:/data/files' },
      { existingSecret: '' },
      { replica: 2 },
      { env: { RATE_LIMIT: 600 } },
      { envFrom: [{ configMapRef: { name: 'settings' } }] },
      { envFrom: [{ secretRef: {} }] },
    ]
    for (const each of wrong) assert.ok(!validate({ ...values, ...each }), JSON.stringify(each))
  })

  it('renders manifests whose selectors match the pods, with probes and limits', async () => {
    const manifests = await manifestsOf({ ...values, env: { RATE_LIMIT: '600', LOG_LEVEL: 'info' } })
    const kinds = manifests.map(({ kind }) => kind).sort()
    assert.deepEqual(kinds, ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'])
    for (const { apiVersion, metadata } of manifests) assert.ok(apiVersion && metadata.name)
    const one = (kind: string) => manifests.find(manifest => manifest.kind === kind)?.spec
    const { template } = one('Deployment')
    const { labels } = template.metadata
    for (const selector of [
      one('Deployment').selector.matchLabels,
      one('PodDisruptionBudget').selector.matchLabels,
      one('NetworkPolicy').podSelector.matchLabels,
      one('Service').selector,
    ])
      for (const [name, value] of Object.entries(selector)) assert.equal(labels[name], value)
    // The policy is also for the migration, which needs the database.
    const job = one('Job').template
    for (const [name, value] of Object.entries(one('NetworkPolicy').podSelector.matchLabels))
      assert.equal(job.metadata.labels[name], value)
    const serviceSelector = Object.entries(one('Service').selector)
    assert.ok(
      serviceSelector.some(([name, value]) => job.metadata.labels[name] !== value),
      'no requests for the job',
    )

    const [container] = template.spec.containers
    assert.equal(container.livenessProbe.httpGet.path, '/healthz')
    assert.equal(container.readinessProbe.httpGet.path, '/readyz')
    const ports = container.ports.map(({ name }: { name: string }) => name)
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      assert.ok(ports.includes(container[probe].httpGet.port))
    assert.ok(template.spec.terminationGracePeriodSeconds > 35, 'longer than the service drains')
    const environment = Object.fromEntries(container.env.map((each: Values) => [each['name'], each['value']]))
    assert.equal(environment['RATE_LIMIT'], '600')
    assert.equal(environment['REPOSITORIES'], values['repositories'])
    for (const { volumeMounts, securityContext } of [container, ...job.spec.containers]) {
      assert.equal(securityContext.readOnlyRootFilesystem, true)
      assert.equal(securityContext.allowPrivilegeEscalation, false)
      assert.ok(volumeMounts.length > 0)
    }
    for (const { spec } of [template, job]) {
      assert.equal(spec.securityContext.runAsNonRoot, true)
      const volumes = spec.volumes.map(({ name }: { name: string }) => name)
      for (const { volumeMounts } of spec.containers)
        for (const { name } of volumeMounts) assert.ok(volumes.includes(name), name)
    }
  })

  it('takes settings from further Secrets, for the service only', async () => {
    const envFrom = [
      { secretRef: { name: 'caseport-settings' } },
      { secretRef: { name: 'mail', optional: true } },
    ]
    assert.ok(validate({ ...values, envFrom }), JSON.stringify(validate.errors))
    const containersOf = async (given: Values, kind: string) =>
      (await manifestsOf(given)).find(manifest => manifest.kind === kind)?.spec.template.spec.containers
    const [container] = await containersOf({ ...values, envFrom }, 'Deployment')
    assert.deepEqual(container.envFrom, envFrom)
    const [none] = await containersOf(values, 'Deployment')
    assert.ok(none.startupProbe && !('envFrom' in none))
    const [migration] = await containersOf({ ...values, envFrom }, 'Job')
    assert.ok(!('envFrom' in migration))
  })

  it('leaves the network policy out when it is disabled', async () => {
    const off = { ...values, networkPolicy: { ...(values['networkPolicy'] as Values), enabled: false } }
    assert.ok((await manifestsOf(off)).every(({ kind }) => kind !== 'NetworkPolicy'))
  })

  it('fails on a value that does not exist', async () => {
    const { replicas: _, ...rest } = values
    await assert.rejects(renderChart(rest), /\.Values\.replicas has no value/)
  })
})

describe('deploy/systemd/run', () => {
  const text = read('systemd/run')
  const unit = read('systemd/caseport.service')

  it('has the account, settings and data of the unit', () => {
    assert.ok(statSync(join(DEPLOY, 'systemd/run')).mode & 0o100)
    for (const [name, pattern] of [
      ['User', /ACCOUNT:-(\w+)/],
      ['EnvironmentFile', /SETTINGS:-([\w/.]+)/],
    ] as const)
      assert.match(unit, new RegExp(`^${name}=-?${pattern.exec(text)?.[1]}$`, 'm'))
    const [dataDir = ''] = /DATA_DIR=\S+/.exec(text) ?? []
    assert.match(unit, new RegExp(`^Environment=${dataDir} `, 'm'))
  })

  it('passes shellcheck', { skip: skipWithout(has('shellcheck'), 'shellcheck') }, () => {
    lint('shellcheck', [join(DEPLOY, 'systemd/run')])
  })

  it('reads settings as systemd does, and rejects what Node reads differently', {
    skip: process.getuid?.() === 0 ? false : 'not root',
  }, () => {
    const path = join(folder, 'run.env')
    const run = (settings: string, account = 'root') => {
      writeFileSync(path, settings, { mode: 0o600 })
      const { stdout, stderr } = spawnSync(
        join(DEPLOY, 'systemd/run'),
        ['-p', 'JSON.stringify([process.env.DATA_DIR, process.env.A])'],
        { encoding: 'utf8', env: { PATH: process.env['PATH'], ACCOUNT: account, SETTINGS: path } },
      )
      return stderr || JSON.parse(stdout)
    }
    assert.deepEqual(run('# settings\n\nA=1 2\n'), ['/var/lib/caseport', '1 2'])
    assert.deepEqual(run('DATA_DIR=/srv/data\nA="b#c"\n'), ['/srv/data', 'b#c'])
    assert.deepEqual(run("A='b#\\c'\n"), ['/var/lib/caseport', 'b#\\c'])
    for (const line of ['A=b#c', 'A=b\\c', 'A="b\\nc"', 'A="b" # c', 'export A=b', 'A="b'])
      assert.match(run(`B=1\n${line}\n`), /run\.env, line 2: expected NAME=value, in single quotes/, line)
    assert.match(run('A=1\n', 'nobody'), /nobody cannot read .*run\.env: correct its group and mode/)
  })
})

describe('systemd units', () => {
  const units = ['caseport', 'caseport-migrate', 'caseport-base-backup', 'caseport-save-moment'].map(name =>
    join(DEPLOY, 'systemd', `${name}.service`),
  )
  const timers = ['caseport-base-backup', 'caseport-save-moment'].map(name =>
    join(DEPLOY, 'systemd', `${name}.timer`),
  )
  const skip = skipWithout(has('systemd-analyze'), 'systemd-analyze')

  it('pass systemd-analyze verify', { skip }, () => {
    // It looks for the programs, which are not where an installation has them.
    const copies = [...units, ...timers].map(path => {
      const copy = join(folder, path.slice(path.lastIndexOf('/') + 1))
      const text = readFileSync(path, 'utf8').replace(/^(Exec\w+)=\S+/gm, `$1=${process.execPath}`)
      writeFileSync(copy, text.replace(/^Documentation=.*\n/gm, ''))
      return copy
    })
    const output = lint('systemd-analyze', ['verify', '--man=no', ...copies])
    assert.equal(output.trim(), '')
  })

  it('have an exposure of at most 2.5 by systemd-analyze security', { skip }, () => {
    for (const unit of units)
      lint('systemd-analyze', ['security', '--offline=true', '--threshold=25', '--no-pager', unit])
  })
})

describe('Prometheus alerts', () => {
  const skip = skipWithout(PROMTOOL !== undefined, 'promtool')
  const rules = (
    yaml.parse(read('prometheus/alerts.yaml')) as { groups: { rules: Record<string, Values>[] }[] }
  ).groups
    .flatMap(group => group.rules)
    .map(rule => ({
      name: String(rule['alert']),
      annotations: rule['annotations'] as Record<string, string>,
    }))

  it('are valid rules', { skip }, () => {
    lint(PROMTOOL ?? '', ['check', 'rules', 'alerts.yaml'], join(DEPLOY, 'prometheus'))
  })

  it('fire on their cause, and not on a healthy service', { skip }, () => {
    lint(PROMTOOL ?? '', ['test', 'rules', 'alerts.test.yaml'], join(DEPLOY, 'prometheus'))
    const tested = read('prometheus/alerts.test.yaml')
    for (const { name } of rules) assert.ok(tested.includes(`name: ${name} fires`), name)
  })

  it('have an entry in the runbook each, and the runbook has no other', () => {
    const runbook = readFileSync(join(ROOT, 'docs', 'runbook.md'), 'utf8')
    const entries = [
      ...runbook.matchAll(/^## (\w+)\n\n\*\*Means\.\*\*[\s\S]*?\n\*\*Check\.\*\*[\s\S]*?\n\*\*Do\.\*\*/gm),
    ]
    assert.deepEqual(
      entries.map(([, name]) => name),
      rules.map(({ name }) => name),
    )
    // Without its option, patronictl looks for a configuration of the user.
    for (const page of ['runbook', 'operations', 'deployment'])
      assert.doesNotMatch(pageOf(page), /\bpatronictl (?!-c \/etc\/patroni\/config\.yml )/, page)
    for (const { name, annotations } of rules)
      assert.equal(annotations['runbook'], `docs/runbook.md#${name.toLowerCase()}`)
  })
})

describe('deploy/backup', () => {
  const scripts = ['archive-wal', 'fetch-wal', 'base-backup', 'save-moment', 'prune', 'status', 'restore']

  it('has scripts that can be run, and that the units run', () => {
    for (const name of scripts) assert.ok(statSync(join(DEPLOY, 'backup', name)).mode & 0o100, name)
    for (const unit of ['caseport-base-backup', 'caseport-save-moment'])
      for (const [, path = ''] of read(`systemd/${unit}.service`).matchAll(
        /^Exec\w+=\/srv\/caseport\/(\S+)/gm,
      ))
        assert.ok(existsSync(join(ROOT, path)), path)
  })

  it('is set by the documented commands, also with characters that are special in sed', () => {
    const [, block = ''] =
      /<!-- run: settings of the backup -->\n```sh\n([\s\S]*?)\n```/.exec(pageOf('deployment')) ?? []
    const own = join(folder, 'caseport-backup')
    const values = {
      BACKUP: '/mnt/backup',
      HOSTS: '10.0.0.11,10.0.0.12',
      REPOSITORIES: 's3://caseport-{code}?endpoint=https://s3.example.com&region=eu-central-1',
    }
    execFileSync('sh', ['-eu', '-c', block.replaceAll('/etc/caseport-backup', own)], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], BACKUP_PASSWORD: 'abc123', ...values },
    })
    const print = `. "$0"; printf '%s\n' "$BACKUP" "$PGHOST" "$REPOSITORIES" "$KEEP_DAYS"`
    const printed = execFileSync('sh', ['-c', print, join(own, 'backup.env')], { encoding: 'utf8' })
    assert.deepEqual(printed.trim().split('\n'), [...Object.values(values), '14'])
  })

  it('passes shellcheck', { skip: skipWithout(has('shellcheck'), 'shellcheck') }, () => {
    const files = scripts.map(name => join(DEPLOY, 'backup', name))
    lint('shellcheck', ['--severity=warning', '--external-sources', '--source-path=SCRIPTDIR', ...files])
  })

  it('says what is missing in the settings', () => {
    const settings = join(folder, 'backup.env')
    const save = () =>
      spawnSync(join(DEPLOY, 'backup', 'save-moment'), {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], BACKUP_SETTINGS: settings },
      }).stderr
    assert.match(save(), /cannot read .*: copy deploy\/backup\/backup\.example\.env there/)
    writeFileSync(settings, 'BACKUP=\n')
    assert.match(save(), /BACKUP is empty in .*: set it to the folder of the backups/)
    writeFileSync(settings, 'BACKUP=/nowhere\nKEEP_DAYS=two\n')
    assert.match(save(), /KEEP_DAYS is two in .*: expected a number of days/)
    if (!has('age') || !has('zstd')) return
    writeFileSync(settings, 'BACKUP=/nowhere\n')
    assert.match(save(), /RECIPIENTS \(empty\) has no public key/)
    writeFileSync(settings, `BACKUP=/nowhere\nRECIPIENTS=${settings}\n`)
    assert.match(save(), /\/nowhere\/wal does not exist: mount the disk of the backups/)
  })
})

describe('deploy/ha', () => {
  const settings = join(folder, 'cluster.env')
  const configure = (file: string, member: string) =>
    spawnSync(join(DEPLOY, 'ha', 'configure'), [file, member, join(folder, member)], { encoding: 'utf8' })

  it('configures each member from one file of settings', {
    skip: skipWithout(has('haproxy'), 'haproxy'),
  }, () => {
    writeFileSync(settings, read('ha/cluster.example.env').replace(/_PASSWORD=$/gm, '_PASSWORD=abc123'))
    for (const member of ['pg1', 'pg2', 'pg3']) {
      assert.equal(configure(settings, member).status, 0)
      for (const file of ['etcd.env', 'patroni.yml', 'haproxy.cfg'])
        assert.doesNotMatch(readFileSync(join(folder, member, file), 'utf8'), /@[A-Z_]+@/, file)
      const patroni = yaml.parse(readFileSync(join(folder, member, 'patroni.yml'), 'utf8')) as Record<
        string,
        Values
      >
      assert.equal(patroni['name'], member)
      assert.equal((patroni['postgresql'] as Values)['listen'], `10.0.0.1${member.slice(2)}:5432`)
      const authentication = { username: 'patroni', password: 'abc123' }
      assert.deepEqual((patroni['restapi'] as Values)['authentication'], authentication)
      execFileSync('haproxy', ['-c', '-q', '-f', join(folder, member, 'haproxy.cfg')])
    }
  })

  it('archives WAL on every member if a script is named', () => {
    const example = read('ha/cluster.example.env').replace(/_PASSWORD=$/gm, '_PASSWORD=abc123')
    const parameters = (archive: string): Values => {
      writeFileSync(settings, example.replace(/^ARCHIVE=$/m, `ARCHIVE=${archive}`))
      assert.equal(configure(settings, 'pg1').status, 0)
      const patroni = yaml.parse(readFileSync(join(folder, 'pg1', 'patroni.yml'), 'utf8')) as {
        postgresql: { parameters: Values }
      }
      return patroni.postgresql.parameters
    }
    const [off, on] = [parameters(''), parameters('/srv/caseport/deploy/backup/archive-wal')]
    assert.deepEqual([off['archive_mode'], off['archive_command'], off['archive_timeout']], ['off', '', 0])
    assert.equal(on['archive_mode'], 'always')
    assert.equal(on['archive_command'], '/srv/caseport/deploy/backup/archive-wal "%p" "%f"')
    assert.equal(on['archive_timeout'], 60)
    writeFileSync(settings, example.replace(/^ARCHIVE=$/m, "ARCHIVE='archive-wal; rm'"))
    assert.match(configure(settings, 'pg1').stderr, /ARCHIVE: expected the path of a script/)
  })

  it('says what is missing in the settings', () => {
    writeFileSync(settings, read('ha/cluster.example.env'))
    assert.match(configure(settings, 'pg1').stderr, /SUPERUSER_PASSWORD is empty .*: set it/)
    writeFileSync(settings, read('ha/cluster.example.env').replace(/_PASSWORD=$/gm, "_PASSWORD='a|b'"))
    assert.match(configure(settings, 'pg1').stderr, /SUPERUSER_PASSWORD: expected letters and digits only/)
    writeFileSync(settings, read('ha/cluster.example.env').replace(/_PASSWORD=$/gm, '_PASSWORD=abc123'))
    assert.match(configure(settings, 'pg9').stderr, /has no member pg9/)
    assert.match(configure(join(folder, 'none'), 'pg1').stderr, /cannot read/)
  })
})
