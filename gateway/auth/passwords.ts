/**
 * Passwords: Argon2id (RFC 9106) with 19 MiB and two passes, as OWASP's password storage cheat sheet recommends.
 *
 * The work is done by libuv's threads, which files, DNS and WebCrypto share. So at most two passwords are hashed at a
 * time and at most `maxWaiting` wait; beyond that the caller is told to come back.
 *
 * Keyboards and systems write one and the same password in several ways (`é` as one character or two). So a password is hashed and compared
 * in the Unicode form NFKC, as NIST SP 800-63B recommends. Hashes from before that are of passwords as they were typed.
 */
import { hash, verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../protocol/errors.ts';

/** 2 is Argon2id: the package's enum is ambient and const, which isolated modules cannot read. */
const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const maxConcurrent = 2;
const maxWaiting = 64;

export class Passwords {
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** A hash of a password that nobody knows: the login for an unknown account is checked against it. */
  readonly #dummyHash = hash(randomBytes(32), parameters);

  /** The PHC string to store. Rejects with `svc/runtime/unavailable` when too many wait, as `verify` does. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password.normalize('NFKC'), parameters));
  }

  /**
   * Whether the password is the one behind the hash. `undefined` stands for an account that does not exist or has no
   * password: the same work is done and the answer is false, so that time does not tell which accounts exist.
   */
  async verify(stored: string | undefined, password: string): Promise<boolean> {
    const against = stored ?? (await this.#dummyHash);
    const normal = password.normalize('NFKC');
    const right =
      (await this.#inTurn(() => verify(against, normal))) ||
      (normal !== password && (await this.#inTurn(() => verify(against, password))));
    return right && stored !== undefined;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= maxConcurrent) {
      if (this.#waiting.length >= maxWaiting) {
        throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
      }
      await new Promise<void>(resolve => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      // The next one takes over this turn: the count stays while anyone waits.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
