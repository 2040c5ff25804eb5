// Runs the steps of deploy/Dockerfile in clean roots, where no container engine is at hand: a Debian made by debootstrap, like
// the base image itself. The stage with npm gets Node and npm of this machine, as the image of Node has them.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const CACHE = '/var/cache/caseport-deploy'
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export interface Stage {
  root: string
  env: Record<string, string>
  workdir: string
  user: string
  command: string[]
  healthcheck: string[]
  volumes: string[]
}

/** Why this cannot run here, or undefined when it can. */
export function reasonToSkip(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root'
  return existsSync('/usr/bin/apt-get') ? undefined : 'no Debian'
}

const run = (command: string, args: string[], options: object = {}) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  })

/** The archive of a minimal Debian, made once. */
function debian(): string {
  const archive = join(CACHE, 'bookworm.tar')
  if (existsSync(archive)) return archive
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  if (!existsSync('/usr/sbin/debootstrap')) {
    run('apt-get', ['update'], { env })
    run('apt-get', ['install', '-y', '--no-install-recommends', 'debootstrap'], { env })
  }
  const folder = join(CACHE, 'bookworm')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(CACHE, { recursive: true, mode: 0o700 })
  run('debootstrap', ['--variant=minbase', 'bookworm', folder], { env })
  run('tar', ['--create', '--numeric-owner', '--file', `${archive}.part`, '--directory', folder, '.'])
  rmSync(folder, { recursive: true, force: true })
  run('mv', [`${archive}.part`, archive])
  return archive
}

/** The instructions, with continued lines joined. */
function instructionsOf(text: string): [string, string][] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
  return lines
    .filter(line => line.trim())
    .map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()])
}

/** Builds all stages below the folder; returns the last. */
export function buildImage(folder: string): Stage {
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const [name, rest] of instructionsOf(readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8'))) {
    if (name === 'FROM') {
      const [, image = '', as] = /^\$\{(\w+)\}(?: AS (\w+))?$/.exec(rest) ?? []
      stage = openStage(join(folder, as ?? 'image'), image === 'NODE_IMAGE')
      stages.set(as ?? 'image', stage)
    } else if (stage) apply(stage, { name, rest, stages })
  }
  if (!stage) throw new Error('The Dockerfile has no stage.')
  return stage
}

function openStage(root: string, hasNpm: boolean): Stage {
  mkdirSync(root)
  run('tar', ['--extract', '--numeric-owner', '--file', debian(), '--directory', root])
  if (hasNpm) {
    const npm = dirname(dirname(run('sh', ['-c', 'readlink -f "$(command -v npm)"']).trim()))
    cpSync(process.execPath, join(root, 'usr/local/bin/node'))
    cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
    cpSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'))
  }
  return { root, env: { PATH }, workdir: '/', user: '0:0', command: [], healthcheck: [], volumes: [] }
}

interface Instruction {
  name: string
  rest: string
  stages: Map<string, Stage>
}

function apply(stage: Stage, { name, rest, stages }: Instruction): void {
  const inside = (path: string) => join(stage.root, path.startsWith('/') ? path : join(stage.workdir, path))
  if (name === 'WORKDIR') {
    stage.workdir = rest
    mkdirSync(inside(rest), { recursive: true })
  } else if (name === 'ENV') {
    for (const pair of rest.split(' ')) {
      const [key = '', value = ''] = pair.split('=')
      stage.env[key] = value
    }
  } else if (name === 'USER') stage.user = rest
  else if (name === 'VOLUME') stage.volumes.push(rest)
  else if (name === 'CMD') stage.command = JSON.parse(rest)
  else if (name === 'HEALTHCHECK') stage.healthcheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4))
  else if (name === 'RUN') runIn(stage, rest)
  else if (name === 'COPY') {
    const [, from, path = '', target = ''] = /^--from=(\w+) (\S+) (\S+)$/.exec(rest) ?? []
    if (from) run('cp', ['-a', `${join(stages.get(from)?.root ?? '', path)}/.`, inside(target)])
    else copyFromContext(rest.split(/\s+/), inside('.'))
  } else if (!['LABEL', 'EXPOSE', 'STOPSIGNAL', 'ARG'].includes(name))
    throw new Error(`${name} is not known here.`)
}

/** Files that git knows, which leaves out what Dockerfile.dockerignore does. Paths stay as they are. */
function copyFromContext(words: string[], workdir: string): void {
  const target = words.at(-1) ?? ''
  for (const source of words.slice(0, -1)) {
    const kept = target === source || join(target, '.') === join(dirname(source), '.')
    if (!kept) throw new Error(`COPY ${words.join(' ')} moves files: extend deploy/check/dockerfile.ts.`)
    const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard', '--', source], {
      cwd: ROOT,
    })
    const archive = execFileSync('tar', ['--create', '--null', '--files-from=-'], {
      cwd: ROOT,
      input: list,
      maxBuffer: 2 ** 28,
    })
    execFileSync('tar', ['--extract', '--directory', workdir, '--no-same-owner'], { input: archive })
  }
}

/** Runs a RUN line with a clean environment. npm's registry and cache are those of this machine. */
function runIn({ root, env, workdir }: Stage, line: string): void {
  const usesNpm = existsSync(join(root, 'usr/local/bin/npm'))
  const config = (name: string) => run('npm', ['config', 'get', name], { cwd: '/' }).trim()
  const npm = usesNpm
    ? {
        npm_config_registry: config('registry'),
        npm_config_cache: '/npm-cache',
        npm_config_prefer_offline: 'true',
      }
    : {}
  if (usesNpm) mkdirSync(join(root, 'npm-cache'), { recursive: true })
  const variables = Object.entries({ HOME: '/root', ...env, ...npm }).map(
    ([name, value]) => `${name}=${value}`,
  )
  const script = `mount -t proc proc "$ROOT/proc"
    if [ -n "$CACHE" ]; then mount --bind "$CACHE" "$ROOT/npm-cache"; fi
    exec chroot "$ROOT" env -i "$@" sh -ec "cd ${workdir}; $LINE"`
  const outer = { PATH, ROOT: root, LINE: line, CACHE: usesNpm ? config('cache') : '' }
  run('unshare', ['--mount', '--pid', '--fork', 'sh', '-ec', script, 'sh', ...variables], {
    env: outer,
    timeout: 240_000,
  })
}
