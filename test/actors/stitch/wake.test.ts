/** Who is woken after a commit, and how often. */
import t from 'tap';
import { wakeStitches } from '../../../actors/stitch/wake.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { CommitNotifier, type AppendedEvents } from '../../../storage/events/commit-notifier.ts';
import type { WantingLists } from '../../../storage/deliveries/followed-log.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const event = {
  projectId: 'prj_1',
  environmentId: 'env_1',
  eventId: 'evt_1',
  eventName: 'thread.status.changed',
  occurredAt: '',
  body: '{}',
};

function setUp(findWanting: (appended: AppendedEvents) => WantingLists | Promise<WantingLists>) {
  const clock = new VirtualClock();
  const notifier = new CommitNotifier();
  const told: string[] = [];
  const added: AppendedEvents[] = [];
  let scans = 0;
  const waker = wakeStitches({
    notifier,
    followedLog: { add: appended => void added.push(appended), findWanting },
    tell: ({ id }, command, payload) => void told.push(`${command} ${id} ${JSON.stringify(payload)}`),
    scan: () => void scans++,
    clock,
    log: silentLog,
  });
  const commit = (tested: readonly string[] = [], head = 4): void =>
    notifier.notifyCommitted(
      [event, event],
      [{ heads: { prj_1: head }, subscriptions: { prj_1: 9 }, tested }],
    );
  return { clock, notifier, told, added, waker, commit, scans: () => scans };
}

t.test('once at once, and once more after many commits', async t => {
  const { clock, told, added, commit } = setUp(() => [['stitch_1']]);
  for (let i = 0; i < 50; i++) commit([], 4 + 2 * i);
  t.same(told, ['wake stitch_1 {"newest":6}']);
  t.match(added[0], { projectId: 'prj_1', first: 5, subscriptions: 9, events: { length: 2 } });
  await clock.advance(2);
  t.same(told.slice(1), ['wake stitch_1 {"newest":104}']);
  await clock.advance(1_000);
  t.equal(told.length, 2, 'nothing came since');
  commit();
  t.equal(told.length, 3);
});

t.test('of a thousand stitches each one less often', async t => {
  const ids = Array.from({ length: 1_000 }, (_, i) => `stitch_${i}`);
  const { clock, told, commit } = setUp(() => [ids, ids.slice(500)]);
  for (let ms = 0; ms < 1_000; ms++) {
    commit();
    await clock.advance(1);
  }
  t.ok(told.length <= 6_000, `${told.length} in a second`);
  t.equal(new Set(told.map(each => each.split(' ')[1])).size, 1_000);
});

t.test('what they want may have to be read, and may not be readable', async t => {
  let fails = false;
  const { told, commit, scans } = setUp(() =>
    fails ? Promise.reject(new Error('away')) : Promise.resolve([['stitch_1']]),
  );
  commit();
  await Promise.resolve();
  await Promise.resolve();
  t.same(told, ['wake stitch_1 {"newest":6}']);
  fails = true;
  commit();
  await new Promise(resolve => setImmediate(resolve));
  t.equal(scans(), 1, 'all that are behind are looked for');
});

t.test('a test is a row, and a commit of unknown outcome is looked for', t => {
  const { told, notifier, commit, scans, waker } = setUp(() => []);
  commit(['stitch_2']);
  t.same(told, ['wake stitch_2 {"from":0}']);
  notifier.notifyUnnumbered([event]);
  t.equal(scans(), 1);
  waker.stop();
  t.end();
});
