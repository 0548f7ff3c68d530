/**
 * SIGTERM to one of three nodes under load, each in turn, which is started again after each round. Measures how
 * long a shard has no owner, and the answers of the threads that moved, beside those of the same threads just before.
 */
import { connect, NatsError, type NatsConnection } from 'nats';
import { NoOwner } from '../../runtime/actor/failures.ts';
import { systemClock } from '../../runtime/time/clock.ts';
import { createHeaders } from '../../runtime/transport/nats-publisher.ts';
import { decodeAnswer } from '../../runtime/transport/wire.ts';
import type { Answer } from '../../test/cluster/support/load.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { fixed, table } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import { ClusterSetup, ms } from './cluster-setup.ts';

const rounds = quick(4, 1);
/** Close to each other, so that there is a request for every moment of a move. */
const load = { senders: 32, pauseMs: 10 };
const between = 600;
/** Shards that are watched in each round: all would be more than the load. */
const watched = 24;
/** Its default name. */
const clusterName = 'skein';
/** Between two questions to a shard, and until one has no answer. */
const everyMs = 5;
const timeoutMs = 2_000;

interface Probed {
  /** When the latest question was sent that an owner has answered. */
  ownedAt: number;
  /** Whether a later one found no owner. */
  isVacant: boolean;
}

/**
 * Asks shards every few milliseconds whether they have an owner, by commands whose deadline has passed. An owner refuses them at once, and nothing else
 * answers. So the time without an owner is measured from outside, whatever the traffic is.
 */
class ShardProbe {
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

export async function run(database: BenchDatabase): Promise<void> {
  const setup = await ClusterSetup.start(database);
  const senders = setup.load(load);
  const quiet: number[] = [];
  const moving: number[] = [];
  const gaps: number[] = [];
  let failed = 0;
  let drainMs = 0;
  for (let round = 0; round < rounds; round++) {
    const quietFrom = senders.answers.length;
    await senders.more(between);
    const node = setup.victim(round);
    const isOwned = await setup.cluster.ownership(node);
    const getDurations = (answers: readonly Answer[]): number[] =>
      answers
        .filter(({ threadId }) => isOwned(threadId))
        .map(({ sentAt, answeredAt }) => answeredAt - sentAt);
    quiet.push(...getDurations(senders.answers.slice(quietFrom)));

    const shards = [...(await setup.cluster.getShards(node))].slice(0, watched);
    const probe = await ShardProbe.start(setup.cluster.nats.url, clusterName, shards);
    const from = senders.answers.length;
    const failedBefore = senders.failed;
    const begun = performance.now();
    const { code, signal } = await node.stop();
    if (code !== 0) throw new Error(`the drained node ended with ${code ?? signal}`);
    drainMs = Math.max(drainMs, performance.now() - begun);
    senders.spare(node);
    // After one more answer of each sender, no request of the drain is open.
    await senders.more(load.senders);
    await probe.stop();
    gaps.push(...probe.gaps);
    moving.push(...getDurations(senders.answers.slice(from)));
    failed += senders.failed - failedBefore;

    await node.start();
    senders.use(node);
    await setup.cluster.balanced();
  }
  const verdict = await setup.verdict();
  const figures = (values: readonly number[]): string =>
    `${ms(values, 0.5)}, ${ms(values, 0.99)}, ${ms(values, 1)}`;
  console.log(`\nSIGTERM to one of three nodes under load, ${rounds} times\n`);
  const rows = [
    [`failed requests while it drained, of ${moving.length} to its threads`, String(failed), '0'],
    ['failed requests in the whole run', String(senders.failed), '0'],
    [`a shard had no owner: p50, p99, max of ${gaps.length} moves`, figures(gaps), 'under 50 ms'],
    ['answers of its threads while they moved: p50, p99, max', figures(moving), ''],
    ['answers of the same threads before', figures(quiet), ''],
    ['longest drain, SIGTERM to exit', `${fixed(drainMs, 0)} ms`, ''],
    ...verdict,
  ];
  console.log(table(['', 'measured', 'target'], rows));
}
