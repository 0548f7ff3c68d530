/**
 * Two nodes that both believe to own every counter, on one database that fails at random: the worst that a partition can do.
 * Whatever happens, the database and the answers tell one story.
 */
import assert from 'node:assert/strict';
import fc from '../../support/fuzz.ts';
import type { Test } from 'tap';
import { MemoryDatabase, type Fault } from '../../support/memory-store.ts';
import { seeded } from '../../support/seeded.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { counterRef, type Counted } from '../counter-actor.ts';
import { outcome, startNode } from '../node-fixture.ts';

type Step =
  | { readonly do: 'add'; readonly node: 0 | 1; readonly id: string; readonly deadlineMs: number }
  | { readonly do: 'once'; readonly node: 0 | 1; readonly id: string; readonly key: string }
  | { readonly do: 'note'; readonly node: 0 | 1; readonly id: string; readonly key: string }
  | { readonly do: 'get' | 'refuse' | 'explode' | 'live'; readonly node: 0 | 1; readonly id: string }
  | { readonly do: 'wait'; readonly ms: number };

const node = fc.constantFrom<0 | 1>(0, 1);
const id = fc.constantFrom('a', 'b');
const key = fc.constantFrom('k', 'l', 'm');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      node,
      id,
      deadlineMs: fc.constantFrom(3, 10_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('once' as const), node, id, key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('note' as const), node, id, key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('get', 'refuse', 'explode', 'live'), node, id }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 20 }) }),
  },
);

interface Conditions {
  readonly seed: number;
  /** The part of the commits that meet a fault. */
  readonly faulty: number;
  readonly maxMs: number;
}

const conditions: fc.Arbitrary<Conditions> = fc.record({
  seed: fc.integer(),
  faulty: fc.constantFrom(0, 0.1, 0.5),
  maxMs: fc.constantFrom(0, 1, 8),
});

interface Asked {
  readonly node: 0 | 1;
  readonly id: string;
  readonly kind: Step['do'];
  readonly mark: string;
  /** When it was answered, among all answers. */
  position: number;
  result: unknown;
}

const faults: readonly Fault[] = ['unavailable', 'lost', 'doubtful', new RangeError('check failed')];

interface History {
  readonly asked: readonly Asked[];
  /** The marks of each counter in the database at the end. */
  readonly truth: Readonly<Record<string, readonly string[]>>;
  readonly keys: readonly string[];
  /** Commands that are still counted as admitted. */
  readonly leftOver: number;
}

async function play(steps: readonly Step[], { seed, faulty, maxMs }: Conditions): Promise<History> {
  const random = seeded(seed);
  const clock = new VirtualClock();
  const database = new MemoryDatabase();
  const options = {
    clock,
    database,
    latencyMs: () => Math.floor(random.next() * (maxMs + 1)),
    fault: () => (random.next() < faulty ? faults[Math.floor(random.next() * faults.length)] : undefined),
  };
  const nodes = [(await startNode(options)).node, (await startNode(options)).node] as const;
  const asked: Asked[] = [];
  const settled: Promise<void>[] = [];
  let positions = 0;
  for (const [i, now] of steps.entries()) {
    if (now.do === 'wait') {
      await clock.advance(now.ms);
      continue;
    }
    const mark = `${now.node}/${i}`;
    const entry: Asked = { node: now.node, id: now.id, kind: now.do, mark, position: -1, result: undefined };
    const payload = { mark, ...('key' in now ? { once: now.key } : {}) };
    const command = now.do === 'once' ? 'add' : now.do;
    const deadlineMs = now.do === 'add' ? now.deadlineMs : 10_000;
    const ask = nodes[now.node].ask(counterRef(now.id), command, payload, { deadlineMs });
    asked.push(entry);
    settled.push(
      outcome(ask).then(result => {
        entry.result = result;
        entry.position = positions++;
      }),
    );
  }
  await clock.until(Promise.all(settled));
  const leftOver = nodes[0].stats.admitted + nodes[1].stats.admitted;
  await clock.until(Promise.all(nodes.map(node => node.drain())));
  const truth = { a: getMarks(database, 'a'), b: getMarks(database, 'b') };
  return { asked, truth, keys: database.writes.map(({ key }) => key), leftOver };
}

function getMarks(database: MemoryDatabase, of: string): readonly string[] {
  const loaded = database.read(counterRef(of));
  return loaded === undefined ? [] : (loaded.state as Counted).marks;
}

const isAdd = ({ kind }: Asked): boolean => kind === 'add' || kind === 'once';
const acknowledged = ({ result }: Asked): boolean => typeof result === 'number';

function check({ asked, truth, keys, leftOver }: History): void {
  for (const entry of asked.filter(isAdd)) {
    const marks = truth[entry.id] ?? [];
    const times = marks.filter(mark => mark === entry.mark).length;
    assert.equal(times, acknowledged(entry) ? 1 : 0, `${entry.mark} was answered ${String(entry.result)}`);
    if (acknowledged(entry))
      assert.equal(marks[(entry.result as number) - 1], entry.mark, 'its reply is its place');
  }
  for (const { kind, id, result } of asked) {
    if (kind !== 'get' || typeof result !== 'object') continue;
    const { marks } = result as Counted;
    assert.deepEqual(marks, truth[id]?.slice(0, marks.length), 'a read saw only what became true');
  }
  const keyed = asked.filter(
    entry => (entry.kind === 'once' || entry.kind === 'note') && acknowledged(entry),
  );
  assert.equal(keys.length, keyed.length, 'a row for each acknowledged one');
  assert.equal(new Set(keys).size, keys.length, 'a key is used once');
  for (const node of [0, 1]) {
    for (const id of ['a', 'b']) {
      const positions = asked
        .filter(entry => entry.node === node && entry.id === id && isAdd(entry) && acknowledged(entry))
        .map(({ position: place }) => place);
      assert.deepEqual(
        positions,
        [...positions].sort((x, y) => x - y),
        'answers come in the order of the asks',
      );
    }
  }
  assert.equal(leftOver, 0, 'every command was counted off');
}

/** Random histories of two nodes that both believe to own the actors. */
export function testTwoWriters(t: Test, numRuns: number): void {
  t.test('nothing acknowledged is lost, nothing is applied twice, every ask settles, in order', async t => {
    let faultsMet = 0;
    let acknowledgements = 0;
    const history = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 80, size: 'max' }),
      conditions,
      async (steps, sky) => {
        const told = await play(steps, sky);
        check(told);
        for (const entry of told.asked) {
          if (acknowledged(entry)) acknowledgements++;
          else if (String(entry.result).includes('unavailable')) faultsMet++;
        }
      },
    );
    await fc.assert(history, { numRuns });
    t.ok(acknowledgements > 3 * numRuns, `${acknowledgements} were acknowledged`);
    t.ok(faultsMet > numRuns / 3, `${faultsMet} met a fault`);
  });
}
