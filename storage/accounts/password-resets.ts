/**
 * Forgotten passwords (specification, "States and transitions"; decisions section 9). A reset token:
 *
 *   mailed -> used      it has set a password; or another token of the same user has
 *   mailed -> expired   60 minutes after it was asked for
 *
 * A request for an address without an account does the same work and writes the same rows, of a user and to a recipient that
 * do not exist: neither the answer nor its time tells who has an account.
 */
import { LockMode } from '@mikro-orm/core';
import { ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import { recordOwnAct, type Origin } from '../audit.ts';
import type { Database } from '../database.ts';
import { EmailToken, Session, User } from '../entities/accounts.ts';
import type { KeyHash } from '../keyhash.ts';
import { emailKey } from './email-key.ts';
import { emailSecret } from './email-secret.ts';
import type { Mails } from './mails.ts';

/** Milliseconds that a reset link works. */
export const resetMs = 3_600_000;

const selectAccount = `select user_id as "userId", email from users where email_key = $1`;

const selectToken = `
  select user_id as "userId", expires_at as "expiresAt", used_at is not null as used from email_tokens
  where token_hash = $1 and purpose = 'reset'`;

export interface PasswordResetsOptions {
  readonly db: Database;
  readonly hash: KeyHash;
  readonly mails: Mails;
}

export class PasswordResets {
  readonly #db: Database;
  readonly #hash: KeyHash;
  readonly #mails: Mails;

  constructor({ db, hash, mails }: PasswordResetsOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#mails = mails;
  }

  /** Queues the mail with the link where the address has an account. `now` in epoch milliseconds. */
  async request(email: string, now: number): Promise<void> {
    const key = emailKey(email);
    const [account] = await this.#db.query<{ userId: string; email: string }>(
      selectAccount,
      [key],
      'users.reset',
    );
    const { userId, email: recipient } = account ?? { userId: newId('user', now), email: '' };
    const secret = emailSecret();
    const times = { now: new Date(now), expiresAt: new Date(now + resetMs) };
    const mail = await this.#mails.seal({ kind: 'reset_password', recipient, secret, ...times });
    await this.#db.em().transactional(em => {
      em.create(EmailToken, {
        tokenHash: this.#stored(secret),
        purpose: 'reset',
        userId,
        email: recipient,
        createdAt: times.now,
        expiresAt: times.expiresAt,
      });
      if (account === undefined) this.#mails.discard(em, mail, 'no such account');
      else this.#mails.queue(em, mail);
    });
  }

  /**
   * Whose token it is: asked before the costly hashing of a password. Fails with `svc/auth/expired_token` or, when it is
   * unknown or used, `svc/auth/invalid_token`.
   */
  async ownerOf(token: string, now: number): Promise<string> {
    const [found] = await this.#db.query<{ userId: string; expiresAt: Date; used: boolean }>(selectToken, [
      this.#stored(token),
    ]);
    if (found === undefined || found.used) throw new ServiceError('svc/auth/invalid_token');
    if (found.expiresAt.getTime() <= now) throw new ServiceError('svc/auth/expired_token');
    return found.userId;
  }

  /**
   * Sets the password, uses up the token and every other of the user, revokes all of the user's sessions; the user's id. The
   * mailed token proves the address as well as a verification link does. Fails as `ownerOf` does.
   */
  async reset(token: string, passwordHash: string, now: number, origin: Origin): Promise<string> {
    const userId = await this.ownerOf(token, now);
    const at = new Date(now);
    await this.#db.em().transactional(async em => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      // The user first: resets with two tokens of one user, each of which voids the other's, wait for each other here.
      const user = await em.findOne(User, { userId }, lock);
      const found = await em.findOne(
        EmailToken,
        { tokenHash: this.#stored(token), purpose: 'reset', userId },
        lock,
      );
      if (user === null || found === null || found.usedAt || found.email !== user.email) {
        throw new ServiceError('svc/auth/invalid_token');
      }
      user.passwordHash = passwordHash;
      user.emailVerifiedAt ??= at;
      user.updatedAt = at;
      await em.nativeUpdate(EmailToken, { userId, purpose: 'reset', usedAt: null }, { usedAt: at });
      // A login that is under way has checked the old password: it is refused by its own look at the user's row.
      await em.nativeUpdate(Session, { userId, revokedAt: null }, { revokedAt: at, updatedAt: at });
      await em.flush();
      const doing = { byUserId: userId, origin, now };
      await recordOwnAct(em, doing, { action: 'user.password_reset', targetId: userId });
    });
    return userId;
  }

  #stored(token: string): Buffer {
    return this.#hash.of('email-token', token);
  }
}
