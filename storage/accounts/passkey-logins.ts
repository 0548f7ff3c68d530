/**
 * Signing in with a passkey: alone, where it says whose it is, or after the password, where it has to be one of that user's. The second takes
 * the challenge of the login (login-challenges.ts), and counts among its attempts.
 */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../database/index.ts';
import { Passkey, User } from '../entities/index.ts';
import type { LoginChallenges } from './login-challenges.ts';
import type { PasskeyChallenges } from './passkey-challenges.ts';
import type { RefuseAccount } from './refusal.ts';
import { mustSignOn } from './required-sign-on.ts';
import { hasWorkspace, type LoginClient, type OpenSession, type Sessions } from './sessions.ts';
import {
  createRequestOptions,
  readCredentialId,
  readUserHandle,
  type RelyingParty,
  type RequestOptions,
  verifyAssertion,
} from './webauthn.ts';

const selectOwner = `select user_id as "userId" from passkeys where credential_id = $1`;

export interface PasskeyLoginsOptions {
  readonly db: Database;
  readonly sessions: Sessions;
  readonly logins: LoginChallenges;
  readonly challenges: PasskeyChallenges;
  readonly party: RelyingParty;
  readonly refuse: RefuseAccount;
}

export class PasskeyLogins {
  readonly #options: PasskeyLoginsOptions;

  constructor(options: PasskeyLoginsOptions) {
    this.#options = options;
  }

  /**
   * What the browser is to be asked for.
   *
   * @param login the challenge of a login whose password was right; undefined: without one
   */
  async begin(login: string | undefined, now: number): Promise<RequestOptions> {
    const { db, logins, challenges, party, refuse } = this.#options;
    const asked = await db.em().transactional(async em => {
      if (login === undefined) return { challenge: await challenges.open(em, 'login', null, now), known: [] };
      const { userId } = await logins.find(em, login, now);
      const known = await em.find(Passkey, { userId });
      if (known.length === 0) throw refuse('wrong_passkey');
      return { challenge: await challenges.open(em, 'second_factor', userId, now), known };
    });
    return createRequestOptions(party, asked.challenge, asked.known);
  }

  /** Opens a session of whoever the passkey is of. */
  async login(response: unknown, client: LoginClient, now: number): Promise<OpenSession> {
    const { db, sessions, challenges, refuse } = this.#options;
    const challenge = await challenges.take('login', null, response, now);
    const userId = await this.#findOwner(response);
    // The authenticator says whose it is, too. Where it does not, the credential is none that signs in alone.
    if (userId === undefined || readUserHandle(response) !== userId) throw refuse('wrong_passkey');
    return db.em().transactional(async em => {
      const { email } = await em.findOneOrFail(User, { userId }, { lockMode: LockMode.PESSIMISTIC_READ });
      if (!(await this.#use(em, userId, challenge, response, now))) throw refuse('wrong_passkey');
      if (await mustSignOn(em, email, userId)) throw refuse('sso_required');
      if (!(await hasWorkspace(em, userId))) throw refuse('no_workspace');
      return sessions.open(em, userId, client, now, null);
    });
  }

  /** Opens the session of a login whose password was right. */
  async pass(login: string, response: unknown, client: LoginClient, now: number): Promise<OpenSession> {
    const { db, logins, challenges, refuse } = this.#options;
    const { userId } = await db.em().transactional(em => logins.find(em, login, now));
    const challenge = await challenges.take('second_factor', userId, response, now);
    const session = await logins.passBy(login, client, now, em =>
      this.#use(em, userId, challenge, response, now),
    );
    if (session === undefined) throw refuse('wrong_passkey');
    return session;
  }

  /** Takes the answer of a passkey for a change to the account of its user. Refused where it is not one of the user's. */
  async confirm(userId: string, response: unknown, now: number): Promise<void> {
    const { db, challenges, refuse } = this.#options;
    const challenge = await challenges.take('login', null, response, now);
    const isRight = await db.em().transactional(em => this.#use(em, userId, challenge, response, now));
    if (!isRight) throw refuse('wrong_passkey');
  }

  async #findOwner(response: unknown): Promise<string | undefined> {
    const credentialId = readCredentialId(response);
    if (credentialId === undefined) return undefined;
    const [row] = await this.#options.db.query<{ userId: string }>(
      selectOwner,
      [credentialId],
      'passkeys.owner',
    );
    return row?.userId;
  }

  /** Whether a passkey of the user has signed the challenge. It is locked: of two signatures at once the second is held to the newer counter. */
  async #use(
    em: EntityManager,
    userId: string,
    challenge: string,
    response: unknown,
    now: number,
  ): Promise<boolean> {
    const credentialId = readCredentialId(response);
    if (credentialId === undefined) return false;
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const passkey = await em.findOne(Passkey, { credentialId, userId }, lock);
    if (passkey === null) return false;
    const used = await verifyAssertion(this.#options.party, challenge, response, {
      credentialId: passkey.credentialId,
      publicKey: passkey.publicKey,
      counter: Number(passkey.counter),
      transports: passkey.transports,
    });
    if (used === undefined) return false;
    em.assign(passkey, { ...used, lastUsedAt: new Date(now) });
    await em.flush();
    return true;
  }
}
