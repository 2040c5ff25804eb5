// How to connect to the embedded PostgreSQL of a DATA_DIR: as the service, or as the owner of the tables.
import { existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { SocketConnection } from '../db/database.ts'
import { SERVICE_ROLE } from '../db/roles.ts'
import { StartError } from '../lib/problem.ts'
import { type Passwords, readPasswords } from './passwords.ts'
import { OWNER, SOCKET_NAME } from './settings.ts'

export interface EmbeddedConnections {
  /** A superuser, who owns the tables and migrates them. */
  owner: SocketConnection
  /** What the service runs as: reads and writes rows, and appends to the audit. */
  service: SocketConnection
}

const DATABASE = 'caseport'
/** The path of a socket may have about a hundred bytes. */
const MAX_SOCKET_PATH = 103

/** Connections to the PostgreSQL that a service runs in this DATA_DIR, for another process on the same machine. */
export function connectionsOf(dataDir: string): EmbeddedConnections {
  const pgData = join(dataDir, 'postgres')
  const path = join(pgData, SOCKET_NAME)
  const passwords = readPasswords(dataDir)
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return connectionsTo(path, passwords)
  return connectionsTo(socketPath(pgData, openSync(pgData, 'r')), passwords)
}

/** Without passwords, those of a server of the first releases, which needed none. */
export function connectionsTo(path: string, passwords: Passwords | undefined): EmbeddedConnections {
  const database = DATABASE
  return {
    owner: { path, database, user: OWNER, ...(passwords && { password: passwords.owner }) },
    service: { path, database, user: SERVICE_ROLE, ...(passwords && { password: passwords.service }) },
  }
}

/** The path through an open directory is short for any DATA_DIR. */
export function socketPath(pgData: string, pgDataFd: number): string {
  const openDirectory = `/proc/self/fd/${pgDataFd}`
  // Not every system has /proc, and Linux hides it from a process with capabilities, such as for a port below 1024.
  if (existsSync(join(openDirectory, 'PG_VERSION'))) return join(openDirectory, SOCKET_NAME)
  const path = join(pgData, SOCKET_NAME)
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH)
    throw new StartError(`DATA_DIR is too long for the path of a socket: ${path}`)
  return path
}
