import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../src/config.ts'
import { COUNTRY_CODES } from '../src/lib/countries.ts'
import { StartError } from '../src/lib/problem.ts'

type Env = Record<string, string>

/** The names of the invalid settings, as the error lists them. */
function invalidSettingsOf(env: Env): string[] {
  try {
    readConfig(env)
  } catch (error) {
    assert.ok(error instanceof StartError, String(error))
    return error.message.split('\n').map(line => {
      const name = /^Bad setting (\w+): expected .+\.$/.exec(line)?.[1]
      assert.ok(name, line)
      return name
    })
  }
  return []
}

const accepts = (env: Env) => assert.deepEqual(invalidSettingsOf(env), [], JSON.stringify(env))
const rejects = (env: Env, names = Object.keys(env)) =>
  assert.deepEqual(invalidSettingsOf(env), names, JSON.stringify(env))

describe('CONSOLE_DIR', () => {
  it('is a folder with a built console', () => rejects({ CONSOLE_DIR: '/nonexistent' }))
})

describe('LOGIN_*', () => {
  it('is a password, and no external issuer, where nothing is set', () => {
    const { loginPassword, loginIssuer } = readConfig({})
    assert.deepEqual([loginPassword, loginIssuer], [true, undefined])
    assert.equal(readConfig({ LOGIN_PASSWORD: 'off' }).loginPassword, false)
    rejects({ LOGIN_PASSWORD: 'no' })
  })

  it('is an issuer with a client, whose secret and claim are optional', () => {
    const LOGIN_OIDC_ISSUER = 'https://login.example/realms/one'
    assert.deepEqual(readConfig({ LOGIN_OIDC_ISSUER, LOGIN_OIDC_CLIENT_ID: 'caseport' }).loginIssuer, {
      issuer: LOGIN_OIDC_ISSUER,
      clientId: 'caseport',
      clientSecret: undefined,
      rolesClaim: 'roles',
    })
    rejects({ LOGIN_OIDC_ISSUER }, ['LOGIN_OIDC_CLIENT_ID'])
    rejects({ LOGIN_OIDC_CLIENT_SECRET: 'x' }, ['LOGIN_OIDC_ISSUER', 'LOGIN_OIDC_CLIENT_ID'])
  })

  it('is an issuer over TLS, or on this machine', () => {
    const LOGIN_OIDC_CLIENT_ID = 'caseport'
    for (const LOGIN_OIDC_ISSUER of [
      'http://localhost:9000',
      'http://127.0.0.1:9000/x',
      'http://[::1]',
      'https://a.example',
    ])
      accepts({ LOGIN_OIDC_ISSUER, LOGIN_OIDC_CLIENT_ID })
    for (const LOGIN_OIDC_ISSUER of [
      'http://a.example',
      'http://localhost.example',
      'ftp://a.example',
      'login',
    ])
      rejects({ LOGIN_OIDC_ISSUER, LOGIN_OIDC_CLIENT_ID }, ['LOGIN_OIDC_ISSUER'])
  })
})

describe('readConfig', () => {
  it('has a default for everything', () => {
    const { repositories, dataDir, ...config } = readConfig({})
    assert.partialDeepStrictEqual(config, {
      host: '127.0.0.1',
      port: 8080,
      trustProxy: false,
      tokenTtl: 3600,
      reminderDays: [90, 30, 7],
      passportReminderDays: [],
      webhookAllowPrivate: false,
      maxUploadBytes: 1_073_741_824,
      logLevel: 'info',
      startedByNpm: false,
    })
    const { publicUrl, databaseUrl, bootstrap, oidc, mail, rateLimit } = config
    for (const unset of [publicUrl, databaseUrl, bootstrap, oidc, mail, rateLimit])
      assert.equal(unset, undefined)
    assert.equal(dataDir, `${process.cwd()}/data`)
    assert.deepEqual(repositories['UK'], { kind: 'file', dir: `${dataDir}/files/uk` })
  })

  it('treats an empty or blank setting as missing', () => {
    const names = ['HOST', 'PORT', 'PUBLIC_URL', 'TRUST_PROXY', 'DATA_DIR', 'DATABASE_URL', 'REPOSITORIES']
    const more = ['REPOSITORY_US', 'OIDC_ISSUER', 'SMTP_URL', 'TOKEN_TTL', 'RATE_LIMIT', 'LOG_LEVEL']
    for (const blank of ['', '  '])
      assert.deepEqual(
        readConfig(Object.fromEntries([...names, ...more].map(name => [name, blank]))),
        readConfig({}),
      )
  })

  it('trims values', () => {
    assert.equal(readConfig({ PORT: ' 80 ' }).port, 80)
  })

  it('lists every invalid setting at once', () => {
    rejects({
      REPOSITORIES: 'ftp://x',
      REPOSITORY_US: 'nowhere',
      REPOSITORY_XX: 'file:/x',
      HOST: 'a b',
      PORT: '70000',
      PUBLIC_URL: 'caseport.example',
      TRUST_PROXY: 'yes',
      DATABASE_URL: 'mysql://x/y',
      TOKEN_TTL: '1',
      REMINDER_DAYS: 'soon',
      MAX_UPLOAD_BYTES: '-1',
      UPLOAD_QUOTA_BYTES: '-1',
      RATE_LIMIT: '0',
      LOG_LEVEL: 'loud',
    })
  })

  it('lists an invalid setting also where its companion is missing', () => {
    assert.deepEqual(
      invalidSettingsOf({
        BOOTSTRAP_CLIENT_ID: 'a:b',
        OIDC_ISSUER: 'nonsense',
        SMTP_URL: 'http://x',
        REMINDER_CC: 'nobody',
      }).sort(),
      [
        'BOOTSTRAP_CLIENT_ID',
        'BOOTSTRAP_CLIENT_SECRET',
        'MAIL_FROM',
        'OIDC_AUDIENCE',
        'OIDC_ISSUER',
        'REMINDER_CC',
        'SMTP_URL',
      ],
    )
  })

  it('never repeats a value, which may be a secret', () => {
    const canary = 'CANARY:pass@word'
    const env = {
      DATABASE_URL: `mysql://u:${canary}@h/d`,
      SMTP_URL: `http://${canary}`,
      BOOTSTRAP_CLIENT_ID: canary,
      MAIL_FROM: 'x',
    }
    assert.throws(
      () => readConfig(env),
      (error: Error) => !error.message.includes('CANARY'),
    )
  })
})

describe('HOST, PORT and PUBLIC_URL', () => {
  it('accept addresses and ports to listen on', () => {
    for (const HOST of ['0.0.0.0', '::', '::1', 'localhost', 'caseport-1.internal']) {
      assert.equal(readConfig({ HOST }).host, HOST)
    }
    for (const PORT of ['0', '1', '65535']) assert.equal(readConfig({ PORT }).port, Number(PORT))
  })

  it('reject other values', () => {
    for (const HOST of ['http://x', 'a b', 'x/y', '[::1]']) rejects({ HOST })
    for (const PORT of ['-1', '65536', '80a', '1.5', '1e3', '0x50', '٣']) rejects({ PORT })
    for (const PUBLIC_URL of ['caseport.example', 'ftp://x', 'https://', '//x', 'javascript:alert(1)'])
      rejects({ PUBLIC_URL })
  })

  it('have trailing slashes of PUBLIC_URL removed', () => {
    const url = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL }).publicUrl
    assert.equal(url('https://caseport.example/'), 'https://caseport.example')
    assert.equal(url('http://caseport.example:8080/base//'), 'http://caseport.example:8080/base')
  })

  it('reject a PUBLIC_URL with a query or a fragment, which cannot be an issuer', () => {
    for (const PUBLIC_URL of ['https://x/?a=b', 'https://x/#a', 'https://x?']) rejects({ PUBLIC_URL })
  })
})

describe('WEBHOOK_ALLOW_PRIVATE', () => {
  it('is on or off', () => {
    assert.equal(readConfig({ WEBHOOK_ALLOW_PRIVATE: 'on' }).webhookAllowPrivate, true)
    assert.equal(readConfig({ WEBHOOK_ALLOW_PRIVATE: 'off' }).webhookAllowPrivate, false)
    rejects({ WEBHOOK_ALLOW_PRIVATE: 'yes' })
  })
})

describe('TRUST_PROXY', () => {
  const read = (TRUST_PROXY: string) => readConfig({ TRUST_PROXY }).trustProxy

  it('is off, or the number of proxies, where on is one', () => {
    assert.equal(read('off'), false)
    assert.equal(read('on'), 1)
    for (const number of [1, 2, 32]) assert.equal(read(String(number)), number)
  })

  it('may list addresses and networks instead', () => {
    assert.deepEqual(read('10.0.0.0/8'), ['10.0.0.0/8'])
    assert.deepEqual(read('10.0.0.7, fd00::/8,2001:db8::1'), ['10.0.0.7', 'fd00::/8', '2001:db8::1'])
    assert.deepEqual(read('::ffff:10.0.0.0/104'), ['::ffff:10.0.0.0/104'])
  })

  it('rejects other values, also in a list, and a network of all addresses', () => {
    const words = ['true', 'yes', 'On', 'loopback', 'constructor', 'toString', '__proto__']
    const numbers = ['0', '33', '-1', '1.5', '1e1', '0x1', '999999999999']
    const networks = [
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0/8',
      '::/0',
      '0.0.0.0/0',
      'fd00::/129',
      '10.0.0.0/8/8',
    ]
    const lists = [
      '10.0.0.0/8,',
      ',10.0.0.1',
      '10.0.0.1,on',
      '10.0.0.1 10.0.0.2',
      '10.0.0.1,proxy.example',
      '1,2',
    ]
    for (const TRUST_PROXY of [...words, ...numbers, ...networks, ...lists]) rejects({ TRUST_PROXY })
  })
})

describe('DATABASE_URL', () => {
  it('accepts one host or several, with or without ports and options', () => {
    for (const DATABASE_URL of [
      'postgres://localhost/caseport',
      'postgresql://user:p%40ss@db.example:5433/caseport?sslmode=require',
      'postgres://user:password@one:5432,two:5433,three/caseport',
      'postgres://user@[::1]:5432,[fe80::1]/caseport',
      'postgres://user@10.0.0.1/case-port_2',
    ])
      assert.equal(readConfig({ DATABASE_URL }).databaseUrl, DATABASE_URL)
  })

  it('is rejected where it cannot be parsed', () => {
    for (const DATABASE_URL of [
      'localhost/caseport',
      'mysql://localhost/caseport',
      'postgres://localhost',
      'postgres://localhost/',
      'postgres://localhost:port/caseport',
      'postgres://one:5432,two:x/caseport',
      'postgres://localhost:70000/caseport',
      'postgres://user:50%@localhost/caseport',
      'postgres://a b/caseport',
      'postgres://one,,two/caseport',
    ])
      rejects({ DATABASE_URL })
  })

  it('is rejected where its sslmode is unknown, or a file of it cannot be read', () => {
    for (const query of [
      'sslmode=no-verify',
      'sslmode=verify-full&sslrootcert=/none/root.crt',
      'sslmode=require&sslrootcert=system',
      'sslmode=require&sslcrl=/x',
    ])
      rejects({ DATABASE_URL: `postgres://db.example/caseport?${query}` }, ['DATABASE_URL'])
  })
})

describe('ENCRYPTION_KEY_FILE', () => {
  it('is a path, relative to the working directory', () => {
    assert.equal(readConfig({}).encryptionKeyFile, undefined)
    const { encryptionKeyFile } = readConfig({ ENCRYPTION_KEY_FILE: 'keys/own.key' })
    assert.equal(encryptionKeyFile, `${process.cwd()}/keys/own.key`)
  })
})

describe('REPOSITORIES', () => {
  const dirs = (env: Env) =>
    COUNTRY_CODES.map(code => {
      const place = readConfig(env).repositories[code]
      return place.kind === 'file' ? place.dir : place.bucket
    })

  it('has a folder per country code below a shared one', () => {
    assert.deepEqual(
      dirs({ REPOSITORIES: 'file:/srv/files' }),
      COUNTRY_CODES.map(code => `/srv/files/${code.toLowerCase()}`),
    )
    assert.equal(dirs({ DATA_DIR: '/srv/data' })[0], '/srv/data/files/us')
  })

  it('replaces {code} anywhere', () => {
    assert.equal(dirs({ REPOSITORIES: 'file:/srv/{code}/files-{code}' })[2], '/srv/uk/files-uk')
    assert.equal(dirs({ REPOSITORIES: 'file:///srv/{code}' })[0], '/srv/us')
    assert.deepEqual(
      readConfig({ REPOSITORIES: 's3://caseport-{code}?endpoint=https://s3.example:9000&region=eu-1' })
        .repositories['EDU'],
      { kind: 's3', bucket: 'caseport-edu', endpoint: 'https://s3.example:9000', region: 'eu-1' },
    )
    assert.deepEqual(readConfig({ REPOSITORIES: 's3://caseport-{code}' }).repositories['CH'], {
      kind: 's3',
      bucket: 'caseport-ch',
    })
  })

  it('is overridden by REPOSITORY_<CODE>', () => {
    const { repositories } = readConfig({
      REPOSITORIES: 'file:/srv/files',
      REPOSITORY_US: 's3://us-bucket?region=us-east-1',
      REPOSITORY_FR: 'file:/mnt/france',
    })
    assert.deepEqual(repositories['US'], { kind: 's3', bucket: 'us-bucket', region: 'us-east-1' })
    assert.deepEqual(repositories['FR'], { kind: 'file', dir: '/mnt/france' })
    assert.deepEqual(repositories['DE'], { kind: 'file', dir: '/srv/files/de' })
  })

  it('makes a relative folder absolute', () => {
    assert.equal(dirs({ REPOSITORIES: 'file:files' })[0], `${process.cwd()}/files/us`)
  })

  it('rejects what is neither a folder nor a bucket', () => {
    for (const REPOSITORIES of [
      '/srv/files',
      'file:',
      's3://',
      's3://ab',
      's3://Bucket',
      's3://bucket/prefix',
      's3://bucket?endpoint=nonsense',
      's3://bucket?acl=public',
      's3://user:password@bucket',
    ])
      rejects({ REPOSITORIES })
  })

  it('rejects an unknown country code', () => {
    for (const name of ['REPOSITORY_XX', 'REPOSITORY_us', 'REPOSITORY_IT']) rejects({ [name]: 'file:/x' })
  })
})

describe('BOOTSTRAP_CLIENT_ID, BOOTSTRAP_CLIENT_SECRET and BOOTSTRAP_API_KEY', () => {
  const id = { BOOTSTRAP_CLIENT_ID: 'first' }
  const secret = { BOOTSTRAP_CLIENT_SECRET: 'a long secret: 50%' }
  const key = { BOOTSTRAP_API_KEY: 'a-key-of-16-char' }

  it('configure the first client, with or without a key', () => {
    assert.deepEqual(readConfig({ ...id, ...secret }).bootstrap, {
      clientId: 'first',
      clientSecret: 'a long secret: 50%',
      apiKey: undefined,
    })
    assert.equal(readConfig({ ...id, ...secret, ...key }).bootstrap?.apiKey, 'a-key-of-16-char')
  })

  it('are rejected where the secret or the key has fewer than 16 characters', () => {
    for (const short of ['x', 'fifteen-chars-x', '👍'.repeat(15)])
      rejects({ ...id, BOOTSTRAP_CLIENT_SECRET: short, BOOTSTRAP_API_KEY: short }, [
        'BOOTSTRAP_CLIENT_SECRET',
        'BOOTSTRAP_API_KEY',
      ])
    rejects({ ...id, ...secret, BOOTSTRAP_API_KEY: 'short', PORT: 'x' }, ['BOOTSTRAP_API_KEY', 'PORT'])
  })

  it('are rejected where a required one is missing', () => {
    rejects(id, ['BOOTSTRAP_CLIENT_SECRET'])
    rejects(secret, ['BOOTSTRAP_CLIENT_ID'])
    rejects(key, ['BOOTSTRAP_CLIENT_ID', 'BOOTSTRAP_CLIENT_SECRET'])
    rejects({ ...id, ...key }, ['BOOTSTRAP_CLIENT_SECRET'])
  })

  it('are rejected where the id cannot be sent by HTTP Basic', () => {
    for (const BOOTSTRAP_CLIENT_ID of ['a:b', 'a b', 'é', 'x'.repeat(129)])
      rejects({ BOOTSTRAP_CLIENT_ID, ...secret }, ['BOOTSTRAP_CLIENT_ID'])
  })
})

describe('OIDC_ISSUER and OIDC_AUDIENCE', () => {
  it('require each other', () => {
    const env = { OIDC_ISSUER: 'https://login.example/realm/', OIDC_AUDIENCE: 'caseport' }
    assert.deepEqual(readConfig(env).oidc, { issuer: 'https://login.example/realm/', audience: 'caseport' })
    rejects({ OIDC_ISSUER: 'https://login.example' }, ['OIDC_AUDIENCE'])
    rejects({ OIDC_AUDIENCE: 'caseport' }, ['OIDC_ISSUER'])
    rejects({ OIDC_ISSUER: 'login.example', OIDC_AUDIENCE: 'caseport' }, ['OIDC_ISSUER'])
  })
})

describe('SMTP_URL, MAIL_FROM and REMINDER_CC', () => {
  const mail = {
    SMTP_URL: 'smtps://user:password@mail.example:465',
    MAIL_FROM: 'Caseport <no-reply@example.com>',
  }

  it('set how reminders are sent', () => {
    assert.deepEqual(readConfig(mail).mail, {
      smtpUrl: mail.SMTP_URL,
      from: mail.MAIL_FROM,
      cc: undefined,
      requireTls: true,
    })
    assert.equal(readConfig({ ...mail, SMTP_TLS: 'off' }).mail?.requireTls, false)
    assert.equal(readConfig({ ...mail, SMTP_TLS: 'required' }).mail?.requireTls, true)
    rejects({ ...mail, SMTP_TLS: 'on' }, ['SMTP_TLS'])
    assert.equal(readConfig({ ...mail, REMINDER_CC: 'hr@example.com' }).mail?.cc, 'hr@example.com')
    accepts({ SMTP_URL: 'smtp://localhost', MAIL_FROM: 'a@b' })
  })

  it('are rejected where they are no mail server and no address', () => {
    rejects({ SMTP_URL: mail.SMTP_URL }, ['MAIL_FROM'])
    for (const SMTP_URL of ['mail.example', 'http://mail.example', 'smtp:'])
      rejects({ ...mail, SMTP_URL }, ['SMTP_URL'])
    for (const MAIL_FROM of ['nobody', '@', 'a@b\r\nBcc: x@y']) rejects({ ...mail, MAIL_FROM }, ['MAIL_FROM'])
    for (const REMINDER_CC of ['nobody', 'a@b\nBcc: x@y']) rejects({ ...mail, REMINDER_CC }, ['REMINDER_CC'])
  })
})

describe('TOKEN_TTL, REMINDER_DAYS, MAX_UPLOAD_BYTES, RATE_LIMIT and LOG_LEVEL', () => {
  it('accept valid values', () => {
    for (const TOKEN_TTL of ['60', '86400'])
      assert.equal(readConfig({ TOKEN_TTL }).tokenTtl, Number(TOKEN_TTL))
    assert.deepEqual(readConfig({ REMINDER_DAYS: '7, 90,30,7' }).reminderDays, [90, 30, 7])
    assert.deepEqual(readConfig({ REMINDER_DAYS: '1' }).reminderDays, [1])
    assert.deepEqual(readConfig({ PASSPORT_REMINDER_DAYS: '30, 180' }).passportReminderDays, [180, 30])
    assert.deepEqual(readConfig({ PASSPORT_REMINDER_DAYS: 'off' }).passportReminderDays, [])
    assert.throws(() => readConfig({ PASSPORT_REMINDER_DAYS: '0' }), /PASSPORT_REMINDER_DAYS/)
    assert.equal(readConfig({ MAX_UPLOAD_BYTES: '1048576' }).maxUploadBytes, 1_048_576)
    assert.equal(readConfig({ RATE_LIMIT: '600' }).rateLimit, 600)
    assert.equal(readConfig({ RATE_LIMIT: 'off' }).rateLimit, undefined)
    for (const LOG_LEVEL of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      assert.equal(readConfig({ LOG_LEVEL }).logLevel, LOG_LEVEL)
  })

  it('reject other values', () => {
    for (const TOKEN_TTL of ['59', '86401', '1h', '-60', '1e4']) rejects({ TOKEN_TTL })
    for (const REMINDER_DAYS of ['0', '-7', '7,', '7;30', '3651', 'x']) rejects({ REMINDER_DAYS })
    for (const MAX_UPLOAD_BYTES of ['0', '1GB', '-1', '99999999999999999']) rejects({ MAX_UPLOAD_BYTES })
    for (const RATE_LIMIT of ['0', '-1', 'on', '1.5', '1000000001']) rejects({ RATE_LIMIT })
    for (const LOG_LEVEL of ['loud', 'INFO', '30']) rejects({ LOG_LEVEL })
  })
})

describe('OTEL_*', () => {
  it('traces nothing without an endpoint', () => {
    assert.equal(readConfig({ OTEL_SERVICE_NAME: 'one', OTEL_TRACES_SAMPLER_ARG: '0.5' }).tracing, undefined)
  })

  it('takes endpoint, headers, name and ratio as OpenTelemetry writes them', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'https://collector.example:4318'
    assert.deepEqual(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).tracing, {
      endpoint: OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: {},
      serviceName: 'caseport',
      ratio: 1,
    })
    const { tracing } = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi, x-tenant=one=two',
      OTEL_SERVICE_NAME: 'caseport-eu',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    })
    assert.deepEqual(tracing?.headers, { authorization: 'Basic YTpi', 'x-tenant': 'one=two' })
    assert.deepEqual([tracing?.serviceName, tracing?.ratio], ['caseport-eu', 0.25])
  })

  it('names what is invalid', () => {
    for (const OTEL_EXPORTER_OTLP_ENDPOINT of ['collector:4318', 'grpc://collector', 'yes'])
      rejects({ OTEL_EXPORTER_OTLP_ENDPOINT })
    for (const OTEL_EXPORTER_OTLP_PROTOCOL of ['grpc', 'http/protobuf'])
      rejects({ OTEL_EXPORTER_OTLP_PROTOCOL })
    for (const OTEL_EXPORTER_OTLP_HEADERS of ['authorization', 'a=1,=2', 'a b=c', 'a=%zz'])
      rejects({ OTEL_EXPORTER_OTLP_HEADERS })
    for (const OTEL_TRACES_SAMPLER_ARG of ['-1', '1.5', '10%', 'all']) rejects({ OTEL_TRACES_SAMPLER_ARG })
    for (const OTEL_TRACES_SAMPLER_ARG of ['0', '1', '0.01', '.5', '1.0'])
      accepts({ OTEL_TRACES_SAMPLER_ARG })
  })
})
