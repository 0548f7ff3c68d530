/**
 * API keys on the hot path. A key that was seen within the last second is answered synchronously from memory, under the
 * SHA-256 of what was presented (the secret itself is not kept); after that it is asked of the database again. A
 * revocation in this process shows at once, one on another node within a second or when its news arrives (`forget`). A key
 * that this node has not seen costs its sender a toll before the database is asked.
 *
 * Last uses are gathered here and written in one statement at most every 10 s.
 */
import { hash } from 'node:crypto';
import { ServiceError } from '../../protocol/errors.ts';
import type { Clock, Timer } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { looksLikeApiKey } from '../../storage/tenancy/api-key-secret.ts';
import type { ApiKeys, KeyGrant, KeyUse } from '../../storage/tenancy/api-keys.ts';
import { LookUps } from '../../storage/tenancy/look-ups.ts';
import type { KeyCaller } from '../rest/handler.ts';
import type { Origin } from './origin.ts';

/** Milliseconds between two writes of last uses. */
const flushMs = 10_000;
/** A use within this time of the one noted adds nothing to it. */
const useEveryMs = 1_000;
/** Last uses that wait; the keys that do not fit go without until the next write. */
const maxUses = 10_000;

/** A key as held in memory: the caller is made once, not per request. */
interface HeldKey {
  readonly caller: KeyCaller;
  readonly endsAt: number;
}

/** A key that is not there will never be: its secret would have to be guessed. Milliseconds that it is not asked for again. */
const absentMs = 10_000;

export interface KeyVerifierOptions {
  readonly apiKeys: Pick<ApiKeys, 'grantOf' | 'recordUses'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class KeyVerifier {
  readonly #apiKeys: KeyVerifierOptions['apiKeys'];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #held: LookUps<HeldKey, string>;
  #uses = new Map<string, KeyUse>();
  #timer: Timer | undefined;
  #flushing: Promise<void> | undefined;

  constructor(options: KeyVerifierOptions) {
    this.#apiKeys = options.apiKeys;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#held = new LookUps({
      clock: options.clock,
      absentMs,
      ask: async secret => {
        const grant = await this.#apiKeys.grantOf(secret);
        return grant === undefined ? undefined : held(grant);
      },
    });
  }

  /**
   * Who presents the key. Fails with `svc/auth/invalid_api_key`: malformed, unknown, revoked, expired.
   *
   * @param from where the request comes from: its address is asked for once a second at most, because to find it costs more
   * (3.8 microseconds) than to look up the key.
   */
  verify(secret: string, from: Origin): KeyCaller | Promise<KeyCaller> {
    if (!looksLikeApiKey(secret)) throw new ServiceError('svc/auth/invalid_api_key');
    const name = hash('sha256', secret, 'base64');
    if (!this.#held.knows(name)) {
      const tolled = from.toll?.();
      if (tolled instanceof Promise) return tolled.then(() => this.#find(name, secret, from));
    }
    return this.#find(name, secret, from);
  }

  /** The key was revoked or changed: it is asked for anew at its next use. */
  forget(apiKeyId: string): void {
    this.#held.forgetWhere(key => key.caller.apiKeyId === apiKeyId);
  }

  /** Writes the last uses that wait, and stops the timer. Idempotent. */
  async drain(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#flushing;
    await this.#flush();
  }

  #find(name: string, secret: string, from: Origin): KeyCaller | Promise<KeyCaller> {
    const found = this.#held.get(name, secret);
    return found instanceof Promise ? found.then(key => this.#admit(key, from)) : this.#admit(found, from);
  }

  #admit(key: HeldKey | undefined, from: Origin): KeyCaller {
    const now = this.#clock.now();
    if (key === undefined || key.endsAt <= now) throw new ServiceError('svc/auth/invalid_api_key');
    const { apiKeyId } = key.caller;
    const last = this.#uses.get(apiKeyId);
    if (last === undefined ? this.#uses.size < maxUses : now - last.at >= useEveryMs) {
      this.#uses.set(apiKeyId, { apiKeyId, at: now, address: from.address });
      this.#timer ??= this.#clock.after(flushMs, () => {
        this.#timer = undefined;
        this.#flushing = this.#flush();
      });
    }
    return key.caller;
  }

  async #flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    try {
      await this.#apiKeys.recordUses(uses);
    } catch (error) {
      // When a key was last used is told for orientation: the next use tells it again.
      this.#log.warn({ err: error, keys: uses.length }, 'last uses of API keys were not written');
    }
  }
}

function held(grant: KeyGrant): HeldKey {
  const { apiKeyId, projectId, environmentId, environmentKind, scopes, createdByUserId } = grant;
  return {
    caller: {
      type: 'key',
      apiKeyId,
      projectId,
      environmentId,
      environmentKind,
      scopes: new Set(scopes),
      createdByUserId,
    },
    endsAt: grant.endsAt ?? Infinity,
  };
}
