/**
 * The second factor of a user: codes of an authenticator app or passkeys (passkeys.ts), and ten recovery codes for when they are lost. Of the
 * app:
 *
 *   (none)    -> enrolled    a secret was shown; nothing asks for it yet, and another enrolment replaces it
 *   enrolled  -> confirmed   a code has proven that the app has it; the recovery codes are shown once; other sessions end
 *   confirmed -> (none)      removed, with the password and a code; the recovery codes stay where there are passkeys
 *
 * A login of a user with a confirmed app or a passkey opens a challenge and no session (login-challenges.ts).
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
import {
  LoginChallenge,
  Passkey,
  PasskeyChallenge,
  RecoveryCode,
  SecondFactor,
  User,
} from '../entities/index.ts';
import type { MailOutbox } from '../mail/index.ts';
import type { KeyedHash, Vault } from '../secrets/index.ts';
import { type AccountChange, lockUser, tellAccount } from './account-notices.ts';
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

/** What a login may take in its second step. A recovery code stands for both. */
export type SecondFactorMethod = 'totp' | 'passkey';

export interface SecondFactorState {
  /** The authenticator app. */
  readonly enabled: boolean;
  /** When it was confirmed. */
  readonly since: Date | null;
  readonly recoveryCodesLeft: number;
  /** How many there are. */
  readonly passkeys: number;
}

const selectState = `
  select f.confirmed_at is not null as enabled, f.confirmed_at as since,
    (select count(*) from recovery_codes c where c.user_id = u.user_id and c.used_at is null)::int as "recoveryCodesLeft",
    (select count(*) from passkeys k where k.user_id = u.user_id)::int as passkeys
  from users u left join second_factors f on f.user_id = u.user_id where u.user_id = $1`;

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
    return row ?? { enabled: false, since: null, recoveryCodesLeft: 0, passkeys: 0 };
  }

  /** A new secret, to be shown once. Refused when a factor is confirmed already, and when the password has changed. */
  async enrol(change: AccountChange): Promise<{ readonly secret: string; readonly uri: string }> {
    const { byUserId: userId, now } = change;
    const secret = createTotpSecret();
    const sealed = await this.#vault.seal(sealingContext(userId), secret);
    const at = new Date(now);
    return this.#db.em().transactional(async em => {
      const { email } = await lockUser(em, change, this.#refuse);
      const present = await lockFactor(em, userId);
      if (present?.confirmedAt) throw this.#refuse('second_factor_present');
      if (present === null) createFactor(em, userId, sealed, at);
      else em.assign(present, { secret: sealed, lastStep: 0, updatedAt: at });
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
      if (!(await this.#isRight(em, factor, code, now, 'confirming'))) return false;
      factor.confirmedAt = new Date(now);
      // A user with passkeys has some already.
      await em.nativeDelete(RecoveryCode, { userId });
      this.#addCodes(em, userId, codes, now);
      await em.flush();
      await endOtherSessions(em, sessionId, audit);
      await recordAccountAction(em, audit, { action: 'user.second_factor_enabled', targetId: userId });
      await tellAccount(em, this.#mails, user, { what: 'second_factor_enabled' }, audit);
      return true;
    });
    return codes;
  }

  /** New recovery codes in the place of all earlier ones. */
  async renewCodes(code: string, change: AccountChange): Promise<readonly string[]> {
    const { byUserId: userId, now } = change;
    const codes = createRecoveryCodes();
    await this.#commitUnlessWrong(async em => {
      await lockUser(em, change, this.#refuse);
      if (!(await this.#isRight(em, await this.#lockInUse(em, userId), code, now))) return false;
      await em.nativeDelete(RecoveryCode, { userId });
      this.#addCodes(em, userId, codes, now);
      await em.flush();
      await recordAccountAction(em, change, { action: 'user.recovery_codes_renewed', targetId: userId });
      return true;
    });
    return codes;
  }

  /** Inside a transaction that has locked the user: ten recovery codes where none are left, else none. */
  async provideCodes(em: EntityManager, userId: string, now: number): Promise<readonly string[]> {
    if ((await lockFactor(em, userId)) === null) createFactor(em, userId, null, new Date(now));
    if ((await em.count(RecoveryCode, { userId, usedAt: null })) > 0) return [];
    const codes = createRecoveryCodes();
    this.#addCodes(em, userId, codes, now);
    await em.flush();
    return codes;
  }

  /** Removes the authenticator app. */
  async disable(code: string, change: AccountChange): Promise<void> {
    const { byUserId: userId, now } = change;
    await this.#commitUnlessWrong(async em => {
      const user = await lockUser(em, change, this.#refuse);
      const factor = await this.#lockInUse(em, userId);
      if (!factor.confirmedAt) throw this.#refuse('second_factor_absent');
      if (!(await this.#isRight(em, factor, code, now))) return false;
      if ((await em.count(Passkey, { userId })) === 0) await forgetSecondFactor(em, userId);
      else em.assign(factor, { secret: null, confirmedAt: null, lastStep: 0, updatedAt: new Date(now) });
      await em.flush();
      await recordAccountAction(em, change, { action: 'user.second_factor_disabled', targetId: userId });
      await tellAccount(em, this.#mails, user, { what: 'second_factor_disabled' }, change);
      return true;
    });
  }

  /** Uses a code of the user up, for a change to the account. Refused when it is wrong, and after too many wrong ones. */
  async use(userId: string, code: string, now: number): Promise<void> {
    await this.#commitUnlessWrong(em => this.check(em, userId, code, now));
  }

  /** Whether the code is right, inside a transaction that commits in either case. Refused after too many wrong ones. */
  async check(em: EntityManager, userId: string, code: string, now: number): Promise<boolean> {
    return this.#isRight(em, await this.#lockInUse(em, userId), code, now);
  }

  async #isRight(
    em: EntityManager,
    factor: InferEntity<typeof SecondFactor>,
    typed: string,
    now: number,
    purpose: 'using' | 'confirming' = 'using',
  ): Promise<boolean> {
    const failingSince = factor.failingSince?.getTime() ?? 0;
    const isRecent = now - failingSince < failureWindowMs;
    if (isRecent && factor.failures >= maxFailures) throw this.#refuse('too_many_codes');
    const code = typed.replace(/[\s-]/g, '').toUpperCase();
    const isFit =
      purpose === 'confirming' ? isAppCode(code) : Boolean(factor.confirmedAt) || !isAppCode(code);
    if (isFit && (await this.#use(em, factor, code, now))) {
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
    if (isAppCode(code)) {
      if (!factor.secret) return false;
      const secret = await this.#vault.open(sealingContext(userId), factor.secret);
      const step = findTotpStep(secret, code, now, Number(factor.lastStep));
      if (step === undefined) return false;
      factor.lastStep = step;
      return true;
    }
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

  /** Of a user who has confirmed an app, or has passkeys. */
  async #lockInUse(em: EntityManager, userId: string): Promise<InferEntity<typeof SecondFactor>> {
    const factor = await lockFactor(em, userId);
    if (factor === null || !(await hasSecondFactor(em, userId))) throw this.#refuse('second_factor_absent');
    return factor;
  }
}

function lockFactor(em: EntityManager, userId: string) {
  return em.findOne(SecondFactor, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** The row that counts wrong codes, too. */
function createFactor(em: EntityManager, userId: string, secret: string | null, at: Date): void {
  em.create(SecondFactor, { userId, secret, lastStep: 0, failures: 0, createdAt: at, updatedAt: at });
}

/** What the second step of a login of the user takes; empty: there is none. */
export async function findMethods(em: EntityManager, userId: string): Promise<readonly SecondFactorMethod[]> {
  const [apps, passkeys] = [
    await em.count(SecondFactor, { userId, confirmedAt: { $ne: null } }),
    await em.count(Passkey, { userId }),
  ];
  return [...(apps > 0 ? (['totp'] as const) : []), ...(passkeys > 0 ? (['passkey'] as const) : [])];
}

/** Whether a login of the user takes more than the password. */
export async function hasSecondFactor(em: EntityManager, userId: string): Promise<boolean> {
  return (await findMethods(em, userId)).length > 0;
}

/** All but the passkeys, inside a transaction that has locked the user. In the order in which a second step locks them. */
export async function forgetSecondFactor(em: EntityManager, userId: string): Promise<void> {
  await em.nativeDelete(LoginChallenge, { userId });
  await em.nativeDelete(SecondFactor, { userId });
  await em.nativeDelete(RecoveryCode, { userId });
  await em.nativeDelete(PasskeyChallenge, { userId });
}

/** Six digits: of the app. Everything else can only be a recovery code. */
const isAppCode = (code: string): boolean => /^\d{6}$/.test(code);

const sealingContext = (userId: string): string => `second_factors/${userId}/secret`;

/** `ABCDE-FGHJK`: 49 bits each. */
function createRecoveryCodes(): readonly string[] {
  const part = () => Array.from({ length: 5 }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('');
  return Array.from({ length: recoveryCodeCount }, () => `${part()}-${part()}`);
}
