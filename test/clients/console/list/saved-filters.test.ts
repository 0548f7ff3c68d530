/** Saved filters: from the profile, and to it. */
import t from 'tap';
import { isSameFilter, listSavedFilters, toKept } from '../../../../clients/console/list/saved-filters.ts';
import type { Profile } from '../../../../clients/sdk/index.ts';

const vip = { queue: 'waitingLongest', filters: { tag: ['vip'], unread: true } } as const;

t.test('those of the project, by their names, in the words of the Console', async t => {
  const saved = {
    prj_1: { Öl: { ...vip }, Alle: { queue: 'allOpen', filters: {} }, Zoll: { queue: 'mine', filters: {} } },
    prj_2: { Other: { queue: 'closed', filters: {} } },
  } as unknown as Profile['savedFilters'];
  t.strictSame(listSavedFilters(saved, 'prj_1'), [
    { name: 'Alle', queue: 'all', filters: {} },
    { name: 'Öl', queue: 'waiting', filters: { tag: ['vip'], unread: true } },
    { name: 'Zoll', queue: 'mine', filters: {} },
  ]);
  t.strictSame(listSavedFilters(saved, 'prj_3'), []);
  t.strictSame(listSavedFilters(undefined, 'prj_1'), []);
});

t.test('a queue of a later version is left out', async t => {
  const saved = { prj_1: { Later: { queue: 'spam', filters: {} } } } as unknown as Profile['savedFilters'];
  t.strictSame(listSavedFilters(saved, 'prj_1'), []);
});

t.test('is kept in the words of the contract, without what is not set', async t => {
  const filters = { tag: ['vip'], unread: true, channelId: undefined };
  t.strictSame(toKept({ queue: 'waiting', filters }), vip);
});

t.test('the same, whatever the order of fields and values', async t => {
  const one = { queue: 'all', filters: { tag: ['a', 'b'], unread: true } } as const;
  t.ok(isSameFilter(one, { queue: 'all', filters: { unread: true, tag: ['b', 'a'], channelId: undefined } }));
  t.notOk(isSameFilter(one, { queue: 'mine', filters: one.filters }));
  t.notOk(isSameFilter(one, { queue: 'all', filters: { tag: ['a', 'b'] } }));
  t.notOk(isSameFilter(one, { queue: 'all', filters: { tag: ['a'], unread: true } }));
});
