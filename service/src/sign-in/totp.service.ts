// Authenticator codes as a second factor, with recovery codes for a lost telephone.
import { randomBytes } from 'node:crypto'
import type { Sql, Tx } from '../db/database.ts'
import { placeOf, type SealedColumn } from '../db/sealed-columns.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { Sealer } from '../lib/sealing.ts'
import { hashToken } from '../lib/tokens.ts'
import * as store from './credentials.store.ts'
import { totpEnrolled, totpNotEnrolled, wrongCode } from './sign-in.errors.ts'
import { base32, newSeed, stepOf, uriOf } from './totp.ts'

export const totpSeedColumn: SealedColumn = {
  table: 'user_totp',
  id: 'user_id',
  column: 'seed',
  type: 'text',
}

const RECOVERY_CODES = 10
const RECOVERY_BYTES = 20

export type Totp = ReturnType<typeof createTotp>

export function createTotp({ sql, sealer }: { sql: Sql; sealer: Sealer }) {
  const useCodeOf = async (
    totp: store.TotpRow,
    { tx, now }: { tx: Tx; now: Date },
    { userId, code }: { userId: string; code: string },
  ) => {
    const seed = sealer.unseal(totp.seed, placeOf(totpSeedColumn, userId))
    const step = stepOf(seed, code.replaceAll(' ', ''), { now, lastStep: totp.lastStep })
    return step !== undefined && (await store.useStep(tx, userId, step))
  }

  /** Uses the code up; returns whether it was right. */
  const useCode = async (unit: { tx: Tx; now: Date }, userId: string, code: string) => {
    const totp = await store.findTotp(unit.tx, userId)
    // A seed that was begun and not confirmed may never have reached the person's app.
    return totp?.confirmedAt ? useCodeOf(totp, unit, { userId, code }) : false
  }

  /** The same for a recovery code. */
  const useRecoveryCode = async ({ tx, audit }: UnitOfWork, userId: string, code: string) => {
    const isRight = await store.useRecoveryCode(tx, userId, hashRecoveryCode(code))
    if (isRight) audit({ action: 'user.use_recovery_code', recordId: userId })
    return isRight
  }

  return {
    useCode,
    useRecoveryCode,

    async isEnrolled(userId: string, from: Sql | Tx = sql): Promise<boolean> {
      return Boolean((await store.findTotp(from, userId))?.confirmedAt)
    },

    countRecoveryCodes: (userId: string) => store.countRecoveryCodes(sql, userId),

    /** Begins: the codes count once one of them is confirmed. */
    async enrol({ tx }: UnitOfWork, userId: string, email: string): Promise<{ secret: string; uri: string }> {
      const secret = newSeed()
      const sealed = sealer.seal(secret, placeOf(totpSeedColumn, userId))
      if (!(await store.beginTotp(tx, userId, sealed))) throw totpEnrolled()
      return { secret, uri: uriOf(secret, email) }
    },

    /** Returns the recovery codes, once. */
    async confirm(unit: UnitOfWork, userId: string, code: string): Promise<string[]> {
      const totp = await store.findTotp(unit.tx, userId)
      if (!totp) throw totpNotEnrolled()
      if (totp.confirmedAt) throw totpEnrolled()
      if (!(await useCodeOf(totp, unit, { userId, code }))) throw wrongCode()
      await store.confirmTotp(unit.tx, userId, unit.now)
      const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
      await store.replaceRecoveryCodes(unit.tx, userId, codes.map(hashRecoveryCode))
      unit.audit({ action: 'user.enrol_totp', recordId: userId })
      return codes
    },

    async remove(unit: UnitOfWork, userId: string): Promise<void> {
      await store.deleteTotp(unit.tx, userId)
      unit.audit({ action: 'user.remove_totp', recordId: userId })
    },
  }
}

/** 160 random bits: a fast hash protects them. */
function newRecoveryCode(): string {
  const text = base32(randomBytes(RECOVERY_BYTES)).toLowerCase()
  return (text.match(/.{4}/g) ?? []).join('-')
}

function hashRecoveryCode(code: string): Buffer {
  return hashToken(code.toLowerCase().replace(/[^a-z2-7]/g, ''))
}
