/** A node that runs stitches on a real PostgreSQL with a real pool, and the means to feed it events. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Registry } from 'prom-client';
import { createStitches, type Stitches } from '../../actors/stitch/kind.ts';
import { StitchMetrics } from '../../actors/stitch/metrics.ts';
import type { OwnerNotification } from '../../actors/stitch/state.ts';
import { stitchSnapshot } from '../../actors/stitch/snapshot.ts';
import { getSecretContext } from '../../actors/stitch/services.ts';
import { type Waker, wakeStitches } from '../../actors/stitch/wake.ts';
import { formatEvent, type EventName } from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import type { Stitch } from '../../protocol/resources/stitch.ts';
import { newStitchSecret } from '../../protocol/signature.ts';
import { type Clock, systemClock, systemRandom } from '../../runtime/time/clock.ts';
import { silentLog, type Log } from '../../runtime/observability/log.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { Node } from '../../runtime/node/node.ts';
import type { QueueLimits } from '../../runtime/pool/outbound-queue.ts';
import { Pool, type PoolOptions } from '../../runtime/pool/pool.ts';
import { LocalTransport } from '../../runtime/transport/local.ts';
import type { Database } from '../../storage/database/database.ts';
import { deliveryPage, type DeliveryPosition } from '../../storage/deliveries/delivery-log.ts';
import { FollowedLog } from '../../storage/deliveries/followed-log.ts';
import { KeyRing } from '../../storage/secrets/key-ring.ts';
import { CommitNotifier } from '../../storage/events/commit-notifier.ts';
import { PostgresStore } from '../../storage/commit/postgres-store.ts';
import { Vault } from '../../storage/secrets/vault.ts';
import { append, appendEvent, appendParameters } from '../../storage/writes/events-and-answers.ts';

export interface StitchNodeOptions {
  readonly pool?: PoolOptions;
  readonly queue?: Partial<QueueLimits>;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly attemptTimeoutMs?: number;
  /** Whose events they are; the same at every start on one database. */
  readonly projectId?: string;
  readonly environmentId?: string;
  /** The key ring's text; the same at every start on one database. */
  readonly secretKeys?: string;
  /** Projects that nothing is sent for; default none. */
  readonly archived?: { has(projectId: string): boolean | Promise<boolean> };
}

export interface NewStitch {
  readonly webhookUrl: string;
  readonly eventNames?: readonly string[];
  readonly environmentKind?: 'sandbox' | 'production';
}

export interface FedEvent {
  readonly eventName?: EventName;
  readonly threadId?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The machine's time, and as much more as a test adds; what waits for a later instant looks again soon. */
export class ShiftedClock implements Clock {
  #shift = 0;
  readonly now = (): number => Date.now() + this.#shift;
  readonly monotonic = (): number => systemClock.monotonic() + this.#shift;
  readonly after = systemClock.after;

  shift(ms: number): void {
    this.#shift += ms;
  }
}

export class StitchNode {
  readonly projectId: string;
  readonly environmentId: string;
  readonly database: Database;
  readonly node: Node;
  readonly notifier = new CommitNotifier();
  readonly store: PostgresStore;
  readonly pool: Pool;
  readonly stitches: Stitches;
  readonly ownerNews: OwnerNotification[] = [];
  /** What its stitches count. */
  readonly registry = new Registry();
  readonly #vault: Vault;
  readonly #transport: LocalTransport;
  readonly #clock: Clock;
  readonly #waker: Waker;

  constructor(database: Database, options: StitchNodeOptions = {}) {
    const { clock = systemClock, log = silentLog } = options;
    this.#clock = clock;
    this.database = database;
    this.projectId = options.projectId ?? newId('project');
    this.environmentId = options.environmentId ?? newId('environment');
    this.#vault = new Vault(new KeyRing(options.secretKeys ?? `test:${randomBytes(32).toString('base64')}`));
    this.pool = new Pool({ reach: 'loopback', threads: 1, ...options.pool });
    const followedLog = new FollowedLog(database, clock);
    this.stitches = createStitches({
      db: database,
      followedLog,
      pool: this.pool.openQueue({ maxInFlight: 4_096, maxWaiting: 4_096, ...options.queue }),
      vault: this.#vault,
      archived: options.archived ?? { has: () => false },
      clock,
      random: systemRandom,
      log,
      ...(options.attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs: options.attemptTimeoutMs }),
      metrics: new StitchMetrics(this.registry),
      notifyOwner: news => {
        this.ownerNews.push(news);
        return Promise.resolve();
      },
    });
    this.store = new PostgresStore({
      database,
      notifier: this.notifier,
      log,
      snapshots: [stitchSnapshot as never],
    });
    this.#transport = new LocalTransport({ clock, log });
    this.node = new Node({
      store: this.store,
      transport: this.#transport,
      clock,
      random: systemRandom,
      log,
      kinds: [this.stitches.kind],
      metrics: new Metrics(),
      limits: { reminderPollMs: 20 },
    });
    this.#waker = wakeStitches({
      notifier: this.notifier,
      followedLog,
      tell: ({ id }, command, payload) => this.tell(id, command, payload),
      scan: () => undefined,
      clock: systemClock,
      log,
    });
  }

  async start(): Promise<void> {
    await this.database.query(
      `insert into project_streams (project_id, last_seq, epoch) values ($1, 0, 'test') on conflict do nothing`,
      [this.projectId],
    );
    await this.node.start();
  }

  ask<R>(stitchId: string, command: string, payload: object): Promise<R> {
    const { projectId, environmentId } = this;
    return this.node.ask<R>({ kind: 'stitch', id: stitchId }, command, {
      projectId,
      environmentId,
      author: { type: 'system', id: null },
      ...payload,
    });
  }

  tell(stitchId: string, command: string, payload: unknown): void {
    this.node.tell({ kind: 'stitch', id: stitchId }, command, payload);
  }

  async createStitch(stitch: NewStitch): Promise<{ readonly stitch: Stitch; readonly secret: string }> {
    const stitchId = newId('stitch');
    const secret = newStitchSecret();
    const created = await this.ask<Stitch>(stitchId, 'create', {
      name: 'A stitch',
      metadata: {},
      eventNames: [],
      environmentKind: 'sandbox',
      ...stitch,
      jwe: await this.#vault.seal(getSecretContext(stitchId), secret),
      limit: 1_000,
    });
    return { stitch: created, secret };
  }

  seal(stitchId: string, secret: string): Promise<string> {
    return this.#vault.seal(getSecretContext(stitchId), secret);
  }

  /** Commits events as a thread would. Gives their ids. */
  async emit(events: readonly FedEvent[]): Promise<string[]> {
    const { projectId, environmentId } = this;
    const now = this.#clock.now();
    const occurredAt = new Date(now).toISOString();
    const writes = events.map(({ eventName = 'thread.message.received', threadId, data = {} }) => {
      const eventId = newId('event', now);
      const text = JSON.stringify({
        environmentId,
        ...(threadId === undefined ? {} : { threadId }),
        ...data,
      });
      const body = formatEvent({ eventId, eventName, occurredAt, projectId, data: text });
      const row = { projectId, environmentId, eventId, eventName, occurredAt, body };
      return appendEvent({ ...row, ...(threadId === undefined ? {} : { threadId }) });
    });
    const parameters = appendParameters(writes);
    const rows = await this.database.query<Record<string, unknown>>(append.text, parameters);
    const announced = writes.flatMap(write => (write.event === undefined ? [] : [write.event]));
    this.notifier.notifyCommitted(announced, rows);
    return announced.map(({ eventId }) => eventId);
  }

  /** As main stops a node. */
  async stop(): Promise<void> {
    this.#waker.stop();
    this.stitches.drain();
    await this.node.drain();
    await this.pool.drain();
    await this.store.close();
    await this.#transport.drain();
  }

  /** Deliveries by status, of one stitch or of all; as lists show them, with those that have no row. */
  async counts(stitchId?: string): Promise<Record<string, number>> {
    const { projectId, environmentId } = this;
    const counts: Record<string, number> = {};
    let before: DeliveryPosition | undefined;
    do {
      const filter = { projectId, environmentId, stitchId, before, limit: 1_000 };
      const page = await deliveryPage(this.database, filter);
      for (const { status } of page.rows) counts[status] = (counts[status] ?? 0) + 1;
      before = page.end;
    } while (before !== undefined);
    return counts;
  }

  /** Resolves when the stitch's deliveries stand as expected; the test's own time limit ends the wait. */
  async until(expected: Readonly<Record<string, number>>, stitchId?: string): Promise<void> {
    for (;;) {
      const counts = await this.counts(stitchId);
      if (isDeepStrictEqual(counts, expected)) return;
      await this.#nextCommit();
    }
  }

  /** After the next commit of the store, or a moment later: rows also change beside it. */
  #nextCommit(): Promise<void> {
    const { transactions } = this.store.stats;
    return new Promise(resolve => {
      const look = (tries: number): void => {
        if (this.store.stats.transactions !== transactions || tries > 20) resolve();
        else systemClock.after(5, () => look(tries + 1));
      };
      look(0);
    });
  }
}
