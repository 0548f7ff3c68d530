/**
 * What an authenticator has to sign. A challenge is made for one ceremony, and for one user where that is known:
 *
 *   open -> (gone)   taken, by whatever answer names it; or 5 minutes
 *
 * It is taken in a commit of its own, before the answer is looked at: of two answers to one challenge the second finds none.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import type { Database } from '../database/index.ts';
import { PasskeyChallenge } from '../entities/index.ts';
import type { KeyedHash } from '../secrets/index.ts';
import type { RefuseAccount } from './refusal.ts';
import { ceremonyMs, readSignedChallenge } from './webauthn.ts';

/** Registering a passkey, signing in with it alone, or after the password. */
export type Ceremony = 'register' | 'login' | 'second_factor';

const take = `
  delete from passkey_challenges where challenge_hash = $1 and ceremony = $2
  returning user_id as "userId", expires_at as "expiresAt"`;

export interface PasskeyChallengesOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly refuse: RefuseAccount;
}

export class PasskeyChallenges {
  readonly #options: PasskeyChallengesOptions;

  constructor(options: PasskeyChallengesOptions) {
    this.#options = options;
  }

  /** Inside a transaction. `userId` null: of whoever signs in. */
  async open(em: EntityManager, ceremony: Ceremony, userId: string | null, now: number): Promise<Buffer> {
    const challenge = randomBytes(32);
    em.create(PasskeyChallenge, {
      challengeHash: this.#hash(challenge.toString('base64url')),
      ceremony,
      userId,
      createdAt: new Date(now),
      expiresAt: new Date(now + ceremonyMs),
    });
    await em.flush();
    return challenge;
  }

  /** The challenge that the answer is to, which is used by this. Refused where there is none for that user and ceremony, or its time is over. */
  async take(ceremony: Ceremony, userId: string | null, response: unknown, now: number): Promise<string> {
    const { db, refuse } = this.#options;
    const challenge = readSignedChallenge(response);
    if (challenge === undefined) throw refuse('wrong_passkey');
    const [found] = await db.query<{ userId: string | null; expiresAt: Date }>(
      take,
      [this.#hash(challenge), ceremony],
      'passkeys.challenge',
    );
    if (found === undefined || found.userId !== userId) throw refuse('invalid_token');
    if (found.expiresAt.getTime() <= now) throw refuse('expired_token');
    return challenge;
  }

  #hash(challenge: string): Buffer {
    return this.#options.hash.digest('passkey-challenge', challenge);
  }
}
