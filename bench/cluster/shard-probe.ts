/**
 * Asks shards every few milliseconds whether they have an owner: with commands whose deadline has passed, which an owner refuses
 * at once and nobody else answers. So the time without an owner is seen from outside, whatever the traffic is.
 */
import { NoOwner } from '../../runtime/actor/failures.ts';
import { connect, NatsError, type NatsConnection } from 'nats';
import { systemClock } from '../../runtime/time/clock.ts';
import { createHeaders } from '../../runtime/transport/nats-publisher.ts';
import { decodeAnswer } from '../../runtime/transport/wire.ts';

const everyMs = 5;
const timeoutMs = 2_000;

interface Probed {
  /** When the latest question was sent that an owner has answered. */
  ownedAt: number;
  /** Whether a later one found no owner. */
  isVacant: boolean;
}

export class ShardProbe {
  /** How long each shard that lost its owner had none, in milliseconds: from the last answer of the old to the first of the new. */
  readonly gaps: number[] = [];
  readonly #client: NatsConnection;
  readonly #cluster: string;
  readonly #probed: ReadonlyMap<number, Probed>;
  readonly #timer: NodeJS.Timeout;

  private constructor(client: NatsConnection, cluster: string, shards: readonly number[]) {
    this.#client = client;
    this.#cluster = cluster;
    this.#probed = new Map(shards.map(shard => [shard, { ownedAt: performance.now(), isVacant: false }]));
    this.#timer = setInterval(() => {
      for (const [shard, probed] of this.#probed) void this.#ask(shard, probed);
    }, everyMs);
  }

  static async start(natsUrl: string, cluster: string, shards: readonly number[]): Promise<ShardProbe> {
    return new ShardProbe(await connect({ servers: natsUrl }), cluster, shards);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#client.drain();
  }

  async #ask(shard: number, probed: Probed): Promise<void> {
    const sentAt = performance.now();
    const isOwned = await this.#isOwned(shard);
    // Answers of different owners may overtake each other: what was sent before the last good one says nothing new.
    if (isOwned === undefined || sentAt < probed.ownedAt) return;
    if (!isOwned) probed.isVacant = true;
    else {
      if (probed.isVacant) this.gaps.push(sentAt - probed.ownedAt);
      probed.isVacant = false;
      probed.ownedAt = sentAt;
    }
  }

  /** Undefined: no answer came. */
  async #isOwned(shard: number): Promise<boolean | undefined> {
    const now = systemClock.monotonic();
    const past = { kind: '', id: '', command: '', payload: null, deadline: now - 1 };
    const options = { timeout: timeoutMs, headers: createHeaders(past, now) };
    try {
      const answer = await this.#client.request(`skein.${this.#cluster}.shard.${shard}`, '', options);
      decodeAnswer(answer.string());
      return true;
    } catch (error) {
      if (error instanceof NoOwner) return false;
      if (!(error instanceof NatsError)) return true;
      return error.code === '503' ? false : undefined;
    }
  }
}
