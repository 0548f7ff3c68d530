/**
 * Reminders on a database that fails at random: at least once, whatever happens; and once, as long as no second node believes
 * to own them too.
 */
import assert from 'node:assert/strict';
import fc from '../../support/fuzz.ts';
import t from 'tap';
import { MemoryDatabase, type Fault } from '../../support/memory-store.ts';
import { seeded } from '../../support/seeded.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { counterRef, type Counted } from '../counter-actor.ts';
import { outcome, startNode } from '../node-fixture.ts';

interface Given {
  readonly to: string;
  readonly inMs: number;
  readonly node: 0 | 1;
}

const given: fc.Arbitrary<Given> = fc.record({
  to: fc.constantFrom('a', 'b', 'c'),
  inMs: fc.integer({ min: -10, max: 3_000 }),
  node: fc.constantFrom(0, 1),
});

const faults: readonly Fault[] = ['unavailable', 'lost', 'doubtful', new RangeError('check failed')];

t.test('every reminder that was set is handled, and then it is gone', async t => {
  let met = 0;
  let handled = 0;
  const story = fc.asyncProperty(
    fc.array(given, { minLength: 1, maxLength: 30, size: 'max' }),
    fc.integer(),
    fc.boolean(),
    async (reminders, seed, isSplit) => {
      const random = seeded(seed);
      const clock = new VirtualClock();
      const database = new MemoryDatabase();
      let calm = false;
      const options = {
        clock,
        database,
        latencyMs: () => Math.floor(random.next() * 6),
        limits: { remindersAtOnce: 4 },
        fault: () => {
          if (calm || random.next() > 0.3) return undefined;
          met++;
          return faults[Math.floor(random.next() * faults.length)];
        },
      };
      const first = (await startNode(options)).node;
      const nodes = [first, isSplit ? (await startNode(options)).node : first] as const;
      const asks = reminders.map(({ to, inMs, node }, i) => {
        const key = `r${i}`;
        const remind = [
          { key, at: clock.now() + inMs, to: counterRef(to), command: 'wake', payload: { mark: key } },
        ];
        return outcome(nodes[node].ask(counterRef('setter'), 'add', { mark: key, remind }));
      });
      const set = (await clock.until(Promise.all(asks))).flatMap((result, i) =>
        typeof result === 'number' ? [`r${i}`] : [],
      );
      await clock.advance(5_000);
      calm = true;
      // The longest backoff is five minutes and a quarter.
      await clock.advance(800_000);
      const marks = ['a', 'b', 'c'].flatMap(
        name => (database.read(counterRef(name))?.state as Counted | undefined)?.marks ?? [],
      );
      assert.deepEqual((isSplit ? [...new Set(marks)] : marks).sort(), set.sort());
      assert.equal(database.reminders.size, 0);
      assert.deepEqual(database.letters, []);
      await clock.until(Promise.all(nodes.map(node => node.drain())));
      handled += set.length;
    },
  );
  await fc.assert(story, { numRuns: 60 });
  t.ok(handled > 300, `${handled} were handled`);
  t.ok(met > 300, `${met} faults were met`);
});
