import t from 'tap';
import { findPages, RecoveryScanner } from '../../../gateway/jobs/recovery-scanner.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** 1,200 stitches, of which every second one is this node's. */
const all = Array.from({ length: 1_200 }, (_, i) => `stitch_${String(i).padStart(4, '0')}`);
const isOwned = (id: string): boolean => Number(id.slice(-1)) % 2 === 0;
const mine = all.filter(isOwned);

function setUp(t: { teardown(end: () => void): unknown }, find?: Parameters<typeof findPages>[0]) {
  const clock = new VirtualClock();
  const woken: string[] = [];
  const page: Parameters<typeof findPages>[0] = (limit, after) =>
    Promise.resolve(all.filter(id => id > after).slice(0, limit));
  const scanner = new RecoveryScanner({
    clock,
    log: silentLog,
    isOwned,
    find: () => findPages(find ?? page),
    wake: id => woken.push(id),
  });
  t.teardown(() => scanner.stop());
  return { clock, woken, scanner };
}

t.test("scans the node's own stitches once for a burst of requests", async t => {
  const { clock, woken, scanner } = setUp(t);
  for (let i = 0; i < 256; i++) scanner.scanSoon('owned');
  await clock.advance(5_000);
  t.same(woken, mine);
});

t.test('scans all stitches when one of the requests was for all', async t => {
  const { clock, woken, scanner } = setUp(t);
  scanner.scanSoon('all');
  scanner.scanSoon('owned');
  await clock.advance(5_000);
  t.same(woken, all);
});

t.test('scans again regularly, and after a failure', async t => {
  let walks = 0;
  const { clock, scanner } = setUp(t, () => {
    walks++;
    return walks === 1 ? Promise.reject(new Error('the database is away')) : Promise.resolve([]);
  });
  scanner.scanSoon('owned');
  await clock.advance(1_000);
  t.equal(walks, 1);
  await clock.advance(60_000);
  t.equal(walks, 3);
  scanner.stop();
  await clock.advance(60_000);
  t.equal(walks, 3);
  t.equal(clock.pending, 0);
});

t.test('a request during a scan causes another scan', async t => {
  const answers: (() => void)[] = [];
  const { clock, woken, scanner } = setUp(
    t,
    () => new Promise(resolve => answers.push(() => resolve(['stitch_0001', 'stitch_0002']))),
  );
  scanner.scanSoon('owned');
  await clock.advance(100);
  t.equal(answers.length, 1);
  scanner.scanSoon('all');
  await clock.advance(1_000);
  t.equal(answers.length, 1, 'one at a time');
  answers.shift()?.();
  await clock.advance(100);
  answers.shift()?.();
  await clock.advance(1);
  t.same(woken, ['stitch_0002', 'stitch_0001', 'stitch_0002']);
});

t.test('a page waits until there is room for its actors, and the round goes on where it was', async t => {
  const clock = new VirtualClock();
  const woken: string[] = [];
  let room = 500;
  const scanner = new RecoveryScanner({
    clock,
    log: silentLog,
    isOwned: () => true,
    find: () => findPages((limit, after) => Promise.resolve(all.filter(id => id > after).slice(0, limit))),
    hasRoom: () => woken.length < room,
    wake: id => woken.push(id),
  });
  t.teardown(() => scanner.stop());
  scanner.scanSoon('owned');
  await clock.advance(20_000);
  t.equal(woken.length, 500);
  room = Infinity;
  await clock.advance(1_000);
  t.same(woken, all);
});
