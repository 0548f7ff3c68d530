/**
 * Forgotten passwords (docs/contract-decisions.md, "Sessions, limits and retention"). A reset token is
 *
 *   mailed -> used      it has set a password; or another token of the same user has
 *   mailed -> expired   60 minutes after the request
 *
 * While five of a user are mailed and neither used nor expired, no further mail is sent: anybody may ask for one for anybody, and the owner
 * has five that work.
 *
 * A request for an address without an account does the same work and writes the same rows, for a user and a recipient that do not
 * exist: neither the answer nor its duration reveals who has an account.
 */
import { LockMode } from '@mikro-orm/core';
import { newId } from '../../protocol/ids.ts';
import type { MailedApp } from '../../protocol/resources/index.ts';
import { recordAccountAction, type RequestOrigin } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { EmailToken, LoginChallenge, User } from '../entities/index.ts';
import { appendEvents } from '../events/index.ts';
import { transactOnce, type WorkKey } from '../idempotency/index.ts';
import type { KeyedHash } from '../secrets/index.ts';
import { emailKey, createEmailToken, type MailOutbox, resetMailKinds } from '../mail/index.ts';
import { endUnprovenAccess } from './first-proof.ts';
import { endAllSessions } from './own-sessions.ts';
import type { RefuseAccount } from './refusal.ts';

/** Milliseconds that a reset link works. */
export const resetMs = 3_600_000;

/** Links of a user that work at the same time. */
const mostLinks = 5;

const selectAccount = `select user_id as "userId", email from users where email_key = $1 and deleted_at is null`;

const selectToken = `
  select t.user_id as "userId", u.email, t.expires_at as "expiresAt", t.used_at is not null as used
  from email_tokens t join users u on u.user_id = t.user_id where t.token_hash = $1 and t.purpose = 'reset'`;

export interface PasswordResetsOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly mails: MailOutbox;
  readonly refuse: RefuseAccount;
}

export class PasswordResets {
  readonly #db: Database;
  readonly #hash: KeyedHash;
  readonly #mails: MailOutbox;
  readonly #refuse: RefuseAccount;

  constructor({ db, hash, mails, refuse }: PasswordResetsOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#mails = mails;
    this.#refuse = refuse;
  }

  /** Queues the mail with the link into the app where the address has an account. `now` in epoch milliseconds. */
  async request(email: string, app: MailedApp, now: number, resetKey?: WorkKey): Promise<void> {
    const key = emailKey(email);
    const [account] = await this.#db.query<{ userId: string; email: string }>(
      selectAccount,
      [key],
      'users.reset',
    );
    const { userId, email: recipient } = account ?? { userId: newId('user', now), email: '' };
    const secret = createEmailToken();
    const times = { now: new Date(now), expiresAt: new Date(now + resetMs) };
    const mail = await this.#mails.seal({ kind: resetMailKinds[app], recipient, secret, ...times });
    await transactOnce(this.#db, resetKey, async em => {
      // Several at once would each find that there are few.
      await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`reset ${key}`]);
      const working = { userId, purpose: 'reset', email: recipient, usedAt: null } as const;
      const isMailed =
        (await em.count(EmailToken, { ...working, expiresAt: { $gt: times.now } })) < mostLinks;
      em.create(EmailToken, {
        tokenHash: this.#hashToken(secret),
        purpose: 'reset',
        userId,
        email: recipient,
        createdAt: times.now,
        expiresAt: times.expiresAt,
        // Of no use to anybody: it does not count among those that are in the mailbox.
        usedAt: isMailed ? null : times.now,
      });
      if (account === undefined) this.#mails.discard(em, mail, 'no such account');
      else if (isMailed) this.#mails.queue(em, mail);
      else this.#mails.discard(em, mail, 'enough links are in the mailbox');
    });
  }

  /** Finds the account of a token, before the costly hashing of a password. Refused when the token is unknown, used or expired. */
  async findOwner(token: string, now: number): Promise<{ readonly userId: string; readonly email: string }> {
    type Row = { userId: string; email: string; expiresAt: Date; used: boolean };
    const [found] = await this.#db.query<Row>(selectToken, [this.#hashToken(token)]);
    if (found === undefined || found.used) throw this.#refuse('invalid_token');
    if (found.expiresAt.getTime() <= now) throw this.#refuse('expired_token');
    return { userId: found.userId, email: found.email };
  }

  /**
   * Sets the password, uses the token and all others of the user (links that would change the address, too), and revokes all sessions of the user; resolves to the user's id. The mailed
   * token also proves the address, as a verification link does: where nothing had proved it before, second factors and all access that the account has given
   * out end, too, since somebody else may have made it. Refused as `findOwner` is.
   */
  async reset(
    token: string,
    passwordHash: string,
    now: number,
    origin: RequestOrigin,
    key?: WorkKey,
  ): Promise<string> {
    const { userId } = await this.findOwner(token, now);
    const at = new Date(now);
    return transactOnce(this.#db, key, async em => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      // The user first: resets with two tokens of one user, which use each other's token, wait for each other here.
      const user = await em.findOne(User, { userId }, lock);
      const found = await em.findOne(
        EmailToken,
        { tokenHash: this.#hashToken(token), purpose: 'reset', userId },
        lock,
      );
      if (user === null || found === null || found.usedAt || found.email !== user.email) {
        throw this.#refuse('invalid_token');
      }
      const isFirstProof = !user.emailVerifiedAt;
      user.passwordHash = passwordHash;
      user.emailVerifiedAt ??= at;
      user.updatedAt = at;
      await em.nativeUpdate(
        EmailToken,
        { userId, purpose: { $in: ['reset', 'change'] }, usedAt: null },
        { usedAt: at },
      );
      await em.nativeDelete(LoginChallenge, { userId });
      await em.flush();
      const audit = { byUserId: userId, origin, now };
      // A login in progress has checked the old password: it is refused when it reads the user's row.
      const events = isFirstProof ? await endUnprovenAccess(em, audit) : [];
      if (!isFirstProof) await endAllSessions(em, audit);
      await recordAccountAction(em, audit, { action: 'user.password_reset', targetId: userId });
      if (events.length > 0) await appendEvents(em, events);
      return userId;
    });
  }

  #hashToken(token: string): Buffer {
    return this.#hash.digest('email-token', token);
  }
}
