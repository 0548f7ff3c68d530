import assert from 'node:assert/strict';
import fc from '../../support/fuzz.ts';
import t from 'tap';
import { Assignment, pickOwner, listEligible, type Candidate } from '../../../runtime/cluster/rendezvous.ts';

const id = fc.stringMatching(/^[a-z0-9-]{1,12}$/);
const candidate: fc.Arbitrary<Candidate> = fc.record({
  id,
  state: fc.constantFrom('joining', 'settled', 'draining'),
});
const members = fc.uniqueArray(candidate, { selector: ({ id }) => id, minLength: 1, maxLength: 12 });
const shard = fc.nat(4_095);

function settled(ids: readonly string[]): Candidate[] {
  return ids.map(id => ({ id, state: 'settled' }));
}

t.test('the owner is one who may own, whatever the order of the members', async () => {
  const property = fc.property(members, shard, (all, shard) => {
    const owner = pickOwner(all, shard);
    assert.equal(owner, pickOwner([...all].reverse(), shard));
    assert.equal(owner, new Assignment(all).pickOwner(shard));
    const states = new Set(all.map(({ state }) => state));
    const state = all.find(({ id }) => id === owner)?.state;
    assert.equal(state, states.has('settled') ? 'settled' : states.has('joining') ? 'joining' : undefined);
    assert.deepEqual(listEligible(all).includes(owner ?? ''), owner !== undefined);
  });
  fc.assert(property);
});

t.test('when a member goes only its own shards move, and when it comes only to it', async () => {
  const some = fc.uniqueArray(id, { minLength: 2, maxLength: 12 });
  const property = fc.property(some, shard, (ids, shard) => {
    const [gone, ...others] = ids;
    const before = pickOwner(settled(ids), shard);
    const after = pickOwner(settled(others), shard);
    if (before !== gone) assert.equal(after, before);
  });
  fc.assert(property, { numRuns: 1_000 });
});

t.test(
  'a joining holder keeps what it holds unless that will not be its own, and is given nothing',
  async () => {
    const property = fc.property(members, id, shard, (all, holder, shard) => {
      const others = all.filter(({ id }) => id !== holder);
      const joining = [...others, { id: holder, state: 'joining' as const }];
      if (!others.some(({ state }) => state === 'settled')) return;
      assert.notEqual(pickOwner(joining, shard), holder);
      const grown = pickOwner([...others, { id: holder, state: 'settled' }], shard);
      assert.equal(pickOwner(joining, shard, holder) === holder, grown === holder);
    });
    fc.assert(property, { numRuns: 1_000 });
  },
);

t.test('an assignment that takes over the weights of the one before picks the same owners', async () => {
  const property = fc.property(fc.array(members, { minLength: 2, maxLength: 6 }), id, (sets, holder) => {
    let assignment: Assignment | undefined;
    for (const all of sets) {
      assignment = new Assignment(all, assignment);
      for (let shard = 0; shard < 8; shard++) {
        assert.equal(assignment.pickOwner(shard, holder), pickOwner(all, shard, holder));
      }
    }
  });
  fc.assert(property);
});

t.test('the shards are spread evenly', async t => {
  for (const [nodes, count] of [
    [3, 256],
    [10, 4_096],
  ] as const) {
    const assignment = new Assignment(settled(Array.from({ length: nodes }, (_, i) => `node-${i}`)));
    const counts = new Map<string | undefined, number>();
    for (let shard = 0; shard < count; shard++) {
      const owner = assignment.pickOwner(shard);
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    const even = count / nodes;
    t.equal(counts.size, nodes);
    for (const [owner, has] of counts) t.ok(Math.abs(has - even) < 0.2 * even, `${owner} has ${has}`);
  }
});
