// A certificate authority for tests, made with openssl.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '../../src/embedded-postgres/account.ts'

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

export interface Authority {
  /** The certificate of the authority. */
  file: string
  key: string
}

export function createAuthority(folder: string, name: string): Authority {
  const [file, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  openssl('req', '-x509', ...KEY, '-subj', `/CN=${name}`, '-days', '2', '-keyout', key, '-out', file)
  return { file, key }
}

interface CertificateOptions {
  authority: Authority
  folder: string
  name: string
  /** Such as `DNS:localhost,IP:127.0.0.1`. */
  alternativeNames: string
  /** Who reads the key. */
  account?: Account | undefined
}

export function createCertificate({
  authority,
  folder,
  name,
  alternativeNames,
  account,
}: CertificateOptions) {
  const [cert, key, request, extensions] = ['crt', 'key', 'csr', 'ext'].map(end =>
    join(folder, `${name}.${end}`),
  ) as [string, string, string, string]
  openssl('req', '-new', ...KEY, '-subj', `/CN=${name}`, '-keyout', key, '-out', request)
  writeFileSync(extensions, `subjectAltName=${alternativeNames}\n`)
  const signing = ['-CA', authority.file, '-CAkey', authority.key, '-CAcreateserial', '-days', '2']
  openssl('x509', '-req', '-in', request, ...signing, '-extfile', extensions, '-out', cert)
  chmodSync(key, 0o600)
  if (account) for (const file of [cert, key]) chownSync(file, account.uid, account.gid)
  return { cert, key }
}
