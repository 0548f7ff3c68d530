/**
 * A user's passkeys. Each signs in alone, or after the password in the place of a code.
 *
 *   (none) -> kept      with the password, by an answer of the authenticator to a challenge; with the first one other sessions end
 *   kept   -> (none)    removed, with the password
 *
 * Whoever has one needs it after the password as well, or a password that somebody else learns would do. For when the device is lost there
 * are recovery codes: a user without any gets ten with a new passkey.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import { newId } from '../../protocol/ids.ts';
import { recordAccountAction, type UserAuditContext } from '../audit/index.ts';
import { type Database, violatesConstraint } from '../database/index.ts';
import { Passkey, User } from '../entities/index.ts';
import type { MailOutbox } from '../mail/index.ts';
import { type Cursors, type Page, type PageRequest, cutPage, toPage } from '../paging/index.ts';
import { type AccountChange, lockUser, tellAccount } from './account-notices.ts';
import { endOtherSessions } from './own-sessions.ts';
import type { PasskeyChallenges } from './passkey-challenges.ts';
import type { RefuseAccount } from './refusal.ts';
import { forgetSecondFactor, hasSecondFactor, type SecondFactors } from './second-factors.ts';
import {
  createCreationOptions,
  type CreationOptions,
  type RelyingParty,
  verifyCreation,
} from './webauthn.ts';

/** Passkeys of a user. */
export const maxPasskeys = 20;

/** A passkey as its row has it, without its key. */
export interface ListedPasskey {
  readonly passkeyId: string;
  readonly name: string;
  readonly backedUp: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const selectPage = `
  select passkey_id as "passkeyId", name, backed_up as "backedUp", created_at as "createdAt", last_used_at as "lastUsedAt"
  from passkeys where user_id = $1 and passkey_id > $2 order by passkey_id limit $3`;

const selectOwn = `select from passkeys where passkey_id = $1 and user_id = $2`;

const rename = `
  update passkeys set name = $3 where passkey_id = $1 and user_id = $2
  returning passkey_id as "passkeyId", name, backed_up as "backedUp", created_at as "createdAt", last_used_at as "lastUsedAt"`;

export interface PasskeysOptions {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly mails: MailOutbox;
  readonly factors: SecondFactors;
  readonly challenges: PasskeyChallenges;
  readonly party: RelyingParty;
  readonly refuse: RefuseAccount;
}

/** A new passkey, and recovery codes where the user had none left, to be shown once. */
export interface AddedPasskey {
  readonly passkey: ListedPasskey;
  readonly recoveryCodes: readonly string[];
}

export class Passkeys {
  readonly #options: PasskeysOptions;

  constructor(options: PasskeysOptions) {
    this.#options = options;
  }

  /** The oldest first. */
  async list(userId: string, { cursor, limit }: PageRequest): Promise<Page<ListedPasskey>> {
    const { db, cursors } = this.#options;
    const scope = `passkeys/${userId}`;
    const after = cursor === undefined ? '' : cursors.decode(scope, cursor)[0];
    const rows = await db.query<ListedPasskey>(selectPage, [userId, after, limit + 1], 'passkeys.own');
    return toPage(cutPage(rows, limit), last => cursors.encode(scope, [last.passkeyId]));
  }

  /** What the browser is to be asked for. Refused when the password has changed, and where the user has as many as one may have. */
  async begin(change: AccountChange): Promise<CreationOptions> {
    const { db, challenges, party, refuse } = this.#options;
    const { byUserId: userId, now } = change;
    const { challenge, email, known } = await db.em().transactional(async em => {
      const { email } = await lockUser(em, change, refuse);
      const known = await em.find(Passkey, { userId });
      this.#requireRoom(known.length);
      return { challenge: await challenges.open(em, 'register', userId, now), email, known };
    });
    return createCreationOptions(party, challenge, { userId, email, known });
  }

  /** Keeps the passkey that the authenticator has made, and ends all other sessions where it is the first second factor. */
  async add(
    name: string,
    response: unknown,
    sessionId: string,
    audit: UserAuditContext,
  ): Promise<AddedPasskey> {
    const { db, challenges, party, factors, mails, refuse } = this.#options;
    const { byUserId: userId, now } = audit;
    const challenge = await challenges.take('register', userId, response, now);
    const credential = await verifyCreation(party, challenge, response);
    if (credential === undefined) throw refuse('wrong_passkey');
    try {
      return await db.em().transactional(async em => {
        const user = await em.findOneOrFail(User, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        this.#requireRoom(await em.count(Passkey, { userId }));
        const isFirst = !(await hasSecondFactor(em, userId));
        const { transports, ...kept } = credential;
        const passkey = em.create(Passkey, {
          ...kept,
          passkeyId: newId('passkey', now),
          userId,
          transports: [...transports],
          name,
          createdAt: new Date(now),
        });
        await em.flush();
        const recoveryCodes = await factors.provideCodes(em, userId, now);
        if (isFirst) await endOtherSessions(em, sessionId, audit);
        const { passkeyId: targetId } = passkey;
        await recordAccountAction(em, audit, { action: 'user.passkey_added', targetId, details: { name } });
        await tellAccount(em, mails, user, { what: 'passkey_added' }, audit);
        return { passkey: toListed(passkey), recoveryCodes };
      });
    } catch (error) {
      throw violatesConstraint(error, 'passkeys_credential') ? refuse('wrong_passkey') : error;
    }
  }

  /** Refused where the user has no such passkey: asked before the costly check of a password. */
  async requireOwn(userId: string, passkeyId: string): Promise<void> {
    const { db, refuse } = this.#options;
    const rows = await db.query(selectOwn, [passkeyId, userId], 'passkeys.one');
    if (rows.length === 0) throw refuse('passkey_absent');
  }

  /** Refused where the user has no such passkey. */
  async rename(userId: string, passkeyId: string, name: string): Promise<ListedPasskey> {
    const { db, refuse } = this.#options;
    const [row] = await db.query<ListedPasskey>(rename, [passkeyId, userId, name], 'passkeys.rename');
    if (row === undefined) throw refuse('passkey_absent');
    return row;
  }

  /** Removes a passkey; with the last second factor its recovery codes go, too. */
  async remove(passkeyId: string, change: AccountChange): Promise<void> {
    const { db, mails, refuse } = this.#options;
    const { byUserId: userId } = change;
    await db.em().transactional(async em => {
      const user = await lockUser(em, change, refuse);
      const passkey = await em.findOne(
        Passkey,
        { passkeyId, userId },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (passkey === null) throw refuse('passkey_absent');
      const { name } = passkey;
      await em.remove(passkey).flush();
      if (!(await hasSecondFactor(em, userId))) await forgetSecondFactor(em, userId);
      await recordAccountAction(em, change, {
        action: 'user.passkey_removed',
        targetId: passkeyId,
        details: { name },
      });
      await tellAccount(em, mails, user, { what: 'passkey_removed' }, change);
    });
  }

  #requireRoom(count: number): void {
    if (count >= maxPasskeys) throw this.#options.refuse('too_many_passkeys');
  }
}

function toListed({
  passkeyId,
  name,
  backedUp,
  createdAt,
  lastUsedAt,
}: InferEntity<typeof Passkey>): ListedPasskey {
  return { passkeyId, name, backedUp, createdAt, lastUsedAt: lastUsedAt ?? null };
}
