import assert from 'node:assert/strict';
import fc from '../../support/fuzz.ts';
import t from 'tap';
import {
  decideLeaseAction,
  type ShardActivity,
  type ShardSituation,
  type Ownership,
} from '../../../runtime/cluster/lease-action.ts';

const situation: fc.Arbitrary<ShardSituation> = fc.record({
  ownership: fc.constantFrom<Ownership>('mine', 'others', 'vacant'),
  activity: fc.constantFrom<ShardActivity>('idle', 'claiming', 'taking', 'held', 'handing over', 'leaving'),
  inDoubt: fc.boolean(),
  leased: fc.boolean(),
  draining: fc.boolean(),
  self: fc.constant('self'),
  desired: fc.constantFrom('self', 'other', undefined),
});

t.test('an action is only taken when it is legal', async () => {
  const property = fc.property(situation, now => {
    const action = decideLeaseAction(now);
    const { ownership, activity, inDoubt, leased, draining, desired } = now;
    if (activity !== 'idle' && activity !== 'held')
      assert.equal(action.do, 'nothing', 'one activity at a time');
    if (!leased)
      assert.ok(action.do === 'nothing' || action.do === 'leave', 'without a lease it may only leave');
    if (action.do === 'take') assert.ok(ownership === 'mine' && !inDoubt && !draining && activity === 'idle');
    if (action.do === 'claim') assert.ok(ownership !== 'others' && !draining && activity === 'idle');
    if (action.do === 'claim' && ownership === 'vacant') assert.equal(desired, 'self');
    if (action.do === 'hand over')
      assert.ok(ownership === 'mine' && action.to === desired && action.to !== 'self');
    assert.equal(
      action.do === 'leave',
      activity === 'held' && ownership !== 'mine',
      'only a lost shard is left',
    );
  });
  fc.assert(property, { numRuns: 2_000 });
});

t.test('a node comes to rest either as the desired owner or not as the owner', async () => {
  const property = fc.property(situation, fc.boolean(), (start, answers) => {
    let now = {
      ...start,
      leased: true,
      activity: start.activity === 'held' ? start.activity : ('idle' as ShardActivity),
    };
    for (let steps = 0; ; steps++) {
      assert.ok(steps < 6, 'it comes to rest');
      const action = decideLeaseAction(now);
      if (action.do === 'nothing') break;
      if (action.do === 'claim') now = { ...now, ownership: 'mine', inDoubt: false };
      if (action.do === 'take') now = { ...now, activity: 'held' };
      if (action.do === 'leave') now = { ...now, activity: 'idle' };
      // Sent, and answered or written after all.
      if (action.do === 'hand over')
        now = { ...now, activity: 'idle', ownership: answers ? 'others' : 'vacant', inDoubt: false };
    }
    if (now.activity === 'held') assert.ok(now.ownership === 'mine' && now.desired !== 'other');
    if (now.ownership === 'mine' && now.desired === 'self' && !now.draining)
      assert.equal(now.activity, 'held');
  });
  fc.assert(property, { numRuns: 2_000 });
});
