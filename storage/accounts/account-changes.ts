/**
 * What signed-in users change of their own account: the password, and the e-mail address. An address changes in two steps:
 *
 *   asked   -> changed    whoever has the mailed token and knows the password confirms it, within 24 hours
 *   asked   -> void       another change is asked for, the password changes or is reset, or somebody else has taken the address
 *
 * The token alone is not enough: else anybody could ask to change their account to a stranger's address, and the stranger who opens
 * the link would share the account with them.
 *
 * An address that has to sign in by an identity provider does not change: with another one its account would go on without the provider,
 * when the organisation has let its user go, too.
 */
import { LockMode } from '@mikro-orm/core';
import { recordAccountAction } from '../audit/index.ts';
import { type Database, violatesConstraint } from '../database/index.ts';
import { EmailToken, LoginChallenge, User } from '../entities/index.ts';
import { transactOnce, type WorkKey } from '../idempotency/index.ts';
import { createEmailToken, type EmailChangeMail, emailKey, type MailOutbox } from '../mail/index.ts';
import type { KeyedHash } from '../secrets/index.ts';
import type { LoginAccount } from './accounts.ts';
import { type AccountChange, lockUser, tellAccount } from './account-notices.ts';
import { endOtherSessions } from './own-sessions.ts';
import type { RefuseAccount } from './refusal.ts';
import { mustSignOn } from './required-sign-on.ts';

/** Milliseconds that the link works. */
const changeMs = 24 * 3_600_000;
/** Links that a user has mailed within `recentMs`: each goes to whomever they name. */
const mostRecent = 5;
const recentMs = 3_600_000;

const selectChange = `
  select t.user_id as "userId", t.expires_at as "expiresAt", t.used_at is not null as used, u.password_hash as "passwordHash"
  from email_tokens t join users u on u.user_id = t.user_id where t.token_hash = $1 and t.purpose = 'change'`;

export interface AccountChangesOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly mails: MailOutbox;
  readonly refuse: RefuseAccount;
}

export class AccountChanges {
  readonly #db: Database;
  readonly #hash: KeyedHash;
  readonly #mails: MailOutbox;
  readonly #refuse: RefuseAccount;

  constructor({ db, hash, mails, refuse }: AccountChangesOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#mails = mails;
    this.#refuse = refuse;
  }

  /** Sets another password and ends all other sessions; links that would reset it or change the address are void. */
  async changePassword(change: AccountChange & { passwordHash: string; sessionId: string }): Promise<void> {
    const { byUserId: userId, now, passwordHash, sessionId } = change;
    const at = new Date(now);
    await this.#db.em().transactional(async em => {
      const user = await lockUser(em, change, this.#refuse);
      user.passwordHash = passwordHash;
      user.updatedAt = at;
      await em.nativeUpdate(
        EmailToken,
        { userId, purpose: { $in: ['reset', 'change'] }, usedAt: null },
        { usedAt: at },
      );
      await em.nativeDelete(LoginChallenge, { userId });
      await em.flush();
      await recordAccountAction(em, change, { action: 'user.password_changed', targetId: userId });
      await endOtherSessions(em, sessionId, change);
      await tellAccount(em, this.#mails, user, { what: 'password_changed' }, change);
    });
  }

  /**
   * Mails a link to the new address and a notice to the present one. Where the new address has an account, no link is mailed: its owner gets a
   * notice, and the answer is the same, so that it does not tell who has an account. Refused after five within an hour of the user or to
   * the new address, and where the present one has to sign in by an identity provider.
   */
  async askEmail(
    change: AccountChange & { email: string; presentEmail: string; key?: WorkKey | undefined },
  ): Promise<void> {
    const { byUserId: userId, now, key } = change;
    const email = change.email.trim().normalize('NFC');
    const token = createEmailToken();
    const times = { now: new Date(now), expiresAt: new Date(now + changeMs) };
    const secret = JSON.stringify({ token, account: change.presentEmail } satisfies EmailChangeMail);
    const link = await this.#mails.seal({ kind: 'change_account_email', recipient: email, secret, ...times });
    await transactOnce(this.#db, key, async em => {
      const user = await lockUser(em, change, this.#refuse);
      if (await mustSignOn(em, user.email, userId)) throw this.#refuse('sso_required');
      const recent = { userId, purpose: 'change', createdAt: { $gt: new Date(now - recentMs) } } as const;
      if ((await em.count(EmailToken, recent)) >= mostRecent) throw this.#refuse('too_many_changes');
      const owner = await em.findOne(User, { emailKey: emailKey(email), userId: { $ne: userId } });
      if (!(await this.#mails.mayMailLink(em, email, now))) throw this.#refuse('too_many_mails');
      await em.nativeUpdate(EmailToken, { userId, purpose: 'change', usedAt: null }, { usedAt: times.now });
      em.create(EmailToken, {
        tokenHash: this.#hashToken(token),
        purpose: 'change',
        userId,
        email,
        createdAt: times.now,
        expiresAt: times.expiresAt,
        usedAt: owner === null ? null : times.now,
      });
      if (owner === null) this.#mails.queue(em, link);
      else {
        this.#mails.discard(em, link, 'the address has an account');
        await tellAccount(em, this.#mails, owner, { what: 'email_wanted' }, change);
      }
      await tellAccount(em, this.#mails, user, { what: 'email_change_asked', email }, change);
    });
  }

  /** The account of a token, asked before its password is checked. Refused when the token is unknown, used or expired. */
  async findChange(token: string, now: number): Promise<LoginAccount> {
    const [found] = await this.#db.query<LoginAccount & { expiresAt: Date; used: boolean }>(selectChange, [
      this.#hashToken(token),
    ]);
    if (found === undefined || found.used) throw this.#refuse('invalid_token');
    if (found.expiresAt.getTime() <= now) throw this.#refuse('expired_token');
    return { userId: found.userId, passwordHash: found.passwordHash };
  }

  /**
   * Changes the address to that of the token, which is used by this, and tells the former one; resolves to the user's id. Of several accounts that were to have one
   * address the first gets it. Refused as `findChange` is, when somebody has the address by now, and where the former one has to sign in by an
   * identity provider.
   */
  async confirmEmail(token: string, change: AccountChange & { key?: WorkKey | undefined }): Promise<string> {
    const { byUserId: userId, now, key } = change;
    const at = new Date(now);
    try {
      return await transactOnce(this.#db, key, async em => {
        const user = await lockUser(em, change, this.#refuse);
        const where = { tokenHash: this.#hashToken(token), purpose: 'change', userId } as const;
        const found = await em.findOne(EmailToken, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (found === null || found.usedAt) throw this.#refuse('invalid_token');
        const { email: formerEmail, emailVerifiedAt } = user;
        if (await mustSignOn(em, formerEmail, userId)) throw this.#refuse('sso_required');
        found.usedAt = at;
        user.email = found.email;
        user.emailKey = emailKey(found.email);
        user.emailVerifiedAt = at;
        user.updatedAt = at;
        await em.flush();
        await recordAccountAction(em, change, { action: 'user.email_changed', targetId: userId });
        const former = { email: formerEmail, emailVerifiedAt };
        await tellAccount(em, this.#mails, former, { what: 'email_changed', email: found.email }, change);
        return userId;
      });
    } catch (error) {
      throw violatesConstraint(error, 'users_email_key') ? this.#refuse('email_in_use') : error;
    }
  }

  #hashToken(token: string): Buffer {
    return this.#hash.digest('email-token', token);
  }
}
