/** What a node keeps in memory for the deliveries of its stitches. All of it can be read again. */
import { LRUCache } from 'lru-cache';
import { type Clock, systemClock } from '../../../runtime/time/index.ts';
import { keptMs } from '../../../storage/events/index.ts';
import { SealBroken } from '../../../storage/secrets/index.ts';
import { getSigningSecrets } from '../decide-lifecycle.ts';
import { getSecretContext, type StitchServices } from '../services.ts';
import type { SealedSecret } from '../state.ts';

/** Secrets that are kept, over all stitches. */
const maxSecrets = 10_000;

interface KeptBody {
  readonly body: string;
  /** By the monotonic clock. */
  readonly at: number;
}

/**
 * Bodies of events that were read ahead of their deliveries. A body that was pushed out is read again when its delivery starts, and so is one
 * that was read a while ago: it may have been erased since.
 */
export class BodyCache {
  readonly #bodies: LRUCache<string, KeptBody>;
  readonly #clock: Pick<Clock, 'monotonic'>;

  /** @param maxSize UTF-16 units, over all bodies */
  constructor(maxSize: number, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#bodies = new LRUCache({ maxSize, sizeCalculation: ({ body }) => Math.max(1, body.length) });
    this.#clock = clock;
  }

  /** The size of all bodies, in UTF-16 units. */
  get size(): number {
    return this.#bodies.calculatedSize;
  }

  /** Keeps the body; the oldest bodies make room for it. */
  put(deliveryId: string, body: string): void {
    this.#bodies.set(deliveryId, { body, at: this.#clock.monotonic() });
  }

  /** The body, which is then no longer kept. */
  take(deliveryId: string): string | undefined {
    const kept = this.#bodies.get(deliveryId);
    if (kept === undefined) return undefined;
    this.#bodies.delete(deliveryId);
    return this.#clock.monotonic() - kept.at < keptMs ? kept.body : undefined;
  }
}

/** Secrets of stitches, opened once and kept in memory only. */
export class SecretCache {
  readonly #vault: StitchServices['vault'];
  /** By the sealed text. */
  readonly #opened = new LRUCache<string, string | SealBroken>({ max: maxSecrets });

  constructor(vault: StitchServices['vault']) {
    this.#vault = vault;
  }

  /** The secrets that sign at `now` and can be opened, newest first. Undefined: one of them has to be opened first, or none can be. */
  known(sealed: readonly SealedSecret[], now: number): readonly string[] | undefined {
    const secrets: string[] = [];
    for (const { jwe } of getSigningSecrets(sealed, now)) {
      const secret = this.#opened.get(jwe);
      if (secret === undefined) return undefined;
      if (typeof secret === 'string') secrets.push(secret);
    }
    return secrets.length === 0 ? undefined : secrets;
  }

  /**
   * Those of the secrets that sign at `now` that can be opened, newest first; known from then on. Rejects with `SealBroken` if none can: a
   * stitch whose old secret is lost has been given a new one. From then on the old one is not asked for again, which would count as a fault.
   */
  async open(stitchId: string, sealed: readonly SealedSecret[], now: number): Promise<readonly string[]> {
    const secrets: string[] = [];
    const broken = new Map<string, SealBroken>();
    for (const { jwe } of getSigningSecrets(sealed, now)) {
      const secret = this.#opened.get(jwe) ?? (await this.#open(stitchId, jwe));
      if (typeof secret === 'string') secrets.push(secret);
      else broken.set(jwe, secret);
    }
    const [first] = broken.values();
    if (first !== undefined && secrets.length === 0) throw first;
    for (const [jwe, error] of broken) this.#opened.set(jwe, error);
    return secrets;
  }

  async #open(stitchId: string, jwe: string): Promise<string | SealBroken> {
    try {
      const secret = await this.#vault.open(getSecretContext(stitchId), jwe);
      this.#opened.set(jwe, secret);
      return secret;
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      return error;
    }
  }
}
