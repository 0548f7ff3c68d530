import assert from 'node:assert/strict';
import fc from '../../support/fuzz.ts';
import t from 'tap';
import { pickSuccessors } from '../../../runtime/cluster/failure-detector.ts';

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
