/**
 * Nodes that start, drain, die, hang, are cut off and lose the store, on a register with latency. At most one of them serves a
 * shard at any moment; and when things calm down, each shard is served by its desired owner.
 */
import assert from 'node:assert/strict';
import fc from '../../support/fuzz.ts';
import type { Test } from 'tap';
import { pickOwner } from '../../../runtime/cluster/rendezvous.ts';
import { seeded } from '../../support/seeded.ts';
import { MemoryCluster, type Process } from './cluster-fixture.ts';

const ids = ['a', 'b', 'c', 'd'];
const kinds = ['start', 'drain', 'kill', 'hang', 'cut', 'lose store', 'wait'] as const;

interface Step {
  readonly do: (typeof kinds)[number];
  readonly id: string;
  /** How long it lasts, or until the next step. */
  readonly ms: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...kinds, 'start'),
  id: fc.constantFrom(...ids),
  ms: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 100, max: 4_500 }), fc.constant(7_000)),
});

interface Conditions {
  readonly seed: number;
  readonly maxMs: number;
  readonly finishMs: number;
  /** The part of the writes whose outcome is unknown, and of the changes that are not heard. */
  readonly unsure: number;
}

const conditions: fc.Arbitrary<Conditions> = fc.record({
  seed: fc.integer(),
  maxMs: fc.constantFrom(0, 2, 20),
  finishMs: fc.constantFrom(0, 10, 300),
  unsure: fc.constantFrom(0, 0, 0.05, 0.2),
});

const met: Record<string, number> = {};

async function play(steps: readonly Step[], { seed, maxMs, finishMs, unsure }: Conditions): Promise<void> {
  const random = seeded(seed);
  const upTo = (most: number) => (): number => Math.floor(random.next() * (most + 1));
  const latencyMs = upTo(maxMs);
  const cluster = new MemoryCluster({ latencyMs, finishMs: upTo(finishMs), shards: 8, unsure, seed });
  const running = new Map<string, Process>();
  const ended: Promise<void>[] = [];
  for (const { do: what, id, ms } of [{ do: 'start', id: 'a', ms: 50 } as Step, ...steps]) {
    const process = running.get(id);
    if (what === 'start' && process === undefined) {
      const made = cluster.process(id);
      running.set(id, made);
      // Its forerunner of the same name may be draining, or hung: then it waits, or refuses.
      made.start().catch(() => running.delete(id));
    } else if (what === 'drain' && process !== undefined) {
      running.delete(id);
      ended.push(process.placement.drain());
    } else if (what === 'kill' && process !== undefined) {
      running.delete(id);
      process.kill();
    } else if (what === 'hang' && process !== undefined) {
      process.stop();
      cluster.clock.after(ms, () => process.resume());
    } else if (what === 'cut' && process !== undefined) {
      process.connected = false;
      cluster.clock.after(ms, () => (process.connected = true));
    } else if (what === 'lose store' && process !== undefined) {
      process.shards.canWrite = false;
      cluster.clock.after(ms, () => (process.shards.canWrite = true));
    } else if (what !== 'wait') {
      continue;
    }
    met[what] = (met[what] ?? 0) + 1;
    await cluster.clock.advance(
      what === 'hang' || what === 'cut' ? Math.floor(ms * random.next() * 1.5) : ms,
    );
  }
  await cluster.clock.advance(8_000);
  await cluster.clock.until(Promise.all(ended));
  cluster.unsure = 0;
  await cluster.clock.advance(18_000);
  assert.deepEqual(cluster.offences, []);
  if (running.size === 0) return;
  const members = [...running.keys()].map(id => ({ id, state: 'settled' as const }));
  assert.deepEqual(cluster.members(), Object.fromEntries(members.map(({ id }) => [id, 'settled'])));
  for (let shard = 0; shard < cluster.count; shard++) {
    const owner = pickOwner(members, shard);
    assert.deepEqual(cluster.servers(shard), owner === undefined ? [] : [owner], `shard ${shard}`);
  }
  for (const process of running.values()) {
    const { shards } = process.placement.describe();
    const states = new Set(shards.map(({ state }) => state));
    assert.deepEqual(
      [...states].filter(state => state !== 'held' && state !== 'foreign'),
      [],
    );
  }
  for (const process of cluster.processes) {
    const { counters } = process.metrics;
    met['unsure'] = (met['unsure'] ?? 0) + process.unsure.faults;
    for (const [name, count] of Object.entries(counters)) met[name] = (met[name] ?? 0) + count;
  }
}

/** Random histories of a cluster whose nodes drain, die, hang and lose the register. */
export function testChaos(t: Test, numRuns: number): void {
  t.test('a shard is served by one node at most, and in the end by its desired owner', async t => {
    const history = fc.asyncProperty(fc.array(step, { maxLength: 17, size: 'max' }), conditions, play);
    await fc.assert(history, { numRuns });
    const faults = ['drain', 'kill', 'hang', 'cut', 'lose store', 'unsure'];
    const consequences = [
      ...['takeovers', 'handoversOut', 'handoversIn', 'renewalsFailed', 'leaseExpiries'],
      ...['membersGone', 'membersExpired', 'stepDowns'],
    ];
    for (const name of [...faults, ...consequences])
      t.ok((met[name] ?? 0) > numRuns / 24, `${name}: ${met[name] ?? 0}`);
  });
}
