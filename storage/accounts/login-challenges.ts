/**
 * The second step of a login. Whoever has given the right password of a user with a second factor gets a challenge instead of a session:
 *
 *   open -> (gone)   a right code, or a passkey: the session is opened; or 5 wrong ones; or 5 minutes; or the password has changed
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import type { Database } from '../database/index.ts';
import { LoginChallenge } from '../entities/index.ts';
import type { KeyedHash } from '../secrets/index.ts';
import { recordFailedLogin } from './failed-logins.ts';
import type { RefuseAccount } from './refusal.ts';
import type { SecondFactorMethod, SecondFactors } from './second-factors.ts';
import { hasWorkspace, type LoginClient, type OpenSession, type Sessions } from './sessions.ts';

export const challengeMs = 5 * 60_000;
export const maxAttempts = 5;

export interface NeededFactor {
  readonly challenge: string;
  readonly methods: readonly SecondFactorMethod[];
}

/** The password was right, and a second factor is needed. */
export class SecondFactorRequired extends Error {
  override readonly name = 'SecondFactorRequired';
  /** Names the login in its second step. */
  readonly challenge: string;
  /** What the user has set up. */
  readonly methods: readonly SecondFactorMethod[];

  constructor({ challenge, methods }: NeededFactor) {
    super('the login needs a second factor');
    this.challenge = challenge;
    this.methods = methods;
  }
}

export interface LoginChallengesOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly sessions: Sessions;
  readonly factors: SecondFactors;
  readonly refuse: RefuseAccount;
}

export class LoginChallenges {
  readonly #options: LoginChallengesOptions;

  constructor(options: LoginChallengesOptions) {
    this.#options = options;
  }

  /**
   * Opens the session of a challenge by a code. Refused when the challenge is unknown, over or used up, and for a wrong code.
   */
  async pass(challenge: string, code: string, client: LoginClient, now: number): Promise<OpenSession> {
    const { factors, refuse } = this.#options;
    const session = await this.passBy(challenge, client, now, (em, userId) =>
      factors.check(em, userId, code, now),
    );
    if (session === undefined) throw refuse('wrong_code');
    return session;
  }

  /** The same by whatever `isRight` finds right, inside the transaction; undefined where it does not, which counts as an attempt. */
  passBy(
    challenge: string,
    client: LoginClient,
    now: number,
    isRight: (em: EntityManager, userId: string) => Promise<boolean>,
  ): Promise<OpenSession | undefined> {
    const { db, sessions, refuse } = this.#options;
    return db.em().transactional(async em => {
      const found = await this.find(em, challenge, now);
      found.attempts += 1;
      const { userId, signedOnBy } = found;
      if (!(await isRight(em, userId))) {
        await recordFailedLogin(em, { byUserId: userId, origin: client, now }, 'second_factor');
        return undefined;
      }
      if (!(await hasWorkspace(em, userId))) throw refuse('no_workspace');
      await em.remove(found).flush();
      return sessions.open(em, userId, client, now, signedOnBy ?? null);
    });
  }

  /** The locked challenge. Refused when it is unknown, over or used up. */
  async find(em: EntityManager, challenge: string, now: number): Promise<InferEntity<typeof LoginChallenge>> {
    const { hash, refuse } = this.#options;
    const challengeHash = hashChallenge(hash, challenge);
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const found = await em.findOne(LoginChallenge, { challengeHash }, lock);
    if (found === null || found.attempts >= maxAttempts) throw refuse('invalid_token');
    if (found.expiresAt.getTime() <= now) throw refuse('expired_token');
    return found;
  }
}

/** Inside the transaction of a login that has checked the password, or whom the provider of `signedOnBy` has vouched for. */
export async function openChallenge(
  em: EntityManager,
  hash: KeyedHash,
  userId: string,
  now: number,
  signedOnBy: string | null = null,
): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  em.create(LoginChallenge, {
    challengeHash: hashChallenge(hash, challenge),
    userId,
    attempts: 0,
    signedOnBy,
    createdAt: new Date(now),
    expiresAt: new Date(now + challengeMs),
  });
  await em.flush();
  return challenge;
}

const hashChallenge = (hash: KeyedHash, challenge: string): Buffer =>
  hash.digest('login-challenge', challenge);
