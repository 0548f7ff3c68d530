/**
 * The second factor of a user: codes of an authenticator app, and ten recovery codes for when it is lost.
 *
 *   (none)    -> enrolled    a secret was shown; nothing asks for it yet, and another enrolment replaces it
 *   enrolled  -> confirmed   a code has proven that the app has it; the recovery codes are shown once; other sessions end
 *   confirmed -> (none)      removed, with the password and a code
 *
 * A login of a user with a confirmed factor opens a challenge and no session (login-challenges.ts).
 *
 * A code is checked under the lock of the user's row of `second_factors`: of several at once each sees what the one before has used. Wrong
 * ones are counted there, so the transaction that finds one commits, and its refusal comes after.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomInt } from 'node:crypto';
import { recordAccountAction, type UserAuditContext } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { LoginChallenge, RecoveryCode, SecondFactor, User } from '../entities/index.ts';
import type { MailOutbox } from '../mail/index.ts';
import type { KeyedHash, Vault } from '../secrets/index.ts';
import { type AccountChange, sealAccountNotice } from './account-notices.ts';
import { endOtherSessions } from './own-sessions.ts';
import type { RefuseAccount } from './refusal.ts';
import { createTotpSecret, findTotpStep, toTotpUri } from './totp.ts';

/** Recovery codes of a user. */
export const recoveryCodeCount = 10;
/** Wrong codes of a user before further ones are refused, and for how many milliseconds. */
export const maxFailures = 10;
export const failureWindowMs = 15 * 60_000;

/** Letters and digits that nobody takes for each other. */
const codeAlphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

export interface SecondFactorState {
  readonly enabled: boolean;
  /** When it was confirmed. */
  readonly since: Date | null;
  readonly recoveryCodesLeft: number;
}

const selectState = `
  select f.confirmed_at is not null as enabled, f.confirmed_at as since,
    (select count(*) from recovery_codes c where c.user_id = f.user_id and c.used_at is null)::int as "recoveryCodesLeft"
  from second_factors f where f.user_id = $1`;

export interface SecondFactorsOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly vault: Vault;
  readonly mails: MailOutbox;
  readonly refuse: RefuseAccount;
}

export class SecondFactors {
  readonly #db: Database;
  readonly #hash: KeyedHash;
  readonly #vault: Vault;
  readonly #mails: MailOutbox;
  readonly #refuse: RefuseAccount;

  constructor({ db, hash, vault, mails, refuse }: SecondFactorsOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#vault = vault;
    this.#mails = mails;
    this.#refuse = refuse;
  }

  async find(userId: string): Promise<SecondFactorState> {
    const [row] = await this.#db.query<SecondFactorState>(selectState, [userId], 'second_factors.state');
    if (row === undefined || !row.enabled) return { enabled: false, since: null, recoveryCodesLeft: 0 };
    return row;
  }

  /** A new secret, to be shown once. Refused when a factor is confirmed already, and when the password has changed. */
  async enrol(change: AccountChange): Promise<{ readonly secret: string; readonly uri: string }> {
    const { byUserId: userId, now } = change;
    const secret = createTotpSecret();
    const sealed = await this.#vault.seal(sealingContext(userId), secret);
    const at = new Date(now);
    return this.#db.em().transactional(async em => {
      const { email } = await this.#lockUser(em, change);
      const present = await lockFactor(em, userId);
      if (present?.confirmedAt) throw this.#refuse('second_factor_present');
      if (present === null) {
        em.create(SecondFactor, {
          userId,
          secret: sealed,
          lastStep: 0,
          failures: 0,
          createdAt: at,
          updatedAt: at,
        });
      } else em.assign(present, { secret: sealed, lastStep: 0, updatedAt: at });
      await em.flush();
      return { secret, uri: toTotpUri(secret, email) };
    });
  }

  /** Confirms the enrolment by a code of the app, and ends all other sessions; resolves to the recovery codes, to be shown once. */
  async confirm(code: string, sessionId: string, audit: UserAuditContext): Promise<readonly string[]> {
    const { byUserId: userId, now } = audit;
    const codes = createRecoveryCodes();
    await this.#commitUnlessWrong(async em => {
      const user = await em.findOneOrFail(User, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const factor = await lockFactor(em, userId);
      if (factor === null) throw this.#refuse('second_factor_absent');
      if (factor.confirmedAt) throw this.#refuse('second_factor_present');
      if (!(await this.#isRight(em, factor, code, now))) return false;
      factor.confirmedAt = new Date(now);
      this.#addCodes(em, userId, codes, now);
      await em.flush();
      await endOtherSessions(em, sessionId, audit);
      await recordAccountAction(em, audit, { action: 'user.second_factor_enabled', targetId: userId });
      const what = 'second_factor_enabled';
      this.#mails.queue(em, await sealAccountNotice(this.#mails, user.email, { what }, audit));
      return true;
    });
    return codes;
  }

  /** New recovery codes in the place of all earlier ones. */
  async renewCodes(code: string, change: AccountChange): Promise<readonly string[]> {
    const { byUserId: userId, now } = change;
    const codes = createRecoveryCodes();
    await this.#commitUnlessWrong(async em => {
      await this.#lockUser(em, change);
      if (!(await this.#isRight(em, await this.#lockConfirmed(em, userId), code, now))) return false;
      await em.nativeDelete(RecoveryCode, { userId });
      this.#addCodes(em, userId, codes, now);
      await em.flush();
      await recordAccountAction(em, change, { action: 'user.recovery_codes_renewed', targetId: userId });
      return true;
    });
    return codes;
  }

  /** Removes the factor. */
  async disable(code: string, change: AccountChange): Promise<void> {
    const { byUserId: userId, now } = change;
    await this.#commitUnlessWrong(async em => {
      const user = await this.#lockUser(em, change);
      if (!(await this.#isRight(em, await this.#lockConfirmed(em, userId), code, now))) return false;
      await forgetSecondFactor(em, userId);
      await recordAccountAction(em, change, { action: 'user.second_factor_disabled', targetId: userId });
      const what = 'second_factor_disabled';
      this.#mails.queue(em, await sealAccountNotice(this.#mails, user.email, { what }, change));
      return true;
    });
  }

  /** Whether the code is right, inside a transaction that commits in either case. Refused after too many wrong ones. */
  async check(em: EntityManager, userId: string, code: string, now: number): Promise<boolean> {
    return this.#isRight(em, await this.#lockConfirmed(em, userId), code, now);
  }

  async #isRight(
    em: EntityManager,
    factor: InferEntity<typeof SecondFactor>,
    typed: string,
    now: number,
  ): Promise<boolean> {
    const failingSince = factor.failingSince?.getTime() ?? 0;
    const isRecent = now - failingSince < failureWindowMs;
    if (isRecent && factor.failures >= maxFailures) throw this.#refuse('too_many_codes');
    if (await this.#use(em, factor, typed.replace(/[\s-]/g, '').toUpperCase(), now)) {
      em.assign(factor, { failures: 0, failingSince: null, updatedAt: new Date(now) });
      return true;
    }
    em.assign(factor, {
      failures: isRecent ? factor.failures + 1 : 1,
      failingSince: isRecent ? factor.failingSince : new Date(now),
      updatedAt: new Date(now),
    });
    return false;
  }

  async #use(
    em: EntityManager,
    factor: InferEntity<typeof SecondFactor>,
    code: string,
    now: number,
  ): Promise<boolean> {
    const { userId } = factor;
    if (/^\d{6}$/.test(code)) {
      const secret = await this.#vault.open(sealingContext(userId), factor.secret);
      const step = findTotpStep(secret, code, now, Number(factor.lastStep));
      if (step === undefined) return false;
      factor.lastStep = step;
      return true;
    }
    if (!factor.confirmedAt) return false;
    const where = { codeHash: this.#hashCode(userId, code), userId, usedAt: null };
    return (await em.nativeUpdate(RecoveryCode, where, { usedAt: new Date(now) })) === 1;
  }

  #addCodes(em: EntityManager, userId: string, codes: readonly string[], now: number): void {
    for (const code of codes) {
      const codeHash = this.#hashCode(userId, code.replace('-', ''));
      em.create(RecoveryCode, { codeHash, userId, createdAt: new Date(now) });
    }
  }

  #hashCode(userId: string, code: string): Buffer {
    return this.#hash.digest('recovery-code', `${userId} ${code}`);
  }

  /** A wrong code is counted, so its transaction commits before it is refused. */
  async #commitUnlessWrong(work: (em: EntityManager) => Promise<boolean>): Promise<void> {
    if (!(await this.#db.em().transactional(work))) throw this.#refuse('wrong_code');
  }

  async #lockConfirmed(em: EntityManager, userId: string): Promise<InferEntity<typeof SecondFactor>> {
    const factor = await lockFactor(em, userId);
    if (!factor?.confirmedAt) throw this.#refuse('second_factor_absent');
    return factor;
  }

  async #lockUser(
    em: EntityManager,
    { byUserId: userId, checkedHash }: AccountChange,
  ): Promise<InferEntity<typeof User>> {
    const user = await em.findOne(User, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (user === null || checkedHash === null || user.passwordHash !== checkedHash) {
      throw this.#refuse('wrong_password');
    }
    return user;
  }
}

function lockFactor(em: EntityManager, userId: string) {
  return em.findOne(SecondFactor, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Whether a login of the user needs a code. */
export async function hasSecondFactor(em: EntityManager, userId: string): Promise<boolean> {
  return (await em.count(SecondFactor, { userId, confirmedAt: { $ne: null } })) > 0;
}

/** Inside a transaction that has locked the user. */
export async function forgetSecondFactor(em: EntityManager, userId: string): Promise<void> {
  await em.nativeDelete(SecondFactor, { userId });
  await em.nativeDelete(RecoveryCode, { userId });
  await em.nativeDelete(LoginChallenge, { userId });
}

const sealingContext = (userId: string): string => `second_factors/${userId}/secret`;

/** `ABCDE-FGHJK`: 49 bits each. */
function createRecoveryCodes(): readonly string[] {
  const part = () => Array.from({ length: 5 }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('');
  return Array.from({ length: recoveryCodeCount }, () => `${part()}-${part()}`);
}
