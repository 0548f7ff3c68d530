/** What one transaction holds is bounded: rows, large states, and what is told durably. */
import t from 'tap';
import { runSnapshot } from '../../../actors/run/snapshot.ts';
import { blankRun } from '../../../actors/run/state.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Commit } from '../../../runtime/actor/store.ts';
import { Batch } from '../../../storage/commit/batch.ts';
import { estimateJsonLength } from '../../../storage/commit/batch.ts';
import type { Write } from '../../../storage/statements/statement.ts';

const tables = new Map([['run', runSnapshot]]);

function commit(more: Partial<Commit<Write>>): Commit<Write> {
  const actor = { kind: 'run', id: newId('run') };
  return {
    actor,
    base: 1,
    chain: { broken: false },
    writes: [],
    remind: [],
    forget: [],
    ...more,
  } as Commit<Write>;
}

/** How many commits a batch admits. */
function admitted(next: () => Commit<Write>): number {
  const batch = new Batch(tables as never);
  for (let count = 0; count < 100; count++) {
    const one = next();
    if (!batch.admits(one)) return count;
    batch.add(one);
  }
  return Infinity;
}

const mebibyte = 'x'.repeat(1_048_576);

t.test('the states of runs, and what they tell durably, count', async t => {
  const turns = [{ role: 'tool', content: [{ output: { type: 'json', value: { found: mebibyte } } }] }];
  t.equal(
    admitted(() => commit({ snapshot: { version: 2, state: { ...blankRun(), turns } } })),
    8,
  );
  const to = { kind: 'thread', id: newId('thread') };
  const tell = { to, key: 'answer', shard: 0, at: 0, command: 'takeAnswer', attempts: 0 };
  t.equal(
    admitted(() => commit({ remind: [{ ...tell, payload: { body: mebibyte } }] })),
    8,
  );
});

t.test('a length is found without an end to the depth of a value, and no further than asked', async t => {
  let deep: unknown = 'bottom';
  for (let i = 0; i < 100_000; i++) deep = [deep];
  t.ok(estimateJsonLength(deep, Infinity) > 100_000);
  const round: unknown[] = [];
  round.push(round);
  t.ok(estimateJsonLength(round, 1_000) < 1_010);
  t.equal(estimateJsonLength(undefined, 10), 4);
});
