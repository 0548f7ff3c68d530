import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { successors } from '../../runtime/cluster/failure-detector.ts';
import { Assignment, desiredOwner, eligible, type Candidate } from '../../runtime/cluster/rendezvous.ts';
import { nextStep, type Doing, type Situation, type Standing } from '../../runtime/cluster/shard-step.ts';

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
  const law = fc.property(members, shard, (all, shard) => {
    const owner = desiredOwner(all, shard);
    assert.equal(owner, desiredOwner([...all].reverse(), shard));
    assert.equal(owner, new Assignment(all).owner(shard));
    const states = new Set(all.map(({ state }) => state));
    const state = all.find(({ id }) => id === owner)?.state;
    assert.equal(state, states.has('settled') ? 'settled' : states.has('joining') ? 'joining' : undefined);
    assert.deepEqual(eligible(all).includes(owner ?? ''), owner !== undefined);
  });
  fc.assert(law);
});

t.test('when a member goes only its own shards move, and when it comes only to it', async () => {
  const some = fc.uniqueArray(id, { minLength: 2, maxLength: 12 });
  const law = fc.property(some, shard, (ids, shard) => {
    const [gone, ...others] = ids;
    const before = desiredOwner(settled(ids), shard);
    const after = desiredOwner(settled(others), shard);
    if (before !== gone) assert.equal(after, before);
  });
  fc.assert(law, { numRuns: 1_000 });
});

t.test(
  'a joining holder keeps what it holds unless that will not be its own, and is given nothing',
  async () => {
    const law = fc.property(members, id, shard, (all, holder, shard) => {
      const others = all.filter(({ id }) => id !== holder);
      const joining = [...others, { id: holder, state: 'joining' as const }];
      if (!others.some(({ state }) => state === 'settled')) return;
      assert.notEqual(desiredOwner(joining, shard), holder);
      const grown = desiredOwner([...others, { id: holder, state: 'settled' }], shard);
      assert.equal(desiredOwner(joining, shard, holder) === holder, grown === holder);
    });
    fc.assert(law, { numRuns: 1_000 });
  },
);

t.test('the shards are spread evenly', async t => {
  for (const [nodes, count] of [
    [3, 256],
    [10, 4_096],
  ] as const) {
    const assignment = new Assignment(settled(Array.from({ length: nodes }, (_, i) => `node-${i}`)));
    const counts = new Map<string | undefined, number>();
    for (let shard = 0; shard < count; shard++) {
      const owner = assignment.owner(shard);
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    const even = count / nodes;
    t.equal(counts.size, nodes);
    for (const [owner, has] of counts) t.ok(Math.abs(has - even) < 0.2 * even, `${owner} has ${has}`);
  }
});

t.test('everybody is watched by two others, by all when there are fewer', async () => {
  const law = fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 9 }), ids => {
    const watched = ids.flatMap(self => successors(ids, self));
    for (const id of ids) {
      const times = watched.filter(one => one === id).length;
      assert.equal(times, Math.min(2, ids.length - 1));
      assert.ok(!successors(ids, id).includes(id));
    }
  });
  fc.assert(law);
});

const situation: fc.Arbitrary<Situation> = fc.record({
  standing: fc.constantFrom<Standing>('mine', 'others', 'vacant'),
  doing: fc.constantFrom<Doing>('idle', 'claiming', 'taking', 'held', 'handing over', 'leaving'),
  inDoubt: fc.boolean(),
  leased: fc.boolean(),
  draining: fc.boolean(),
  self: fc.constant('self'),
  desired: fc.constantFrom('self', 'other', undefined),
});

t.test('a step is taken by right only', async () => {
  const law = fc.property(situation, now => {
    const step = nextStep(now);
    const { standing, doing, inDoubt, leased, draining, desired } = now;
    if (doing !== 'idle' && doing !== 'held') assert.equal(step.do, 'nothing', 'one thing at a time');
    if (!leased)
      assert.ok(step.do === 'nothing' || step.do === 'leave', 'without a lease one may only leave');
    if (step.do === 'take') assert.ok(standing === 'mine' && !inDoubt && !draining && doing === 'idle');
    if (step.do === 'claim') assert.ok(standing !== 'others' && !draining && doing === 'idle');
    if (step.do === 'claim' && standing === 'vacant') assert.equal(desired, 'self');
    if (step.do === 'hand over') assert.ok(standing === 'mine' && step.to === desired && step.to !== 'self');
    assert.equal(
      step.do === 'leave',
      doing === 'held' && standing !== 'mine',
      'what is lost is left, and only that',
    );
  });
  fc.assert(law, { numRuns: 2_000 });
});

t.test(
  'a node that is given nothing else to do comes to rest as the desired owner, or not as the owner',
  async () => {
    const law = fc.property(situation, fc.boolean(), (start, answers) => {
      let now = { ...start, leased: true, doing: start.doing === 'held' ? start.doing : ('idle' as Doing) };
      for (let steps = 0; ; steps++) {
        assert.ok(steps < 6, 'it comes to rest');
        const step = nextStep(now);
        if (step.do === 'nothing') break;
        if (step.do === 'claim') now = { ...now, standing: 'mine', inDoubt: false };
        if (step.do === 'take') now = { ...now, doing: 'held' };
        if (step.do === 'leave') now = { ...now, doing: 'idle' };
        // Sent; and answered, or landed after all.
        if (step.do === 'hand over')
          now = { ...now, doing: 'idle', standing: answers ? 'others' : 'vacant', inDoubt: false };
      }
      if (now.doing === 'held') assert.ok(now.standing === 'mine' && now.desired !== 'other');
      if (now.standing === 'mine' && now.desired === 'self' && !now.draining) assert.equal(now.doing, 'held');
    });
    fc.assert(law, { numRuns: 2_000 });
  },
);
