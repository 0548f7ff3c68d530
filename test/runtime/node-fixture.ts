/** A node on virtual time and a store in memory. */
import type { Test } from 'tap';
import { ServiceError } from '../../protocol/errors.ts';
import type { AnyActorKind } from '../../runtime/actor/actor.ts';
import type { Limits } from '../../runtime/actor/node-context.ts';
import type { Log } from '../../runtime/observability/log.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { Node } from '../../runtime/node/node.ts';
import type { Placement } from '../../runtime/placement/placement.ts';
import { LocalTransport, type LocalBus } from '../../runtime/transport/local.ts';
import { MemoryStore, type MemoryDatabase, type MemoryStoreOptions } from '../support/memory-store.ts';
import { seeded } from '../support/seeded.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { counterKind } from './counter-actor.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export function recordingLog(lines: LogLine[]): Log {
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export interface TestNodeOptions extends Omit<MemoryStoreOptions, 'clock'> {
  readonly clock?: VirtualClock;
  readonly kinds?: readonly AnyActorKind[];
  readonly limits?: Partial<Limits>;
  readonly bus?: LocalBus;
  readonly placement?: Placement;
  /** The cluster's shard count. Default 256. */
  readonly shards?: number;
}

export interface TestNode {
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly database: MemoryDatabase;
  readonly metrics: Metrics;
  readonly log: LogLine[];
  readonly node: Node;
}

/** A started node, drained when the test ends. */
export async function startTestNode(t: Test, options: TestNodeOptions = {}): Promise<TestNode> {
  const made = await startNode(options);
  t.teardown(() => made.clock.until(made.node.drain()));
  return made;
}

/** A started node. */
export async function startNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const {
    clock = new VirtualClock(),
    kinds = [counterKind()],
    limits = {},
    bus,
    placement,
    shards,
  } = options;
  const lines: LogLine[] = [];
  const log = recordingLog(lines);
  const store = new MemoryStore({ ...options, clock });
  const metrics = new Metrics();
  const node = new Node({
    kinds,
    store,
    clock,
    random: seeded(1),
    log,
    metrics,
    limits,
    transport: new LocalTransport({ clock, log, ...(bus === undefined ? {} : { bus }) }),
    ...(placement === undefined ? {} : { placement }),
    ...(shards === undefined ? {} : { shards }),
  });
  await clock.until(node.start());
  return { clock, store, database: store.database, metrics, log: lines, node };
}

/** The reply, or the refusal's code with its reason if it has one: one word for each outcome. */
export async function outcome(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const reason = error.details?.['reason'];
    return typeof reason === 'string' ? `${error.code} ${reason}` : error.code;
  }
}

/** The outcomes in the order in which they came, each under its name. */
export function inOrder(
  asks: Readonly<Record<string, Promise<unknown>>>,
  order: string[],
): Promise<unknown[]> {
  return Promise.all(
    Object.entries(asks).map(async ([name, asked]) => {
      const result = await outcome(asked);
      order.push(name);
      return result;
    }),
  );
}
