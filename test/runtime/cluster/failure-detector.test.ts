import assert from 'node:assert/strict';
import fc from '../../support/fuzz.ts';
import t from 'tap';
import { pickSuccessors } from '../../../runtime/cluster/failure-detector.ts';
import { LostMembers } from '../../../runtime/cluster/lost-members.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const id = fc.stringMatching(/^[a-z0-9-]{1,12}$/);

t.test('each member is watched by two others, or by all when there are fewer', async () => {
  const property = fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 9 }), ids => {
    const watched = ids.flatMap(self => pickSuccessors(ids, self));
    for (const id of ids) {
      const times = watched.filter(one => one === id).length;
      assert.equal(times, Math.min(2, ids.length - 1));
      assert.ok(!pickSuccessors(ids, id).includes(id));
    }
  });
  fc.assert(property);
});

t.test('lost members are remembered for half an hour, and no more than 64 of them', async t => {
  const clock = new VirtualClock();
  const lost = new LostMembers(clock);
  lost.add('two');
  await clock.advance(10 * 60_000);
  lost.add('one');
  t.strictSame(lost.list(), ['one', 'two']);
  await clock.advance(20 * 60_000 + 1);
  t.strictSame(lost.list(), ['one']);
  lost.delete('one');
  t.strictSame(lost.list(), []);
  for (let index = 0; index < 100; index++) lost.add(`node-${index}`);
  t.equal(lost.list().length, 64);
  t.ok(lost.list().includes('node-99'));
});
